import { findThreeDSMethodUrl } from '../../operations/calls/authentication-call.ts'
import { elementsUrl } from '../../page/elements-url.ts'
import { isPolicyOrigin } from '../../page/policy-origin.ts'
import { sandboxPagesUrl } from '../../page/sandbox-pages.ts'
import { type ConfiguredService, paymentServices } from '../../payment-services/payment-service.store.ts'
import { threeDSConfigurations } from '../../three-d-secure/configuration.store.ts'
import type { World } from '../../world.ts'
import type { CheckoutSessionThreeDSMethod } from './checkout-session.schema.ts'
import { type CheckoutSessionRow, enteredSnapshot, methodForPayment } from './checkout-session.store.ts'
import { storeThreeDSMethod, type ThreeDSMethod } from './three-ds-method.store.ts'

/**
 * Asks the 3DS server for the 3DS method of the entered card's issuer, and begins it: its transaction id is that of
 * the authentication that follows. Null: the session has no card, its payment would not be authenticated, or the
 * issuer has no method that a buyer's browser may run.
 */
export async function beginThreeDSMethod(
  world: World,
  session: CheckoutSessionRow,
): Promise<CheckoutSessionThreeDSMethod['method']> {
  const snapshot = enteredSnapshot(session)
  if (snapshot?.kind !== 'card' || !(await mayBeAuthenticated(world, session, snapshot.scheme))) return null
  const entered = await methodForPayment(world, session)
  if (entered?.kind !== 'card') return null
  const url = await findThreeDSMethodUrl(world, { number: entered.card.number, scheme: snapshot.scheme })
  if (url === null || !isBrowserSafe(world, url)) return null
  const method: ThreeDSMethod = { id: world.ids.next(), url, completed: false }
  if (!(await storeThreeDSMethod(world, session, method))) return null
  return {
    three_ds_server_transaction_id: method.id,
    method_url: url,
    method_data: methodData(world, session.merchant_account_id, method),
  }
}

/** `threeDSMethodData` (EMV 3DS, table A.2): the issuer's page posts its end to `threeDSMethodNotificationURL`. */
export const methodData = (world: World, account: string, { id }: ThreeDSMethod): string =>
  Buffer.from(
    JSON.stringify({
      threeDSServerTransID: id,
      threeDSMethodNotificationURL: `${elementsUrl(world)}/elements/method-notifications/${account}`,
    }),
  ).toString('base64url')

/** Written by `storeThreeDSMethod` only. */
export const threeDSMethodOf = ({ three_ds_method }: CheckoutSessionRow): ThreeDSMethod | null =>
  three_ds_method

/**
 * The payment services that want the issuers of cards to authenticate the cardholders. Which one gets the payment is
 * decided with its amount and currency, which the session may not have.
 */
export async function authenticatingServices(
  world: World,
  { merchant_account_id: account, details }: CheckoutSessionRow,
): Promise<ConfiguredService[]> {
  if (!world.schemes.threeDSecureServer) return []
  const { payment_service_id: named } = details
  return (await paymentServices(world, account)).filter(
    ({ id, active, deleted_at, three_d_secure_enabled, payment_service_definition_id: definition }) =>
      active &&
      !deleted_at &&
      three_d_secure_enabled &&
      (!named || id === named) &&
      world.connectors.get(definition)?.definition.features['three_d_secure_hosted'] === true,
  )
}

/** Whether one of them has an acquirer profile for the scheme of a card. */
async function mayBeAuthenticated(
  world: World,
  session: CheckoutSessionRow,
  scheme: string | null,
): Promise<boolean> {
  if (scheme === null) return false
  const services = await authenticatingServices(world, session)
  if (services.some(({ merchant_profile: own }) => own && Object.hasOwn(own, scheme))) return true
  if (services.length === 0) return false
  const configurations = await threeDSConfigurations(world, session.merchant_account_id)
  return configurations.some((configuration) => configuration.scheme === scheme)
}

/**
 * Whether a buyer's browser may be sent to the URL of an issuer: https, and no page of Railyard, whose origin holds
 * the card. The sandbox's issuer has its page below Railyard's URL.
 */
function isBrowserSafe(world: World, text: string): boolean {
  const { href, protocol, origin, username, password } = new URL(text)
  if (!isPolicyOrigin(origin) || username !== '' || password !== '') return false
  const { settings, publicUrl } = world
  if (settings.environment === 'sandbox' && href.startsWith(`${sandboxPagesUrl(publicUrl)}/3ds/acs/`))
    return true
  const own = [publicUrl, elementsUrl(world)].map((url) => new URL(url).origin)
  return protocol === 'https:' && !own.includes(origin)
}
