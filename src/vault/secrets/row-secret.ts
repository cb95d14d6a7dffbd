import type { World } from '../../world.ts'
import { type Envelope, openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'

/** The tables whose secrets this file seals; each has the columns of an envelope. */
export type SecretTable =
  | 'network_tokens'
  | 'payment_service_tokens'
  | 'card_replacements'
  | 'checkout_sessions'
  | 'delegated_payments'

interface SecretRowId {
  merchant_account_id: string
  id: string
}

/** A row with the columns of an envelope; all null: it has no secret. */
export type SecretRow = SecretRowId & { [Column in keyof Envelope]: Envelope[Column] | null }

/** Seals a secret for the columns of its row: it opens in that row only. */
export const sealRowSecret = (
  world: Pick<World, 'keys'>,
  table: SecretTable,
  { merchant_account_id: account, id }: SecretRowId,
  secret: string,
): Promise<Envelope> => sealEnvelope(world, secret, rowContext(table, account, id))

/** The secret of a row; null: the row has none. */
export async function openRowSecret(
  world: Pick<World, 'keys'>,
  table: SecretTable,
  { merchant_account_id: account, id, key_id, data_key, sealed }: SecretRow,
): Promise<string | null> {
  if (key_id === null || data_key === null || sealed === null) return null
  return openEnvelope(world, { key_id, data_key, sealed }, rowContext(table, account, id))
}

/** The columns of a row without a secret. */
export const noRowSecret = { key_id: null, data_key: null, sealed: null } as const
