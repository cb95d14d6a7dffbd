import { invalid } from '../api/errors.ts'
import { withoutUnwell } from '../payment-services/held-back.ts'
import { type ConfiguredService, paymentServices } from '../payment-services/payment-service.store.ts'
import { candidates, type Need, obstacle } from '../routing/candidates.ts'
import type { World } from '../world.ts'
import type { Draft } from './draft.ts'
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

/** The payment services to try. One that the merchant names is the only one, and must be able (SEMANTICS §3.9). */
export async function chooseServices(world: World, account: string, draft: Draft, need: Need): Promise<ConfiguredService[]> {
  const services = await paymentServices(world, account)
  // a client library that no payment service of the account speaks to is a mistake of the integration, not an outcome (SEMANTICS §3.12)
  if (need.integrationClient && !services.some((service) => takesClient(world, service, need)))
    throw invalid({ '/integration_client': `is not supported by a payment service for ${need.method}` })
  if (!draft.payment_service_id) return (await withoutUnwell(world, account, candidates(services, world.connectors, need))).services
  const named = services.find((service) => service.id === draft.payment_service_id)
  const problem = named ? obstacle(named, world.connectors.get(named.payment_service_definition_id)?.definition, need) : 'does not exist'
  if (!named || problem) throw invalid({ '/payment_service_id': `names a payment service that ${problem}` })
  return [named]
}

const takesClient = (world: World, service: ConfiguredService, { method, integrationClient }: Need) =>
  service.method === method &&
  (world.connectors.get(service.payment_service_definition_id)?.definition.integrationClients.some((client) => client === integrationClient) ?? false)
