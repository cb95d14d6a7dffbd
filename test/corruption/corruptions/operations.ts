import { copyOf, moved, shifted } from '../../support/tamper.ts'
import { type Corruption, detected, operation, removedPayment, transaction } from './changes.ts'

/** Changes of operations, gift cards and payouts, and whole payments that are added or removed. */
export const operationCorruptions: readonly Corruption[] = [
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
      operation(`check_at = ${shifted('check_at', '100 years')}`, 'uncertain', 'authorize'),
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
      operation('transaction_id = :nothing', 'refunded', 'refund'),
      'operation without a transaction: ',
    ],
    [
      'it is moved to another account',
      moved('operations', `transaction_id = :refunded and kind = 'refund'`, ':account', ':fraudAccount'),
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
      `update operations set payment_service_operation_id = (select payment_service_operation_id from operations where merchant_account_id = :account and transaction_id = :captured and kind = 'sale') where merchant_account_id = :account and transaction_id = :refunded and kind = 'sale'`,
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
      'a refused payment names a compensation that does not exist',
      operation('compensated_by = :nothing', 'declined', 'authorize'),
      'late approval without its compensation: ',
    ],
    [
      'a refund becomes the compensation of a late approval',
      operation(`input = input || jsonb_build_object('undoes', :nothing)`, 'refunded', 'refund'),
      'compensation of no late approval: ',
    ],
    [
      'a refund that succeeded has failed later',
      operation(`late_failure = '{"code": "service_error"}'`, 'refunded', 'refund'),
      'late failure of an operation: ',
    ],
    [
      'a late failure of a refund is added',
      copyOf(
        'operations',
        `transaction_id = :refunded and kind = 'refund'`,
        `jsonb_build_object('id', :nothing, 'kind', 'late-failure', 'status', 'failed', 'error_code', 'service_error', 'event_count', 0,
         'input', jsonb_build_object('undoes', row.id, 'failed', jsonb_build_object('kind', 'refund', 'final', true)))`,
      ),
      'refunded_amount: ',
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
]
