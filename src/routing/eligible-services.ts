import type { Definition, Feature } from '../connectors/contract/connector.ts'
import type { Connectors } from '../connectors/registry.ts'
import type { ConfiguredService } from '../payment-services/payment-service.store.ts'

/** What a payment requires of its payment service. */
export interface ServiceRequirements {
  method: string
  currency: string
  /** Null: any. */
  country: string | null
  /** The features of the definition that the payment requires. */
  features: readonly Feature[]
  /** The only payment service that can take the instrument; null or absent: any. */
  onlyService?: string | null
  /** The client that runs the buyer's approval; null: the payment service's own. */
  integrationClient: string | null
}

/** Why a payment service takes no payments; null if it takes some. */
export const inactiveReason = ({
  deleted_at,
  active,
}: Pick<ConfiguredService, 'deleted_at' | 'active'>): string | null =>
  deleted_at ? 'is deleted' : active ? null : 'is not active'

/** The reason why a payment service cannot take a payment; null if it can. */
export function ineligibilityReason(
  service: ConfiguredService,
  definition: Definition | undefined,
  requirements: ServiceRequirements,
): string | null {
  const inactive = inactiveReason(service)
  if (inactive) return inactive
  if (!definition) return 'is of a kind that this server does not have'
  if (service.method !== requirements.method) return `does not take ${requirements.method}`
  if (!service.accepted_currencies.includes(requirements.currency))
    return `does not accept ${requirements.currency}`
  if (requirements.country && !service.accepted_countries.includes(requirements.country))
    return `does not accept ${requirements.country}`
  const { integrationClient: client, onlyService } = requirements
  if (onlyService && service.id !== onlyService) return 'did not make the token that pays'
  if (client && !definition.integrationClients.some((supported) => supported === client))
    return `does not support the integration client ${client}`
  const missing = requirements.features.find((feature) => !definition.features[feature])
  return missing ? `does not support ${missing}` : null
}

/**
 * The payment services that can take a payment, in order: by position, then the oldest first (semantics §3.9,
 * "Routing").
 */
export const eligibleServices = (
  services: readonly ConfiguredService[],
  connectors: Connectors,
  requirements: ServiceRequirements,
): ConfiguredService[] =>
  services.filter(
    (service) =>
      ineligibilityReason(
        service,
        connectors.get(service.payment_service_definition_id)?.definition,
        requirements,
      ) === null,
  )
