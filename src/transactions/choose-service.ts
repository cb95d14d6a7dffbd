import { invalid } from '../api/errors.ts'
import { heldBack } from '../payment-services/held-back.ts'
import { type ConfiguredService, paymentServices } from '../payment-services/payment-service.store.ts'
import type { Flow, TransactionAction } from '../routing/action.schema.ts'
import { candidates, type Need, obstacle } from '../routing/candidates.ts'
import { decideDecline, decideRoute, decideSkip3ds, type Occasion } from '../routing/decide.ts'
import { factsOf, type RoutedPayment } from '../routing/facts.ts'
import { type LiveRules, liveRules } from '../routing/live-rules.ts'
import type { FlowCode } from '../routing/outcome.schema.ts'
import type { World } from '../world.ts'
import type { Draft } from './draft.ts'
import { type ShownInstrument, shownAs } from './instrument.ts'
import { around, type LiveRoute, stepOf } from './live-route.ts'
import type { Payer } from './payer.ts'
import { type SkippedService, skippedServices } from './skipped-services.ts'
import type { Tender } from './tender.ts'

/** What the payment service must be able to do for this payment to be made as asked. */
export function needOf(draft: Draft, tender: Tender | undefined): Need {
  const features = [
    ...(tender?.features ?? []),
    ...(draft.amount === 0 ? ['zero_auth'] : []),
    ...(draft.async_capture ? ['delayed_capture'] : []),
    ...(draft.allow_partial_authorization ? ['partial_authorization'] : []),
    ...(draft.account_funding_transaction ? ['account_funding'] : []),
    ...(draft.three_d_secure_data ? ['three_d_secure_pass_through'] : []),
  ]
  return {
    method: tender?.carriedAs ?? 'gift-card',
    currency: draft.currency,
    // a buyer who approves elsewhere does so in a country; it is the transaction's unless that says otherwise (SEMANTICS §3.9)
    country: draft.country ?? tender?.redirect?.country ?? null,
    features,
    integrationClient: draft.integration_client ?? null,
  }
}

/** A payment of which nothing is written yet. */
export interface Unrouted {
  id: string
  createdAt: string
  draft: Draft
  tender: Tender | undefined
  payer: Payer
  need: Need
}

/** Who is asked first, and what that was decided by. */
export interface Choice {
  /** Undefined: nobody is asked. */
  service?: ConfiguredService
  /** How it is shown to that payment service, where a rule says how. */
  shown?: ShownInstrument
  /** What the attempts after the first are decided by; absent: there are none. */
  route?: LiveRoute
  /** A rule refuses it: with this code. */
  declined?: FlowCode
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
export async function chooseService(world: World, account: string, payment: Unrouted): Promise<Choice> {
  const { draft, tender, need, createdAt: at } = payment
  const rules = await liveRules(world, account)
  const services = tender ? await paymentServices(world, account) : []
  const named = tender && namedService(world, draft, services, need)
  const none: Choice = { skipsAuthentication: false, actions: null, eligible: null }
  if (rules.size === 0 && named) return { ...none, service: named }
  const facts = factsOf(routed(payment), null)
  const occasion: Occasion = { buyer: facts.buyer_id ?? facts.buyer_external_identifier, transaction: payment.id, at }
  const isCard = need.method === 'card'
  const decline = decideDecline(rules.get(isCard ? 'card-transaction' : 'non-card-transaction'), facts, occasion)
  if (decline) return { ...none, declined: decline.outcome.error_code, actions: [decline.action] }
  if (!tender) return none
  const skip = isCard ? decideSkip3ds(rules.get('card-transaction'), facts, occasion) : undefined
  const more = { skipsAuthentication: skip !== undefined, actions: skip ? [skip.action] : null }
  if (named) return { ...none, ...more, service: named }
  return { ...none, ...more, ...(await firstStep(world, account, payment, services, rules, more.actions ?? [], occasion)) }
}

async function firstStep(
  world: World,
  account: string,
  { draft, tender, need, ...payment }: Unrouted,
  services: readonly ConfiguredService[],
  rules: LiveRules,
  before: readonly TransactionAction[],
  occasion: Occasion,
): Promise<Partial<Choice>> {
  const facts = factsOf(routed({ draft, tender, need, ...payment }), null)
  const flow: Flow = need.method === 'card' ? 'card-transaction' : 'redirect-transaction'
  const able = candidates(services, world.connectors, need)
  const eligible = able.map(({ id }) => id)
  const explained: Occasion = { ...occasion, obstacle: (id) => obstacleOf(world, services, need, id) }
  const decided = decideRoute(rules.get(flow), facts, eligible, explained)
  const unwell = await heldBack(
    world,
    account,
    decided.steps.map(({ payment_service_id: id }) => id),
  )
  const show = async (service: ConfiguredService, instrument: Parameters<typeof shownAs>[3]) =>
    tender && shownAs(world, tender, service, instrument, draft.merchant_initiated)
  const well = await stepOf(around(decided, unwell), able, show)
  // who is well may lack what it would have to be shown: a payment that might succeed is better than one that surely fails
  const { service, shown, action, retriesOn } = well.service || unwell.length === 0 ? well : await stepOf(decided, able, show)
  const actions = action ? [...before, action] : before
  const route: LiveRoute = { rules: rules.get(flow), facts, eligible, occasion: explained, tried: [], retriesOn }
  return {
    ...(service && { service }),
    ...(shown && { shown }),
    // who is unwell just now could not take it: a replay decides among the others
    ...((action || eligible.length > 1) && {
      route,
      eligible: eligible.filter((id) => !unwell.some(({ payment_service_id }) => payment_service_id === id)),
    }),
    actions: actions.length > 0 ? [...actions] : null,
    skipped: skippedServices(services, { service, action, heldBack: unwell, obstacle: (each) => obstacleTo(world, each, need) }),
  }
}

function obstacleOf(world: World, services: readonly ConfiguredService[], need: Need, id: string): string | null {
  const service = services.find((each) => each.id === id)
  return service ? obstacleTo(world, service, need) : 'does not exist'
}

const obstacleTo = ({ connectors }: World, service: ConfiguredService, need: Need) =>
  obstacle(service, connectors.get(service.payment_service_definition_id)?.definition, need)

/** The payment service that the request names, if it names one. Throws 400 where it cannot take the payment. */
function namedService(world: World, draft: Draft, services: readonly ConfiguredService[], need: Need): ConfiguredService | undefined {
  // a client library that no payment service of the account speaks to is a mistake of the integration, not an outcome (SEMANTICS §3.12)
  if (need.integrationClient && !services.some((service) => takesClient(world, service, need)))
    throw invalid({ '/integration_client': `is not supported by a payment service for ${need.method}` })
  if (!draft.payment_service_id) return undefined
  const named = services.find(({ id }) => id === draft.payment_service_id?.toLowerCase())
  const problem = named ? obstacleTo(world, named, need) : 'does not exist'
  if (!named || problem) throw invalid({ '/payment_service_id': `names a payment service that ${problem}` })
  return named
}

const takesClient = (world: World, service: ConfiguredService, { method, integrationClient }: Need) =>
  service.method === method &&
  (world.connectors.get(service.payment_service_definition_id)?.definition.integrationClients.some((client) => client === integrationClient) ?? false)

const routed = ({ draft, tender, payer, need, createdAt }: Unrouted): RoutedPayment => ({
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
