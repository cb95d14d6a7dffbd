import { type ApiError, badRequest, invalid, notFound, tooEarly } from '../api/errors.ts'
import { refuseBeyondCeiling } from '../api/validation.ts'
import type { Definition } from '../connectors/connector.ts'
import { giftCardAmount, redemptionById } from '../gift-cards/redemption.ts'
import { type Claim, type FollowUpKind, intendFollowUp } from '../operations/journal.ts'
import { newOperation, type OperationInput, type OperationRow } from '../operations/operation.ts'
import { paymentService } from '../payment-services/payment-service.store.ts'
import { deadline, timeOf, type World } from '../world.ts'
import { carryOut } from './carry-out.ts'
import { lastChargeback } from './dispute.store.ts'
import type { Step } from './outcome.ts'
import { entry } from './story.ts'
import type { TransactionRow } from './transaction.row.ts'
import { readTransaction } from './transaction.store.ts'

/** An action on an existing transaction, as a request asks for it. */
export interface Action {
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
type Rule = (row: TransactionRow, action: Action, definition: Definition, world: World) => number | Promise<number>

const lacks = (what: string) => badRequest(`The payment service does not support ${what}`)

/** Why an authorized payment is not in a state for this. */
const stateForbids = (row: TransactionRow, action: string) => {
  const instead =
    action === 'voided' && row.status === 'buyer_approval_pending'
      ? ': cancel it'
      : action === 'canceled' && row.status === 'authorization_succeeded'
        ? ': void it'
        : ''
  return badRequest(`A transaction in status ${row.status} cannot be ${action}${instead}`)
}

const heldForReview = () => badRequest('The transaction is held for review')

function refuseWhileExecuting(row: TransactionRow): void {
  if (row.active_operation_id) throw tooEarly()
}

const capture: Rule = (row, action, { features }) => {
  if (row.status === 'processing') throw tooEarly()
  refuseWhileExecuting(row)
  const { final = true } = action.input
  if (!['authorization_succeeded', 'capture_succeeded', 'capture_pending'].includes(row.status)) throw stateForbids(row, 'captured')
  if (row.capture_closed) throw badRequest('No more can be captured: a final capture was made, or another payment has renewed the authorization')
  if (row.pending_review) throw heldForReview()
  if (row.amount === 0) throw badRequest('A transaction of zero cannot be captured')
  if (!features['delayed_capture']) throw lacks('captures after the authorization')
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

const release: Rule = (row, _action, { features }) => {
  if (row.status === 'processing') throw tooEarly()
  refuseWhileExecuting(row)
  if (row.status !== 'authorization_succeeded' || row.captured_amount > 0 || row.capture_reserved > 0) throw stateForbids(row, 'voided')
  if (!features['void']) throw lacks('voids')
  return row.authorized_amount
}

const cancel: Rule = (row, _action, { features }) => {
  refuseWhileExecuting(row)
  if (row.status !== 'processing' && row.status !== 'buyer_approval_pending') throw stateForbids(row, 'canceled')
  if (!features['cancel']) throw lacks('cancellation')
  return row.amount - giftCardAmount(row.gift_cards)
}

const increment: Rule = (row, action, { features }) => {
  if (row.status === 'processing') throw tooEarly()
  refuseWhileExecuting(row)
  if (row.status !== 'authorization_succeeded' || row.capture_closed) throw stateForbids(row, 'incremented')
  if (row.pending_review) throw heldForReview()
  if (!features['incremental_authorization']) throw lacks('incremental authorization')
  return action.amount ?? 0
}

/** While gift cards are asked for or given back, no part of the payment is put back on request: it would be put back twice (SEMANTICS §10). */
function refuseWhileShared({ gift_cards: giftCards, intent_outcome: outcome, active_operation_id: active }: TransactionRow): void {
  if (giftCards && (outcome === 'pending' || (outcome === 'failed' && active))) throw tooEarly()
}

/** What chargebacks have taken, unless the merchant insists on giving it back as well. */
const disputedMoney = (row: TransactionRow, { input }: Action): number => (input.forced ? 0 : (row.disputed_amount ?? 0))

const refund: Rule = async (row, action, { features }, world) => {
  if (row.status === 'processing') throw tooEarly()
  refuseWhileShared(row)
  if (row.status !== 'capture_succeeded') throw stateForbids(row, 'refunded')
  if (!features['refunds']) throw lacks('refunds')
  const left = row.captured_amount - row.refunded_amount - row.refund_reserved
  const undisputed = left - disputedMoney(row, action)
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
function giftCardRefund(row: TransactionRow, { amount, input }: Action): number {
  refuseWhileExecuting(row)
  const redemption = redemptionById(row.gift_cards, input.redemption)
  if (!redemption) throw invalid({ '/target_id': 'is not a gift card redemption of this transaction' })
  if (redemption.status !== 'succeeded') throw invalid({ '/target_id': `names a redemption that is ${redemption.status}` })
  refuseWhileShared(row)
  const left = redemption.amount - redemption.refunded - redemption.refund_reserved
  const wanted = amount ?? left
  if (wanted <= 0) throw invalid({ '/amount': amount === 0 ? 'must be greater than 0' : 'nothing is left to refund' })
  if (wanted > left) throw invalid({ '/amount': `exceeds what is left to refund (${left})` })
  return wanted
}

const rules: Record<Exclude<FollowUpKind, 'gift-card-refund'>, Rule> = { capture, void: release, cancel, increment, refund }

const MOST_TRIES = 20

/**
 * Carries out an action: reads the transaction to say clearly why it cannot be, reserves by the statement that checks again, and sends it.
 * Where another request took the money between the two, the rules are asked once more.
 */
export async function act(world: World, action: Action): Promise<Step> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = await readTransaction(world, action.account, action.transactionId)
    refuseBeyondCeiling('amount', action.amount, row.currency)
    const { amount, allowance } = await allowed(world, row, action)
    const operation = intended(world, row, action, { amount, allowance })
    const story = [entry(world, 'transaction-api-request', { method: 'POST', url: action.path, request: action.body ?? null })]
    const transaction = await intendFollowUp<TransactionRow>(world, { operation, allowance, story, claim: action.claim })
    if (transaction) return carryOut(world, { transaction, operation }, { story: () => [answered(world, action)] })
  }
  throw tooEarly()
}

/** The amount that the action comes to, and how far a capture may go beyond the authorization. */
async function allowed(world: World, row: TransactionRow, action: Action): Promise<{ amount: number; allowance: number }> {
  const { kind } = action
  if (kind === 'gift-card-refund') return { amount: giftCardRefund(row, action), allowance: 0 }
  const definition = await definitionOf(world, row)
  const amount = await rules[kind](row, action, definition, world)
  return { amount, allowance: kind === 'capture' && definition.features['over_capture'] ? action.allowance(row.authorized_amount) : 0 }
}

const answered = (world: World, { kind, transactionId }: Action) =>
  entry(world, 'transaction-api-response', {
    response: { type: 'transaction', id: transactionId },
    response_status_code: kind === 'refund' || kind === 'gift-card-refund' ? 201 : 200,
  })

function intended(
  world: World,
  row: TransactionRow,
  action: Action,
  { amount, allowance }: Awaited<ReturnType<typeof allowed>>,
): OperationRow & { kind: FollowUpKind } {
  const created_at = timeOf(world.clock)
  const operation = newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id: world.ids.next(),
      transaction_id: row.id,
      kind: action.kind,
      amount,
      currency: row.currency,
      payment_service_id: action.kind === 'gift-card-refund' ? null : row.payment_service_id,
      check_at: deadline(world),
      created_at,
    },
    {
      input: { ...action.input, ...(allowance > 0 && { allowance }) },
      idempotency_scope: action.claim?.scope ?? null,
      idempotency_key: action.claim?.key ?? null,
    },
  )
  return { ...operation, kind: action.kind }
}

/** What the payment service that holds this payment can do. */
async function definitionOf(world: World, row: TransactionRow): Promise<Definition> {
  const service = row.payment_service_id ? await paymentService(world, row.merchant_account_id, row.payment_service_id) : undefined
  const connector = service && world.connectors.get(service.payment_service_definition_id)
  if (connector) return connector.definition
  if (row.payment_service_id) throw notFound()
  const cardsAlone = 'Gift cards alone have paid: refund to them with target_type gift-card-redemption, or everything with /refunds/all'
  throw badRequest(row.gift_cards && !row.payment_method ? cardsAlone : 'No payment service has taken this transaction')
}
