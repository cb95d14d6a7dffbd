import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'
import { horizonOf } from '../../database/logs/event-log.ts'
import { START_OF_LOG } from '../../events/event-log.ts'
import type { World } from '../../world.ts'
import {
  type ChangedPayment,
  readChangedPayments,
  readHours,
  readProgress,
  withLockedColumns,
  writeHours,
  writeProgress,
} from './column.store.ts'
import { type CompleteHour, columnNames, hourOf, newOrChanged, withPayments } from './packed-hour.ts'

const ROUND_MS = 30_000
const MAX_EVENTS = 5_000
const MAX_HOURS = 128

/**
 * The accounts with events below the horizon that the columns may not have yet: one index lookup for each
 * account. With `exists`, or without an order, PostgreSQL would read all events to find that none is new.
 */
const selectOutdatedAccounts = `
select a.id as account
  from account_shards a (id)
  left join insight_progress p on p.merchant_account_id = a.id
 cross join lateral (select from events e
                      where e.merchant_account_id = a.id
                        and e.position < $1
                        and (e.position, e.sequence, e.id)
                            > (coalesce(p.position, 0), coalesce(p.sequence, 0), coalesce(p.event_id, '${START_OF_LOG.id}'))
                      order by e.position, e.sequence, e.id
                      limit 1) unread`

type ColumnDependencies = Pick<World, 'db' | 'run' | 'log'>

/**
 * Brings the columns up to date. Each process does this; an account whose columns another process has locked
 * is left to that one. Answers how many payments were new or changed.
 */
export async function updateColumns(
  world: ColumnDependencies,
  stopped: () => boolean = () => false,
): Promise<number> {
  const horizon = await horizonOf(world)
  let written = 0
  for (const { account } of await world.run<{ account: string }>(selectOutdatedAccounts, [horizon])) {
    try {
      written += await updateAccount(world, { account, horizon }, stopped)
    } catch (error) {
      // an account that cannot be updated must not stop the others
      world.log.error(
        { err: error, account },
        'the columns of the metrics explorer could not be brought up to date; its answers stay exact',
      )
    }
  }
  return written
}

interface AccountPart {
  account: string
  /** All events below it are committed (`database/logs/event-log.ts`). */
  horizon: number
}

async function updateAccount(
  world: ColumnDependencies,
  part: AccountPart,
  stopped: () => boolean,
): Promise<number> {
  let written = 0
  let limit = MAX_EVENTS
  for (let hasMore = true; hasMore && !stopped(); ) {
    const batch: Batch | undefined = await updateBatch(world, part, limit)
    if (!batch) break
    written += batch.written
    limit = Math.min(MAX_EVENTS, 2 * batch.events)
    hasMore = batch.hasMore
  }
  return written
}

interface Batch {
  /** Payments that were new or changed. */
  written: number
  /** Events that were processed. */
  events: number
  hasMore: boolean
}

/**
 * Processes a batch of events in the order of the log, and writes columns and progress in one commit.
 * Undefined: another process has locked the columns.
 */
async function updateBatch(
  world: Pick<World, 'db'>,
  { account, horizon }: AccountPart,
  limit: number,
): Promise<Batch | undefined> {
  return withLockedColumns(world, account, async (db) => {
    const page = await readChangedPayments(db, {
      account,
      after: await readProgress(db, account),
      below: horizon,
      limit,
    })
    const events = limitHours(page)
    const byHour = Map.groupBy(
      events.flatMap(({ payment }) => payment ?? []),
      hourOf,
    )
    const hours = await readHours(db, account, [...byHour.keys()], columnNames)
    const changedHours = new Map<number, CompleteHour>()
    let written = 0
    for (const [start, payments] of byHour) {
      const hour = hours.get(start) ?? {}
      const changed = newOrChanged(hour, payments)
      if (changed.length > 0) changedHours.set(start, await withPayments(hour, changed))
      written += changed.length
    }
    await writeHours(db, account, changedHours)
    const last = events.at(-1)
    if (last) await writeProgress(db, account, last.position)
    return { written, events: events.length, hasMore: page.length === limit || events.length < page.length }
  })
}

/**
 * The first events of a page, up to `MAX_HOURS` hours: the embedded database serves no request during the
 * transaction.
 */
function limitHours(events: readonly ChangedPayment[]): readonly ChangedPayment[] {
  const hours = new Set<number>()
  const end = events.findIndex(
    ({ payment }) => payment !== undefined && hours.add(hourOf(payment)).size > MAX_HOURS,
  )
  return end === -1 ? events : events.slice(0, end)
}

export const startInsights = (world: World): PeriodicTask =>
  startPeriodicTask(
    ROUND_MS,
    (stopped) => updateColumns(world, stopped),
    (error) =>
      world.log.error(
        { err: error },
        'accounts with changed payments could not be read; the next round tries again',
      ),
  )
