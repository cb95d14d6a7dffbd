import type { Definition } from '../connectors/connector.ts'
import type { Connectors } from '../connectors/registry.ts'
import type { ConfiguredService } from '../payment-services/payment-service.store.ts'

/** What a payment needs of the payment service that carries it. */
export interface ServiceRequirements {
  method: string
  currency: string
  /** Null: any. */
  country: string | null
  /** Features of the definition without which the payment cannot be made as asked. */
  features: readonly string[]
  /** Who takes the buyer through an approval; null: whatever the payment service does by itself. */
  integrationClient: string | null
}

/** Why a payment service cannot take a payment; null when it can. */
export function ineligibilityReason(service: ConfiguredService, definition: Definition | undefined, need: ServiceRequirements): string | null {
  if (service.deleted_at) return 'is deleted'
  if (!service.active) return 'is not active'
  if (!definition) return 'is of a kind that this server does not have'
  if (service.method !== need.method) return `does not take ${need.method}`
  if (!service.accepted_currencies.includes(need.currency)) return `does not accept ${need.currency}`
  if (need.country && !service.accepted_countries.includes(need.country)) return `does not accept ${need.country}`
  const { integrationClient: client } = need
  if (client && !definition.integrationClients.some((known) => known === client)) return `does not support the integration client ${client}`
  const lacking = need.features.find((feature) => !definition.features[feature])
  return lacking ? `does not support ${lacking}` : null
}

/** The payment services that may be tried, in order: by position, then the oldest first (SEMANTICS §3.9, "Routing"). */
export const eligibleServices = (services: readonly ConfiguredService[], connectors: Connectors, need: ServiceRequirements): ConfiguredService[] =>
  services.filter((service) => ineligibilityReason(service, connectors.get(service.payment_service_definition_id)?.definition, need) === null)
