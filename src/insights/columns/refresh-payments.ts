import type { World } from '../../world.ts'
import { holdColumns, paymentsById, readHours, writeHours } from './column.store.ts'
import { type CompleteHour, columnNames, floorHour, newOrChanged, positionOf, withPayments } from './packed-hour.ts'

/**
 * Makes the columns say of these payments what their rows say now, where they say anything of them: for what must not be found in them any more. Values that no payment has any more
 * go with it. False: another process has the account's columns in hand; try again later.
 */
export async function refreshPayments(world: Pick<World, 'db'>, account: string, ids: readonly string[]): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    if (!(await holdColumns(db, account))) return false
    const byHour = Map.groupBy(await paymentsById(db, account, ids), ({ created }) => floorHour(created))
    const hours = await readHours(db, account, [...byHour.keys()], columnNames)
    const changed = new Map<number, CompleteHour>()
    for (const [start, hour] of hours) {
      const known = (byHour.get(start) ?? []).filter(({ id }) => hour.id && positionOf(hour.id, Buffer.from(id, 'hex')) >= 0)
      const unlike = newOrChanged(hour, known)
      if (unlike.length > 0) changed.set(start, await withPayments(hour, unlike))
    }
    await writeHours(db, account, changed)
    return true
  })
}
