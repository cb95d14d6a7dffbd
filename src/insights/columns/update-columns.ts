import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'
import { horizonOf } from '../../database/logs/event-log.ts'
import { START_OF_LOG } from '../../events/event-log.ts'
import type { World } from '../../world.ts'
import { type ChangedPayment, holdColumns, readChangedPayments, readHours, readProgress, writeHours, writeProgress } from './column.store.ts'
import { type CompleteHour, columnNames, floorHour, newOrChanged, withPayments } from './packed-hour.ts'
import type { PaymentFacts } from './payment-facts.ts'

const ROUND_MS = 30_000
const MAX_EVENTS = 5_000
const MAX_HOURS = 128

/** Accounts whose event logs have something final that the columns may lack: a look at an index for each account. */
const due = `
select a.id as account
  from merchant_accounts a left join insight_progress p on p.merchant_account_id = a.id
 where exists (select from events e
                where e.merchant_account_id = a.id and e.position < $1
                  and (e.position, e.sequence, e.id) > (coalesce(p.position, 0), coalesce(p.sequence, 0), coalesce(p.event_id, '${START_OF_LOG.id}')))`

type ColumnDependencies = Pick<World, 'db' | 'run' | 'log'>

/** Brings the columns up to date, in every process; an account that another one has in hand is left to it. Answers how many payments were new or changed. */
export async function updateColumns(world: ColumnDependencies, stopped: () => boolean = () => false): Promise<number> {
  const horizon = await horizonOf(world)
  let written = 0
  for (const { account } of await world.run<{ account: string }>(due, [horizon])) {
    try {
      written += await updateAccount(world, { account, horizon }, stopped)
    } catch (error) {
      // one account that cannot be kept must not hold up the others
      world.log.error({ err: error, account }, 'the columns of the metrics explorer could not be brought up to date; its answers stay exact')
    }
  }
  return written
}

/** `horizon`: who commits later writes events from there on (`database/logs/event-log.ts`). */
interface AccountPart {
  account: string
  horizon: number
}

async function updateAccount(world: ColumnDependencies, part: AccountPart, stopped: () => boolean): Promise<number> {
  let written = 0
  let limit = MAX_EVENTS
  for (let isMore = true; isMore && !stopped(); ) {
    const batch: Batch = await updateBatch(world, part, limit)
    written += batch.written
    limit = Math.min(MAX_EVENTS, 2 * batch.taken)
    isMore = batch.isMore
  }
  return written
}

interface Batch {
  written: number
  /** Events. */
  taken: number
  isMore: boolean
}

/** One batch of events, in the order of the log, with how far the columns are after it: in one commit. */
async function updateBatch(world: Pick<World, 'db'>, { account, horizon }: AccountPart, limit: number): Promise<Batch> {
  return world.db.transaction().execute(async (db) => {
    if (!(await holdColumns(db, account))) return { written: 0, taken: 0, isMore: false }
    const found = await readChangedPayments(db, { account, after: await readProgress(db, account), below: horizon, limit })
    const told = limitHours(found)
    const byHour = Map.groupBy(
      told.flatMap(({ payment }) => payment ?? []),
      hourOf,
    )
    const hours = await readHours(db, account, [...byHour.keys()], columnNames)
    const changed = new Map<number, CompleteHour>()
    let written = 0
    for (const [start, given] of byHour) {
      const hour = hours.get(start) ?? {}
      const unknown = newOrChanged(hour, given)
      if (unknown.length > 0) changed.set(start, await withPayments(hour, unknown))
      written += unknown.length
    }
    await writeHours(db, account, changed)
    const last = told.at(-1)
    if (last) await writeProgress(db, account, last.position)
    return { written, taken: told.length, isMore: found.length === limit || told.length < found.length }
  })
}

const hourOf = ({ created }: PaymentFacts) => floorHour(created)

/** As many from the beginning as are about few hours: the embedded database serves nobody else meanwhile. */
function limitHours(told: readonly ChangedPayment[]): readonly ChangedPayment[] {
  const hours = new Set<number>()
  const end = told.findIndex(({ payment }) => payment !== undefined && hours.add(hourOf(payment)).size > MAX_HOURS)
  return end === -1 ? told : told.slice(0, end)
}

export const startInsights = (world: World): PeriodicTask =>
  startPeriodicTask(
    ROUND_MS,
    (stopped) => updateColumns(world, stopped),
    (error) => world.log.error({ err: error }, 'accounts whose payments have changed could not be read'),
  )
