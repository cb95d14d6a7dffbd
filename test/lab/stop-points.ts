import type { QueryResultRow } from 'pg'
import { intendFollowUp } from '../../src/operations/journal/functions/intend-follow-up.sql.ts'
import { intendPayment } from '../../src/operations/journal/functions/intend-payment.sql.ts'
import { intendPayout, recordPayoutOutcome } from '../../src/operations/journal/functions/payout.sql.ts'
import { recordOutcome } from '../../src/operations/journal/functions/record-outcome.sql.ts'
import type { World } from '../../src/world.ts'

/** The points at which a process can be stopped: before and after each commit and each send. */
export const stopPoints = [
  'before intend',
  'after intend',
  'before send',
  'after send',
  'before record',
  'after record',
] as const
/**
 * Recovery intends nothing by itself: a follow-up is intended in the commit that records the outcome before
 * it.
 */
export const recoveryPoints = [
  'before send',
  'after send',
  'before record',
  'after record',
] as const satisfies readonly (typeof stopPoints)[number][]
export type StopPoint = (typeof stopPoints)[number]

const commits = new Map<string, 'intend' | 'record'>([
  ...[intendPayment, ...Object.values(intendFollowUp), intendPayout].map(({ text }): [string, 'intend'] => [
    text,
    'intend',
  ]),
  ...[recordOutcome, recordPayoutOutcome].map(({ text }): [string, 'record'] => [text, 'record']),
])

export interface StopPoints {
  /** Makes the process die at this point: from then on its requests do nothing, until `revive`. */
  dieAt(point: StopPoint): void
  /** Makes the next request at this point wait until `goOn`. */
  stallAt(point: StopPoint): void
  /** Resolves once a request waits. */
  stalled(): Promise<void>
  /** Whether the point was reached. A waiting request stays stopped. */
  disarm(): boolean
  goOn(): void
  /** Starts another process: waiting requests died with the old one. */
  revive(): void
}

interface Armed {
  point: StopPoint
  does: 'die' | 'stall'
}

/** Installs the points in a world. One actor moves at a time, so a hit point belongs to that actor. */
export function installStopPoints(world: World): StopPoints {
  const { run, http } = world
  let armed: Armed | undefined
  let isHit = false
  let isDead = false
  let gate = Promise.withResolvers<void>()
  let arrival = Promise.withResolvers<void>()

  const pass = async (point: StopPoint) => {
    if (isDead) throw new Error('the process has died')
    if (armed?.point !== point) return
    const { does } = armed
    armed = undefined
    isHit = true
    if (does === 'stall') {
      arrival.resolve()
      return gate.promise
    }
    isDead = true
    throw new Error('the process dies')
  }
  const counted: World['run'] = async <Row extends QueryResultRow>(
    sql: string,
    values: readonly unknown[],
  ) => {
    if (isDead) throw new Error('the process has died')
    const commit = commits.get(sql)
    if (!commit) return run<Row>(sql, values)
    await pass(`before ${commit}`)
    const rows = await run<Row>(sql, values)
    await pass(`after ${commit}`)
    return rows
  }
  world.run = counted
  world.http = {
    ...http,
    async request(asked) {
      // one token is fetched for all requests: a stopped request here would block all others
      if (asked.url.endsWith('/oauth2/token'))
        return isDead ? { lost: true, sent: false, reason: 'the process has died' } : http.request(asked)
      await pass('before send')
      const answer = await http.request(asked)
      await pass('after send')
      return answer
    },
  }
  const arm = (point: StopPoint, does: Armed['does']) => {
    armed = { point, does }
    isHit = false
  }
  return {
    dieAt: (point) => arm(point, 'die'),
    stallAt(point) {
      gate = Promise.withResolvers()
      arrival = Promise.withResolvers()
      arm(point, 'stall')
    },
    stalled: () => arrival.promise,
    disarm() {
      armed = undefined
      const wasHit = isHit
      isHit = false
      return wasHit
    },
    goOn: () => gate.resolve(),
    revive() {
      isDead = false
      armed = undefined
      gate.promise.catch(() => undefined)
      gate.reject(new Error('the process has died'))
    },
  }
}
