import { AsyncLocalStorage } from 'node:async_hooks'
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from './clock.ts'

/** The time in which code runs, with everything that it calls and starts. */
interface TimeContext {
  /** The merchant account whose time it is; null: the machine's. */
  account: string | null
  /** Milliseconds that the time is ahead of the machine's. */
  aheadMs: number
  /**
   * In the machine's time: the accounts that have moved their clocks, whose rows are therefore not due by it.
   */
  movedAccounts: readonly string[]
}

/**
 * How far accounts have moved their clocks ahead of the machine's time, in milliseconds. An account that is
 * missing lives in the machine's time.
 */
export type MovedClocks = ReadonlyMap<string, number>

const machineTime: TimeContext = { account: null, aheadMs: 0, movedAccounts: [] }
const timeContexts = new AsyncLocalStorage<TimeContext>()
const currentTimeContext = (): TimeContext => timeContexts.getStore() ?? machineTime

/**
 * A clock that shows each merchant account its own time: a test moves the clock of one account in the
 * sandbox, and no other.
 */
export const createAccountClock = (machineClock: Clock): Clock => ({
  now: () => machineClock.now() + currentTimeContext().aheadMs,
})

/** Milliseconds by which the time of the calling code is ahead of the machine's. */
export const currentAheadMs = (): number => currentTimeContext().aheadMs

/** Runs `work` in the time of an account. */
export const runInAccountTime = <T>(moved: MovedClocks, account: string, work: () => T): T =>
  timeContexts.run({ account, aheadMs: moved.get(account) ?? 0, movedAccounts: [] }, work)

/** Moves the calling request into the time of an account, once its credential says which account it is. */
export function switchToAccountTime(moved: MovedClocks, account: string): void {
  const context = timeContexts.getStore()
  if (context)
    Object.assign(context, { account, aheadMs: moved.get(account) ?? 0 } satisfies Partial<TimeContext>)
}

/** Runs `work` in the machine's time until its account is known (`switchToAccountTime`). */
export const runUntilAccountKnown = <T>(work: () => T): T => timeContexts.run({ ...machineTime }, work)

/** Runs `work` this many milliseconds ahead of the machine's time, for no account. */
export const runAheadBy = <T>(ahead: number, work: () => T): T =>
  timeContexts.run({ ...machineTime, aheadMs: ahead }, work)

/**
 * Runs background work for every account: once in the machine's time for all accounts that live in it, then
 * for each account that has moved its clock in the account's own time. Code that already runs in the time of
 * an account runs it for that account alone. `concerned`: only these accounts with moved clocks can have
 * work. A failure does not keep the other accounts from their turn; the first one is thrown at the end.
 * Returns the sum.
 */
export async function forEachAccountTime(
  moved: MovedClocks,
  work: () => Promise<number>,
  concerned?: ReadonlySet<string>,
): Promise<number> {
  if (currentTimeContext().account !== null) return work()
  if (moved.size === 0) return work()
  let sum = 0
  const failures: unknown[] = []
  const turn = async (context: TimeContext) => {
    sum += await timeContexts.run(context, work)
  }
  await turn({ ...machineTime, movedAccounts: [...moved.keys()] }).catch((error) => failures.push(error))
  for (const [account, ahead] of moved)
    if (!concerned || concerned.has(account))
      await turn({ account, aheadMs: ahead, movedAccounts: [] }).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return sum
}

/**
 * For statements over all accounts: the SQL condition for rows of the accounts that live in the time of the
 * calling code. It takes two parameters, `currentTimeValues()`; `parameter` is the number of the first.
 */
export const isInCurrentTimeSql = (account: string, parameter: number): string =>
  `(case when $${parameter}::text is null then ${account} is null or ${account} <> all($${parameter + 1}::text[]) else ${account} = $${parameter} end)`

/** The values of `isInCurrentTimeSql`. */
export const currentTimeValues = (): [string | null, readonly string[]] => [
  currentTimeContext().account,
  currentTimeContext().movedAccounts,
]

/** The same condition for a composed query. */
export function isInCurrentTime(account: string): RawBuilder<boolean> {
  const { account: only, movedAccounts } = currentTimeContext()
  const column = sql.ref(account)
  return only === null
    ? sql`(${column} is null or ${column} <> all(${movedAccounts}::text[]))`
    : sql`${column} = ${only}`
}
