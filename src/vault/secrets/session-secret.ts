import type { World } from '../../world.ts'
import { type Envelope, openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'

/** What a buyer entered into a checkout session and nobody may see: encrypted at rest (SEMANTICS §9). */
export type SessionSecret =
  | { kind: 'card'; number: string; expirationDate: string }
  | {
      kind: 'click-to-pay'
      merchantTransactionId: string
      srcCorrelationId: string
      srcDpaId: string
      srcCxFlowId: string | null
    }

/** The columns of `checkout_sessions` that hold one; all null: there is none. */
export type SecretColumns = Envelope | { key_id: null; data_key: null; sealed: null }

export const noSessionSecret = { key_id: null, data_key: null, sealed: null } satisfies SecretColumns

const context = (account: string, id: string) => rowContext('checkout_sessions', account, id)

export const sealSessionSecret = (world: Pick<World, 'keys'>, account: string, id: string, secret: SessionSecret): Promise<SecretColumns> =>
  sealEnvelope(world, JSON.stringify(secret), context(account, id))

/** Null: there is none. */
export async function openSessionSecret(
  world: Pick<World, 'keys'>,
  {
    merchant_account_id: account,
    id,
    key_id,
    data_key,
    sealed,
  }: { merchant_account_id: string; id: string; key_id: string | null; data_key: Buffer | null; sealed: Buffer | null },
): Promise<SessionSecret | null> {
  if (key_id === null || data_key === null || sealed === null) return null
  return JSON.parse(await openEnvelope(world, { key_id, data_key, sealed }, context(account, id)))
}
