import type { World } from '../../world.ts'
import { paymentsById, readHours, withLockedColumns, writeHours } from './column.store.ts'
import {
  type CompleteHour,
  columnNames,
  hourOf,
  newOrChanged,
  positionOf,
  withPayments,
} from './packed-hour.ts'

/**
 * Replaces the values of these payments in the columns by those of their rows, so that erased values cannot
 * be found any more. Payments that the columns do not have yet are left out. False: another process has
 * locked the account's columns; try again later.
 */
export async function refreshPayments(
  world: Pick<World, 'db'>,
  account: string,
  ids: readonly string[],
): Promise<boolean> {
  const isDone = await withLockedColumns(world, account, async (db) => {
    const byHour = Map.groupBy(await paymentsById(db, account, ids), hourOf)
    const hours = await readHours(db, account, [...byHour.keys()], columnNames)
    const changed = new Map<number, CompleteHour>()
    for (const [start, hour] of hours) {
      const inHour = (byHour.get(start) ?? []).filter(
        ({ id }) => hour.id && positionOf(hour.id, Buffer.from(id, 'hex')) >= 0,
      )
      const outdated = newOrChanged(hour, inHour)
      if (outdated.length > 0) changed.set(start, await withPayments(hour, outdated))
    }
    await writeHours(db, account, changed)
    return true
  })
  return isDone ?? false
}
