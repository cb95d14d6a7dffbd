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
    ['a reservation is invented', transaction('capture_reserved = 100', 'authorized'), 'capture_reserved: '],
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
      'a payment waits for a buyer who was not asked',
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
      'the status that a person has corrected is another one',
      transaction(`status = 'authorization_voided'`, 'corrected'),
      'status: ',
    ],
    [
      'a payment by gift cards alone has failed',
      transaction(`status = 'authorization_failed'`, 'giftOnly'),
      'status: ',
    ],
    [
      'what the intent came to is changed',
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
      'the operation under way is forgotten, so that another may begin',
      transaction('active_operation_id = null', 'capturing'),
      'operation under way: ',
    ],
    [
      'an operation under way is invented',
      transaction('active_operation_id = gen_random_uuid()', 'authorized'),
      'operation under way: ',
    ],
    [
      'the error code of a declined payment is another one',
      transaction(`error_code = 'service_error'`, 'declined'),
      'error_code: ',
    ],
    [
      'the error code of a declined payment is gone',
      transaction('error_code = null', 'declined'),
      'error_code: ',
    ],
    [
      'when it was authorized is changed',
      transaction(`authorized_at = authorized_at - interval '1 day'`, 'authorized'),
      'authorized_at: ',
    ],
    ['when it was captured is gone', transaction('captured_at = null', 'captured'), 'captured_at: '],
    ['when it was voided is invented', transaction('voided_at = created_at', 'authorized'), 'voided_at: '],
    [
      'when it was canceled is invented',
      transaction('canceled_at = created_at', 'authorized'),
      'canceled_at: ',
    ],
    ['a payment in another currency', transaction(`currency = 'JPY'`, 'captured'), 'currency: '],
    [
      'another payment service holds it',
      transaction('payment_service_id = :walletService', 'captured'),
      'payment service: ',
    ],
    [
      'the charge at the payment service is gone',
      transaction('payment_service_transaction_id = null', 'captured'),
      'id at the payment service: ',
    ],
    [
      'the charge at the payment service is another one',
      transaction(`payment_service_transaction_id = 'pay_other'`, 'captured'),
      'id at the payment service: ',
    ],
    [
      'two transactions with one charge',
      `update transactions set payment_service_transaction_id = (select payment_service_transaction_id from transactions where id = :captured) where id = :refunded`,
      'payment at the payment service of several transactions: ',
    ],
    ['it is settled without a report', transaction('settled = true', 'captured'), 'settled: '],
    ['it is not settled, and a report says so', transaction('settled = false', 'settled'), 'settled: '],
    [
      'what was settled is changed',
      transaction('settled_amount = settled_amount + 1', 'settled'),
      'settled_amount: ',
    ],
    [
      'the currency that was settled is another one',
      transaction(`settled_currency = 'JPY'`, 'settled'),
      'settled_currency: ',
    ],
    ['a dispute is taken away', transaction('disputed = false', 'disputed'), 'disputed: '],
    ['a dispute is invented', transaction('disputed = true', 'captured'), 'disputed: '],
    [
      'what a chargeback has taken is forgotten, so that it can be refunded',
      transaction('disputed_amount = null', 'disputed'),
      'disputed_amount: ',
    ],
    [
      'less is disputed than the chargeback took',
      transaction('disputed_amount = disputed_amount - 1', 'disputed'),
      'disputed_amount: ',
    ],
    [
      'a dispute that was won takes money again',
      transaction('disputed_amount = 570002', 'disputeWon'),
      'disputed_amount: ',
    ],
    [
      'money is disputed without a chargeback',
      transaction('disputed_amount = 100', 'captured'),
      'disputed_amount: ',
    ],
    [
      'a correction’s status is kept, and what the intent came to is not',
      transaction(`intent_outcome = 'failed'`, 'corrected'),
      'intent_outcome: ',
    ],
    [
      'when a corrected payment was captured is changed',
      transaction(`captured_at = captured_at - interval '1 day'`, 'corrected'),
      'captured_at: ',
    ],
    [
      'it belongs to another account',
      transaction('merchant_account_id = :fraudAccount', 'captured'),
      'operation without a transaction: ',
    ],
    [
      'the count of its events is changed',
      transaction('event_count = event_count - 1', 'captured'),
      'events of its transaction: ',
    ],
    [
      'it came through a payment link that is none',
      transaction('payment_link_id = gen_random_uuid()', 'captured'),
      'payment link: ',
    ],
  ]),
  ...detected('Reviews', [
    [
      'a payment that is held for review is let go',
      transaction('pending_review = false', 'held'),
      'held for review: ',
    ],
    [
      'a payment that is held for review is accepted',
      transaction(`pending_review = false, anti_fraud = anti_fraud || '{"decision": "accept"}'`, 'held'),
      'let go without a review',
    ],
    [
      'a review is decided, and recovery does not follow the decision',
      transaction(`anti_fraud = anti_fraud || '{"decision": "accept"}'`, 'held'),
      'review that is decided and not followed: ',
    ],
    [
      'what the anti-fraud service decided is gone',
      transaction('anti_fraud = null', 'held'),
      'decision of the anti-fraud service: ',
    ],
    [
      'a payment is held that was not to be',
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
      'a refund is put in',
      copyOf(
        'operations',
        `transaction_id = :refunded and kind = 'refund'`,
        `'{"id": "00000000-0000-4000-8000-000000000001", "event_count": 0}'`,
      ),
      'refunded_amount: ',
    ],
    [
      'a second authorization is put in',
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
      'of a capture less took effect than was asked for',
      operation('effective_amount = 1', 'parted', 'capture'),
      'operation: part of it took effect',
    ],
    [
      'of an authorization more took effect than was asked for',
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
      'when it was decided is gone',
      operation('settled_at = null', 'captured', 'sale'),
      'operation: when it was decided',
    ],
    ['a capture is a refund', operation(`kind = 'refund'`, 'captured', 'sale'), 'captured_amount: '],
    [
      'it is another transaction’s',
      operation('transaction_id = :authorized', 'refunded', 'refund'),
      'refunded_amount: ',
    ],
    [
      'it is of a transaction that is none',
      operation('transaction_id = gen_random_uuid()', 'refunded', 'refund'),
      'operation without a transaction: ',
    ],
    [
      'it is another account’s',
      operation('merchant_account_id = :fraudAccount', 'refunded', 'refund'),
      'operation without a transaction: ',
    ],
    ['its currency is another one', operation(`currency = 'JPY'`, 'refunded', 'refund'), 'currency: '],
    [
      'it went to another payment service',
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
      'what was settled of a refund is changed',
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
      'an undecided operation has a place in the journal',
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
      'a redemption is another one at the gift card service',
      transaction(`gift_cards = jsonb_set(gift_cards, '{redemptions,0,reference}', '"other"')`, 'shared'),
      'gift card redemption: id at its service',
    ],
    [
      'what was put back on the card is forgotten',
      transaction(`gift_cards = jsonb_set(gift_cards, '{redemptions,0,refunded}', '0')`, 'shared'),
      'refunded to gift cards: ',
    ],
    [
      'a refund to the card is invented',
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
      'the currency is another one',
      `update payouts set currency = 'JPY' where id = :payout`,
      'payout: currency',
    ],
    [
      'the payment service is another one',
      'update payouts set payment_service_id = :walletService where id = :payout',
      'payout: payment service',
    ],
    [
      'the id at the payment service is another one',
      `update payouts set payment_service_payout_id = 'other' where id = :payout`,
      'payout: id at the payment service',
    ],
    ['its operation is gone', 'delete from operations where transaction_id = :payout', 'payout: operations'],
    [
      'it was made twice',
      copyOf('operations', 'transaction_id = :payout', `'{"id": "00000000-0000-4000-8000-000000000001"}'`),
      'payout: operations',
    ],
    ['it is gone', 'delete from payouts where id = :payout', 'operation without a payout: '],
    [
      'it is gone, with everything of it',
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
      'a payment is gone, with everything of it',
      removedPayment('captured'),
      'made, by the audit log, and gone: ',
    ],
    [
      'a payment that is not decided is gone, with everything of it',
      removedPayment('uncertain'),
      'made, by the audit log, and gone: ',
    ],
    [
      'a refund is gone, with everything of it',
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
      'an event is numbered wrong',
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
      'it says another status',
      `update events set target = jsonb_set(target::jsonb, '{status}', '"authorization_failed"')::json where target_id = :captured`,
      'last event: status',
    ],
    [
      'it says another amount',
      `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id = :captured`,
      'last event: amount',
    ],
    [
      'it says another captured amount',
      `update events set target = jsonb_set(target::jsonb, '{captured_amount}', '1')::json where target_id = :captured`,
      'last event: captured_amount',
    ],
    [
      'it says another currency',
      `update events set target = jsonb_set(target::jsonb, '{currency}', '"JPY"')::json where target_id = :captured`,
      'last event: currency',
    ],
    [
      'it is about nothing',
      'update events set target_id = gen_random_uuid() where target_id = :declined',
      'event of nothing: ',
    ],
    [
      'it is another account’s',
      'update events set merchant_account_id = :fraudAccount where target_id = :declined',
      'event of nothing: ',
    ],
    [
      'that of a refund says another amount',
      `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id = (select id from operations where transaction_id = :refunded and kind = 'refund')`,
      'last event of an operation: amount',
    ],
    [
      'that of a refund says that it failed',
      `update events set target = jsonb_set(target::jsonb, '{status}', '"failed"')::json where target_id = (select id from operations where transaction_id = :refunded and kind = 'refund')`,
      'last event of an operation: status',
    ],
    [
      'that of a payout says another amount',
      `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id = :payout`,
      'last event of a payout: amount',
    ],
    [
      'a resource has told of itself more often than it says',
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
      'a key is another one',
      `update idempotency_keys set key = 'other' where key = 'corruption-captured'`,
      'idempotency key that is gone: ',
    ],
    [
      'a key is of another request',
      `update idempotency_keys set scope = 'POST /elsewhere' where key = 'corruption-refunded'`,
      'idempotency key that is gone: ',
    ],
    [
      'a key stands for nothing',
      `update idempotency_keys set resource_id = gen_random_uuid() where key = 'corruption-captured'`,
      'idempotency key of nothing: ',
    ],
    [
      'its answer is gone',
      `update idempotency_keys set answer = null where key = 'corruption-captured'`,
      'idempotency key without its answer: ',
    ],
    [
      'its answer shows another payment',
      `update idempotency_keys set answer = jsonb_set(answer::jsonb, '{transaction,id}', to_jsonb(:authorized::text))::json where key = 'corruption-captured'`,
      'stored answer: transaction',
    ],
    [
      'its answer shows another amount',
      `update idempotency_keys set answer = jsonb_set(answer::jsonb, '{operation,amount}', '1')::json where key = 'corruption-captured'`,
      'stored answer: amount',
    ],
    [
      'its answer shows another outcome',
      `update idempotency_keys set answer = jsonb_set(answer::jsonb, '{operation,status}', '"declined"')::json where key = 'corruption-refunded'`,
      'stored answer: outcome',
    ],
  ]),
  {
    subject: 'Idempotency keys',
    name: 'the oldest key of the instance is gone',
    sql: `delete from idempotency_keys where key = 'corruption-oldest'`,
    notDetected:
      'a key that is older than all others may have been forgotten when `IDEMPOTENCY_RETENTION` was shorter. A transaction or refund that is repeated without it is a second one, which the audit log, the events and the payment service’s books show',
  },
  {
    subject: 'Idempotency keys',
    name: 'a key’s fingerprint is another one',
    sql: `update idempotency_keys set fingerprint = '\\x00' where key = 'corruption-captured'`,
    notDetected:
      'the request’s body, over which it is, is not kept. A repetition is refused with a 409, and nothing is carried out',
  },
  ...detected('Payment links', [
    [
      'a paid link may be paid again',
      `update payment_links set status = 'active' where id = :paidLink`,
      'payment link: paid',
    ],
    [
      'a link is completed that was not paid',
      `update payment_links set status = 'completed', transaction_id = :captured where id = :openLink`,
      'payment link: completed by a payment',
    ],
    [
      'a paid link names another payment',
      'update payment_links set transaction_id = :captured where id = :paidLink',
      'payment link: its transaction came through',
    ],
    [
      'a paid link names a payment that is none',
      'update payment_links set transaction_id = gen_random_uuid() where id = :paidLink',
      'payment link: transaction',
    ],
    [
      'a link asks for less',
      'update payment_links set amount = 1 where id = :openLink',
      'last event of a payment link: amount',
    ],
    [
      'a paid link asked for another amount',
      'update payment_links set amount = amount + 1 where id = :paidLink',
      'amount of its payment link: ',
    ],
    [
      'a link asks in another currency',
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
      'a chargeback’s reversal is invented',
      copyOf(
        'settlements',
        `transaction_id = :disputed and type = 'chargeback'`,
        `jsonb_build_object('id', gen_random_uuid(), 'line_key', gen_random_uuid(), 'type', 'chargeback-reversal')`,
      ),
      'disputed_amount: ',
    ],
    [
      'a settlement is of another payment',
      `update settlements set transaction_id = :captured where transaction_id = :settled and type = 'settlement'`,
      'settled_amount: ',
    ],
    [
      'a settlement is of nothing',
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
  ...detected('What agrees with everything else', [
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
      'when a payment was authorized is another day, with its operation',
      [
        operation(`settled_at = settled_at - interval '1 day'`, 'authorized', 'authorize'),
        transaction(`authorized_at = authorized_at - interval '1 day'`, 'authorized'),
      ],
      CHANGED,
    ],
    [
      'when a payment was made is another day',
      transaction(`created_at = created_at - interval '1 day'`, 'captured'),
      CHANGED,
    ],
    [
      'it was the merchant who began it, and not the buyer',
      transaction('merchant_initiated = true', 'captured'),
      CHANGED,
    ],
    ['how it was paid is another method', transaction(`method = 'wallet'`, 'captured'), CHANGED],
    ['what was to become of it is another intent', transaction(`intent = 'authorize'`, 'captured'), CHANGED],
    ['its country is another one', transaction(`country = 'JP'`, 'captured'), CHANGED],
    [
      'its buyer is another one',
      transaction(`buyer = '{"id": "00000000-0000-4000-8000-000000000001"}'`, 'captured'),
      CHANGED,
    ],
    ['it came through no payment link', transaction('payment_link_id = null', 'paidThroughLink'), CHANGED],
    [
      'it renews no other payment',
      transaction('reauthorized_from_transaction_id = null', 'renewal'),
      CHANGED,
    ],
    [
      'the charge at the payment service is another one, with its operation',
      [
        `update operations set payment_service_transaction_id = 'pay_other' where transaction_id = :voided`,
        transaction(`payment_service_transaction_id = 'pay_other'`, 'voided'),
      ],
      CHANGED,
    ],
    [
      'another payment service was asked, by payment and operations',
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
      'the screening of a payment is gone, with what it decided',
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
      'an operation is decided at another place in the journal',
      operation('journal_position = journal_position + 1', 'captured', 'sale'),
      CHANGED,
    ],
    [
      'an operation lost its place in the journal',
      operation('journal_position = null', 'captured', 'sale'),
      COUNTED,
    ],
    [
      'an event says another amount, and there are later ones',
      `update events set target = jsonb_set(target::jsonb, '{amount}', '1')::json where target_id = :settled and sequence = 1`,
      CHANGED,
    ],
    [
      'an event has another name',
      `update events set name = 'transaction.declined' where target_id = :captured`,
      CHANGED,
    ],
    [
      'an event is at another place in the log',
      'update events set position = position + 1 where target_id = :captured',
      CHANGED,
    ],
    [
      'when an event happened is another time',
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
      'a settlement’s fee is another one',
      `update settlements set commission = commission + 1 where transaction_id = :settled and type = 'settlement'`,
      CHANGED,
    ],
    [
      'a settlement’s gross amount is another one',
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
      'a link is another one',
      `update journal_seals set hash = '\\x00' where merchant_account_id = :account and number = 1`,
      CHANGED,
    ],
    [
      'a link is over more',
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
    name: 'the chain of an account is gone, and no link of it was written down elsewhere',
    sql: 'delete from journal_seals where merchant_account_id = :fraudAccount',
    notDetected:
      'a chain whose end was cut off is whole: only an operator who kept a link (`--journal-head`) can tell. The entries are counted as not sealed yet, and sealed again',
  },
  ...(
    [
      [
        'personal data',
        transaction(`shipping_details = '{"name": "Eve"}', ip_address = '192.0.2.1'`, 'captured'),
        'personal data is in no hash, since people have the right to be forgotten. No money follows from it',
      ],
      [
        'the merchant’s own words',
        transaction(`external_identifier = 'other', metadata = '{"a": "b"}'`, 'captured'),
        'merchants change them (`PUT`), and no money follows from them',
      ],
      [
        'what a payment shows of its card',
        transaction(`payment_method = payment_method || '{"label": "9999"}'`, 'captured'),
        'it is replaced where the account updater knows a newer card, and no money follows from it',
      ],
      [
        'the record of requests and answers (`exchanges`)',
        operation(`exchanges = '[]'`, 'captured', 'sale'),
        'it may hold personal data, which can be erased. What it came to is in the operation, and is sealed',
      ],
      [
        'the story of a payment for people',
        `update transaction_events set entries = '[]' where transaction_id = :captured`,
        'it may hold personal data, and nothing follows from it: the log of events is sealed',
      ],
      [
        'the amount of a payment whose outcome is not known yet, and of its operation,',
        [
          operation('amount = amount - 1', 'uncertain', 'authorize'),
          transaction('amount = amount - 1', 'uncertain'),
        ],
        'what is not decided is in no link yet, and of a payment that has just begun nothing was told. Once the payment service says what was authorized, an amount above the one that is written down is found',
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
