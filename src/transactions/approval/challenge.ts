import { invalid } from '../../api/errors.ts'
import type { PaymentContext, StoredCredential } from '../../connectors/contract/call.ts'
import type { Challenge } from '../../operations/calls/authentication-call.ts'
import { liveRules } from '../../routing/live-rules.ts'
import { findPaymentMethodRow } from '../../vault/payment-methods/payment-method.store.ts'
import {
  dropSealedInstrument,
  sealInstrument,
  takeSealedInstrument,
} from '../../vault/secrets/sealed-instrument.ts'
import type { World } from '../../world.ts'
import type { Draft } from '../create/draft.ts'
import { instrumentForRetry, instrumentOfKind, type PresentableTender } from '../create/instrument.ts'
import type { AuthenticationOptions, RenewableCard, RequestState } from '../execution/request-state.ts'
import type { RetryRoute } from '../execution/retry-route.ts'
import type { TransactionRow } from '../transaction.row.ts'

const DEFAULT_LIFETIME_MS = 3_600_000
/** The sealed card outlives the challenge by this, for a cardholder who answers at the last moment. */
const RETURN_GRACE_MS = 300_000
/** The longest time for which a sealed card may be stored. */
const MAX_LIFETIME_MS = 24 * 3_600_000

/**
 * How an issuer may ask the cardholder. Throws 400 for an `approval_expires_at` that is too far ahead
 * (semantics §3.9).
 */
export function readAuthenticationOptions(
  { clock }: Pick<World, 'clock'>,
  draft: Draft,
  isSkipped: boolean,
): AuthenticationOptions {
  const { payment_method: method, approval_expires_at: expiry } = draft
  if (expiry && Date.parse(expiry) > clock.now() + MAX_LIFETIME_MS)
    throw invalid({ '/approval_expires_at': `may lie ${MAX_LIFETIME_MS / 60_000} minutes ahead at most` })
  return {
    redirectUrl: (method && 'redirect_url' in method && method.redirect_url) || null,
    expiresAt: expiry ?? new Date(clock.now() + DEFAULT_LIFETIME_MS).toISOString(),
    isSkipped,
    amount: draft.three_d_secure?.amount ?? null,
    method: null,
  }
}

/** The challenge that the transaction waits for; undefined: none. */
export function openChallengeOf({
  status,
  approval,
}: Pick<TransactionRow, 'status' | 'approval'>): Challenge | undefined {
  // only `sendAuthentication` writes `session_data` of an issuer's approval
  return status === 'buyer_approval_pending' && approval?.asks === 'issuer'
    ? (approval.session_data as unknown as Challenge)
    : undefined
}

/**
 * The part of `RequestState` that outlives the request while the cardholder is with the issuer. Its members
 * are stored under these names: to rename one would lose it for the challenges that are open at a deployment.
 */
interface SealedRequestState {
  instrument: PaymentContext['instrument']
  storedCredential?: StoredCredential
  connectionOptions?: RequestState['connectionOptions']
  renewable?: RenewableCard
  methodProven?: boolean
  /**
   * What decides the attempts after a refusal, without the rules: the ones that are live at that time apply.
   */
  route?: Omit<RetryRoute, 'rules'>
}

const withoutRules = ({ rules: _compiled, ...route }: RetryRoute): Omit<RetryRoute, 'rules'> => route

/**
 * Seals the instrument for the time of a challenge. It happens before the challenge is recorded, so that
 * every challenge has its instrument.
 */
export async function sealRequestState(
  world: World,
  row: TransactionRow,
  requestState: RequestState,
  expiresAt: string,
): Promise<void> {
  const { instrument, storedCredential, connectionOptions, renewable, methodProven, route } = requestState
  const sealed: SealedRequestState = {
    instrument: instrument ?? {},
    ...(storedCredential && { storedCredential }),
    ...(connectionOptions && { connectionOptions }),
    ...(renewable && { renewable }),
    ...(methodProven && { methodProven }),
    ...(route && { route: withoutRules(route) }),
  }
  await sealInstrument(
    world,
    row.merchant_account_id,
    row.id,
    sealed,
    new Date(Date.parse(expiresAt) + RETURN_GRACE_MS).toISOString(),
  )
}

/**
 * Takes the sealed request state for the money step, and deletes it. Undefined: another process has taken it,
 * or it has expired.
 */
export async function takeSealedRequestState(
  world: World,
  row: TransactionRow,
): Promise<RequestState | undefined> {
  const { merchant_account_id: account, id } = row
  const sealed = await takeSealedInstrument<SealedRequestState>(world, account, id)
  if (!sealed) return undefined
  const { route, ...requestState } = sealed
  if (!route) return requestState
  return {
    ...requestState,
    presentTo: presentSealedInstrument(world, row, sealed),
    route: { ...route, rules: (await liveRules(world, account)).get('card-transaction') },
  }
}

/**
 * Presents the payment to another payment service as its request would have. What was sealed may be the first
 * one's own token, or a network token that is used up: then the card beside it pays.
 */
const presentSealedInstrument =
  (
    world: World,
    { merchant_account_id: account, instrument_type, merchant_initiated }: TransactionRow,
    { instrument, renewable }: SealedRequestState,
  ): NonNullable<RequestState['presentTo']> =>
  async (service, kind) => {
    const sealedToken = instrument.card ? undefined : renewable
    const storedMethod = renewable?.method
      ? await findPaymentMethodRow(world, account, renewable.method)
      : undefined
    const tender: PresentableTender = {
      instrument: sealedToken ? { card: sealedToken.card } : instrument,
      instrumentType: sealedToken ? 'pan' : instrument_type,
      ...(storedMethod && { storedMethod }),
    }
    return kind
      ? instrumentOfKind(world, tender, service, kind, merchant_initiated)
      : instrumentForRetry(world, tender, service)
  }

/** Deletes the sealed request state of a payment that will not continue. */
export const dropSealedRequestState = (
  world: World,
  { merchant_account_id: account, id }: TransactionRow,
): Promise<boolean> => dropSealedInstrument(world, account, id)
