import type { Kysely } from 'kysely'
import { forEachAccountTime, type MovedClocks, switchToAccountTime } from '../../base/account-clock.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'

const noMovedClocks: MovedClocks = new Map()

/** Whose clocks were moved: cached. In production nobody's. */
export async function movedClocks({ settings, cache, db }: Pick<World, 'settings' | 'cache' | 'db'>): Promise<MovedClocks> {
  if (settings.environment !== 'sandbox') return noMovedClocks
  return cache.get('merchant_accounts', 'moved clocks', async () => {
    const rows = await db.selectFrom('account_clocks').selectAll().execute()
    return new Map(rows.map(({ merchant_account_id, ahead_ms }) => [merchant_account_id, ahead_ms]))
  })
}

/** From now on the request lives in the time of this account. True: that is not the machine's, and what was read so far may be over by now. */
export async function enterAccountTime(world: Pick<World, 'settings' | 'cache' | 'db'>, account: string): Promise<boolean> {
  const moved = await movedClocks(world)
  switchToAccountTime(moved, account)
  return moved.has(account)
}

/** Has a round that runs over all accounts see each in its own time. */
export const runInEachAccountTime =
  (world: World, round: (stopped: () => boolean) => Promise<number>) =>
  async (stopped: () => boolean): Promise<number> =>
    forEachAccountTime(await movedClocks(world), () => round(stopped))

/** Moves an account's clock; it never goes back, whoever moves it meanwhile. Answers how far ahead it is now. */
export async function moveClock({ db, changes }: Pick<World, 'db' | 'changes'>, account: string, ahead: number): Promise<number> {
  const { ahead_ms } = await insert(db, account, ahead).executeTakeFirstOrThrow()
  changes.invalidate('merchant_accounts')
  return ahead_ms
}

/** For an account that nothing will happen to any more: each that has a time of its own costs every round. */
export async function resetClock({ db, changes }: Pick<World, 'db' | 'changes'>, account: string): Promise<void> {
  await db.deleteFrom('account_clocks').where('merchant_account_id', '=', account).execute()
  changes.invalidate('merchant_accounts')
}

const insert = (db: Kysely<Tables>, merchant_account_id: string, ahead_ms: number) =>
  db
    .insertInto('account_clocks')
    .values({ merchant_account_id, ahead_ms })
    .onConflict((known) =>
      known.column('merchant_account_id').doUpdateSet(({ fn, ref, val }) => ({
        ahead_ms: fn<number>('greatest', [ref('account_clocks.ahead_ms'), val(ahead_ms)]),
      })),
    )
    .returning('ahead_ms')
