import { giftCardAmount } from '../../gift-cards/redemptions/redemption.ts'
import type { OperationOutcome } from '../../operations/operation.ts'
import { isBuyerStep, newOperation, type OperationInput, type OperationRow } from '../../operations/operation.ts'
import { answerDeadline, timeOf, type World } from '../../world.ts'
import { nextSplitTenderOperation } from '../split-tender/split-tender.ts'
import type { TransactionRow } from '../transaction.row.ts'

/** An operation that is intended in the commit that settles the one before it, so that a crash between the two cannot happen. */
export interface NextOperation {
  operation: OperationRow
  /** Set where it opens a payment of its own. */
  transaction: TransactionRow | null
}

/**
 * What an outcome leads to by itself. A function of the rows alone, so that recovery continues where a process died:
 * the step after a check, the money step once the buyer has approved (SPEC §4.11), the second step of a split capture (SEMANTICS §3.6), and a new payment for an
 * authorization that has expired (§3.5).
 */
export function nextOperation(world: World, row: TransactionRow, operation: OperationRow, outcome: OperationOutcome): NextOperation | undefined {
  if (isBuyerStep(operation) || operation.kind === 'screening') {
    return outcome.status === 'approved' ? { operation: operationAfterCheck(world, row, operation, outcome), transaction: null } : undefined
  }
  const authorized = operation.kind === 'authorize' && outcome.status === 'approved' ? outcome.amount : row.authorized_amount
  const capture = () =>
    row.intent === 'capture' && row.captured_amount === 0 && authorized > 0 && !row.pending_review
      ? splitCapture(world, row, operation, authorized)
      : undefined
  if (row.gift_cards) {
    const shared = nextSplitTenderOperation(world, row, operation, outcome, operation.kind === 'sale' ? () => undefined : capture)
    if (shared) return { operation: shared, transaction: null }
  } else if (operation.kind === 'authorize' && outcome.status === 'approved') {
    const second = capture()
    return second && { operation: second, transaction: null }
  }
  const expired = operation.kind === 'capture' && 'code' in outcome && outcome.code === 'expired_authorization'
  if (expired && operation.input.reauthorize) return reauthorization(world, row, operation)
  return undefined
}

/** The step after one that moves no money: the buyer's approval where one is still to be asked for, else the money step. */
function operationAfterCheck(world: World, row: TransactionRow, operation: OperationRow, { amount, buyer }: Approved): OperationRow {
  const token = operation.kind === 'screening' ? openApprovalToken(world, operation) : buyer?.token
  const mustApprove = operation.kind === 'screening' && row.approval !== null && token === undefined
  return operationAfter(world, row, operation, mustApprove ? 'approval' : moneyStepKind(world, row), {
    amount,
    ...(token !== undefined && { token }),
  })
}

/** An operation for the payment method's part, at the payment service of the one before it. The request's idempotency key goes on to it. */
export function operationAfter(
  world: World,
  row: TransactionRow,
  before: OperationRow,
  kind: OperationRow['kind'],
  { amount, token, input }: { amount: number; token?: string; input?: OperationInput },
): OperationRow {
  const id = world.ids.next()
  return newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id,
      transaction_id: row.id,
      kind,
      amount,
      currency: row.currency,
      payment_service_id: before.payment_service_id,
      check_at: answerDeadline(world, requestCount(kind)),
      created_at: timeOf(world.clock),
    },
    { input: { ...input, ...(token !== undefined && { approval_token: sealApprovalToken(world, id, token) }) }, ...idempotencyKeyOf(before) },
  )
}

/** A 3DS server is asked for the versions first. */
export const requestCount = (kind: OperationRow['kind']): number => (kind === 'authentication' ? 2 : 1)

/**
 * The money step. A capture is split off where something else has to happen before it: other tenders, a review, or because it was asked for so; which a payment
 * service must be able to do, and a buyer who approves has approved both (SEMANTICS §3.6).
 */
export function moneyStepKind(world: World, row: TransactionRow): 'authorize' | 'sale' {
  if (row.intent !== 'capture') return 'authorize'
  const isOrder = row.approval !== null && row.approval.asks === undefined
  const features = world.connectors.get(row.payment_service?.payment_service_definition_id ?? '')?.definition.features
  const canWait = features?.['delayed_capture'] === true
  const splits = (canWait && row.pending_review) || (!isOrder && (row.details.async_capture === true || (canWait && row.gift_cards !== null)))
  return splits ? 'authorize' : 'sale'
}

/** A buyer's approval token as the journal keeps it: sealed for its operation. */
export const sealApprovalToken = ({ cipher }: World, operation: string, token: string): string =>
  cipher.seal('approval-token', token, operation).toString('base64')

export const openApprovalToken = ({ cipher }: World, { id, input }: OperationRow): string | undefined =>
  input.approval_token === undefined ? undefined : cipher.open('approval-token', Buffer.from(input.approval_token, 'base64'), id)

type Approved = Extract<OperationOutcome, { status: 'approved' }>

function splitCapture(world: World, row: TransactionRow, authorization: OperationRow, authorized: number): OperationRow {
  const wanted = authorization.input.then_capture
  const now = timeOf(world.clock)
  const later = row.details.async_capture === true
  return newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id: world.ids.next(),
      transaction_id: row.id,
      kind: 'capture',
      amount: Math.min(wanted?.amount ?? authorized, authorized),
      currency: row.currency,
      payment_service_id: row.payment_service_id,
      check_at: later ? now : answerDeadline(world),
      created_at: now,
    },
    { status: later ? 'queued' : 'sent', input: { final: true, ...wanted?.input }, ...idempotencyKeyOf(authorization) },
  )
}

/** What a payment that renews an authorization has in common with the earlier one: what was asked for, of whom, and for whom. */
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

/** Exactly the members named, so that a column of the table that is new is decided on here before this compiles. */
const pickColumns = <T, K extends keyof T>(row: T, keys: readonly K[]) => Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<T, K>

function reauthorization(world: World, row: TransactionRow, capture: OperationRow): NextOperation {
  const now = timeOf(world.clock)
  const { reauthorize: _done, allowance: _ofTheEarlierPayment, ...input } = capture.input
  const capturedOrUnderWay = row.captured_amount + row.capture_reserved - (capture.amount ?? 0)
  // what gift cards have paid they have paid, and what was captured before the authorization expired is not held a second time
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
    // a proof is good for one authorization
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
  const operation = newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id: world.ids.next(),
      transaction_id: transaction.id,
      kind: 'authorize',
      amount,
      currency: row.currency,
      payment_service_id: capture.payment_service_id,
      check_at: answerDeadline(world),
      created_at: now,
    },
    { input: { then_capture: { amount: capture.amount, input } }, ...idempotencyKeyOf(capture) },
  )
  return { operation, transaction: { ...transaction, active_operation_id: operation.id } }
}

/** The request's idempotency key goes on to the operation whose outcome will be its answer. */
const idempotencyKeyOf = ({ idempotency_scope, idempotency_key }: OperationRow) => ({ idempotency_scope, idempotency_key })
