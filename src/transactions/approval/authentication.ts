import type {
  AcquirerProfile,
  AuthenticationRequest,
  SimulatedOutcome,
} from '../../connectors/contract/three-d-secure-server.ts'
import type { AuthenticationInput } from '../../operations/calls/authentication-call.ts'
import type { OperationInput, OperationRow } from '../../operations/operation.ts'
import { type ConfiguredService, paymentService } from '../../payment-services/payment-service.store.ts'
import { acquirerProfileFor } from '../../three-d-secure/profile.ts'
import { matchScenario } from '../../three-d-secure/scenario.store.ts'
import { simulatedOutcome } from '../../three-d-secure/scenario.ts'
import type { World } from '../../world.ts'
import type { AuthenticationOptions, RequestState } from '../execution/request-state.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { challengeUrl } from './approval-links.ts'
import { browserOf } from './order.ts'

/**
 * The acquirer profile under which the card's issuer authenticates the cardholder before this payment service
 * gets the payment (semantics §7.1). Undefined: the issuer does not, because it is not wanted or because no
 * profile is configured.
 */
export async function profileForAuthentication(
  world: World,
  row: TransactionRow,
  service: ConfiguredService,
  requestState: RequestState,
): Promise<AcquirerProfile | undefined> {
  return isAuthenticationWanted(world, row, service, requestState)
    ? acquirerProfile(world, row, service)
    : undefined
}

/**
 * Whether the card's issuer should authenticate the cardholder: the payment service and the merchant want it,
 * it has not happened yet, and the cardholder takes part in the payment.
 */
export function isAuthenticationWanted(
  world: World,
  row: TransactionRow,
  service: ConfiguredService,
  requestState: RequestState,
): boolean {
  const { authenticationOptions } = requestState
  const definition = world.connectors.get(service.payment_service_definition_id)?.definition
  const isHosted = service.three_d_secure_enabled && definition?.features['three_d_secure_hosted'] === true
  if (
    !isHosted ||
    !world.schemes.threeDSecureServer ||
    !authenticationOptions ||
    authenticationOptions.isSkipped ||
    !cardToAuthenticate(requestState)
  )
    return false
  const isAttended = !row.merchant_initiated && row.payment_source !== 'moto'
  return isAttended && !row.three_d_secure && !requestState.isAuthenticated
}

/** What an authentication is asked for beyond the amount of the payment. */
export const authenticationOperationInput = (
  options: Pick<AuthenticationOptions, 'amount' | 'method'> | undefined,
): OperationInput => ({
  ...(options?.amount && { authenticated_amount: options.amount }),
  ...(options?.method && { three_ds_method: options.method }),
})

/** The card whose holder the issuer asks; undefined for a network token, whose cryptogram proves as much. */
const cardToAuthenticate = ({ instrument, renewable }: RequestState) =>
  instrument?.networkToken ? undefined : (instrument?.card ?? renewable?.card)

/**
 * The request to the 3DS server for a payment as it stands. Undefined: the card is not in memory any more, or
 * the profile is gone.
 */
export async function buildAuthenticationCall(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  requestState: RequestState,
): Promise<AuthenticationInput | undefined> {
  const service = await paymentService(world, row.merchant_account_id, operation.payment_service_id ?? '')
  const profile = service && (await acquirerProfile(world, row, service))
  const card = cardToAuthenticate(requestState)
  if (!profile || !card) return undefined
  const { number, expirationDate, scheme } = card
  const billing = row.buyer?.billing_details ?? null
  const request: AuthenticationInput['request'] = {
    card: { number, expirationDate, scheme },
    amount: operation.input.authenticated_amount ?? operation.amount,
    currency: row.currency,
    profile,
    reason: authenticationReason(row),
    buyer: {
      name: row.buyer?.display_name ?? fullName(billing),
      email: billing?.email_address ?? null,
      billing,
      shipping: row.shipping_details,
    },
    browser: browserOf(row),
    notificationUrl: challengeUrl(world, row.merchant_account_id, row.id, 'authenticated'),
    simulated: await simulatedAuthentication(world, row),
  }
  return { request, challengeUrl: challengeUrl(world, row.merchant_account_id, row.id, 'challenge') }
}

function authenticationReason({
  amount,
  payment_source: source,
}: TransactionRow): AuthenticationRequest['reason'] {
  if (amount === 0) return 'verification'
  return source === 'recurring' || source === 'installment' || source === 'card_on_file' ? source : 'payment'
}

const fullName = (billing: { first_name?: string | null; last_name?: string | null } | null) =>
  [billing?.first_name, billing?.last_name].filter(Boolean).join(' ') || null

/** The merchant's profile at the card's scheme; undefined: none is configured. */
export const acquirerProfile = (
  world: World,
  row: TransactionRow,
  service: ConfiguredService,
): Promise<AcquirerProfile | undefined> =>
  acquirerProfileFor(
    world,
    row.merchant_account_id,
    {
      scheme: row.payment_method?.scheme ?? null,
      currency: row.currency,
      country: row.country,
      metadata: row.metadata,
    },
    service.merchant_profile,
  )

/**
 * In the sandbox, the answers of the simulated 3DS server and issuer (semantics §7.3); null: no scenario
 * matches.
 */
async function simulatedAuthentication(world: World, row: TransactionRow): Promise<SimulatedOutcome | null> {
  const payment = {
    amount: row.amount,
    fingerprint: row.payment_method?.fingerprint ?? null,
    buyer: row.buyer,
  }
  const scenario = await matchScenario(world, row.merchant_account_id, payment)
  return scenario ? simulatedOutcome(scenario) : null
}
