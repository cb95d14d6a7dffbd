import { moved, shifted } from '../../support/tamper.ts'
import { type Corruption, detected, transaction } from './changes.ts'

/** Changes of transactions: amounts, state, reviews. */
export const transactionCorruptions: readonly Corruption[] = [
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
      transaction('active_operation_id = :nothing', 'authorized'),
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
      transaction(`authorized_at = ${shifted('authorized_at', '-1 day')}`, 'authorized'),
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
      `update transactions set payment_service_transaction_id = (select payment_service_transaction_id from transactions where merchant_account_id = :account and id = :captured) where merchant_account_id = :account and id = :refunded`,
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
      transaction(`captured_at = ${shifted('captured_at', '-1 day')}`, 'corrected'),
      'captured_at: ',
    ],
    [
      'it is moved to another account',
      moved('transactions', 'id = :captured', ':account', ':fraudAccount'),
      'operation without a transaction: ',
    ],
    [
      'the count of its events is changed',
      transaction('event_count = event_count - 1', 'captured'),
      'events of its transaction: ',
    ],
    [
      'its payment link does not exist',
      transaction('payment_link_id = :nothing', 'captured'),
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
]
