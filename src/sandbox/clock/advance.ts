import { moveClock, movedClocks } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { runInAccountTime } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import { type JobName, jobNames, jobs } from './jobs.ts'

/** Somebody waits for the answer: what takes longer goes on with another request. In milliseconds of the machine. */
const MAX_MS = 25_000

export interface ClockAdvance {
  /** Milliseconds by which the account is ahead of the machine. */
  ahead: number
  /** How often each kind of job came due on the way. */
  jobs: Partial<Record<JobName, number>>
}

/**
 * Moves an account's clock to `to` (milliseconds since 1970) and does on the way what comes due, at its own time: the clock stops there until it is done. Each stop is
 * written first, so that this and every other process sees the same time, and a process that dies on the way leaves the account at its last stop. Where it takes too
 * long the clock stays short of `to`.
 */
export async function advanceClock(world: World, account: string, to: number): Promise<ClockAdvance> {
  const giveUpAt = world.machineClock.now() + MAX_MS
  const counts: ClockAdvance['jobs'] = {}
  let ahead = await clockOffsetOf(world, account)
  const now = () => world.machineClock.now() + ahead
  await makePendingDue(world, account)
  // what is due already, or would be as soon as somebody looked, is none of the way
  await inAccountTime(account, ahead, () => runJobs(world, jobNames))
  for (let isThere = false; !isThere && world.machineClock.now() < giveUpAt; ) {
    const due = await inAccountTime(account, ahead, () => readDue(world, account))
    const stop = Math.min(to, due.find((each) => each.at > now())?.at ?? to)
    isThere = stop === to
    ahead = await moveClock(world, account, Math.max(ahead, Math.ceil(stop) - world.machineClock.now()))
    const names = due.filter((each) => each.at <= stop).map(({ job }) => job)
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1
    // what was done is told, whether or not a delivery waited
    await inAccountTime(account, ahead, () => runJobs(world, isThere ? jobNames : [...names, 'webhooks']))
  }
  return { ahead, jobs: counts }
}

/**
 * The simulators decide what is pending half a minute later and tell it, in the machine's time; recovery would look minutes later. In the account's time the half minute
 * passes on the way: then they are asked, and have decided.
 */
const pendingPasses = `
update operations
   set check_at = least(check_at, updated_at + interval '30 seconds')
 where merchant_account_id = $1
   and check_at is not null
   and status = 'pending'
   and kind not in ('approval', 'authentication', 'screening')`

const makePendingDue = (world: World, account: string) => world.run(pendingPasses, [account])

async function runJobs(world: World, names: readonly JobName[]): Promise<void> {
  for (const run of new Set(names.map((name) => jobs[name].run))) await run(world)
}

/** Milliseconds by which an account is ahead of the machine. */
export const clockOffsetOf = async (world: World, account: string): Promise<number> => (await movedClocks(world)).get(account) ?? 0

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

/** When the next job of each kind is due, in the order of that. */
async function readDue(world: World, account: string): Promise<DueJob[]> {
  const due = await world.run<DueJob & Record<string, unknown>>(nextOfEach, [account, timeOf(world.clock)])
  return due.toSorted((one, other) => one.at - other.at || jobNames.indexOf(one.job) - jobNames.indexOf(other.job))
}
