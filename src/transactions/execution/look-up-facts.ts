import { timeOf } from '../../base/clock.ts'
import type { Exchange, PaymentContext } from '../../connectors/contract/call.ts'
import type { CheckFindings, SendResult } from '../../operations/calls/call-result.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import { skipOpenCircuitsAfterRefusal } from '../../payment-services/health/open-circuits.ts'
import { paymentService, paymentServices } from '../../payment-services/payment-service.store.ts'
import { decideRoute } from '../../routing/decide.ts'
import { inactiveReason } from '../../routing/eligible-services.ts'
import { findNewerCard } from '../../vault/account-updater/card-replacement.ts'
import type { World } from '../../world.ts'
import { openApprovalToken } from '../approval/approval-token.ts'
import { profileForAuthentication } from '../approval/authentication.ts'
import { timelineEntry } from '../timeline.ts'
import type { PaymentStep, TransactionRow } from '../transaction.row.ts'
import { decideNext, demandsAuthentication, type NextStepFacts, type Situation } from './decide-next.ts'
import { approvalMovesMoney, moneyStepKind } from './money-step.ts'
import type { AnotherService, NextStep } from './next-step.ts'
import type { RequestState } from './request-state.ts'
import { firstPossibleStep, withoutOpenCircuits } from './retry-route.ts'

/** What is known of an operation's outcome without asking. `payment`: what was sent of the payment. */
export function situationOf(
  world: World,
  { transaction, operation }: PaymentStep,
  { outcome, findings }: SendResult,
  payment: PaymentContext | undefined,
  requestState: RequestState,
): Situation {
  const row = applyFindings(transaction, findings)
  return {
    transaction: row,
    operation,
    outcome,
    payment,
    requestState,
    moneyStep: moneyStepKind(world, row),
    approvalMovesMoney: approvalMovesMoney(world, row),
    approvalToken:
      operation.kind === 'screening'
        ? openApprovalToken(world, operation)
        : outcome.status === 'approved'
          ? outcome.buyer?.token
          : undefined,
  }
}

/**
 * The transaction as a check leaves it: a review that the screening asks for holds the capture, and so
 * decides how the money step is made.
 */
export const applyFindings = (row: TransactionRow, findings: CheckFindings | undefined): TransactionRow =>
  findings?.screening?.decision === 'review' ? { ...row, pending_review: true } : row

/**
 * The next step, with the facts that it took to decide it looked up one after the other. `timeline`: the
 * lines about what was looked up.
 */
export async function lookUpNextStep(
  world: World,
  situation: Situation,
): Promise<{ next: NextStep; timeline: TimelineEntry[] }> {
  const timeline: TimelineEntry[] = []
  let facts: NextStepFacts = {}
  for (;;) {
    const next = decideNext(situation, facts)
    if (next.kind !== 'look-up') return { next, timeline }
    facts = { ...facts, ...(await lookUpFact[next.fact](world, situation, timeline)) }
  }
}

type LookUpFact<Fact extends keyof NextStepFacts> = (
  world: World,
  situation: Situation,
  timeline: TimelineEntry[],
) => Promise<Required<Pick<NextStepFacts, Fact>>>

const lookUpFact: { [Fact in keyof Required<NextStepFacts>]: LookUpFact<Fact> } = {
  /**
   * Of a card that was refused as replaced (semantics §6.4, §16.5). Never after an outcome that is unknown:
   * the old card may have paid.
   */
  async newerCard(world, { operation, requestState: { renewable } }, timeline) {
    if (!renewable) return { newerCard: 'none' }
    const search = await findNewerCard(world, operation.merchant_account_id, renewable)
    const isFound = search.kind === 'found'
    if (search.exchange)
      timeline.push(
        timelineEntry(world, 'real-time-account-update', accountUpdateContext(search.exchange, isFound)),
      )
    return { newerCard: isFound ? search.newerCard : 'none' }
  },

  async authentication(world, situation) {
    const { transaction, operation, requestState } = situation
    const service = await paymentService(
      world,
      transaction.merchant_account_id,
      operation.payment_service_id ?? '',
    )
    const asked = demandsAuthentication(situation) ? withAuthentication(requestState) : requestState
    const profile = service && (await profileForAuthentication(world, transaction, service, asked))
    return { authentication: profile ? 'possible' : 'impossible' }
  },

  async anotherService(world, situation) {
    return { anotherService: (await findAnotherService(world, situation)) ?? 'none' }
  },
}

/** The state of a request that skipped authentication, and must not any more. */
export const withAuthentication = ({
  authenticationOptions: options,
  ...state
}: RequestState): RequestState => ({
  ...state,
  ...(options && { authenticationOptions: { ...options, isSkipped: false } }),
})

const accountUpdateContext = ({ url, request, response, status }: Exchange, success: boolean) => ({
  url,
  request,
  response,
  response_status_code: status,
  success,
})

/**
 * The rules are asked again, since they may react to the refusal. Undefined as well where that service wants
 * the issuer to be asked and the cardholder cannot come back: no third one is tried.
 */
async function findAnotherService(
  world: World,
  { transaction, operation, outcome, requestState }: Situation,
): Promise<AnotherService | undefined> {
  const { route, presentTo } = requestState
  if (!route || !('code' in outcome)) return undefined
  const account = operation.merchant_account_id
  const tried = [...route.tried, ...(operation.payment_service_id ? [operation.payment_service_id] : [])]
  const facts = { ...route.facts, previous_decline: outcome.code }
  const services = await paymentServices(world, account)
  // a challenge can last for hours, in which a payment service that was eligible is deactivated or deleted
  const inactive = new Map(services.map((each) => [each.id, inactiveReason(each)]))
  const decided = decideRoute(
    route.rules,
    facts,
    route.eligible.filter((id) => inactive.get(id) === null),
    {
      ...route.occasion,
      at: timeOf(world.clock),
      ineligibilityReason: (id) => inactive.get(id) ?? route.occasion.ineligibilityReason?.(id) ?? null,
    },
    tried,
  )
  const skipped = await skipOpenCircuitsAfterRefusal(
    world,
    account,
    decided.steps.map(({ payment_service_id: id }) => id),
  )
  const { service, action, retriesOn, ...step } = await firstPossibleStep(
    withoutOpenCircuits(decided, skipped),
    services,
    async (to, instrument) => presentTo?.(to, instrument),
  )
  if (!service) return undefined
  const presented = step.presented ?? (await presentTo?.(service, null))
  const state: RequestState = {
    ...requestState,
    route: { ...route, tried, retriesOn },
    ...(presented && { instrument: presented.instrument }),
  }
  const needsAuthentication =
    (await profileForAuthentication(world, transaction, service, state)) !== undefined
  if (needsAuthentication && !state.authenticationOptions?.redirectUrl) return undefined
  const instrument =
    presented || action
      ? { type: presented?.type ?? null, card: null, ...(action && { actions: [action] }) }
      : undefined
  return { service, instrument, requestState: state, needsAuthentication }
}
