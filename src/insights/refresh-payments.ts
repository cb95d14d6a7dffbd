import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import { readHours, writeHours } from './column.store.ts'
import { columnNames, HOUR_MS, news, positionOf, type WholeHour, withPayments } from './packed-hour.ts'
import { factColumns, type PaymentFacts, readFacts } from './payment-facts.ts'

/**
 * Makes the columns say of these payments what their rows say now, where they say anything of them: for what must not be found in them any more. Values that no payment has any more
 * go with it. False: another process has the account's columns in hand; try again later.
 */
export async function refreshPayments(world: Pick<World, 'db'>, account: string, ids: readonly string[]): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${`insights ${account}`}, 0)) as mine`.execute(db)
    if (!rows[0]?.mine) return false
    const byHour = Map.groupBy(await paymentsById(db, account, ids), ({ created }) => created - (created % HOUR_MS))
    const hours = await readHours(db, account, [...byHour.keys()], columnNames)
    const changed = new Map<number, WholeHour>()
    for (const [start, hour] of hours) {
      const known = (byHour.get(start) ?? []).filter(({ id }) => hour.id && positionOf(hour.id, Buffer.from(id, 'hex')) >= 0)
      const unlike = news(hour, known)
      if (unlike.length > 0) changed.set(start, await withPayments(hour, unlike))
    }
    await writeHours(db, account, changed)
    return true
  })
}

async function paymentsById(db: Kysely<Tables>, account: string, ids: readonly string[]): Promise<PaymentFacts[]> {
  const { rows } = await sql<Parameters<typeof readFacts>[0]>`
    select ${factColumns()} from transactions t where t.merchant_account_id = ${account} and t.id = any(${ids}::uuid[])`.execute(db)
  return rows.map(readFacts)
}
