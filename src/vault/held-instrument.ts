import type { World } from '../world.ts'
import { openEnvelope, rowContext, sealEnvelope } from './envelope.ts'

const context = (account: string, id: string) => rowContext('held_instruments', account, id)

/**
 * Keeps what pays a transaction while its cardholder is with the card's issuer (docs/decisions/006-checks-are-operations.md); what is there is replaced.
 * `held` is stored as JSON, sealed; `expiresAt` is ISO 8601.
 */
export async function holdInstrument(
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

/** What was held, which is gone from now on: of two that ask, one gets it. Undefined: there is nothing, or its time is over. */
export async function takeInstrument<T>(world: Pick<World, 'db' | 'keys' | 'clock'>, account: string, transaction: string): Promise<T | undefined> {
  const row = await world.db
    .deleteFrom('held_instruments')
    .where('merchant_account_id', '=', account)
    .where('id', '=', transaction)
    .returningAll()
    .executeTakeFirst()
  if (!row || Date.parse(row.expires_at) <= world.clock.now()) return undefined
  return JSON.parse(await openEnvelope(world, row, context(account, row.id))) as T
}

/** Whether something is held for it. */
export async function isHeld({ db, clock }: Pick<World, 'db' | 'clock'>, account: string, transaction: string): Promise<boolean> {
  const row = await db
    .selectFrom('held_instruments')
    .select('expires_at')
    .where('merchant_account_id', '=', account)
    .where('id', '=', transaction)
    .executeTakeFirst()
  return row !== undefined && Date.parse(row.expires_at) > clock.now()
}

/** Without a use. */
export async function dropInstrument({ db }: Pick<World, 'db'>, account: string, transaction: string): Promise<void> {
  await db.deleteFrom('held_instruments').where('merchant_account_id', '=', account).where('id', '=', transaction).execute()
}
