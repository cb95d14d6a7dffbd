import { moveClock, movedClocks } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { runInAccountTime } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import { type JobName, jobNames, jobs } from './jobs.ts'

/**
 * The client waits for the answer: jobs beyond this time are left for another request. In milliseconds of the
 * machine.
 */
const MAX_MS = 25_000

export interface ClockAdvance {
  /** Milliseconds by which the account's clock is ahead of the machine's. */
  ahead: number
  /** How often each kind of job came due on the way. */
  jobs: Partial<Record<JobName, number>>
}

/**
 * Moves an account's clock to `to` (milliseconds since 1970) and runs the jobs that come due on the way, each
 * at its own time: the clock stops there until the job is done. Each stop is written first, so that every
 * process sees the same time, and a process that dies leaves the account at its last stop. If the jobs take
 * too long the clock stops short of `to`.
 */
export async function advanceClock(world: World, account: string, to: number): Promise<ClockAdvance> {
  const giveUpAt = world.machineClock.now() + MAX_MS
  const counts: ClockAdvance['jobs'] = {}
  let ahead = await clockOffsetOf(world, account)
  const now = () => world.machineClock.now() + ahead
  await makePendingDue(world, account)
  // jobs that are due already do not count as due on the way
  await inAccountTime(account, ahead, () => runJobs(world, jobNames))
  for (let hasArrived = false; !hasArrived && world.machineClock.now() < giveUpAt; ) {
    const due = await inAccountTime(account, ahead, () => readDue(world, account))
    const stop = Math.min(to, due.find((each) => each.at > now())?.at ?? to)
    hasArrived = stop === to
    ahead = await moveClock(world, account, Math.max(ahead, Math.ceil(stop) - world.machineClock.now()))
    const names = due.filter((each) => each.at <= stop).map(({ job }) => job)
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1
    // webhooks of these jobs are sent even if no delivery was waiting
    await inAccountTime(account, ahead, () => runJobs(world, hasArrived ? jobNames : [...names, 'webhooks']))
  }
  return { ahead, jobs: counts }
}

/**
 * The simulators decide pending operations after half a minute of the machine's time, and recovery would look
 * minutes later. In the account's time the half minute passes on the way: so the operations are looked up,
 * and are decided by then. In UTC, since Citus computes only what does not depend on a session's time zone.
 */
const pendingPasses = `
update operations
   set check_at = least(check_at, (updated_at at time zone 'UTC' + interval '30 seconds') at time zone 'UTC')
 where merchant_account_id = $1
   and check_at is not null
   and status = 'pending'
   and kind not in ('approval', 'authentication', 'screening')`

const makePendingDue = (world: World, account: string) => world.run(pendingPasses, [account])

async function runJobs(world: World, names: readonly JobName[]): Promise<void> {
  for (const run of new Set(names.map((name) => jobs[name].run))) await run(world)
}

/** Milliseconds by which an account's clock is ahead of the machine's. */
export const clockOffsetOf = async (world: World, account: string): Promise<number> =>
  (await movedClocks(world)).get(account) ?? 0

const inAccountTime = <T>(account: string, ahead: number, work: () => Promise<T>): Promise<T> =>
  runInAccountTime(new Map([[account, ahead]]), account, work)

interface DueJob {
  job: JobName
  /** Milliseconds since 1970. */
  at: number
}

const nextOfEach = `
select job, extract(epoch from at)::float8 * 1000 as at
  from (${jobNames.map((name) => `select '${name}' as job, (${jobs[name].due}) as at`).join('\n union all ')}) due
 where at is not null`

/** The next due time of each kind of job, earliest first. */
async function readDue(world: World, account: string): Promise<DueJob[]> {
  const due = await world.run<DueJob & Record<string, unknown>>(nextOfEach, [account, timeOf(world.clock)])
  return due.toSorted(
    (one, other) => one.at - other.at || jobNames.indexOf(one.job) - jobNames.indexOf(other.job),
  )
}
