import type { Kysely } from 'kysely'
import { forEachAccountTime, type MovedClocks, switchToAccountTime } from '../../base/account-clock.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'

const noMovedClocks: MovedClocks = new Map()

/** The accounts whose clocks were moved, and how far; empty in production. Cached. */
export async function movedClocks({
  settings,
  cache,
  db,
}: Pick<World, 'settings' | 'cache' | 'db'>): Promise<MovedClocks> {
  if (settings.environment !== 'sandbox') return noMovedClocks
  return cache.get('merchant_accounts', 'moved clocks', async () => {
    const rows = await db.selectFrom('account_clocks').selectAll().execute()
    return new Map(rows.map(({ merchant_account_id, ahead_ms }) => [merchant_account_id, ahead_ms]))
  })
}

/**
 * Switches the rest of the request to the account's time. True: that differs from the machine's, so that what
 * was read before may have expired.
 */
export async function enterAccountTime(
  world: Pick<World, 'settings' | 'cache' | 'db'>,
  account: string,
): Promise<boolean> {
  const moved = await movedClocks(world)
  switchToAccountTime(moved, account)
  return moved.has(account)
}

/**
 * Runs a round of background work once for each time that accounts have, so that it handles each account in
 * its own time.
 */
export const runInEachAccountTime =
  (world: World, round: (stopped: () => boolean) => Promise<number>) =>
  async (stopped: () => boolean): Promise<number> =>
    forEachAccountTime(await movedClocks(world), () => round(stopped))

/**
 * Moves an account's clock to `aheadMs` milliseconds ahead. It never goes back, even if two requests move it
 * at once. Answers how far ahead it is now.
 */
export async function moveClock(
  { db, changes }: Pick<World, 'db' | 'changes'>,
  account: string,
  aheadMs: number,
): Promise<number> {
  const { ahead_ms } = await upsertClock(db, account, aheadMs).executeTakeFirstOrThrow()
  changes.invalidate('merchant_accounts')
  return ahead_ms
}

/**
 * Sets an account's clock back to the machine's time. For accounts that tests have left: each account with a
 * time of its own costs every background round.
 */
export async function resetClock(
  { db, changes }: Pick<World, 'db' | 'changes'>,
  account: string,
): Promise<void> {
  await db.deleteFrom('account_clocks').where('merchant_account_id', '=', account).execute()
  changes.invalidate('merchant_accounts')
}

const upsertClock = (db: Kysely<Tables>, merchant_account_id: string, ahead_ms: number) =>
  db
    .insertInto('account_clocks')
    .values({ merchant_account_id, ahead_ms })
    .onConflict((conflict) =>
      conflict.column('merchant_account_id').doUpdateSet(({ fn, ref, val }) => ({
        ahead_ms: fn<number>('greatest', [ref('account_clocks.ahead_ms'), val(ahead_ms)]),
      })),
    )
    .returning('ahead_ms')
