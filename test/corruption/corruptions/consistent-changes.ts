import { shifted } from '../../support/tamper.ts'
import { CHANGED, COUNTED, type Corruption, detected, operation, transaction } from './changes.ts'

/** Changes that agree with all other rows, which only the journal chain shows. */
export const consistentCorruptions: readonly Corruption[] = [
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
        operation(`settled_at = ${shifted('settled_at', '-1 day')}`, 'authorized', 'authorize'),
        transaction(`authorized_at = ${shifted('authorized_at', '-1 day')}`, 'authorized'),
      ],
      CHANGED,
    ],
    [
      'the day of a payment’s creation is replaced',
      transaction(`created_at = ${shifted('created_at', '-1 day')}`, 'captured'),
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
      `update events set created_at = ${shifted('created_at', '-1 hour')} where target_id = :captured`,
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
]
