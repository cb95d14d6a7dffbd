import { AsyncLocalStorage } from 'node:async_hooks'
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from './world.ts'

/** In whose time code runs, with everything that it calls and begins. */
interface Here {
  /** Null: in the machine's time. */
  account: string | null
  /** Milliseconds that the time is ahead of the machine's. */
  ahead: number
  /** The accounts that live in a time of their own, where this is the machine's. */
  elsewhere: readonly string[]
}

/** How far accounts are ahead of the machine's time, in milliseconds; an account that is not there lives in the machine's time. */
export type MovedClocks = ReadonlyMap<string, number>

const machine: Here = { account: null, ahead: 0, elsewhere: [] }
const places = new AsyncLocalStorage<Here>()
const here = (): Here => places.getStore() ?? machine

/** Shows to each merchant account its own time: the sandbox moves the clock of one, and leaves the others' alone. */
export const accountsClock = (machineClock: Clock): Clock => ({ now: () => machineClock.now() + here().ahead })

/** Milliseconds by which whoever runs this lives ahead of the machine's time. */
export const aheadHere = (): number => here().ahead

/** Does `work` in the time of an account. */
export const inTimeOf = <T>(moved: MovedClocks, account: string, work: () => T): T =>
  places.run({ account, ahead: moved.get(account) ?? 0, elsewhere: [] }, work)

/** From now on what runs here lives in the time of this account: for requests whose credential tells the account. */
export function enterTimeOf(moved: MovedClocks, account: string): void {
  const place = places.getStore()
  if (place) Object.assign(place, { account, ahead: moved.get(account) ?? 0 } satisfies Partial<Here>)
}

/** Does `work` in the machine's time until it finds out in whose time it belongs (`enterTimeOf`). */
export const inTimeToBeFound = <T>(work: () => T): T => places.run({ ...machine }, work)

/** Does `work` in a time that is ahead of the machine's, for nobody in particular. */
export const aheadBy = <T>(ahead: number, work: () => T): T => places.run({ ...machine, ahead }, work)

/**
 * Takes up what is due: in the machine's time for all accounts that live there, then for each of the others in its own. Who asks from within the time of an
 * account means that account alone. `concerned`: those of the others for whom there may be something at all. Where one fails the others have their turn first. Answers the sum.
 */
export async function inEachTime(moved: MovedClocks, takeUp: () => Promise<number>, concerned?: ReadonlySet<string>): Promise<number> {
  if (here().account !== null) return takeUp()
  if (moved.size === 0) return takeUp()
  let sum = 0
  const failures: unknown[] = []
  const turn = async (place: Here) => {
    sum += await places.run(place, takeUp)
  }
  await turn({ ...machine, elsewhere: [...moved.keys()] }).catch((error) => failures.push(error))
  for (const [account, ahead] of moved)
    if (!concerned || concerned.has(account)) await turn({ account, ahead, elsewhere: [] }).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return sum
}

/**
 * The SQL condition of rows that live in the time of whoever asks, for statements over all accounts; `parameter` is the number of the first of its two, which are
 * `livingHere()`.
 */
export const livesHere = (account: string, parameter: number): string =>
  `(case when $${parameter}::text is null then ${account} is null or ${account} <> all($${parameter + 1}::text[]) else ${account} = $${parameter} end)`

/** The values of `livesHere`. */
export const livingHere = (): [string | null, readonly string[]] => [here().account, here().elsewhere]

/** The same as a part of a query that is built. */
export function isHere(account: string): RawBuilder<boolean> {
  const { account: only, elsewhere } = here()
  const column = sql.ref(account)
  return only === null ? sql`(${column} is null or ${column} <> all(${elsewhere}::text[]))` : sql`${column} = ${only}`
}
