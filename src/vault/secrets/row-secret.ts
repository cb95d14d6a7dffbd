import type { World } from '../../world.ts'
import { type Envelope, openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'

/** Tables whose rows hold a secret that this file seals; each has the columns of an envelope. */
export type SecretTable = 'network_tokens' | 'payment_service_tokens' | 'card_replacements'

interface SecretRowId {
  merchant_account_id: string
  id: string
}

/** A secret as the columns of its row: it opens in that row only. */
export const sealRowSecret = (
  world: Pick<World, 'keys'>,
  table: SecretTable,
  { merchant_account_id: account, id }: SecretRowId,
  secret: string,
): Promise<Envelope> => sealEnvelope(world, secret, rowContext(table, account, id))

/** The secret of a row; null where it has none. */
export async function openRowSecret(
  world: Pick<World, 'keys'>,
  table: SecretTable,
  { merchant_account_id: account, id, key_id, data_key, sealed }: SecretRowId & { [Column in keyof Envelope]: Envelope[Column] | null },
): Promise<string | null> {
  if (key_id === null || data_key === null || sealed === null) return null
  return openEnvelope(world, { key_id, data_key, sealed }, rowContext(table, account, id))
}

/** A row that holds no secret (any more). */
export const noRowSecret = { key_id: null, data_key: null, sealed: null } as const
