import type { CardForCall, Exchange, PaymentContext } from '../../connectors/connector.ts'
import { type ErrorCode, errorCodes, isErrorCode } from '../../connectors/error-codes.ts'
import type { InstrumentType } from '../../connectors/method.schema.ts'
import type { TimelineEntry } from '../../operations/journal/journal.ts'
import type { OperationOutcome, OperationRow } from '../../operations/operation.ts'
import { openCircuitsAfterRefusal } from '../../payment-services/health/open-circuits.ts'
import { type ConfiguredService, paymentServices } from '../../payment-services/payment-service.store.ts'
import type { TransactionAction } from '../../routing/action.schema.ts'
import { decideRoute } from '../../routing/decide.ts'
import { findNewerCard } from '../../vault/account-updater/card-replacement.ts'
import { answerDeadline, timeOf, type World } from '../../world.ts'
import type { Draft } from '../create/draft.ts'
import type { Tender } from '../create/tender.ts'
import { timelineEntry } from '../timeline.ts'
import type { RequestState } from './execute-payment.ts'
import type { NextOperation } from './next-operation.ts'
import { firstPossibleStep, withoutOpenCircuits } from './retry-route.ts'

/** A card that the account updater may know a newer one of. */
export interface RenewableCard {
  card: CardForCall
  /** Of the stored payment method that holds it, or will; null: it is not stored. */
  method: string | null
  /** What the account updater of the sandbox is to answer (SEMANTICS §6.4); null: the card's number decides. */
  simulated: Record<string, unknown> | null
}

/** The card of a request; `method`: of the stored payment method that holds it, or will. */
export const readRenewableCard = (draft: Draft, tender: Tender | undefined, method: string | undefined): RenewableCard | undefined =>
  tender?.instrument.card && {
    card: tender.instrument.card,
    method: method ?? null,
    simulated: draft.connection_options?.['account-updater'] ?? null,
  }

/** What an attempt is paid with, and what rules decided about it. */
export interface AttemptInstrument {
  /** Null: as before. */
  type: InstrumentType | null
  /** What is shown of a card that replaces the refused one; null: none does. */
  card: object | null
  actions?: readonly TransactionAction[]
}

/** Another attempt at the same payment, intended in the commit that settles the refused one. */
export interface Attempt {
  next: NextOperation
  /** Where it goes; undefined: to the same payment service. */
  service?: ConfiguredService
  rule?: 'payment_method_replacement'
  instrument?: AttemptInstrument | undefined
  /** What the request knows from now on. */
  requestState: RequestState
}

/** What an issuer says of a card that it has replaced. */
const invalidCardCodes: ReadonlySet<ErrorCode> = new Set([
  'canceled_payment_method',
  'expired_payment_method',
  'incorrect_expiry_date',
  'invalid_payment_method',
  'unknown_payment_method',
] satisfies ErrorCode[])

/**
 * After a refusal that says the card is no good any more: what the account updater knows of it (SEMANTICS §6.4, §16.5), and the attempt with the newer
 * card, at the same payment service and once. Never after an outcome that is unknown: the old card may have paid.
 */
export async function attemptWithRenewedCard(
  world: World,
  operation: OperationRow,
  outcome: OperationOutcome,
  payment: PaymentContext | undefined,
  requestState: RequestState,
): Promise<{ attempt?: Attempt; story: TimelineEntry[] } | undefined> {
  const { renewable } = requestState
  if (!renewable || !payment || payment.isRenewedCard || !('code' in outcome) || !isErrorCode(outcome.code) || !invalidCardCodes.has(outcome.code))
    return undefined
  const { news, exchange } = await findNewerCard(world, operation.merchant_account_id, renewable)
  const timeline = exchange ? [timelineEntry(world, 'real-time-account-update', accountUpdateContext(exchange, news !== undefined))] : []
  if (!news) return { story: timeline }
  const { card_country: issuer_country, additional_schemes: _, ...shown } = news.snapshot
  const securityCode = null
  const card = { number: news.number, expirationDate: news.snapshot.expiration_date, securityCode, scheme: news.snapshot.scheme }
  const attempt: Attempt = {
    next: retryOperation(world, operation, operation.payment_service_id),
    rule: 'payment_method_replacement',
    instrument: { type: 'pan', card: { ...shown, issuer_country } },
    // what another payment service would be shown is the newer card, too
    requestState: {
      ...requestState,
      instrument: { card },
      isRenewedCard: true,
      presentTo: async (_, as) => (as === null || as === 'pan' ? { instrument: { card }, type: 'pan', timeline: [] } : undefined),
    },
  }
  return { attempt, story: timeline }
}

const accountUpdateContext = ({ url, request, response, status }: Exchange, success: boolean) => ({
  url,
  request,
  response,
  response_status_code: status,
  success,
})

/** The next payment service, after a refusal that another one may not share (DESIGN §5): no money can have moved. */
export async function attemptAtAnotherService(
  world: World,
  operation: OperationRow,
  outcome: OperationOutcome,
  payment: PaymentContext | undefined,
  requestState: RequestState,
): Promise<Attempt | undefined> {
  const { route } = requestState
  if (!payment || !route || payment.options['skip_retry'] === true) return undefined
  if (!('code' in outcome) || !isErrorCode(outcome.code) || !errorCodes[outcome.code].retriable) return undefined
  if (route.retriesOn && !route.retriesOn.includes(outcome.code)) return undefined
  const tried = [...route.tried, ...(operation.payment_service_id ? [operation.payment_service_id] : [])]
  // the rules are asked again: they may react to the refusal
  const facts = { ...route.facts, previous_decline: outcome.code }
  const decided = decideRoute(route.rules, facts, route.eligible, { ...route.occasion, at: timeOf(world.clock) }, tried)
  const account = operation.merchant_account_id
  const skipped = await openCircuitsAfterRefusal(
    world,
    account,
    decided.steps.map(({ payment_service_id: id }) => id),
  )
  const services = await paymentServices(world, account)
  const { service, action, retriesOn, ...step } = await firstPossibleStep(withoutOpenCircuits(decided, skipped), services, async (to, instrument) =>
    requestState.presentTo?.(to, instrument),
  )
  if (!service) return undefined
  const shown = step.presented ?? (await requestState.presentTo?.(service, null))
  return {
    next: retryOperation(world, operation, service.id),
    service,
    instrument: shown || action ? { type: shown?.type ?? null, card: null, ...(action && { actions: [action] }) } : undefined,
    requestState: { ...requestState, route: { ...route, tried, retriesOn }, ...(shown && { instrument: shown.instrument }) },
  }
}

function retryOperation(world: World, operation: OperationRow, service: string | null): NextOperation {
  const now = timeOf(world.clock)
  const attempt: OperationRow = {
    ...operation,
    id: world.ids.next(),
    status: 'sent',
    payment_service_id: service,
    check_at: answerDeadline(world),
    checks: 0,
    exchanges: [],
    created_at: now,
    updated_at: now,
  }
  return { operation: attempt, transaction: null }
}
