import type { World } from '../../world.ts'
import { openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'

const context = (account: string, id: string) => rowContext('held_instruments', account, id)

/**
 * Keeps what pays a transaction while its cardholder is with the card's issuer (docs/decisions/006-checks-are-operations.md); what is there is replaced.
 * `held` is stored as JSON, sealed; `expiresAt` is ISO 8601.
 */
export async function sealInstrument(
  world: Pick<World, 'db' | 'keys'>,
  account: string,
  transaction: string,
  held: object,
  expiresAt: string,
): Promise<void> {
  const envelope = { ...(await sealEnvelope(world, JSON.stringify(held), context(account, transaction))), expires_at: expiresAt }
  await world.db
    .insertInto('held_instruments')
    .values({ merchant_account_id: account, id: transaction, ...envelope })
    .onConflict((conflict) => conflict.columns(['merchant_account_id', 'id']).doUpdateSet(envelope))
    .execute()
}

/**
 * What was held, which is gone from now on: of two that ask, one gets it. Undefined: there is nothing, or its time is over. It is opened before it is deleted, so
 * that a key service that does not answer loses nobody's card.
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
  if (!row || Date.parse(row.expires_at) <= world.clock.now()) return undefined
  const held = await openEnvelope(world, row, context(account, row.id))
  return (await dropSealedInstrument(world, account, transaction)) ? (JSON.parse(held) as T) : undefined
}

/** Without a use. False: somebody else has it, or there is none. */
export async function dropSealedInstrument({ db }: Pick<World, 'db'>, account: string, transaction: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('held_instruments')
    .where('merchant_account_id', '=', account)
    .where('id', '=', transaction)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
