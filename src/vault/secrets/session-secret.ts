import type { World } from '../../world.ts'
import type { Envelope } from '../envelope.ts'
import { openRowSecret, type SecretRow, sealRowSecret } from './row-secret.ts'

/** The secret part of what a buyer entered into a checkout session: encrypted at rest (semantics §9). */
export type SessionSecret =
  | { kind: 'card'; number: string; expirationDate: string }
  | {
      kind: 'click-to-pay'
      merchantTransactionId: string
      srcCorrelationId: string
      srcDpaId: string
      srcCxFlowId: string | null
    }
  | { kind: 'provider-token'; token: string | Record<string, unknown> }

export const sealSessionSecret = (
  world: Pick<World, 'keys'>,
  account: string,
  id: string,
  secret: SessionSecret,
): Promise<Envelope> =>
  sealRowSecret(world, 'checkout_sessions', { merchant_account_id: account, id }, JSON.stringify(secret))

/** Null: the session has no secret. */
export async function openSessionSecret(
  world: Pick<World, 'keys'>,
  row: SecretRow,
): Promise<SessionSecret | null> {
  const secret = await openRowSecret(world, 'checkout_sessions', row)
  return secret === null ? null : JSON.parse(secret)
}
