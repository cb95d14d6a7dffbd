/** A change by an attacker who can write to the database. */
interface Planted {
  subject: string
  /** The name in the document (docs/operations/verify.md). */
  name: string
  /** `:name` stands for an id from sample-data.ts. */
  sql: string | string[]
}

/** `finding`: the problem that verification reports. `notDetected`: the reason why it reports none. */
export type Corruption = Planted & ({ finding: string } | { notDetected: string })

type Row = readonly [name: string, sql: string | string[], finding: string]

const detected = (subject: string, rows: readonly Row[]): Corruption[] =>
  rows.map(([name, sql, finding]) => ({ subject, name, sql, finding }))

const CHANGED = 'journal: link is not what was sealed'
const COUNTED = 'journal: link has '

const transaction = (set: string, name: string) => `update transactions set ${set} where id = :${name}`
const operation = (set: string, name: string, kind: string) =>
  `update operations set ${set} where transaction_id = :${name} and kind = '${kind}'`
const copyOf = (table: string, where: string, changes: string) =>
  `insert into ${table} select (jsonb_populate_record(row, ${changes})).* from ${table} row where ${where}`

const removedPayment = (name: string) => [
  `delete from transaction_events where transaction_id = :${name}`,
  `delete from events where target_id = :${name} or target_id in (select id from operations where transaction_id = :${name})`,
  `delete from idempotency_keys where resource_id = :${name}`,
  `delete from operations where transaction_id = :${name}`,
  `delete from transactions where id = :${name}`,
]

export const corruptions: readonly Corruption[] = [
  ...detected('Amounts of a transaction', [
    ['the amount is changed', transaction('amount = amount + 1', 'captured'), 'amount: '],
    [
      'the authorized amount is raised',
      transaction('authorized_amount = authorized_amount + 1', 'authorized'),
      'authorized_amount: ',
    ],
    [
      'the captured amount is changed',
      transaction('captured_amount = captured_amount - 1', 'captured'),
      'captured_amount: ',
    ],
    [
      'the refunded amount is lowered, so that it can be refunded again',
      transaction('refunded_amount = 0', 'refunded'),
      'refunded_amount: ',
    ],
    [
      'a reservation of a capture is taken away',
      transaction('capture_reserved = 0', 'capturing'),
      'capture_reserved: ',
    ],
    [
      'a reservation of a refund is taken away',
      transaction('refund_reserved = 0', 'overCaptured'),
      'refund_reserved: ',
    ],
    ['a reservation is added', transaction('capture_reserved = 100', 'authorized'), 'capture_reserved: '],
    [
      'a payment without operations is authorized',
      transaction(`authorized_amount = amount`, 'refusedUnasked'),
      'authorized_amount: ',
    ],
    [
      'a payment without operations is captured, in every column',
      transaction(
        `status = 'capture_succeeded', intent_outcome = 'succeeded', authorized_amount = amount, captured_amount = amount, authorized_at = created_at, captured_at = created_at, error_code = null`,
        'refusedUnasked',
      ),
      'status: ',
    ],
    [
      'more may be captured than was authorized',
      transaction('over_capture_allowance = 100000', 'overCaptured'),
      'over_capture_allowance: ',
    ],
    [
      'more may be captured, before there is any capture',
      transaction('over_capture_allowance = 1000', 'authorized'),
      'over_capture_allowance: ',
    ],
  ]),
  ...detected('State of a transaction', [
    [
      'a voided payment is authorized, and can be captured again',
      transaction(`status = 'authorization_succeeded'`, 'voided'),
      'status: ',
    ],
    [
      'an authorized payment is voided',
      transaction(`status = 'authorization_voided'`, 'authorized'),
      'status: ',
    ],
    [
      'an authorized payment is captured',
      transaction(`status = 'capture_succeeded'`, 'authorized'),
      'status: ',
    ],
    [
      'a declined payment is authorized',
      transaction(`status = 'authorization_succeeded', error_code = null`, 'declined'),
      'status: ',
    ],
    ['a captured payment has failed', transaction(`status = 'authorization_failed'`, 'captured'), 'status: '],
    ['a captured payment is processing', transaction(`status = 'processing'`, 'captured'), 'status: '],
    [
      'a payment waits for a buyer without an approval',
      transaction(`status = 'buyer_approval_pending'`, 'captured'),
      'status: ',
    ],
    [
      'a payment that waits for its buyer is processing',
      transaction(`status = 'processing'`, 'asked'),
      'status: ',
    ],
    ['a pending capture has succeeded', transaction(`status = 'capture_succeeded'`, 'pending'), 'status: '],
    [
      'the status of a person’s correction is replaced',
      transaction(`status = 'authorization_voided'`, 'corrected'),
      'status: ',
    ],
    [
      'a payment by gift cards alone has failed',
      transaction(`status = 'authorization_failed'`, 'giftOnly'),
      'status: ',
    ],
    [
      'the outcome of the intent is changed',
      transaction(`intent_outcome = 'failed'`, 'captured'),
      'intent_outcome: ',
    ],
    ['a closed capture is open again', transaction('capture_closed = false', 'captured'), 'capture_closed: '],
    ['an open capture is closed', transaction('capture_closed = true', 'parted'), 'capture_closed: '],
    [
      'a payment that was renewed may be captured again',
      transaction('capture_closed = false', 'renewed'),
      'renewed by another payment',
    ],
    [
      'the operation under way is removed, so that another may begin',
      transaction('active_operation_id = null', 'capturing'),
      'operation under way: ',
    ],
    [
      'an operation under way is added',
      transaction('active_operation_id = gen_random_uuid()', 'authorized'),
      'operation under way: ',
    ],
    [
      'the error code of a declined payment is replaced',
      transaction(`error_code = 'service_error'`, 'declined'),
      'error_code: ',
    ],
    [
      'the error code of a declined payment is gone',
      transaction('error_code = null', 'declined'),
      'error_code: ',
    ],
    [
      'the time of its authorization is changed',
      transaction(`authorized_at = authorized_at - interval '1 day'`, 'authorized'),
      'authorized_at: ',
    ],
    ['the time of its capture is removed', transaction('captured_at = null', 'captured'), 'captured_at: '],
    ['a time of a void is added', transaction('voided_at = created_at', 'authorized'), 'voided_at: '],
    [
      'a time of a cancellation is added',
      transaction('canceled_at = created_at', 'authorized'),
      'canceled_at: ',
    ],
    ['a payment in another currency', transaction(`currency = 'JPY'`, 'captured'), 'currency: '],
    [
      'its payment service is replaced',
      transaction('payment_service_id = :walletService', 'captured'),
      'payment service: ',
    ],
    [
      'its id at the payment service is removed',
      transaction('payment_service_transaction_id = null', 'captured'),
      'id at the payment service: ',
    ],
    [
      'its id at the payment service is replaced',
      transaction(`payment_service_transaction_id = 'pay_other'`, 'captured'),
      'id at the payment service: ',
    ],
    [
      'two transactions with one charge',
      `update transactions set payment_service_transaction_id = (select payment_service_transaction_id from transactions where id = :captured) where id = :refunded`,
      'payment at the payment service of several transactions: ',
    ],
    ['it becomes settled without a report', transaction('settled = true', 'captured'), 'settled: '],
    [
      'it is no longer settled, although a report settled it',
      transaction('settled = false', 'settled'),
      'settled: ',
    ],
    [
      'the settled amount is changed',
      transaction('settled_amount = settled_amount + 1', 'settled'),
      'settled_amount: ',
    ],
    [
      'the currency of the settlement is replaced',
      transaction(`settled_currency = 'JPY'`, 'settled'),
      'settled_currency: ',
    ],
    ['a dispute is removed', transaction('disputed = false', 'disputed'), 'disputed: '],
    ['a dispute is added', transaction('disputed = true', 'captured'), 'disputed: '],
    [
      'the amount of a chargeback is removed, so that it can be refunded',
      transaction('disputed_amount = null', 'disputed'),
      'disputed_amount: ',
    ],
    [
      'less is disputed than the chargeback took',
      transaction('disputed_amount = disputed_amount - 1', 'disputed'),
      'disputed_amount: ',
    ],
    [
      'a won dispute takes money again',
      transaction('disputed_amount = 570002', 'disputeWon'),
      'disputed_amount: ',
    ],
    [
      'money is disputed without a chargeback',
      transaction('disputed_amount = 100', 'captured'),
      'disputed_amount: ',
    ],
    [
      'the status of a correction stays, and the outcome of its intent is changed',
      transaction(`intent_outcome = 'failed'`, 'corrected'),
      'intent_outcome: ',
    ],
    [
      'the time of capture of a corrected payment is changed',
      transaction(`captured_at = captured_at - interval '1 day'`, 'corrected'),
      'captured_at: ',
    ],
    [
      'it is moved to another account',
      transaction('merchant_account_id = :fraudAccount', 'captured'),
      'operation without a transaction: ',
    ],
    [
      'the count of its events is changed',
      transaction('event_count = event_count - 1', 'captured'),
      'events of its transaction: ',
    ],
    [
      'its payment link does not exist',
      transaction('payment_link_id = gen_random_uuid()', 'captured'),
      'payment link: ',
    ],
  ]),
  ...detected('Reviews', [
    [
      'a payment under review is released',
      transaction('pending_review = false', 'held'),
      'held for review: ',
    ],
    [
      'a payment under review is accepted',
      transaction(`pending_review = false, anti_fraud = anti_fraud || '{"decision": "accept"}'`, 'held'),
      'let go without a review',
    ],
    [
      'a review is decided, and recovery does not follow the decision',
      transaction(`anti_fraud = anti_fraud || '{"decision": "accept"}'`, 'held'),
      'review that is decided and not followed: ',
    ],
    [
      'the decision of the anti-fraud service is removed',
      transaction('anti_fraud = null', 'held'),
      'decision of the anti-fraud service: ',
    ],
    [
      'a captured payment is put under review',
      transaction('pending_review = true', 'captured'),
      'held for review: ',
    ],
  ]),
  ...detected('Operations', [
    [
      'all operations of a captured payment are gone',
      'delete from operations where transaction_id = :captured',
      'captured_amount: ',
    ],
    [
      'the capture of a payment is gone',
      `delete from operations where id = (select min(id::text)::uuid from operations where transaction_id = :parted and kind = 'capture')`,
      'captured_amount: ',
    ],
    [
      'a refund is gone',
      `delete from operations where transaction_id = :refunded and kind = 'refund'`,
      'refunded_amount: ',
    ],
    ['a void is gone', `delete from operations where transaction_id = :voided and kind = 'void'`, 'status: '],
    [
      'an undecided capture is of another amount, and so is its reservation',
      [
        operation('amount = amount - 1', 'capturing', 'capture'),
        transaction('capture_reserved = capture_reserved - 1', 'capturing'),
      ],
      'last event of an operation: amount',
    ],
    [
      'an undecided operation is gone',
      `delete from operations where transaction_id = :capturing and kind = 'capture'`,
      'operation under way: ',
    ],
    [
      'a refund is added',
      copyOf(
        'operations',
        `transaction_id = :refunded and kind = 'refund'`,
        `'{"id": "00000000-0000-4000-8000-000000000001", "event_count": 0}'`,
      ),
      'refunded_amount: ',
    ],
    [
      'a second authorization is added',
      copyOf(
        'operations',
        `transaction_id = :authorized and kind = 'authorize'`,
        `'{"id": "00000000-0000-4000-8000-000000000001"}'`,
      ),
      'approved authorizations',
    ],
    [
      'the amount of an authorization is changed',
      operation('effective_amount = effective_amount - 1', 'authorized', 'authorize'),
      'authorized_amount: ',
    ],
    [
      'the amount of a capture is changed',
      operation('amount = amount - 1, effective_amount = amount - 1', 'captured', 'sale'),
      'captured_amount: ',
    ],
    [
      'the amount of a refund is changed',
      operation('amount = 1, effective_amount = 1', 'refunded', 'refund'),
      'refunded_amount: ',
    ],
    [
      'the amount of a capture that took effect is lowered',
      operation('effective_amount = 1', 'parted', 'capture'),
      'operation: part of it took effect',
    ],
    [
      'the amount of an authorization that took effect is raised',
      operation('effective_amount = amount + 1', 'authorized', 'authorize'),
      'operation: more of it took effect',
    ],
    [
      'an approved operation has no amount',
      operation('effective_amount = null', 'refunded', 'refund'),
      'operation: what took effect',
    ],
    [
      'an approved operation is declined',
      operation(
        `status = 'declined', error_code = 'insufficient_funds', effective_amount = null`,
        'captured',
        'sale',
      ),
      'captured_amount: ',
    ],
    [
      'a declined operation is approved',
      operation(`status = 'approved', error_code = null, effective_amount = amount`, 'declined', 'authorize'),
      'status: ',
    ],
    [
      'a decided operation is undecided',
      operation(`status = 'unknown', settled_at = null`, 'captured', 'sale'),
      'undecided operation that is never looked at: ',
    ],
    [
      'an unknown operation is decided',
      operation(
        `status = 'failed', error_code = 'service_error', settled_at = updated_at, check_at = null`,
        'capturing',
        'capture',
      ),
      'operation under way: ',
    ],
    [
      'an undecided operation is never looked at',
      operation('check_at = null', 'capturing', 'capture'),
      'undecided operation that is never looked at: ',
    ],
    [
      'an undecided operation is looked at in a hundred years',
      operation(`check_at = check_at + interval '100 years'`, 'uncertain', 'authorize'),
      'undecided operation that is not looked at for long: ',
    ],
    [
      'a decided operation is looked at again',
      operation('check_at = created_at', 'captured', 'sale'),
      'decided operation that is looked at again: ',
    ],
    [
      'the time of its decision is removed',
      operation('settled_at = null', 'captured', 'sale'),
      'operation: when it was decided',
    ],
    ['a capture becomes a refund', operation(`kind = 'refund'`, 'captured', 'sale'), 'captured_amount: '],
    [
      'it is moved to another transaction',
      operation('transaction_id = :authorized', 'refunded', 'refund'),
      'refunded_amount: ',
    ],
    [
      'its transaction does not exist',
      operation('transaction_id = gen_random_uuid()', 'refunded', 'refund'),
      'operation without a transaction: ',
    ],
    [
      'it is moved to another account',
      operation('merchant_account_id = :fraudAccount', 'refunded', 'refund'),
      'operation without a transaction: ',
    ],
    ['its currency is replaced', operation(`currency = 'JPY'`, 'refunded', 'refund'), 'currency: '],
    [
      'its payment service is replaced',
      operation('payment_service_id = :walletService', 'refunded', 'refund'),
      'payment service of its operations: ',
    ],
    [
      'its id at the payment service is gone',
      operation('payment_service_operation_id = null', 'refunded', 'refund'),
      'approved operation without an id at the payment service',
    ],
    [
      'two payments with one charge',
      `update operations set payment_service_operation_id = (select payment_service_operation_id from operations where transaction_id = :captured and kind = 'sale') where transaction_id = :refunded and kind = 'sale'`,
      'charge at the payment service of several payments: ',
    ],
    [
      'the settled amount of a refund is changed',
      operation('settled_amount = 5', 'refunded', 'refund'),
      'settled_amount of a refund: ',
    ],
    [
      'a person’s correction is gone',
      `delete from operations where transaction_id = :corrected and kind = 'correction'`,
      'captured_amount: ',
    ],
    [
      'a person’s correction is of another amount',
      operation(`input = jsonb_set(input, '{after,captured_amount}', '1')`, 'corrected', 'correction'),
      'captured_amount: ',
    ],
    [
      'its error code is gone',
      operation('error_code = null', 'declined', 'authorize'),
      'operation: error code',
    ],
    [
      'an undecided operation gets a position in the journal',
      operation('journal_position = 1', 'capturing', 'capture'),
      'undecided operation with a place in the journal: ',
    ],
  ]),
  ...detected('Gift cards that share a payment', [
    [
      'a redemption has failed',
      transaction(`gift_cards = jsonb_set(gift_cards, '{redemptions,0,status}', '"failed"')`, 'shared'),
      'gift card redemptions: ',
    ],
    [
      'a redemption is of another amount',
      transaction(`gift_cards = jsonb_set(gift_cards, '{redemptions,0,amount}', '1100')`, 'shared'),
      'gift card redemption: amount',
    ],
    [
      'the id of a redemption at the gift card service is replaced',
      transaction(`gift_cards = jsonb_set(gift_cards, '{redemptions,0,reference}', '"other"')`, 'shared'),
      'gift card redemption: id at its service',
    ],
    [
      'the amount that was put back on the card is removed',
      transaction(`gift_cards = jsonb_set(gift_cards, '{redemptions,0,refunded}', '0')`, 'shared'),
      'refunded to gift cards: ',
    ],
    [
      'a refund to the card is added',
      transaction(`gift_cards = jsonb_set(gift_cards, '{redemptions,0,refund_reserved}', '100')`, 'giftOnly'),
      'refunds to gift cards under way: ',
    ],
    ['gift cards are gone', transaction('gift_cards = null', 'shared'), 'amount: '],
    [
      'a redemption’s operation is gone',
      `delete from operations where transaction_id = :giftOnly and kind = 'redeem'`,
      'status: ',
    ],
  ]),
  ...detected('Payouts', [
    ['the amount is changed', 'update payouts set amount = amount + 1 where id = :payout', 'payout: amount'],
    ['the status is changed', `update payouts set status = 'failed' where id = :payout`, 'payout: status'],
    [
      'the currency is replaced',
      `update payouts set currency = 'JPY' where id = :payout`,
      'payout: currency',
    ],
    [
      'the payment service is replaced',
      'update payouts set payment_service_id = :walletService where id = :payout',
      'payout: payment service',
    ],
    [
      'the id at the payment service is replaced',
      `update payouts set payment_service_payout_id = 'other' where id = :payout`,
      'payout: id at the payment service',
    ],
    ['its operation is gone', 'delete from operations where transaction_id = :payout', 'payout: operations'],
    [
      'it is added twice',
      copyOf('operations', 'transaction_id = :payout', `'{"id": "00000000-0000-4000-8000-000000000001"}'`),
      'payout: operations',
    ],
    ['it is gone', 'delete from payouts where id = :payout', 'operation without a payout: '],
    [
      'it is deleted with all its rows',
      [
        'delete from events where target_id = :payout',
        'delete from idempotency_keys where resource_id = :payout',
        'delete from operations where transaction_id = :payout',
        'delete from payouts where id = :payout',
      ],
      'made, by the audit log, and gone: ',
    ],
  ]),
  ...detected('Whole payments', [
    [
      'a transaction is gone',
      'delete from transactions where id = :captured',
      'operation without a transaction: ',
    ],
    [
      'a payment is deleted with all its rows',
      removedPayment('captured'),
      'made, by the audit log, and gone: ',
    ],
    [
      'an undecided payment is deleted with all its rows',
      removedPayment('uncertain'),
      'made, by the audit log, and gone: ',
    ],
    [
      'a refund is deleted with all its rows',
      [
        `delete from events where target_id in (select id from operations where transaction_id = :refunded and kind = 'refund')`,
        `delete from idempotency_keys where resource_id in (select id from operations where transaction_id = :refunded and kind = 'refund')`,
        `delete from operations where transaction_id = :refunded and kind = 'refund'`,
        transaction('refunded_amount = 0', 'refunded'),
      ],
      'made, by the audit log, and gone: ',
    ],
    [
      'all payments of an account are gone',
      [
        'delete from operations where merchant_account_id = :fraudAccount',
        'delete from transactions where merchant_account_id = :fraudAccount',
      ],
      'event of nothing: ',
    ],
  ]),
  ...detected('Events', [
    [
      'the events of a payment are gone',
      'delete from events where target_id = :captured',
      'events of its transaction: ',
    ],
    [
      'an event is gone',
      'delete from events where target_id = :captured and sequence = 1',
      'events of its transaction: ',
    ],
    [
      'an event has a wrong number',
      'update events set sequence = sequence + 1 where target_id = :captured and sequence = 1',
      'events of its transaction: ',
    ],
    [
      'an event is there twice',
      copyOf(
        'events',
        'target_id = :captured and sequence = 1',
        `'{"id": "00000000-0000-4000-8000-000000000001"}'`,
      ),
      'events of its transaction: ',
    ],
    [
      'its status is replaced',
      `update events set target = jsonb_set(target::jsonb, '{status}', '"authorization_failed"')::json where target_id = :captured`,
      'last event: status',
    ],
    [
      'its amount is replaced',
      `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id = :captured`,
      'last event: amount',
    ],
    [
      'its captured amount is replaced',
      `update events set target = jsonb_set(target::jsonb, '{captured_amount}', '1')::json where target_id = :captured`,
      'last event: captured_amount',
    ],
    [
      'its currency is replaced',
      `update events set target = jsonb_set(target::jsonb, '{currency}', '"JPY"')::json where target_id = :captured`,
      'last event: currency',
    ],
    [
      'its resource does not exist',
      'update events set target_id = gen_random_uuid() where target_id = :declined',
      'event of nothing: ',
    ],
    [
      'it is moved to another account',
      'update events set merchant_account_id = :fraudAccount where target_id = :declined',
      'event of nothing: ',
    ],
    [
      'the amount in a refund’s event is replaced',
      `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id = (select id from operations where transaction_id = :refunded and kind = 'refund')`,
      'last event of an operation: amount',
    ],
    [
      'a refund’s event becomes a failure',
      `update events set target = jsonb_set(target::jsonb, '{status}', '"failed"')::json where target_id = (select id from operations where transaction_id = :refunded and kind = 'refund')`,
      'last event of an operation: status',
    ],
    [
      'the amount in a payout’s event is replaced',
      `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id = :payout`,
      'last event of a payout: amount',
    ],
    [
      'a resource has more events than it counts',
      'update event_sequences set last = last + 1 where target_id = :openLink',
      'events of its resource: ',
    ],
  ]),
  ...detected('Idempotency keys', [
    [
      'a key is gone, so that the request would be carried out again',
      `delete from idempotency_keys where key = 'corruption-captured'`,
      'idempotency key that is gone: ',
    ],
    [
      'a key is replaced',
      `update idempotency_keys set key = 'other' where key = 'corruption-captured'`,
      'idempotency key that is gone: ',
    ],
    [
      'a key is moved to another request',
      `update idempotency_keys set scope = 'POST /elsewhere' where key = 'corruption-refunded'`,
      'idempotency key that is gone: ',
    ],
    [
      'the resource of a key does not exist',
      `update idempotency_keys set resource_id = gen_random_uuid() where key = 'corruption-captured'`,
      'idempotency key of nothing: ',
    ],
    [
      'its stored answer is removed',
      `update idempotency_keys set answer = null where key = 'corruption-captured'`,
      'idempotency key without its answer: ',
    ],
    [
      'its stored answer shows another payment',
      `update idempotency_keys set answer = jsonb_set(answer::jsonb, '{transaction,id}', to_jsonb(:authorized::text))::json where key = 'corruption-captured'`,
      'stored answer: transaction',
    ],
    [
      'its stored answer shows another amount',
      `update idempotency_keys set answer = jsonb_set(answer::jsonb, '{operation,amount}', '1')::json where key = 'corruption-captured'`,
      'stored answer: amount',
    ],
    [
      'its stored answer shows another outcome',
      `update idempotency_keys set answer = jsonb_set(answer::jsonb, '{operation,status}', '"declined"')::json where key = 'corruption-refunded'`,
      'stored answer: outcome',
    ],
  ]),
  {
    subject: 'Idempotency keys',
    name: 'the oldest key of the instance is gone',
    sql: `delete from idempotency_keys where key = 'corruption-oldest'`,
    notDetected:
      'Railyard may have deleted the oldest key while `IDEMPOTENCY_RETENTION` was shorter. A transaction or refund that is repeated without it is executed a second time, which the audit log, the events and the payment service’s books show',
  },
  {
    subject: 'Idempotency keys',
    name: 'the hash of a key’s request is replaced',
    sql: `update idempotency_keys set fingerprint = '\\x00' where key = 'corruption-captured'`,
    notDetected:
      'Railyard does not keep the request’s body. It refuses a repetition with a 409, and executes nothing',
  },
  ...detected('Payment links', [
    [
      'a paid link may be paid again',
      `update payment_links set status = 'active' where id = :paidLink`,
      'payment link: paid',
    ],
    [
      'an unpaid link is completed',
      `update payment_links set status = 'completed', transaction_id = :captured where id = :openLink`,
      'payment link: completed by a payment',
    ],
    [
      'a paid link names another payment',
      'update payment_links set transaction_id = :captured where id = :paidLink',
      'payment link: its transaction came through',
    ],
    [
      'the payment of a paid link does not exist',
      'update payment_links set transaction_id = gen_random_uuid() where id = :paidLink',
      'payment link: transaction',
    ],
    [
      'the amount of a link is lowered',
      'update payment_links set amount = 1 where id = :openLink',
      'last event of a payment link: amount',
    ],
    [
      'the amount of a paid link is replaced',
      'update payment_links set amount = amount + 1 where id = :paidLink',
      'amount of its payment link: ',
    ],
    [
      'the currency of a link is replaced',
      `update payment_links set currency = 'JPY' where id = :openLink`,
      'last event of a payment link: currency',
    ],
    [
      'a link is gone',
      'delete from payment_links where id = :openLink',
      'made, by the audit log, and gone: ',
    ],
    ['a paid link is gone', 'delete from payment_links where id = :paidLink', 'payment link: '],
  ]),
  ...detected('Settlements', [
    [
      'a settlement is gone',
      `delete from settlements where transaction_id = :settled and type = 'settlement'`,
      'settled_amount: ',
    ],
    [
      'a settlement is of another amount',
      `update settlements set amount = amount + 1 where transaction_id = :settled and type = 'settlement'`,
      'settled_amount: ',
    ],
    [
      'a settlement of a refund is of another amount',
      `update settlements set amount = amount + 1 where transaction_id = :settled and type = 'refund-settlement'`,
      'settled_amount of a refund: ',
    ],
    [
      'a settlement of a refund is gone',
      `delete from settlements where transaction_id = :settled and type = 'refund-settlement'`,
      'settled_amount of a refund: ',
    ],
    ['a chargeback is gone', 'delete from settlements where transaction_id = :disputed', 'disputed: '],
    [
      'a chargeback took another amount',
      `update settlements set gross_amount = gross_amount - 1 where transaction_id = :disputed and type = 'chargeback'`,
      'disputed_amount: ',
    ],
    [
      'a chargeback’s reversal is gone',
      `delete from settlements where transaction_id = :disputeWon and type = 'chargeback-reversal'`,
      'disputed_amount: ',
    ],
    [
      'a chargeback’s reversal is added',
      copyOf(
        'settlements',
        `transaction_id = :disputed and type = 'chargeback'`,
        `jsonb_build_object('id', gen_random_uuid(), 'line_key', gen_random_uuid(), 'type', 'chargeback-reversal')`,
      ),
      'disputed_amount: ',
    ],
    [
      'a settlement is moved to another payment',
      `update settlements set transaction_id = :captured where transaction_id = :settled and type = 'settlement'`,
      'settled_amount: ',
    ],
    [
      'the payment of a settlement does not exist',
      `update settlements set transaction_id = gen_random_uuid() where transaction_id = :disputed and type = 'chargeback'`,
      'settlement of nothing: ',
    ],
    [
      'a settlement is in another currency',
      `update settlements set currency = 'JPY' where transaction_id = :settled and type = 'settlement'`,
      'settled_currency: ',
    ],
  ]),
  ...detected('Stored payment methods', [
    [
      'a stored card is provisional again',
      `update payment_methods set provisional = true where id = (select (payment_method->>'id')::uuid from transactions where id = :stored)`,
      'provisional payment method without a payment under way: ',
    ],
  ]),
  ...detected('Changes that agree with all other rows', [
    [
      'a capture and its payment are of another amount',
      [
        operation('amount = 1, effective_amount = 1', 'parted', 'capture'),
        transaction('captured_amount = 2', 'parted'),
        `update events set target = jsonb_set(target::jsonb, '{captured_amount}', '2')::json where target_id = :parted`,
        `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id in (select id from operations where transaction_id = :parted and kind = 'capture')`,
      ],
      CHANGED,
    ],
    [
      'a refund and its payment say that it was declined',
      [
        operation(
          `status = 'declined', error_code = 'refused_transaction', effective_amount = null`,
          'refunded',
          'refund',
        ),
        transaction('refunded_amount = 0', 'refunded'),
        `update events set target = jsonb_set(target::jsonb, '{status}', '"declined"')::json where target_id in (select id from operations where transaction_id = :refunded and kind = 'refund')`,
        `update idempotency_keys set answer = null where key = 'corruption-refunded'`,
      ],
      CHANGED,
    ],
    [
      'a payment of another currency, with its operations',
      [
        transaction(`currency = 'JPY'`, 'voided'),
        `update operations set currency = 'JPY' where transaction_id = :voided`,
      ],
      CHANGED,
    ],
    [
      'the day of an authorization is replaced, with its operation',
      [
        operation(`settled_at = settled_at - interval '1 day'`, 'authorized', 'authorize'),
        transaction(`authorized_at = authorized_at - interval '1 day'`, 'authorized'),
      ],
      CHANGED,
    ],
    [
      'the day of a payment’s creation is replaced',
      transaction(`created_at = created_at - interval '1 day'`, 'captured'),
      CHANGED,
    ],
    ['it becomes merchant-initiated', transaction('merchant_initiated = true', 'captured'), CHANGED],
    ['its payment method is replaced', transaction(`method = 'wallet'`, 'captured'), CHANGED],
    ['its intent is replaced', transaction(`intent = 'authorize'`, 'captured'), CHANGED],
    ['its country is replaced', transaction(`country = 'JP'`, 'captured'), CHANGED],
    [
      'its buyer is replaced',
      transaction(`buyer = '{"id": "00000000-0000-4000-8000-000000000001"}'`, 'captured'),
      CHANGED,
    ],
    ['its payment link is removed', transaction('payment_link_id = null', 'paidThroughLink'), CHANGED],
    [
      'the payment that it renews is removed',
      transaction('reauthorized_from_transaction_id = null', 'renewal'),
      CHANGED,
    ],
    [
      'its id at the payment service is replaced, with its operation',
      [
        `update operations set payment_service_transaction_id = 'pay_other' where transaction_id = :voided`,
        transaction(`payment_service_transaction_id = 'pay_other'`, 'voided'),
      ],
      CHANGED,
    ],
    [
      'its payment service is replaced, with its operations',
      [
        transaction('payment_service_id = :walletService', 'voided'),
        'update operations set payment_service_id = :walletService where transaction_id = :voided',
      ],
      CHANGED,
    ],
    [
      'more may be captured, as an operation allows',
      [
        operation(`input = input || '{"allowance": 5000}'`, 'overCaptured', 'capture'),
        transaction('over_capture_allowance = 5000', 'overCaptured'),
      ],
      CHANGED,
    ],
    [
      'the screening of a payment is deleted, with its decision',
      [
        `delete from operations where transaction_id = :accepted and kind = 'screening'`,
        transaction('anti_fraud = null', 'accepted'),
      ],
      COUNTED,
    ],
    [
      'an operation’s idempotency key is gone, with the key',
      [
        `update operations set idempotency_key = null, idempotency_scope = null where idempotency_key = 'corruption-captured'`,
        `delete from idempotency_keys where key = 'corruption-captured'`,
      ],
      CHANGED,
    ],
    [
      'the position of an operation in the journal is replaced',
      operation('journal_position = journal_position + 1', 'captured', 'sale'),
      CHANGED,
    ],
    [
      'the position of an operation in the journal is removed',
      operation('journal_position = null', 'captured', 'sale'),
      COUNTED,
    ],
    [
      'the amount of an event that has later ones is replaced',
      `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id = :settled and sequence = 1`,
      CHANGED,
    ],
    [
      'an event has another name',
      `update events set name = 'transaction.declined' where target_id = :captured`,
      CHANGED,
    ],
    [
      'the position of an event in the log is replaced',
      'update events set position = position + 1 where target_id = :captured',
      CHANGED,
    ],
    [
      'the time of an event is replaced',
      `update events set created_at = created_at - interval '1 hour' where target_id = :captured`,
      CHANGED,
    ],
    [
      'a payout and its operation are of another amount',
      [
        'update payouts set amount = 1 where id = :payout',
        operation('amount = 1, effective_amount = 1', 'payout', 'payout'),
      ],
      CHANGED,
    ],
    [
      'a settlement’s fee is replaced',
      `update settlements set commission = commission + 1 where transaction_id = :settled and type = 'settlement'`,
      CHANGED,
    ],
    [
      'a settlement’s gross amount is replaced',
      `update settlements set gross_amount = gross_amount + 1 where transaction_id = :settled and type = 'settlement'`,
      CHANGED,
    ],
    [
      'a settlement of a refund is of another amount, and so is the refund',
      [
        `update settlements set amount = amount + 1 where transaction_id = :settled and type = 'refund-settlement'`,
        operation('settled_amount = settled_amount + 1', 'settled', 'refund'),
      ],
      CHANGED,
    ],
    [
      'a dispute is gone, with its chargeback',
      [
        'delete from settlements where transaction_id = :disputed',
        transaction('disputed = false, disputed_amount = null', 'disputed'),
      ],
      COUNTED,
    ],
    [
      'an issued gift card is of another amount',
      'update gift_card_issuances set amount = amount + 1 where id = :issuance',
      CHANGED,
    ],
    ['an issued gift card is gone', 'delete from gift_card_issuances where id = :issuance', COUNTED],
  ]),
  ...detected('The chain of the journal', [
    [
      'a link is gone',
      'delete from journal_seals where merchant_account_id = :account and number = 1',
      'journal: link is missing',
    ],
    [
      'a link is replaced',
      `update journal_seals set hash = '\\x00' where merchant_account_id = :account and number = 1`,
      CHANGED,
    ],
    [
      'a link covers more rows',
      'update journal_seals set position = position + 1000000 where merchant_account_id = :fraudAccount and number = 1',
      CHANGED,
    ],
    [
      'a link was made at another time',
      `update journal_seals set created_at = created_at - interval '1 hour' where merchant_account_id = :account and number = 1`,
      CHANGED,
    ],
    [
      'the chain is gone',
      'delete from journal_seals where merchant_account_id = :account',
      'journal: link is known, and is missing',
    ],
  ]),
  {
    subject: 'The chain of the journal',
    name: 'the chain of an account is gone, and the operator has kept no link of it',
    sql: 'delete from journal_seals where merchant_account_id = :fraudAccount',
    notDetected:
      'a chain whose end was cut off is still valid: only an operator with a kept link (`--journal-head`) can detect it. Railyard counts the entries as not sealed yet, and seals them again',
  },
  ...(
    [
      [
        'personal data',
        transaction(`shipping_details = '{"name": "Eve"}', ip_address = '192.0.2.1'`, 'captured'),
        'personal data is in no hash, because people have a right to erasure. It moves no money',
      ],
      [
        'a text of the merchant',
        transaction(`external_identifier = 'other', metadata = '{"a": "b"}'`, 'captured'),
        'merchants change it (`PUT`), and it moves no money',
      ],
      [
        'the card that a payment shows',
        transaction(`payment_method = payment_method || '{"label": "9999"}'`, 'captured'),
        'Railyard replaces it when the account updater knows a newer card, and it moves no money',
      ],
      [
        'the record of requests and answers (`exchanges`)',
        operation(`exchanges = '[]'`, 'captured', 'sale'),
        'it may hold personal data, which can be erased. The operation has the outcome, and is sealed',
      ],
      [
        'the timeline of a payment',
        `update transaction_events set entries = '[]' where transaction_id = :captured`,
        'it may hold personal data, and Railyard does not act on it: the log of events is sealed',
      ],
      [
        'the amount of a payment whose outcome is not known yet, and of its operation,',
        [
          operation('amount = amount - 1', 'uncertain', 'authorize'),
          transaction('amount = amount - 1', 'uncertain'),
        ],
        'an undecided operation is in no link yet, and a payment that has just begun has no event. When the payment service answers with the authorized amount, an amount above the stored one is a finding',
      ],
    ] as const
  ).map(
    ([name, sql, notDetected]): Corruption => ({
      subject: 'Changes that move no money, and undecided operations',
      name: `${name} is changed`,
      sql: [sql].flat(),
      notDetected,
    }),
  ),
]
