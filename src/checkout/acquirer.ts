import { paymentServices } from '../payment-services/payment-service.store.ts'
import { candidates } from '../routing/candidates.ts'
import { profileFor } from '../three-d-secure/profile.ts'
import type { World } from '../world.ts'
import type { CheckoutSessionValues } from './checkout-session.schema.ts'
import { type CheckoutSessionRow, snapshotOf } from './checkout-session.store.ts'

/**
 * Under which name the card in a session would be authenticated, for a client library that does so itself (SEMANTICS §9): the profile and the card's scheme.
 * Empty where no card was entered yet, or nothing is configured for it.
 */
export async function acquirerOfSession(world: World, session: CheckoutSessionRow): Promise<Record<string, unknown>> {
  const snapshot = snapshotOf(session)
  const scheme = snapshot && 'scheme' in snapshot ? snapshot.scheme : null
  // written from a body of this shape only
  const { currency = null, country = null, metadata = null, payment_service_id }: Partial<CheckoutSessionValues> = session.details
  const services = await paymentServices(world, session.merchant_account_id)
  const service = payment_service_id
    ? services.find(({ id, deleted_at }) => id === payment_service_id.toLowerCase() && deleted_at === null)
    : currency && candidates(services, world.connectors, { method: 'card', currency, country, features: [], integrationClient: null })[0]
  const payment = { scheme, currency, country, metadata }
  const profile = await profileFor(world, session.merchant_account_id, payment, (service || undefined)?.merchant_profile ?? null)
  return profile ? { scheme, ...profile } : {}
}
