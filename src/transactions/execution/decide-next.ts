/**
 * What follows an outcome, as a value (`next-step.ts`): nothing, a retry, the next operation, a
 * compensation. Before: the outcome of `operations/calls/send-operation.ts`, or what recovery found out.
 * `look-up-facts.ts` calls `decideNext` again and again, until it has looked up every fact that the decision
 * needs. After: `intend-next.ts` makes the row of the next operation, `outcome/record-payment-outcome.ts`
 * writes both.
 */

import type { PaymentContext } from '../../connectors/contract/call.ts'
import { type ErrorCode, errorCodes, isErrorCode } from '../../connectors/contract/error-codes.ts'
import {
  isBuyerStep,
  isLateCompensation,
  type OperationOutcome,
  type OperationRow,
} from '../../operations/operation.ts'
import type { NewerCard } from '../../vault/account-updater/card-replacement.ts'
import { authenticationOperationInput } from '../approval/authentication.ts'
import type { OperationPlan } from '../new-operation.ts'
import { nextSplitTenderStep } from '../split-tender/split-tender.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { AnotherService, NextStep } from './next-step.ts'
import type { RequestState } from './request-state.ts'

/** What the decision depends on and is known without asking. */
export interface Situation {
  /** As the operation's findings leave it. */
  transaction: TransactionRow
  operation: OperationRow
  outcome: OperationOutcome
  /** What was sent of the payment; undefined: the operation presents no instrument. */
  payment: PaymentContext | undefined
  requestState: RequestState
  /** How the money step is made: `authorize` where something has to happen before a capture. */
  moneyStep: 'authorize' | 'sale'
  /** The buyer pays at the provider: no approval precedes the money step. */
  approvalMovesMoney: boolean
  /** What the buyer's approval brought, or what the screening kept of it. */
  approvalToken: string | undefined
}

/**
 * What has been looked up so far. Looking up asks the database or a third party, so each fact is asked for
 * only where the decision needs it.
 */
export interface NextStepFacts {
  newerCard?: NewerCard | 'none'
  /**
   * Whether the card's issuer can be asked to authenticate the cardholder for the payment service of the
   * operation.
   */
  authentication?: 'possible' | 'impossible'
  /** Asking may claim a circuit's probe. */
  anotherService?: AnotherService | 'none'
}

/** The decision needs a fact that has not been looked up. */
export interface MissingFact {
  kind: 'look-up'
  fact: keyof NextStepFacts
}

const lookUp = (fact: keyof NextStepFacts): MissingFact => ({ kind: 'look-up', fact })
const done = { kind: 'done' } as const

/** What an issuer says of a card that it has replaced. */
const replacedCardCodes: ReadonlySet<ErrorCode> = new Set([
  'canceled_payment_method',
  'expired_payment_method',
  'incorrect_expiry_date',
  'invalid_payment_method',
  'unknown_payment_method',
] satisfies ErrorCode[])

/**
 * What follows an outcome. Pure: the same situation and facts have the same answer. Request and recovery
 * decide by it; recovery has no request state, so that it never retries, and continues where a process died.
 * An outcome that is unknown leads to nothing: the first attempt may have moved the money.
 */
export function decideNext(situation: Situation, facts: NextStepFacts): NextStep | MissingFact {
  const { operation, requestState } = situation
  if (isLateCompensation(operation)) return done
  if (mayBeReplaced(situation)) {
    if (facts.newerCard === undefined) return lookUp('newerCard')
    if (facts.newerCard !== 'none')
      return { kind: 'retry-with-newer-card', operation: sameOperation(operation), card: facts.newerCard }
  }
  if (demandsAuthentication(situation)) {
    if (facts.authentication === undefined) return lookUp('authentication')
    if (facts.authentication === 'possible')
      return { kind: 'retry-authenticated', operation: authenticationPlan(operation, requestState) }
  }
  const because = retriableRefusal(situation)
  if (because !== undefined) {
    if (facts.anotherService === undefined) return lookUp('anotherService')
    if (facts.anotherService !== 'none') return retryAt(situation, facts.anotherService, because)
  }
  if (hasPassedScreening(situation) && requestState.authenticationOptions) {
    if (facts.authentication === undefined) return lookUp('authentication')
    if (facts.authentication === 'possible')
      return { kind: 'authenticate', operation: authenticationPlan(operation, requestState) }
  }
  return challengeOf(situation) ?? nextInPayment(situation)
}

const refusalCode = ({ outcome }: Situation): ErrorCode | undefined =>
  'code' in outcome && isErrorCode(outcome.code) ? outcome.code : undefined

/** The issuer says that the card is no good any more. A renewed card is not renewed again. */
function mayBeReplaced(situation: Situation): boolean {
  const { payment, requestState } = situation
  const code = refusalCode(situation)
  return (
    requestState.renewable !== undefined &&
    payment !== undefined &&
    !payment.isRenewedCard &&
    code !== undefined &&
    replacedCardCodes.has(code)
  )
}

/** A rule's `skip-3ds` was a wish: the issuer insists (PSD2 RTS article 97). */
export const demandsAuthentication = (situation: Situation): boolean =>
  refusalCode(situation) === 'requires_buyer_authentication' &&
  Boolean(situation.requestState.authenticationOptions?.redirectUrl)

/**
 * Mastercard’s merchant advice codes for a card that must not be tried again: 03, do not try again; 21, the
 * cardholder has canceled. The scheme charges for every further attempt, at whichever payment service.
 */
const hardAdvice: ReadonlySet<string> = new Set(['03', '21'])

const isHardDecline = ({ outcome }: Situation): boolean =>
  ('isHardDecline' in outcome && outcome.isHardDecline === true) ||
  ('facts' in outcome && hardAdvice.has(outcome.facts.merchant_advice_code ?? ''))

/**
 * The code of a refusal that another payment service may not share; no money can have moved. Undefined: this
 * one is final.
 */
function retriableRefusal(situation: Situation): ErrorCode | undefined {
  const { payment, requestState } = situation
  const { route } = requestState
  const code = refusalCode(situation)
  if (
    !payment ||
    !route ||
    payment.options['skip_retry'] === true ||
    code === undefined ||
    !errorCodes[code].retriable ||
    isHardDecline(situation)
  )
    return undefined
  return route.retriesOn && !route.retriesOn.includes(code) ? undefined : code
}

const hasPassedScreening = ({ operation, outcome }: Situation): boolean =>
  operation.kind === 'screening' && outcome.status === 'approved'

/** The same instruction again, under an id of its own. */
const sameOperation = ({
  kind,
  amount,
  input,
  payment_service_id: paymentServiceId,
}: OperationRow): OperationPlan => ({
  kind,
  amount,
  input,
  paymentServiceId,
})

const authenticationPlan = (
  { amount, payment_service_id: paymentServiceId }: OperationRow,
  { authenticationOptions }: RequestState,
): OperationPlan => ({
  kind: 'authentication',
  amount,
  input: authenticationOperationInput(authenticationOptions),
  paymentServiceId,
})

function retryAt({ operation }: Situation, at: AnotherService, because: ErrorCode): NextStep {
  const there = { ...operation, payment_service_id: at.service.id }
  const plan = at.needsAuthentication ? authenticationPlan(there, at.requestState) : sameOperation(there)
  return { kind: 'retry-at-another-service', because, at, operation: plan }
}

function challengeOf({ operation, outcome, requestState }: Situation): NextStep | undefined {
  const { authenticationOptions, instrument } = requestState
  if (
    operation.kind !== 'authentication' ||
    outcome.status !== 'pending' ||
    !instrument ||
    !authenticationOptions?.redirectUrl
  )
    return undefined
  return {
    kind: 'challenge',
    expiresAt: authenticationOptions.expiresAt,
    redirectUrl: authenticationOptions.redirectUrl,
  }
}

/**
 * What the rows alone lead to: the step after a check or an approval (API §4.11), the capture of a split
 * payment (semantics §3.6), gift cards (§10), a renewal (§3.5).
 */
function nextInPayment(situation: Situation): NextStep {
  const { transaction: row, operation, outcome } = situation
  if (isBuyerStep(operation) || operation.kind === 'screening')
    return outcome.status === 'approved'
      ? { kind: 'continue', operation: planAfterCheck(situation, outcome.amount) }
      : done
  const authorized =
    operation.kind === 'authorize' && outcome.status === 'approved' ? outcome.amount : row.authorized_amount
  if (row.gift_cards) {
    const next = nextSplitTenderStep(
      row,
      operation,
      outcome,
      operation.kind === 'sale' ? undefined : captureAfter(row, operation, authorized),
    )
    if (next) return next
  } else if (operation.kind === 'authorize' && outcome.status === 'approved') {
    const capture = captureAfter(row, operation, authorized)
    return capture ? { kind: 'continue', operation: capture } : done
  }
  const hasExpired =
    operation.kind === 'capture' && 'code' in outcome && outcome.code === 'expired_authorization'
  return hasExpired && operation.input.reauthorize ? { kind: 'renew-authorization' } : done
}

/**
 * After a check or an approval: the buyer's approval where it is still to be asked for, else the money step.
 */
function planAfterCheck(
  { transaction: row, operation, moneyStep, approvalMovesMoney, approvalToken }: Situation,
  amount: number,
): OperationPlan {
  const mustApprove =
    operation.kind === 'screening' &&
    row.approval !== null &&
    approvalToken === undefined &&
    !approvalMovesMoney
  return {
    kind: mustApprove ? 'approval' : moneyStep,
    amount,
    paymentServiceId: operation.payment_service_id,
    approvalToken,
  }
}

/** The second half of a split payment (semantics §3.6). Undefined: none follows, or a review holds it. */
function captureAfter(
  row: TransactionRow,
  { input }: OperationRow,
  authorized: number,
): OperationPlan | undefined {
  if (row.intent !== 'capture' || row.captured_amount !== 0 || authorized <= 0 || row.pending_review)
    return undefined
  const wanted = input.then_capture
  return {
    kind: 'capture',
    amount: Math.min(wanted?.amount ?? authorized, authorized),
    input: { final: true, ...wanted?.input },
    isQueued: row.details.async_capture === true,
  }
}
