/**
 * Which payment service gets a payment first, and why (docs/concepts/routing-decisions.md). Before:
 * `create-transaction.ts` has read the method and the buyer. It asks `routing/eligible-services.ts` (which can
 * take it), `routing/decide.ts` (rules), `payment-services/health/open-circuits.ts` (health) and
 * `execution/retry-route.ts` (which attempt can be made). After: `first-step.ts`. Retries at another payment
 * service: `execution/decide-next.ts`, and `findAnotherService` in `execution/look-up-facts.ts`.
 */

import { invalid } from '../../api/errors.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import type { Feature } from '../../connectors/contract/connector.ts'
import { skipOpenCircuits } from '../../payment-services/health/open-circuits.ts'
import { type ConfiguredService, paymentServices } from '../../payment-services/payment-service.store.ts'
import type { Flow, TransactionAction } from '../../routing/action.schema.ts'
import { type DecisionContext, decideDecline, decideRoute, decideSkip3ds } from '../../routing/decide.ts'
import {
  eligibleServices,
  ineligibilityReason,
  type ServiceRequirements,
} from '../../routing/eligible-services.ts'
import { type Facts, factsOf, type RoutedPayment } from '../../routing/facts.ts'
import { type LiveRules, liveRules } from '../../routing/live-rules.ts'
import type { FlowCode } from '../../routing/rules/outcome.schema.ts'
import type { World } from '../../world.ts'
import { firstPossibleStep, type RetryRoute, withoutOpenCircuits } from '../execution/retry-route.ts'
import type { Draft } from './draft.ts'
import { instrumentOfKind, type PresentedInstrument } from './instrument.ts'
import type { Payer } from './payer.ts'
import { type SkippedService, skippedServices } from './skipped-services.ts'
import type { Tender } from './tender.ts'

/** What a payment service must be able to do to take this payment. */
export function requirementsOf(draft: Draft, tender: Tender | undefined): ServiceRequirements {
  const features: Feature[] = [
    ...(tender?.features ?? []),
    ...(draft.store && tender?.redirect ? ['payment_method_tokenization' as const] : []),
    ...(draft.amount === 0 ? ['zero_auth' as const] : []),
    ...(draft.async_capture ? ['delayed_capture' as const] : []),
    ...(draft.allow_partial_authorization ? ['partial_authorization' as const] : []),
    ...(draft.account_funding_transaction ? ['account_funding' as const] : []),
    ...(draft.three_d_secure_data ? ['three_d_secure_pass_through' as const] : []),
  ]
  return {
    method: tender?.routedAs ?? 'gift-card',
    currency: draft.currency,
    // without a country of its own, the transaction has that of its redirect payment method (semantics §3.9)
    country: draft.country ?? tender?.redirect?.country ?? null,
    features,
    onlyService: tender?.onlyService ?? null,
    integrationClient: draft.integration_client ?? null,
  }
}

/** A payment before its first row is written. */
export interface PaymentToRoute {
  id: string
  createdAt: string
  draft: Draft
  tender: Tender | undefined
  payer: Payer
  requirements: ServiceRequirements
}

/** The payment service of the first attempt, and how it was chosen. */
export interface ServiceChoice {
  /** Undefined: no payment service gets the payment. */
  service?: ConfiguredService
  /** The instrument for that payment service, if a rule names its kind. */
  presented?: PresentedInstrument
  /** What decides the attempts after the first; absent: there are none. */
  route?: RetryRoute
  /** A rule declines the payment with this code. */
  declineCode?: FlowCode
  /** Whether a rule says that the card's issuer does not authenticate the buyer. */
  skipsAuthentication: boolean
  /** Every decision of a rule, in order; null: no rule applied. */
  actions: TransactionAction[] | null
  /** The payment services that could take the payment, in the order of trying; null: there was no choice. */
  eligible: string[] | null
  /** The payment services that were skipped, and why; undefined: there was no choice. */
  skipped?: SkippedService[]
}

/**
 * Chooses the payment service (semantics §3.9, §3.16). A payment service that the merchant names is the only
 * candidate: rules do not route the payment elsewhere, but may still decline it. Throws 400 if the named
 * service cannot take the payment.
 */
export async function chooseService(
  world: World,
  account: string,
  payment: PaymentToRoute,
): Promise<ServiceChoice> {
  const { draft, tender, requirements, createdAt: at } = payment
  const rules = await liveRules(world, account)
  const services = tender ? await paymentServices(world, account) : []
  const named = tender && requestedService(world, { draft, tender }, services, requirements)
  const none: ServiceChoice = { skipsAuthentication: false, actions: null, eligible: null }
  if (rules.size === 0 && named) return { ...none, service: named }
  const facts = factsOf(routedPayment(payment))
  const occasion: DecisionContext = {
    buyer: facts.buyer_id ?? facts.buyer_external_identifier,
    transaction: payment.id,
    at,
  }
  const isCard = requirements.method === 'card'
  const decline = decideDecline(
    rules.get(isCard ? 'card-transaction' : 'non-card-transaction'),
    facts,
    occasion,
  )
  if (decline) return { ...none, declineCode: decline.outcome.error_code, actions: [decline.action] }
  if (!tender) return none
  const skip = isCard ? decideSkip3ds(rules.get('card-transaction'), facts, occasion) : undefined
  const authentication = { skipsAuthentication: skip !== undefined, actions: skip ? [skip.action] : null }
  if (named) return { ...none, ...authentication, service: named }
  const routed = await routeByRules(world, account, payment, {
    services,
    rules,
    facts,
    earlierActions: authentication.actions ?? [],
    occasion,
  })
  return { ...none, ...authentication, ...routed }
}

/** What a route is decided with. */
interface RoutingInputs {
  services: readonly ConfiguredService[]
  rules: LiveRules
  facts: Facts
  /** The decisions already made on this payment. */
  earlierActions: readonly TransactionAction[]
  occasion: DecisionContext
}

/** The first attempt of a payment that rules may route. */
async function routeByRules(
  world: World,
  account: string,
  payment: PaymentToRoute,
  { services, rules, facts, earlierActions, occasion }: RoutingInputs,
): Promise<Partial<ServiceChoice>> {
  const { draft, tender, requirements } = payment
  const flow: Flow = requirements.method === 'card' ? 'card-transaction' : 'redirect-transaction'
  const eligibleInOrder = eligibleServices(services, world.connectors, requirements)
  const eligible = eligibleInOrder.map(({ id }) => id)
  const decisionContext: DecisionContext = {
    ...occasion,
    ineligibilityReason: (id) => obstacleById(world, services, requirements, id),
  }
  const decided = decideRoute(rules.get(flow), facts, eligible, decisionContext)
  const open = await skipOpenCircuits(
    world,
    account,
    decided.steps.map(({ payment_service_id: id }) => id),
  )
  const present = async (service: ConfiguredService, instrument: Parameters<typeof instrumentOfKind>[3]) =>
    tender && instrumentOfKind(world, tender, service, instrument, draft.merchant_initiated)
  const closed = await firstPossibleStep(withoutOpenCircuits(decided, open), eligibleInOrder, present)
  // if no service with a closed circuit can be shown the instrument, a service with an open one might still
  // succeed; no service surely fails
  const { service, presented, action, retriesOn } =
    closed.service || open.length === 0 ? closed : await firstPossibleStep(decided, eligibleInOrder, present)
  const actions = action ? [...earlierActions, action] : earlierActions
  const route: RetryRoute = {
    rules: rules.get(flow),
    facts,
    eligible,
    occasion: decisionContext,
    tried: [],
    retriesOn,
  }
  return {
    ...(service && { service }),
    ...(presented && { presented }),
    // a service with an open circuit could not take the payment now: a replay of the decision leaves it out
    ...((action || eligible.length > 1) && {
      route,
      eligible: eligible.filter((id) => !open.some(({ payment_service_id }) => payment_service_id === id)),
    }),
    actions: actions.length > 0 ? [...actions] : null,
    skipped: skippedServices(services, {
      service,
      action,
      openCircuits: open,
      obstacle: (each) => obstacleTo(world, each, requirements),
    }),
  }
}

/** Why the payment service with this id cannot take the payment; null: it can. */
function obstacleById(
  world: World,
  services: readonly ConfiguredService[],
  requirements: ServiceRequirements,
  id: string,
): string | null {
  const service = services.find((each) => each.id === id)
  return service ? obstacleTo(world, service, requirements) : 'does not exist'
}

const obstacleTo = ({ connectors }: World, service: ConfiguredService, requirements: ServiceRequirements) =>
  ineligibilityReason(
    service,
    connectors.get(service.payment_service_definition_id)?.definition,
    requirements,
  )

/**
 * The payment service that the request names; undefined: it names none. Throws 400 if that service cannot
 * take the payment.
 */
function requestedService(
  world: World,
  { draft, tender }: Pick<PaymentToRoute, 'draft' | 'tender'>,
  services: readonly ConfiguredService[],
  requirements: ServiceRequirements,
): ConfiguredService | undefined {
  // a client library that no payment service of the account supports is a mistake of the integration, not a
  // decline (semantics §3.12)
  if (
    requirements.integrationClient &&
    !services.some((service) => isClientSupported(world, service, requirements))
  )
    throw invalid({
      '/integration_client': `is not supported by a payment service for ${requirements.method}`,
    })
  // the same for a method that is to be stored, and that none of them can store
  if (
    draft.store &&
    tender?.redirect &&
    !services.some((service) => service.method === requirements.method && canStore(world, service))
  )
    throw invalid({
      '/store': `cannot be true: no payment service of the account stores ${requirements.method} methods`,
    })
  if (!draft.payment_service_id) return undefined
  const requestedId = canonicalId(draft.payment_service_id)
  const named = services.find(({ id }) => id === requestedId)
  const problem = named ? obstacleTo(world, named, requirements) : 'does not exist'
  if (!named || problem) throw invalid({ '/payment_service_id': `names a payment service that ${problem}` })
  return named
}

const canStore = ({ connectors }: World, service: ConfiguredService): boolean =>
  connectors.get(service.payment_service_definition_id)?.definition.features.payment_method_tokenization ===
  true

const isClientSupported = (
  world: World,
  service: ConfiguredService,
  { method, integrationClient }: ServiceRequirements,
) =>
  service.method === method &&
  (world.connectors
    .get(service.payment_service_definition_id)
    ?.definition.integrationClients.some((client) => client === integrationClient) ??
    false)

/** The facts about a payment that rules may ask for. */
const routedPayment = ({ draft, tender, payer, requirements, createdAt }: PaymentToRoute): RoutedPayment => ({
  amount: draft.amount,
  currency: draft.currency,
  country: requirements.country,
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
