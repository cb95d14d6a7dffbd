import { type ApiError, badRequest, invalid, notFound, tooEarly } from '../../api/errors.ts'
import type { Definition } from '../../connectors/contract/connector.ts'
import { namedStatement } from '../../database/named-statement.ts'
import {
  giftCardAmount,
  leftOfRedemption,
  nextRedemption,
  redemptionById,
} from '../../gift-cards/redemptions/redemption.ts'
import { isBeingIncremented, isBeingUndone } from '../../operations/journal/functions/intend-follow-up.sql.ts'
import type { FollowUpKind } from '../../operations/journal/intend-follow-up.ts'
import type { OperationInput } from '../../operations/operation.ts'
import { paymentService } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import { disputeHoldingMoney } from '../disputes/dispute.store.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { lastChargeback } from './chargeback.store.ts'
import { leftToRefund } from './counted-money.ts'

/** What an action is to do, as the rules need it. */
export interface ActionTerms {
  kind: FollowUpKind
  /** In the smallest unit of the currency; null: all that is left to capture or refund. */
  amount: number | null
  input: OperationInput
  /** How far captures may exceed an authorization of this amount (semantics §3.5). */
  allowance: (authorized: number) => number
}

/** What an action comes to on a transaction as it stands. */
export interface ResolvedAmount {
  amount: number
  /** How far a capture may exceed the authorization; 0: not at all. */
  allowance: number
  /** The dispute whose money a forced refund gives the buyer again; absent: there is none. */
  dispute?: string
}

/**
 * The amount of the action, and how far a capture may exceed the authorization. Throws 400 if the action is
 * not allowed, 425 if it is not allowed yet.
 */
export async function resolveAmount(
  world: World,
  row: TransactionRow,
  action: ActionTerms,
): Promise<ResolvedAmount> {
  const { kind } = action
  if (kind === 'gift-card-refund') {
    const amount = giftCardRefund(row, action)
    await refuseDuringCompensation(world, row)
    return { amount, allowance: 0 }
  }
  const definition = await connectorDefinition(world, row)
  const amount = await actionRules[kind](row, action, definition, world)
  const dispute = action.input.forced && row.disputed ? await disputeHoldingMoney(world, row) : undefined
  return {
    amount,
    allowance:
      kind === 'capture' && definition.features['over_capture'] ? overCaptureAllowance(row, action) : 0,
    ...(dispute && { dispute: dispute.id }),
  }
}

/**
 * The amount of the action on the transaction as it stands. Throws 400 if the action is not allowed, 425 if
 * it is not allowed yet.
 */
type ActionRule = (
  row: TransactionRow,
  action: ActionTerms,
  definition: Definition,
  world: World,
) => number | Promise<number>

const unsupportedFeature = (feature: string) => badRequest(`The payment service does not support ${feature}`)

/**
 * 400 for an action that the status of the transaction does not allow, with the action to take instead if
 * there is one.
 */
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

/**
 * While a gift card service has not decided a redemption, the authorization is not the merchant's to use: it is voided if
 * the card refuses (semantics §10). The redemption may be pending, when no operation is active.
 */
function refuseBeforeGiftCards({ gift_cards: giftCards }: TransactionRow): void {
  if (giftCards && nextRedemption(giftCards)) throw tooEarly()
}

const selectIsBeingUndone = namedStatement(
  ['account', 'transaction'],
  (p) => `select ${isBeingUndone(p.account, p.transaction)} as undone`,
)

/** A compensation gives the gift cards their money back: it would be refunded twice (semantics §10). */
async function refuseDuringCompensation(
  world: World,
  { merchant_account_id: account, id: transaction, intent_outcome: outcome }: TransactionRow,
): Promise<void> {
  if (outcome !== 'failed') return
  const [found] = await selectIsBeingUndone.run<{ undone: boolean }>(world, { account, transaction })
  if (found?.undone) throw tooEarly()
}

const selectIsBeingIncremented = namedStatement(
  ['account', 'transaction'],
  (p) => `select ${isBeingIncremented(p.account, p.transaction)} as incremented`,
)

/** Some payment services take the new total, which leaves out an increment that is not decided yet. */
async function refuseDuringIncrement(
  world: World,
  { merchant_account_id: account, id: transaction }: TransactionRow,
): Promise<void> {
  const [found] = await selectIsBeingIncremented.run<{ incremented: boolean }>(world, {
    account,
    transaction,
  })
  if (found?.incremented) throw tooEarly()
}

/** How far captures may exceed the authorization: a delegated payment never pays more than it allows. */
function overCaptureAllowance(
  { authorized_amount: authorized, details: { delegated_payment: delegated } }: TransactionRow,
  { allowance }: ActionTerms,
): number {
  const beyond = allowance(authorized)
  return delegated ? Math.max(0, Math.min(beyond, delegated.max_amount - authorized)) : beyond
}

const capture: ActionRule = (row, action, { features }) => {
  if (row.status === 'processing') throw tooEarly()
  refuseDuringOperation(row)
  const { final = true } = action.input
  if (!['authorization_succeeded', 'capture_succeeded', 'capture_pending'].includes(row.status))
    throw wrongStatus(row, 'captured')
  refuseBeforeGiftCards(row)
  if (row.capture_closed)
    throw badRequest(
      'No more can be captured: a final capture was made, or another payment has renewed the authorization',
    )
  if (row.pending_review) throw reviewPending()
  refuseAfterFailedSplitTender(row)
  if (row.amount === 0) throw badRequest('A transaction of zero cannot be captured')
  if (!features['delayed_capture']) throw unsupportedFeature('captures after the authorization')
  if (action.input.reauthorize && !features['reauthorization'])
    throw invalid({
      '/reauthorize_if_authorization_expired':
        'must be false: the payment service does not authorize again by itself',
    })
  if (!final && !features['multi_capture'])
    throw invalid({ '/final': 'must be true: the payment service captures once' })
  const left = row.authorized_amount - row.captured_amount - row.capture_reserved
  const amount = action.amount ?? left
  if (amount <= 0)
    throw invalid({
      '/amount': action.amount === 0 ? 'must be greater than 0' : 'nothing is left to capture',
    })
  if (amount < left && !features['partial_capture'])
    throw invalid({ '/amount': 'must be the whole amount: the payment service does not capture in part' })
  const allowed = left + (features['over_capture'] ? overCaptureAllowance(row, action) : 0)
  if (amount > allowed) throw invalid({ '/amount': `exceeds what is left to capture (${allowed})` })
  return amount
}

const release: ActionRule = (row, _action, { features }) => {
  if (row.status === 'processing') throw tooEarly()
  refuseDuringOperation(row)
  if (row.status !== 'authorization_succeeded' || row.captured_amount > 0 || row.capture_reserved > 0)
    throw wrongStatus(row, 'voided')
  refuseBeforeGiftCards(row)
  if (!features['void']) throw unsupportedFeature('voids')
  return row.authorized_amount
}

const cancel: ActionRule = (row, _action, { features }) => {
  refuseDuringOperation(row)
  if (row.status !== 'processing' && row.status !== 'buyer_approval_pending')
    throw wrongStatus(row, 'canceled')
  if (!features['cancel']) throw unsupportedFeature('cancellation')
  return row.amount - giftCardAmount(row.gift_cards)
}

const increment: ActionRule = async (row, action, { features }, world) => {
  if (row.status === 'processing') throw tooEarly()
  refuseDuringOperation(row)
  if (row.status !== 'authorization_succeeded' || row.capture_closed) throw wrongStatus(row, 'incremented')
  refuseBeforeGiftCards(row)
  if (row.pending_review) throw reviewPending()
  refuseAfterFailedSplitTender(row)
  if (!features['incremental_authorization']) throw unsupportedFeature('incremental authorization')
  const { delegated_payment: delegated } = row.details
  if (delegated && row.amount + (action.amount ?? 0) > delegated.max_amount)
    throw invalid({ '/amount': `exceeds what the token allows (${delegated.max_amount - row.amount})` })
  await refuseDuringIncrement(world, row)
  return action.amount ?? 0
}

/**
 * While gift cards are redeemed, or a compensation returns what they paid, no part of the payment can be
 * refunded on request: it would be refunded twice (semantics §10).
 */
function refuseDuringSplitTender({
  gift_cards: giftCards,
  intent_outcome: outcome,
  active_operation_id: active,
}: TransactionRow): void {
  if (giftCards && (outcome === 'pending' || (outcome === 'failed' && active))) throw tooEarly()
}

/**
 * If a gift card service refuses a redemption, the payment has failed (semantics §10). If the payment service then
 * refuses the void, too, the merchant can void the authorization again, but neither capture nor increment it. A payment
 * that was captured has its gift cards' money: if the payment service takes the capture back, it can be made again.
 */
function refuseAfterFailedSplitTender({
  gift_cards: giftCards,
  intent_outcome: outcome,
  captured_at: captured,
}: TransactionRow): void {
  if (giftCards && outcome === 'failed' && !captured)
    throw badRequest('The payment has failed, because a gift card did not pay its part: void it')
}

/** What chargebacks have taken and a refund must leave; 0 if the merchant forces the refund. */
const disputedAmount = (row: TransactionRow, { input }: ActionTerms): number =>
  input.forced ? 0 : (row.disputed_amount ?? 0)

const refund: ActionRule = async (row, action, { features }, world) => {
  if (row.status === 'processing') throw tooEarly()
  refuseDuringSplitTender(row)
  if (row.status !== 'capture_succeeded') throw wrongStatus(row, 'refunded')
  if (!features['refunds']) throw unsupportedFeature('refunds')
  const left = leftToRefund(row)
  const undisputed = left - disputedAmount(row, action)
  const amount = action.amount ?? (undisputed > 0 ? undisputed : left)
  if (amount <= 0)
    throw invalid({ '/amount': action.amount === 0 ? 'must be greater than 0' : 'nothing is left to refund' })
  if (amount > left) throw invalid({ '/amount': `exceeds what is left to refund (${left})` })
  if (amount > undisputed) throw await disputedAmountError(world, row, Math.max(0, undisputed))
  if (row.disputed && !action.input.forced) await refuseBesideForeignDispute(world, row)
  if (amount < row.captured_amount && !features['partial_refunds'])
    throw invalid({ '/amount': 'must be the whole amount: the payment service does not refund in part' })
  return amount
}

/**
 * 400 for a refund of money that a dispute has already taken. Names the chargeback and the dispute; `left` is what can be
 * refunded without force.
 */
async function disputedAmountError(world: World, row: TransactionRow, left: number): Promise<ApiError> {
  const chargeback = await lastChargeback(world, row)
  const dispute = await disputeHoldingMoney(world, row)
  const names = [
    ...(chargeback ? [`chargeback ${chargeback.id}, posted at ${chargeback.posted_at}`] : []),
    ...(dispute ? [`dispute ${dispute.id}`] : []),
  ]
  return invalid({
    '/amount': `exceeds what is left to refund (${left}): ${row.disputed_amount} is disputed (${names.join('; ') || 'a chargeback'}). With force and a reason it is refunded all the same`,
  })
}

/**
 * Throws 400 if a dispute in another currency has taken money, and no report line says how much that is in the
 * payment's.
 */
async function refuseBesideForeignDispute(world: World, row: TransactionRow): Promise<void> {
  const dispute = await disputeHoldingMoney(world, row, true)
  if (!dispute || (await lastChargeback(world, row))) return
  throw invalid({
    '/amount': `may be disputed: dispute ${dispute.id} has taken money in ${dispute.currency}, and it is not known how much of the payment that is. With force and a reason it is refunded all the same`,
  })
}

/** The amount of a refund to a gift card, whatever paid the rest (semantics §10). */
function giftCardRefund(row: TransactionRow, { amount, input }: ActionTerms): number {
  refuseDuringOperation(row)
  const redemption = redemptionById(row.gift_cards, input.redemption)
  if (!redemption) throw invalid({ '/target_id': 'is not a gift card redemption of this transaction' })
  if (redemption.status !== 'succeeded')
    throw invalid({ '/target_id': `names a redemption that is ${redemption.status}` })
  refuseDuringSplitTender(row)
  // the decision gives the gift cards their money back
  if (row.pending_review && row.intent_outcome === 'failed') throw reviewPending()
  const left = leftOfRedemption(redemption)
  const refunded = amount ?? left
  if (refunded <= 0)
    throw invalid({ '/amount': amount === 0 ? 'must be greater than 0' : 'nothing is left to refund' })
  if (refunded > left) throw invalid({ '/amount': `exceeds what is left to refund (${left})` })
  return refunded
}

const actionRules: Record<Exclude<FollowUpKind, 'gift-card-refund'>, ActionRule> = {
  capture,
  void: release,
  cancel,
  increment,
  refund,
}

/**
 * The definition of the payment service that took this payment. Throws 400 if none did, 404 if it is not
 * configured any more.
 */
async function connectorDefinition(world: World, row: TransactionRow): Promise<Definition> {
  const service = row.payment_service_id
    ? await paymentService(world, row.merchant_account_id, row.payment_service_id)
    : undefined
  const connector = service && world.connectors.get(service.payment_service_definition_id)
  if (connector) return connector.definition
  if (row.payment_service_id) throw notFound()
  const onlyGiftCardsPaid =
    'Gift cards alone have paid: refund to them with target_type gift-card-redemption, or everything with /refunds/all'
  throw badRequest(
    row.gift_cards && !row.payment_method
      ? onlyGiftCardsPaid
      : 'No payment service has taken this transaction',
  )
}
