import { AsyncLocalStorage } from 'node:async_hooks'
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from './clock.ts'

/** In whose time code runs, with everything that it calls and begins. */
interface TimeContext {
  /** Null: in the machine's time. */
  account: string | null
  /** Milliseconds that the time is ahead of the machine's. */
  aheadMs: number
  /** The accounts that live in a time of their own, where this is the machine's. */
  movedAccounts: readonly string[]
}

/** How far accounts are ahead of the machine's time, in milliseconds; an account that is not there lives in the machine's time. */
export type MovedClocks = ReadonlyMap<string, number>

const machineTime: TimeContext = { account: null, aheadMs: 0, movedAccounts: [] }
const timeContexts = new AsyncLocalStorage<TimeContext>()
const currentTimeContext = (): TimeContext => timeContexts.getStore() ?? machineTime

/** Shows to each merchant account its own time: the sandbox moves the clock of one, and leaves the others' alone. */
export const createAccountClock = (machineClock: Clock): Clock => ({ now: () => machineClock.now() + currentTimeContext().aheadMs })

/** Milliseconds by which whoever runs this lives ahead of the machine's time. */
export const currentAheadMs = (): number => currentTimeContext().aheadMs

/** Does `work` in the time of an account. */
export const runInAccountTime = <T>(moved: MovedClocks, account: string, work: () => T): T =>
  timeContexts.run({ account, aheadMs: moved.get(account) ?? 0, movedAccounts: [] }, work)

/** From now on what runs here lives in the time of this account: for requests whose credential tells the account. */
export function switchToAccountTime(moved: MovedClocks, account: string): void {
  const place = timeContexts.getStore()
  if (place) Object.assign(place, { account, aheadMs: moved.get(account) ?? 0 } satisfies Partial<TimeContext>)
}

/** Does `work` in the machine's time until it finds out in whose time it belongs (`switchToAccountTime`). */
export const runUntilAccountKnown = <T>(work: () => T): T => timeContexts.run({ ...machineTime }, work)

/** Does `work` in a time that is ahead of the machine's, for nobody in particular. */
export const runAheadBy = <T>(ahead: number, work: () => T): T => timeContexts.run({ ...machineTime, aheadMs: ahead }, work)

/**
 * Takes up what is due: in the machine's time for all accounts that live there, then for each of the others in its own. Who asks from within the time of an
 * account means that account alone. `concerned`: those of the others for whom there may be something at all. Where one fails the others have their turn first. Answers the sum.
 */
export async function forEachAccountTime(moved: MovedClocks, takeUp: () => Promise<number>, concerned?: ReadonlySet<string>): Promise<number> {
  if (currentTimeContext().account !== null) return takeUp()
  if (moved.size === 0) return takeUp()
  let sum = 0
  const failures: unknown[] = []
  const turn = async (place: TimeContext) => {
    sum += await timeContexts.run(place, takeUp)
  }
  await turn({ ...machineTime, movedAccounts: [...moved.keys()] }).catch((error) => failures.push(error))
  for (const [account, ahead] of moved)
    if (!concerned || concerned.has(account)) await turn({ account, aheadMs: ahead, movedAccounts: [] }).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return sum
}

/**
 * The SQL condition of rows that live in the time of whoever asks, for statements over all accounts; `parameter` is the number of the first of its two, which are
 * `currentTimeValues()`.
 */
export const isInCurrentTimeSql = (account: string, parameter: number): string =>
  `(case when $${parameter}::text is null then ${account} is null or ${account} <> all($${parameter + 1}::text[]) else ${account} = $${parameter} end)`

/** The values of `isInCurrentTimeSql`. */
export const currentTimeValues = (): [string | null, readonly string[]] => [currentTimeContext().account, currentTimeContext().movedAccounts]

/** The same as a part of a query that is built. */
export function isInCurrentTime(account: string): RawBuilder<boolean> {
  const { account: only, movedAccounts } = currentTimeContext()
  const column = sql.ref(account)
  return only === null ? sql`(${column} is null or ${column} <> all(${movedAccounts}::text[]))` : sql`${column} = ${only}`
}
