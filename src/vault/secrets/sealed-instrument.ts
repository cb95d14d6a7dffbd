import type { World } from '../../world.ts'
import { openEnvelope, rowContext } from '../envelope.ts'
import { dropExpiringSecret, storeExpiringSecret } from './expiring-secret.ts'

/**
 * Seals the instrument of a transaction while its cardholder is with the card's issuer
 * (docs/decisions/006-checks-are-operations.md), in place of one that was sealed before. `instrument` is
 * stored as JSON; `expiresAt` is ISO 8601.
 */
export const sealInstrument = (
  world: Pick<World, 'db' | 'keys'>,
  account: string,
  transaction: string,
  instrument: object,
  expiresAt: string,
): Promise<void> =>
  storeExpiringSecret(
    world,
    'held_instruments',
    { account, id: transaction },
    JSON.stringify(instrument),
    expiresAt,
  )

/**
 * Opens and deletes the sealed instrument; of two calls at once one gets it. Undefined: there is none, or it
 * has expired; then it is deleted unopened. It is opened before it is deleted, so that no card is lost if a
 * key service does not answer.
 */
export async function takeSealedInstrument<T>(
  world: Pick<World, 'db' | 'keys' | 'clock'>,
  account: string,
  transaction: string,
): Promise<T | undefined> {
  const row = await world.db
    .selectFrom('held_instruments')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', transaction)
    .executeTakeFirst()
  if (!row) return undefined
  const isUsable = Date.parse(row.expires_at) > world.clock.now()
  const instrument =
    isUsable && (await openEnvelope(world, row, rowContext('held_instruments', account, row.id)))
  const isTaken = await dropSealedInstrument(world, account, transaction)
  return isTaken && instrument ? (JSON.parse(instrument) as T) : undefined
}

/** Deletes the sealed instrument unused. False: there is none, or another call has taken it. */
export const dropSealedInstrument = (
  world: Pick<World, 'db'>,
  account: string,
  transaction: string,
): Promise<boolean> => dropExpiringSecret(world, 'held_instruments', account, transaction)
