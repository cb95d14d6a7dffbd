import { sql } from 'kysely'
import { livesHere, livingHere } from '../account-time.ts'
import { roundInEachTime } from '../accounts/clock.store.ts'
import { SEEN_AFTER_MS } from '../database/database.ts'
import { makeRounds, type Rounds } from '../rounds.ts'
import type { World } from '../world.ts'
import { type ChangePlace, changedPayments, completeUntil, isoOf, NEVER, noteComplete, readHours, writeHours } from './column.store.ts'
import { columnNames, HOUR_MS, news, type WholeHour, withPayments } from './packed-hour.ts'
import type { PaymentFacts } from './payment-facts.ts'

const ROUND_MS = 30_000
const MOST_PAYMENTS = 5_000
const MOST_HOURS = 128

/** Accounts with changes that the columns may lack: a look at an index for each account. */
const due = `
select a.id as account from merchant_accounts a left join insight_progress p on p.merchant_account_id = a.id
 where ${livesHere('a.id', 1)} and exists (select from transactions t where t.merchant_account_id = a.id and t.updated_at >= coalesce(p.complete_until, '${NEVER}'))`

type Here = Pick<World, 'db' | 'run' | 'clock' | 'log'>

/** Brings the columns up to date, in every process; an account that another one has in hand is left to it. Answers how many payments were new or changed. */
export async function keepColumns(world: Here, stopped: () => boolean = () => false): Promise<number> {
  let written = 0
  for (const { account } of await world.run<{ account: string }>(due, [...livingHere()])) {
    try {
      written += await keepAccount(world, account, stopped)
    } catch (error) {
      // one account that cannot be kept must not hold up the others
      world.log.error({ err: error, account }, 'the columns of the metrics explorer could not be brought up to date; its answers stay exact')
    }
  }
  return written
}

async function keepAccount(world: Here, account: string, stopped: () => boolean): Promise<number> {
  // taken before the first look: what is dated earlier has been committed by then, so that no batch comes too early for it
  const seen = isoOf(world.clock.now() - SEEN_AFTER_MS)
  let written = 0
  let limit = MOST_PAYMENTS
  for (let after: ChangePlace | 'begin' | undefined = 'begin'; after && !stopped(); ) {
    const batch: Batch = await keepBatch(world, { account, seen, limit, after: after === 'begin' ? undefined : after })
    written += batch.written
    limit = Math.min(MOST_PAYMENTS, 2 * batch.taken)
    after = batch.end
  }
  return written
}

interface Part {
  account: string
  /** What was dated before then can be seen. */
  seen: string
  after: ChangePlace | undefined
  /** Payments to look at. */
  limit: number
}

interface Batch {
  written: number
  taken: number
  /** Where the next one begins; undefined: there is none. */
  end: ChangePlace | undefined
}

/** One batch of changes, in the order of their dates, with how far the columns are after it: in one commit. */
async function keepBatch(world: Pick<World, 'db'>, { account, seen, after, limit }: Part): Promise<Batch> {
  return world.db.transaction().execute(async (db) => {
    const { rows } = await sql`select pg_try_advisory_xact_lock(hashtextextended(${`insights ${account}`}, 0)) as mine`.execute(db)
    if (!isMine(rows[0])) return { written: 0, taken: 0, end: undefined }
    const found = await changedPayments(db, { account, since: await completeUntil(db, account), after, limit })
    const payments = ofFewHours(found)
    const byHour = Map.groupBy(payments, hourOf)
    const hours = await readHours(db, account, [...byHour.keys()], columnNames)
    const changed = new Map<number, WholeHour>()
    let written = 0
    for (const [start, given] of byHour) {
      const hour = hours.get(start) ?? {}
      const unknown = news(hour, given)
      if (unknown.length > 0) changed.set(start, await withPayments(hour, unknown))
      written += unknown.length
    }
    await writeHours(db, account, changed)
    const last = found.length === limit || payments.length < found.length ? payments.at(-1) : undefined
    await noteComplete(db, account, last && Date.parse(last.updatedAt) < Date.parse(seen) ? last.updatedAt : seen)
    return { written, taken: payments.length, end: last && { updatedAt: last.updatedAt, uuid: last.uuid } }
  })
}

const hourOf = ({ created }: PaymentFacts) => created - (created % HOUR_MS)

/** As many from the beginning as belong to few hours: the embedded database serves nobody else meanwhile. */
function ofFewHours(payments: readonly PaymentFacts[]): readonly PaymentFacts[] {
  const hours = new Set<number>()
  const end = payments.findIndex((payment) => hours.add(hourOf(payment)).size > MOST_HOURS)
  return end === -1 ? payments : payments.slice(0, end)
}

const isMine = (row: unknown): boolean => typeof row === 'object' && row !== null && 'mine' in row && row.mine === true

/**
 * Accounts that have moved their clocks are answered from their payments alone from then on: what was under way is dated by the time of before, so that no date
 * says what has been seen.
 */
export const startInsights = (world: World): Rounds =>
  makeRounds(
    ROUND_MS,
    roundInEachTime(world, async (stopped) => (livingHere()[0] === null ? keepColumns(world, stopped) : 0)),
    (error) => world.log.error({ err: error }, 'accounts whose payments have changed could not be read'),
  )
