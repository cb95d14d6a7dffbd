import {
  type ConfiguredService,
  paymentService,
  paymentServices,
} from '../../payment-services/payment-service.store.ts'
import { eligibleServices } from '../../routing/eligible-services.ts'
import { acquirerProfileFor } from '../../three-d-secure/profile.ts'
import type { World } from '../../world.ts'
import type { CheckoutSessionValues } from './checkout-session.schema.ts'
import { type CheckoutSessionRow, enteredSnapshot } from './checkout-session.store.ts'

/**
 * The acquirer profile for the card in a session and the card's scheme, for a client library that
 * authenticates the cardholder itself (semantics §9). Empty if no card was entered yet, or if no profile is
 * configured for it.
 */
export async function acquirerOfSession(
  world: World,
  session: CheckoutSessionRow,
): Promise<Record<string, unknown>> {
  const snapshot = enteredSnapshot(session)
  const scheme = snapshot && 'scheme' in snapshot ? snapshot.scheme : null
  const values = sessionValues(session)
  const payment = {
    scheme,
    currency: values.currency ?? null,
    country: values.country ?? null,
    metadata: values.metadata ?? null,
  }
  const service = await expectedService(world, session.merchant_account_id, values)
  const profile = await acquirerProfileFor(
    world,
    session.merchant_account_id,
    payment,
    service?.merchant_profile ?? null,
  )
  return profile ? { scheme, ...profile } : {}
}

/** The column is written from a body of this shape only. */
const sessionValues = ({ details }: CheckoutSessionRow): Partial<CheckoutSessionValues> => details

/** The payment service that the session names, else the first one to be tried. */
async function expectedService(
  world: World,
  account: string,
  { payment_service_id: requested, currency, country = null }: Partial<CheckoutSessionValues>,
): Promise<ConfiguredService | undefined> {
  if (requested) return paymentService(world, account, requested)
  if (!currency) return undefined
  const need = { method: 'card', currency, country, features: [], integrationClient: null }
  return eligibleServices(await paymentServices(world, account), world.connectors, need)[0]
}
