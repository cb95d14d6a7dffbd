import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { TransactionAction } from '../../routing/action.schema.ts'

/** Why the payment service with this id was skipped. */
interface SkipReason {
  payment_service_id: string
  reason: string
}

/** A payment service that was skipped, and why, as the timeline shows it. */
export interface SkippedService extends SkipReason {
  payment_service_display_name: string
}

/** The result of a choice among the payment services of an account. */
interface ServiceSelection {
  /** Undefined: no payment service was chosen. */
  service: ConfiguredService | undefined
  /** A rule's decision, with the payment services that the rule skipped; null: no rule applied. */
  action: TransactionAction | null
  openCircuits: readonly SkipReason[]
  /** Why a payment service cannot take the payment; null: it can. */
  obstacle(service: ConfiguredService): string | null
}

/**
 * The payment services that a choice skipped. If none was chosen: all services of the account. If one was
 * chosen without a rule: the other active ones of the payment's method. If a rule chose one: none here, as
 * the rule's action lists them.
 */
export function skippedServices(
  services: readonly ConfiguredService[],
  { service: chosen, action, openCircuits, obstacle }: ServiceSelection,
): SkippedService[] {
  if (chosen && action) return []
  const ruleReasons = action ? skippedByRule(action) : []
  const reasonOf = (service: ConfiguredService): string | null => {
    const skipped = [...ruleReasons, ...openCircuits].find(({ payment_service_id: id }) => id === service.id)
    return skipped?.reason ?? obstacle(service) ?? (chosen ? null : 'is not among the attempts of the rule')
  }
  return services
    .filter(
      (service) =>
        !service.deleted_at &&
        service !== chosen &&
        (!chosen || (service.active && service.method === chosen.method)),
    )
    .flatMap((service) => {
      const reason = reasonOf(service)
      return reason === null
        ? []
        : [{ payment_service_id: service.id, payment_service_display_name: service.display_name, reason }]
    })
}

function skippedByRule({ outcome: { skipped } }: TransactionAction): SkipReason[] {
  return Array.isArray(skipped) ? skipped : []
}
