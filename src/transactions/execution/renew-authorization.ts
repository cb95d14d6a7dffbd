import { timeOf } from '../../base/clock.ts'
import { giftCardAmount } from '../../gift-cards/redemptions/redemption.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { newOperationOn } from '../new-operation.ts'
import type { PaymentStep, TransactionRow } from '../transaction.row.ts'

/**
 * The columns that a renewed authorization has in common with the earlier transaction: what the merchant
 * asked for, of whom, and for whom.
 */
const renewedColumns = [
  'merchant_account_id',
  'currency',
  'country',
  'active_operation_id',
  'method',
  'instrument_type',
  'payment_method',
  'payment_service_id',
  'payment_service',
  'buyer',
  'shipping_details',
  'external_identifier',
  'metadata',
  'payment_source',
  'merchant_initiated',
  'is_subsequent_payment',
  'ip_address',
  'approval',
  'checkout_session_id',
  'payment_link_id',
  'actions',
  'eligible',
  'anti_fraud',
] as const satisfies readonly (keyof TransactionRow)[]
type RenewedColumn = (typeof renewedColumns)[number]

/**
 * The named members alone: a new column of the table does not compile until `ownState` or the list above has
 * it.
 */
const pickColumns = <T, K extends keyof T>(row: T, keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<T, K>

/**
 * The transaction that takes the place of one whose authorization had expired when `capture` was sent
 * (semantics §3.5), with the operation that authorizes it. It authorizes what is left to capture: gift cards
 * have paid their part, and what was captured before stays captured.
 */
export function renewAuthorization(world: World, row: TransactionRow, capture: OperationRow): PaymentStep {
  const now = timeOf(world.clock)
  const { reauthorize: _done, allowance: _ofTheEarlierPayment, ...input } = capture.input
  const capturedOrUnderWay = row.captured_amount + row.capture_reserved - (capture.amount ?? 0)
  const left = row.amount - giftCardAmount(row.gift_cards) - capturedOrUnderWay
  const amount = Math.max(left, capture.amount ?? 0)
  const ownState: Required<Omit<TransactionRow, RenewedColumn>> = {
    id: world.ids.next(),
    amount,
    status: 'processing',
    intent: 'capture',
    intent_outcome: 'pending',
    authorized_amount: 0,
    captured_amount: 0,
    refunded_amount: 0,
    capture_reserved: 0,
    refund_reserved: 0,
    over_capture_allowance: 0,
    event_count: 0,
    capture_closed: false,
    error_code: null,
    facts: {},
    // a proof of authentication is good for one authorization
    three_d_secure: null,
    details: { ...row.details, async_capture: false },
    pending_review: false,
    disputed: false,
    disputed_amount: null,
    settled: false,
    settled_currency: null,
    settled_amount: 0,
    gift_cards: null,
    identifiers: null,
    payment_service_transaction_id: null,
    reauthorized_from_transaction_id: row.id,
    approval_expires_at: null,
    buyer_approval_timedout_at: null,
    authorized_at: null,
    captured_at: null,
    voided_at: null,
    canceled_at: null,
    created_at: now,
    updated_at: now,
  }
  const transaction: TransactionRow = { ...pickColumns(row, renewedColumns), ...ownState }
  const plan = {
    kind: 'authorize',
    amount,
    input: { then_capture: { amount: capture.amount, input } },
    paymentServiceId: capture.payment_service_id,
  } as const
  const operation = newOperationOn(world, transaction, plan, capture, now)
  return { transaction: { ...transaction, active_operation_id: operation.id }, operation }
}
