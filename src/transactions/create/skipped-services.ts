import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { TransactionAction } from '../../routing/action.schema.ts'

interface SkipReason {
  payment_service_id: string
  reason: string
}

/** A payment service that was not asked, and why. */
export interface SkippedService extends SkipReason {
  payment_service_display_name: string
}

/** How a choice among the payment services of an account went. */
interface ServiceSelection {
  service: ConfiguredService | undefined
  /** What a rule decided, with the payment services that it skipped; null: no rule did. */
  action: TransactionAction | null
  openCircuits: readonly SkipReason[]
  /** Why a payment service cannot take the payment; null: it can. */
  obstacle(service: ConfiguredService): string | null
}

/**
 * The payment services that a choice went past. Where none is left, all that the account has. Where one is asked, those of the payment's method that
 * would come before or beside it; what a rule skipped its action says.
 */
export function skippedServices(
  services: readonly ConfiguredService[],
  { service: asked, action, openCircuits, obstacle }: ServiceSelection,
): SkippedService[] {
  if (asked && action) return []
  const ofRule = action ? skippedByRule(action) : []
  const reasonOf = (service: ConfiguredService): string | null => {
    const held = [...ofRule, ...openCircuits].find(({ payment_service_id: id }) => id === service.id)
    return held?.reason ?? obstacle(service) ?? (asked ? null : 'is not among the attempts of the rule')
  }
  return services
    .filter((service) => !service.deleted_at && service !== asked && (!asked || (service.active && service.method === asked.method)))
    .flatMap((service) => {
      const reason = reasonOf(service)
      return reason === null ? [] : [{ payment_service_id: service.id, payment_service_display_name: service.display_name, reason }]
    })
}

function skippedByRule({ outcome: { skipped } }: TransactionAction): SkipReason[] {
  return Array.isArray(skipped) ? skipped : []
}
