import { invalid } from '../../api/errors.ts'
import { skipOpenCircuits } from '../../payment-services/health/open-circuits.ts'
import { type ConfiguredService, paymentServices } from '../../payment-services/payment-service.store.ts'
import type { Flow, TransactionAction } from '../../routing/action.schema.ts'
import { type DecisionContext, decideDecline, decideRoute, decideSkip3ds } from '../../routing/decide.ts'
import { eligibleServices, ineligibilityReason, type ServiceRequirements } from '../../routing/eligible-services.ts'
import { factsOf, type RoutedPayment } from '../../routing/facts.ts'
import { type LiveRules, liveRules } from '../../routing/live-rules.ts'
import type { FlowCode } from '../../routing/rules/outcome.schema.ts'
import type { World } from '../../world.ts'
import { firstPossibleStep, type RetryRoute, withoutOpenCircuits } from '../execution/retry-route.ts'
import type { Draft } from './draft.ts'
import { instrumentOfKind, type PresentedInstrument } from './instrument.ts'
import type { Payer } from './payer.ts'
import { type SkippedService, skippedServices } from './skipped-services.ts'
import type { Tender } from './tender.ts'

/** What the payment service must be able to do for this payment to be made as asked. */
export function requirementsOf(draft: Draft, tender: Tender | undefined): ServiceRequirements {
  const features = [
    ...(tender?.features ?? []),
    ...(draft.amount === 0 ? ['zero_auth'] : []),
    ...(draft.async_capture ? ['delayed_capture'] : []),
    ...(draft.allow_partial_authorization ? ['partial_authorization'] : []),
    ...(draft.account_funding_transaction ? ['account_funding'] : []),
    ...(draft.three_d_secure_data ? ['three_d_secure_pass_through'] : []),
  ]
  return {
    method: tender?.routedAs ?? 'gift-card',
    currency: draft.currency,
    // a buyer who approves elsewhere does so in a country; it is the transaction's unless that says otherwise (SEMANTICS §3.9)
    country: draft.country ?? tender?.redirect?.country ?? null,
    features,
    integrationClient: draft.integration_client ?? null,
  }
}

/** A payment of which nothing is written yet. */
export interface PaymentToRoute {
  id: string
  createdAt: string
  draft: Draft
  tender: Tender | undefined
  payer: Payer
  need: ServiceRequirements
}

/** Who is asked first, and what that was decided by. */
export interface ServiceChoice {
  /** Undefined: nobody is asked. */
  service?: ConfiguredService
  /** How it is shown to that payment service, where a rule says how. */
  presented?: PresentedInstrument
  /** What the attempts after the first are decided by; absent: there are none. */
  route?: RetryRoute
  /** A rule refuses it: with this code. */
  declineCode?: FlowCode
  /** Whether a rule has it that the card's issuer is not asked to authenticate the buyer. */
  skipsAuthentication: boolean
  /** Every decision, in order; null: no rule had a say. */
  actions: TransactionAction[] | null
  /** The payment services that could take it, in the order of trying; null: there was no choice. */
  eligible: string[] | null
  /** The payment services that were not asked, and why; undefined: there was no choice. */
  skipped?: SkippedService[]
}

/**
 * Chooses who is asked (SEMANTICS §3.9, §3.16). A payment service that the merchant names is the only one, must be able, and rules do not route it elsewhere;
 * they may still refuse the payment.
 */
export async function chooseService(world: World, account: string, payment: PaymentToRoute): Promise<ServiceChoice> {
  const { draft, tender, need, createdAt: at } = payment
  const rules = await liveRules(world, account)
  const services = tender ? await paymentServices(world, account) : []
  const named = tender && requestedService(world, draft, services, need)
  const none: ServiceChoice = { skipsAuthentication: false, actions: null, eligible: null }
  if (rules.size === 0 && named) return { ...none, service: named }
  const facts = factsOf(routedPayment(payment), null)
  const occasion: DecisionContext = { buyer: facts.buyer_id ?? facts.buyer_external_identifier, transaction: payment.id, at }
  const isCard = need.method === 'card'
  const decline = decideDecline(rules.get(isCard ? 'card-transaction' : 'non-card-transaction'), facts, occasion)
  if (decline) return { ...none, declineCode: decline.outcome.error_code, actions: [decline.action] }
  if (!tender) return none
  const skip = isCard ? decideSkip3ds(rules.get('card-transaction'), facts, occasion) : undefined
  const more = { skipsAuthentication: skip !== undefined, actions: skip ? [skip.action] : null }
  if (named) return { ...none, ...more, service: named }
  return { ...none, ...more, ...(await routeByRules(world, account, payment, services, rules, more.actions ?? [], occasion)) }
}

async function routeByRules(
  world: World,
  account: string,
  { draft, tender, need, ...payment }: PaymentToRoute,
  services: readonly ConfiguredService[],
  rules: LiveRules,
  before: readonly TransactionAction[],
  occasion: DecisionContext,
): Promise<Partial<ServiceChoice>> {
  const facts = factsOf(routedPayment({ draft, tender, need, ...payment }), null)
  const flow: Flow = need.method === 'card' ? 'card-transaction' : 'redirect-transaction'
  const able = eligibleServices(services, world.connectors, need)
  const eligible = able.map(({ id }) => id)
  const explained: DecisionContext = { ...occasion, ineligibilityReason: (id) => obstacleById(world, services, need, id) }
  const decided = decideRoute(rules.get(flow), facts, eligible, explained)
  const unwell = await skipOpenCircuits(
    world,
    account,
    decided.steps.map(({ payment_service_id: id }) => id),
  )
  const show = async (service: ConfiguredService, instrument: Parameters<typeof instrumentOfKind>[3]) =>
    tender && instrumentOfKind(world, tender, service, instrument, draft.merchant_initiated)
  const well = await firstPossibleStep(withoutOpenCircuits(decided, unwell), able, show)
  // who is well may lack what it would have to be shown: a payment that might succeed is better than one that surely fails
  const { service, presented, action, retriesOn } = well.service || unwell.length === 0 ? well : await firstPossibleStep(decided, able, show)
  const actions = action ? [...before, action] : before
  const route: RetryRoute = { rules: rules.get(flow), facts, eligible, occasion: explained, tried: [], retriesOn }
  return {
    ...(service && { service }),
    ...(presented && { presented }),
    // who is unwell just now could not take it: a replay decides among the others
    ...((action || eligible.length > 1) && {
      route,
      eligible: eligible.filter((id) => !unwell.some(({ payment_service_id }) => payment_service_id === id)),
    }),
    actions: actions.length > 0 ? [...actions] : null,
    skipped: skippedServices(services, { service, action, openCircuits: unwell, obstacle: (each) => obstacleTo(world, each, need) }),
  }
}

function obstacleById(world: World, services: readonly ConfiguredService[], need: ServiceRequirements, id: string): string | null {
  const service = services.find((each) => each.id === id)
  return service ? obstacleTo(world, service, need) : 'does not exist'
}

const obstacleTo = ({ connectors }: World, service: ConfiguredService, need: ServiceRequirements) =>
  ineligibilityReason(service, connectors.get(service.payment_service_definition_id)?.definition, need)

/** The payment service that the request names, if it names one. Throws 400 where it cannot take the payment. */
function requestedService(
  world: World,
  draft: Draft,
  services: readonly ConfiguredService[],
  need: ServiceRequirements,
): ConfiguredService | undefined {
  // a client library that no payment service of the account speaks to is a mistake of the integration, not an outcome (SEMANTICS §3.12)
  if (need.integrationClient && !services.some((service) => isClientSupported(world, service, need)))
    throw invalid({ '/integration_client': `is not supported by a payment service for ${need.method}` })
  if (!draft.payment_service_id) return undefined
  const named = services.find(({ id }) => id === draft.payment_service_id?.toLowerCase())
  const problem = named ? obstacleTo(world, named, need) : 'does not exist'
  if (!named || problem) throw invalid({ '/payment_service_id': `names a payment service that ${problem}` })
  return named
}

const isClientSupported = (world: World, service: ConfiguredService, { method, integrationClient }: ServiceRequirements) =>
  service.method === method &&
  (world.connectors.get(service.payment_service_definition_id)?.definition.integrationClients.some((client) => client === integrationClient) ?? false)

const routedPayment = ({ draft, tender, payer, need, createdAt }: PaymentToRoute): RoutedPayment => ({
  amount: draft.amount,
  currency: draft.currency,
  country: need.country,
  method: tender?.method ?? 'gift-card',
  payment_method: tender?.snapshot ?? null,
  payment_source: draft.payment_source,
  intent: draft.intent,
  merchant_initiated: draft.merchant_initiated,
  is_subsequent_payment: draft.is_subsequent_payment,
  metadata: draft.metadata ?? null,
  buyer: payer.buyer,
  created_at: createdAt,
})
