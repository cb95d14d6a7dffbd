import type { World } from '../../world.ts'
import type { Envelope } from '../envelope.ts'
import { openRowSecret, type SecretRow, sealRowSecret } from './row-secret.ts'

/** The secret part of a delegated payment: encrypted at rest, erased by its use and its expiry. */
export interface DelegatedSecret {
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /** Of a network token; null: the number is that of a card. */
  networkToken: { cryptogram: string | null; eci: string | null; cardSuffix: string | null } | null
  holder: string | null
  address: {
    name: string
    line1: string
    line2: string | null
    city: string
    state: string
    country: string
    postalCode: string
  } | null
}

export const sealDelegatedCard = (
  world: Pick<World, 'keys'>,
  account: string,
  id: string,
  secret: DelegatedSecret,
): Promise<Envelope> =>
  sealRowSecret(world, 'delegated_payments', { merchant_account_id: account, id }, JSON.stringify(secret))

/** Null: it is erased. */
export async function openDelegatedCard(
  world: Pick<World, 'keys'>,
  row: SecretRow,
): Promise<DelegatedSecret | null> {
  const secret = await openRowSecret(world, 'delegated_payments', row)
  return secret === null ? null : JSON.parse(secret)
}
