import type { AcquirerProfile, AuthenticationRequest, BrowserForCall, SimulatedOutcome } from '../connectors/three-d-secure-server.ts'
import type { AuthenticationAsked } from '../operations/authentication-call.ts'
import type { OperationInput, OperationOutcome, OperationRow } from '../operations/operation.ts'
import { type ConfiguredService, paymentService } from '../payment-services/payment-service.store.ts'
import { profileFor } from '../three-d-secure/profile.ts'
import { matchScenario } from '../three-d-secure/scenario.store.ts'
import { simulatedOutcome } from '../three-d-secure/scenario.ts'
import type { World } from '../world.ts'
import type { Attempt } from './another-attempt.ts'
import type { Live } from './carry-out.ts'
import type { Challengeable } from './challenge.ts'
import { type Following, stepAfter } from './following.ts'
import { challengeUrl } from './return-url.ts'
import type { TransactionRow } from './transaction.row.ts'

/**
 * With which profile the card's issuer is asked to authenticate its cardholder before this payment service is (SEMANTICS §7.1). Undefined: it is not asked,
 * because the payment service or the merchant does not have it so, because it is done, or because nobody is there to be asked.
 */
async function authenticationProfile(
  world: World,
  row: TransactionRow,
  service: ConfiguredService,
  live: Live,
): Promise<AcquirerProfile | undefined> {
  return wantsAuthentication(world, row, service, live) ? acquirerProfile(world, row, service) : undefined
}

/** Whether the payment service and the merchant want it, it is not done, and somebody is there to be asked. */
export function wantsAuthentication(world: World, row: TransactionRow, service: ConfiguredService, live: Live): boolean {
  const { challengeable } = live
  const definition = world.connectors.get(service.payment_service_definition_id)?.definition
  const isHosted = service.three_d_secure_enabled && definition?.features['three_d_secure_hosted'] === true
  if (!isHosted || !world.schemes.threeDSecureServer || !challengeable || challengeable.isSkipped || !cardOf(live)) return false
  const isAttended = !row.merchant_initiated && row.payment_source !== 'moto'
  return isAttended && !row.three_d_secure && !live.isAuthenticated
}

/** After a screening that lets the payment pass: the card's issuer, where it is to be asked. */
export async function authenticationAfter(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  outcome: OperationOutcome,
  live: Live,
): Promise<Following | undefined> {
  if (operation.kind !== 'screening' || outcome.status !== 'approved') return undefined
  const service = await paymentService(world, row.merchant_account_id, operation.payment_service_id ?? '')
  return service && (await authenticationProfile(world, row, service, live)) ? authenticationStep(world, row, operation, live) : undefined
}

/** Another payment service may want the issuer to be asked first. One that wants it of a cardholder who cannot be asked is not tried. */
export async function authenticatedFirst(world: World, row: TransactionRow, attempt: Attempt | undefined): Promise<Attempt | undefined> {
  if (!attempt?.service || !(await authenticationProfile(world, row, attempt.service, attempt.live))) return attempt
  if (!attempt.live.challengeable?.redirectUrl) return undefined
  return { ...attempt, next: authenticationStep(world, row, attempt.next.operation, attempt.live) }
}

/**
 * A payment service that refuses because the cardholder was not authenticated gets another attempt with it, once and where that can be done: a rule's
 * `skip-3ds` was a wish (soft decline, PSD2 RTS article 97).
 */
export async function withAuthentication(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  outcome: OperationOutcome,
  live: Live,
): Promise<Attempt | undefined> {
  const { challengeable } = live
  if (!('code' in outcome) || outcome.code !== 'requires_buyer_authentication' || !challengeable?.redirectUrl) return undefined
  const service = await paymentService(world, row.merchant_account_id, operation.payment_service_id ?? '')
  const willing: Live = { ...live, challengeable: { ...challengeable, isSkipped: false } }
  if (!service || !(await authenticationProfile(world, row, service, willing))) return undefined
  return { next: authenticationStep(world, row, operation, willing), live: willing }
}

const authenticationStep = (world: World, row: TransactionRow, before: OperationRow, { challengeable }: Live): Following => ({
  operation: stepAfter(world, row, before, 'authentication', { amount: before.amount, input: authenticatedAmount(challengeable) }),
  transaction: null,
})

/** What the cardholder is asked about, where it is not what is paid. */
export const authenticatedAmount = (challengeable: Challengeable | undefined): OperationInput =>
  challengeable?.amount ? { authenticated_amount: challengeable.amount } : {}

/** The card whose holder is asked about; none where a scheme's token with its cryptogram pays, which proves as much. */
const cardOf = ({ instrument, renewable }: Live) => (instrument?.networkToken ? undefined : (instrument?.card ?? renewable?.card))

/** What the 3DS server is asked, of a payment as it stands. Undefined: the card is gone. */
export async function askedAuthentication(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  live: Live,
): Promise<AuthenticationAsked | undefined> {
  const service = await paymentService(world, row.merchant_account_id, operation.payment_service_id ?? '')
  const profile = service && (await acquirerProfile(world, row, service))
  const card = cardOf(live)
  if (!profile || !card) return undefined
  const { number, expirationDate, scheme } = card
  const billing = row.buyer?.billing_details ?? null
  const request: AuthenticationRequest = {
    id: operation.id,
    card: { number, expirationDate, scheme },
    amount: operation.input.authenticated_amount ?? operation.amount,
    currency: row.currency,
    profile,
    reason: reasonOf(row),
    buyer: { name: row.buyer?.display_name ?? fullName(billing), email: billing?.email_address ?? null, billing, shipping: row.shipping_details },
    browser: browserOf(row),
    notificationUrl: challengeUrl(world, row.merchant_account_id, row.id, 'authenticated'),
    simulated: await simulated(world, row),
  }
  return { request, challengeUrl: challengeUrl(world, row.merchant_account_id, row.id, 'challenge') }
}

function reasonOf({ amount, payment_source: source }: TransactionRow): AuthenticationRequest['reason'] {
  if (amount === 0) return 'verification'
  return source === 'recurring' || source === 'installment' || source === 'card_on_file' ? source : 'payment'
}

const fullName = (billing: { first_name?: string | null; last_name?: string | null } | null) =>
  [billing?.first_name, billing?.last_name].filter(Boolean).join(' ') || null

function browserOf({ details: { browser_info: browser }, ip_address }: TransactionRow): BrowserForCall | null {
  if (!browser) return null
  const { user_device: _device, accept_header, ...seen } = browser
  return { ...seen, accept_header: accept_header ?? null, ip_address }
}

/** Under which name the card's scheme knows the merchant; undefined: none is configured. */
export const acquirerProfile = (world: World, row: TransactionRow, service: ConfiguredService): Promise<AcquirerProfile | undefined> =>
  profileFor(
    world,
    row.merchant_account_id,
    { scheme: row.payment_method?.scheme ?? null, currency: row.currency, country: row.country, metadata: row.metadata },
    service.merchant_profile,
  )

/** In the sandbox, what the simulated parties are to answer (SEMANTICS §7.3). */
async function simulated(world: World, row: TransactionRow): Promise<SimulatedOutcome | null> {
  const payment = { amount: row.amount, fingerprint: row.payment_method?.fingerprint ?? null, buyer: row.buyer }
  const scenario = await matchScenario(world, row.merchant_account_id, payment)
  return scenario ? simulatedOutcome(scenario) : null
}
