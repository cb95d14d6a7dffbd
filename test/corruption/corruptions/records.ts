import { copyOf, moved, shifted } from '../../support/tamper.ts'
import { type Corruption, detected, transaction } from './changes.ts'

/** Changes of what is kept beside payments: events, idempotency keys, links, settlements, stored methods. */
export const recordCorruptions: readonly Corruption[] = [
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
      'its resource does not exist',
      'update events set target_id = :nothing where target_id = :declined',
      'event of nothing: ',
    ],
    [
      'it is moved to another account',
      moved('events', 'target_id = :declined', ':account', ':fraudAccount'),
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
      `update idempotency_keys set resource_id = :nothing where key = 'corruption-captured'`,
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
      'update payment_links set transaction_id = :nothing where id = :paidLink',
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
        `jsonb_build_object('id', :nothing, 'line_key', :nothing, 'type', 'chargeback-reversal')`,
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
      `update settlements set transaction_id = :nothing where transaction_id = :disputed and type = 'chargeback'`,
      'settlement of nothing: ',
    ],
    [
      'a settlement is in another currency',
      `update settlements set currency = 'JPY' where transaction_id = :settled and type = 'settlement'`,
      'settled_currency: ',
    ],
  ]),
  ...detected('Disputes', [
    [
      'a dispute is won that is not',
      `update disputes set status = 'won' where transaction_id = :contested`,
      'dispute: status: ',
    ],
    [
      'a dispute has taken less, so that more can be refunded',
      'update disputes set withdrawn_amount = withdrawn_amount - 1 where transaction_id = :contested',
      'disputed_amount: ',
    ],
    [
      'a dispute has taken less, and its payment, too',
      [
        'update disputes set withdrawn_amount = withdrawn_amount - 1 where transaction_id = :contested',
        transaction('disputed_amount = disputed_amount - 1', 'contested'),
      ],
      'dispute: withdrawn_amount: ',
    ],
    [
      'a dispute has given the money back',
      'update disputes set returned_amount = withdrawn_amount where transaction_id = :contested',
      'dispute: returned_amount: ',
    ],
    [
      'the time for evidence is longer',
      `update disputes set evidence_due_at = ${shifted('evidence_due_at', '1 day')} where transaction_id = :contested`,
      'dispute: evidence_due_at: ',
    ],
    [
      'the notices of a dispute are gone',
      `update disputes set notices = '[]' where transaction_id = :contested`,
      'dispute without notices: ',
    ],
    [
      'a notice of a dispute is added',
      `update disputes set notices = notices || ((notices->0) || '{"status": "won", "funds": "returned", "occurred_at": "2099-01-01T00:00:00.000Z"}'::jsonb) where transaction_id = :contested`,
      'dispute: status: ',
    ],
    [
      'evidence was submitted that was not',
      'update disputes set evidence_submitted_at = created_at where transaction_id = :contested',
      'last event of a dispute: evidence: ',
    ],
    [
      'a dispute was accepted that was not',
      'update disputes set accepted_at = created_at where transaction_id = :contested',
      'last event of a dispute: accepted: ',
    ],
    [
      'a dispute is moved to another payment',
      'update disputes set transaction_id = :captured where transaction_id = :contested',
      'disputed_amount: ',
    ],
    [
      'the payment of a dispute does not exist',
      'update disputes set transaction_id = :nothing where transaction_id = :contested',
      'dispute: transaction: ',
    ],
    [
      'a dispute of a payment is gone',
      'delete from disputes where transaction_id = :contested',
      'disputed_amount: ',
    ],
  ]),
  ...detected('Stored payment methods', [
    [
      'a stored card is provisional again',
      `update payment_methods set provisional = true where id = (select (payment_method->>'id')::uuid from transactions where id = :stored)`,
      'provisional payment method without a payment under way: ',
    ],
    [
      'a stored card without a number is undecided again',
      `update payment_methods set status = 'processing' where id = (select (payment_method->>'id')::uuid from transactions where id = :storedByToken)`,
      'stored card that no transaction decides: ',
    ],
    [
      'the token of a card without a number is gone',
      `delete from payment_service_tokens where payment_method_id = (select (payment_method->>'id')::uuid from transactions where id = :storedByToken)`,
      'stored method without a number or a token: ',
    ],
    [
      'the token of a card without a number has no secret',
      `update payment_service_tokens set key_id = null, data_key = null, sealed = null where payment_method_id = (select (payment_method->>'id')::uuid from transactions where id = :storedByToken)`,
      'stored method without a number or a token: ',
    ],
    [
      'the card of a token does not exist',
      `update payment_service_tokens set payment_method_id = :nothing where payment_method_id = (select (payment_method->>'id')::uuid from transactions where id = :storedByToken)`,
      'payment service token without a stored card: ',
    ],
  ]),
]
