import { type ApiError, badRequest, invalid, notFound, tooEarly } from '../../api/errors.ts'
import { refuseBeyondCeiling } from '../../api/server/validation.ts'
import type { Definition } from '../../connectors/connector.ts'
import { giftCardAmount, redemptionById } from '../../gift-cards/redemptions/redemption.ts'
import { type Claim, type FollowUpKind, intendFollowUp } from '../../operations/journal/journal.ts'
import type { OperationInput, OperationRow } from '../../operations/operation.ts'
import { paymentService } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import { executePayment } from '../execution/execute-payment.ts'
import { newOperationOn } from '../new-operation.ts'
import type { PaymentStep } from '../payment-step.ts'
import { timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import { lastChargeback } from './chargeback.store.ts'

/** An action on an existing transaction, as a request asks for it. */
export interface RequestedAction {
  account: string
  transactionId: string
  kind: FollowUpKind
  /** Null: all that is left (captures and refunds). */
  amount: number | null
  input: OperationInput
  claim: Claim | undefined
  /** For the story: where the request came in, and what it said. */
  path: string
  body: unknown
  /** How far captures may go beyond an authorization of this amount (SEMANTICS §3.5). */
  allowance: (authorized: number) => number
}

/** What the action comes to on the transaction as it stands: its amount. Throws 400 or 425 where it is not allowed. */
type ActionRule = (row: TransactionRow, action: RequestedAction, definition: Definition, world: World) => number | Promise<number>

const unsupportedFeature = (what: string) => badRequest(`The payment service does not support ${what}`)

/** Why an authorized payment is not in a state for this. */
const wrongStatus = (row: TransactionRow, action: string) => {
  const instead =
    action === 'voided' && row.status === 'buyer_approval_pending'
      ? ': cancel it'
      : action === 'canceled' && row.status === 'authorization_succeeded'
        ? ': void it'
        : ''
  return badRequest(`A transaction in status ${row.status} cannot be ${action}${instead}`)
}

const reviewPending = () => badRequest('The transaction is held for review')

function refuseDuringOperation(row: TransactionRow): void {
  if (row.active_operation_id) throw tooEarly()
}

const capture: ActionRule = (row, action, { features }) => {
  if (row.status === 'processing') throw tooEarly()
  refuseDuringOperation(row)
  const { final = true } = action.input
  if (!['authorization_succeeded', 'capture_succeeded', 'capture_pending'].includes(row.status)) throw wrongStatus(row, 'captured')
  if (row.capture_closed) throw badRequest('No more can be captured: a final capture was made, or another payment has renewed the authorization')
  if (row.pending_review) throw reviewPending()
  if (row.amount === 0) throw badRequest('A transaction of zero cannot be captured')
  if (!features['delayed_capture']) throw unsupportedFeature('captures after the authorization')
  if (action.input.reauthorize && !features['reauthorization'])
    throw invalid({ '/reauthorize_if_authorization_expired': 'must be false: the payment service does not authorize again by itself' })
  if (!final && !features['multi_capture']) throw invalid({ '/final': 'must be true: the payment service captures once' })
  const left = row.authorized_amount - row.captured_amount - row.capture_reserved
  const amount = action.amount ?? left
  if (amount <= 0) throw invalid({ '/amount': action.amount === 0 ? 'must be greater than 0' : 'nothing is left to capture' })
  if (amount < left && !features['partial_capture'])
    throw invalid({ '/amount': 'must be the whole amount: the payment service does not capture in part' })
  const allowed = left + (features['over_capture'] ? action.allowance(row.authorized_amount) : 0)
  if (amount > allowed) throw invalid({ '/amount': `exceeds what is left to capture (${allowed})` })
  return amount
}

const release: ActionRule = (row, _action, { features }) => {
  if (row.status === 'processing') throw tooEarly()
  refuseDuringOperation(row)
  if (row.status !== 'authorization_succeeded' || row.captured_amount > 0 || row.capture_reserved > 0) throw wrongStatus(row, 'voided')
  if (!features['void']) throw unsupportedFeature('voids')
  return row.authorized_amount
}

const cancel: ActionRule = (row, _action, { features }) => {
  refuseDuringOperation(row)
  if (row.status !== 'processing' && row.status !== 'buyer_approval_pending') throw wrongStatus(row, 'canceled')
  if (!features['cancel']) throw unsupportedFeature('cancellation')
  return row.amount - giftCardAmount(row.gift_cards)
}

const increment: ActionRule = (row, action, { features }) => {
  if (row.status === 'processing') throw tooEarly()
  refuseDuringOperation(row)
  if (row.status !== 'authorization_succeeded' || row.capture_closed) throw wrongStatus(row, 'incremented')
  if (row.pending_review) throw reviewPending()
  if (!features['incremental_authorization']) throw unsupportedFeature('incremental authorization')
  return action.amount ?? 0
}

/** While gift cards are asked for or given back, no part of the payment is put back on request: it would be put back twice (SEMANTICS §10). */
function refuseDuringSplitTender({ gift_cards: giftCards, intent_outcome: outcome, active_operation_id: active }: TransactionRow): void {
  if (giftCards && (outcome === 'pending' || (outcome === 'failed' && active))) throw tooEarly()
}

/** What chargebacks have taken, unless the merchant insists on giving it back as well. */
const disputedAmount = (row: TransactionRow, { input }: RequestedAction): number => (input.forced ? 0 : (row.disputed_amount ?? 0))

const refund: ActionRule = async (row, action, { features }, world) => {
  if (row.status === 'processing') throw tooEarly()
  refuseDuringSplitTender(row)
  if (row.status !== 'capture_succeeded') throw wrongStatus(row, 'refunded')
  if (!features['refunds']) throw unsupportedFeature('refunds')
  const left = row.captured_amount - row.refunded_amount - row.refund_reserved
  const undisputed = left - disputedAmount(row, action)
  const amount = action.amount ?? (undisputed > 0 ? undisputed : left)
  if (amount <= 0) throw invalid({ '/amount': action.amount === 0 ? 'must be greater than 0' : 'nothing is left to refund' })
  if (amount > left) throw invalid({ '/amount': `exceeds what is left to refund (${left})` })
  if (amount > undisputed) throw await disputed(world, row, Math.max(0, undisputed))
  if (amount < row.captured_amount && !features['partial_refunds'])
    throw invalid({ '/amount': 'must be the whole amount: the payment service does not refund in part' })
  return amount
}

/** 400 for a refund that would give back what a chargeback has taken already, which it names; `left` is what may be refunded beside it. */
async function disputed(world: World, row: TransactionRow, left: number): Promise<ApiError> {
  const chargeback = await lastChargeback(world, row)
  const dispute = chargeback ? `chargeback ${chargeback.id}, posted at ${chargeback.posted_at}` : 'a chargeback'
  return invalid({
    '/amount': `exceeds what is left to refund (${left}): ${row.disputed_amount} is disputed (${dispute}). With force and a reason it is refunded all the same`,
  })
}

/** A refund to a gift card, whatever paid the rest (SEMANTICS §10). */
function giftCardRefund(row: TransactionRow, { amount, input }: RequestedAction): number {
  refuseDuringOperation(row)
  const redemption = redemptionById(row.gift_cards, input.redemption)
  if (!redemption) throw invalid({ '/target_id': 'is not a gift card redemption of this transaction' })
  if (redemption.status !== 'succeeded') throw invalid({ '/target_id': `names a redemption that is ${redemption.status}` })
  refuseDuringSplitTender(row)
  const left = redemption.amount - redemption.refunded - redemption.refund_reserved
  const wanted = amount ?? left
  if (wanted <= 0) throw invalid({ '/amount': amount === 0 ? 'must be greater than 0' : 'nothing is left to refund' })
  if (wanted > left) throw invalid({ '/amount': `exceeds what is left to refund (${left})` })
  return wanted
}

const actionRules: Record<Exclude<FollowUpKind, 'gift-card-refund'>, ActionRule> = { capture, void: release, cancel, increment, refund }

const MAX_TRIES = 20

/**
 * Carries out an action: reads the transaction to say clearly why it cannot be, reserves by the statement that checks again, and sends it.
 * Where another request took the money between the two, the rules are asked once more.
 */
export async function executeAction(world: World, action: RequestedAction): Promise<PaymentStep> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await readTransaction(world, action.account, action.transactionId)
    refuseBeyondCeiling('amount', action.amount, row.currency)
    const { amount, allowance } = await resolveAmount(world, row, action)
    const operation = newActionOperation(world, row, action, { amount, allowance })
    const timeline = [timelineEntry(world, 'transaction-api-request', { method: 'POST', url: action.path, request: action.body ?? null })]
    const transaction = await intendFollowUp<TransactionRow>(world, { operation, allowance, timeline, claim: action.claim })
    if (transaction) return executePayment(world, { transaction, operation }, { timeline: () => [responseEntry(world, action)] })
  }
  throw tooEarly()
}

/** The amount that the action comes to, and how far a capture may go beyond the authorization. */
async function resolveAmount(world: World, row: TransactionRow, action: RequestedAction): Promise<{ amount: number; allowance: number }> {
  const { kind } = action
  if (kind === 'gift-card-refund') return { amount: giftCardRefund(row, action), allowance: 0 }
  const definition = await connectorDefinition(world, row)
  const amount = await actionRules[kind](row, action, definition, world)
  return { amount, allowance: kind === 'capture' && definition.features['over_capture'] ? action.allowance(row.authorized_amount) : 0 }
}

const responseEntry = (world: World, { kind, transactionId }: RequestedAction) =>
  timelineEntry(world, 'transaction-api-response', {
    response: { type: 'transaction', id: transactionId },
    response_status_code: kind === 'refund' || kind === 'gift-card-refund' ? 201 : 200,
  })

function newActionOperation(
  world: World,
  row: TransactionRow,
  action: RequestedAction,
  { amount, allowance }: Awaited<ReturnType<typeof resolveAmount>>,
): OperationRow & { kind: FollowUpKind } {
  const plan = {
    kind: action.kind,
    amount,
    input: { ...action.input, ...(allowance > 0 && { allowance }) },
    ...(action.kind === 'gift-card-refund' && { paymentServiceId: null }),
  }
  const key = { idempotency_scope: action.claim?.scope ?? null, idempotency_key: action.claim?.key ?? null }
  const operation = newOperationOn(world, row, plan, key)
  return { ...operation, kind: action.kind }
}

/** What the payment service that holds this payment can do. */
async function connectorDefinition(world: World, row: TransactionRow): Promise<Definition> {
  const service = row.payment_service_id ? await paymentService(world, row.merchant_account_id, row.payment_service_id) : undefined
  const connector = service && world.connectors.get(service.payment_service_definition_id)
  if (connector) return connector.definition
  if (row.payment_service_id) throw notFound()
  const cardsAlone = 'Gift cards alone have paid: refund to them with target_type gift-card-redemption, or everything with /refunds/all'
  throw badRequest(row.gift_cards && !row.payment_method ? cardsAlone : 'No payment service has taken this transaction')
}
