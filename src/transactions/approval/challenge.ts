import { invalid } from '../../api/errors.ts'
import type { PaymentContext, StoredCredential } from '../../connectors/connector.ts'
import type { Challenge } from '../../operations/calls/authentication-call.ts'
import { liveRules } from '../../routing/live-rules.ts'
import { dropSealedInstrument, sealInstrument, takeSealedInstrument } from '../../vault/secrets/sealed-instrument.ts'
import type { World } from '../../world.ts'
import type { Draft } from '../create/draft.ts'
import type { AuthenticationOptions, RenewableCard, RequestState } from '../execution/request-state.ts'
import type { RetryRoute } from '../execution/retry-route.ts'
import type { TransactionRow } from '../transaction.row.ts'

const DEFAULT_LIFETIME_MS = 3_600_000
/** For who answers at the last moment. */
const RETURN_GRACE_MS = 300_000
/** As long as a held card may be at rest. */
const MAX_LIFETIME_MS = 24 * 3_600_000

/** Undefined where no card is there that an issuer could ask about. Throws 400 for an expiry that is too far off (SEMANTICS §3.9, `approval_expires_at`). */
export function readAuthenticationOptions({ clock }: Pick<World, 'clock'>, draft: Draft, isSkipped: boolean): AuthenticationOptions {
  const { payment_method: method, approval_expires_at: expiry } = draft
  if (expiry && Date.parse(expiry) > clock.now() + MAX_LIFETIME_MS)
    throw invalid({ '/approval_expires_at': `may lie ${MAX_LIFETIME_MS / 60_000} minutes ahead at most` })
  return {
    redirectUrl: (method && 'redirect_url' in method && method.redirect_url) || null,
    expiresAt: expiry ?? new Date(clock.now() + DEFAULT_LIFETIME_MS).toISOString(),
    isSkipped,
    amount: draft.three_d_secure?.amount ?? null,
  }
}

/** What is known of the challenge that the transaction waits for; undefined where it waits for none. */
export function openChallengeOf({ status, approval }: Pick<TransactionRow, 'status' | 'approval'>): Challenge | undefined {
  // nothing but `sendAuthentication` writes it
  return status === 'buyer_approval_pending' && approval?.asks === 'issuer' ? (approval.session_data as unknown as Challenge) : undefined
}

/** The part of `RequestState` that outlives the request while the cardholder is away. */
interface SealedRequestState {
  instrument: PaymentContext['instrument']
  storedCredential?: StoredCredential
  connectionOptions?: RequestState['connectionOptions']
  renewable?: RenewableCard
  methodProven?: boolean
  /** What decides the attempts after a refusal, but for the rules: those are the ones that are live then. */
  route?: Omit<RetryRoute, 'rules'>
}

const withoutRules = ({ rules: _compiled, ...route }: RetryRoute): Omit<RetryRoute, 'rules'> => route

/** Seals what pays for the time of a challenge, before anybody is told of it. */
export async function sealRequestState(world: World, row: TransactionRow, requestState: RequestState, expiresAt: string): Promise<void> {
  const { instrument, storedCredential, connectionOptions, renewable, methodProven, route } = requestState
  const held: SealedRequestState = {
    instrument: instrument ?? {},
    ...(storedCredential && { storedCredential }),
    ...(connectionOptions && { connectionOptions }),
    ...(renewable && { renewable }),
    ...(methodProven && { methodProven }),
    ...(route && { route: withoutRules(route) }),
  }
  await sealInstrument(world, row.merchant_account_id, row.id, held, new Date(Date.parse(expiresAt) + RETURN_GRACE_MS).toISOString())
}

/** What was held, for the money step alone: it is gone from now on. Undefined: somebody else has it, or its time is over. */
export async function takeSealedRequestState(world: World, { merchant_account_id: account, id }: TransactionRow): Promise<RequestState | undefined> {
  const held = await takeSealedInstrument<SealedRequestState>(world, account, id)
  if (!held) return undefined
  const { route, ...live } = held
  if (!route) return live
  return { ...live, route: { ...route, rules: (await liveRules(world, account)).get('card-transaction') } }
}

/** Nobody will pay with it any more. */
export const dropSealedRequestState = (world: World, { merchant_account_id: account, id }: TransactionRow): Promise<boolean> =>
  dropSealedInstrument(world, account, id)
