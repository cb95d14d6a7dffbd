import type { QueryResultRow } from 'pg'
import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'
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

/** Work that began, and mostly waits at a point. */
export interface Held<T> {
  /** Whether it waits: otherwise it is done. */
  isHeld: boolean
  work: Promise<T>
  goOn(): void
}

export interface StopPoints {
  /** Makes the process die at this point: from then on its requests do nothing, until `revive`. */
  dieAt(point: StopPoint): void
  /**
   * Begins `work`, whose first request at this point waits until it may go on. Resolves once it waits, or is done
   * without. `about`: which requests to services may wait; absent: all.
   */
  hold<T>(
    point: StopPoint,
    work: () => Promise<T>,
    about?: (request: HttpRequest) => boolean,
  ): Promise<Held<T>>
  /** Whether the process has died at its point. */
  disarm(): boolean
  /** Everything that waits goes on. */
  goOn(): void
  /** Starts another process: waiting requests died with the old one. */
  revive(): void
}

type Gate = PromiseWithResolvers<void>

interface Armed {
  point: StopPoint
  /** What is to wait here; absent: the process dies. */
  waits?: { arrival: Gate; gate: Gate; about: ((request: HttpRequest) => boolean) | undefined }
}

/** Installs the points in a world. One actor moves at a time, so a hit point belongs to that actor. */
export function installStopPoints(world: World): StopPoints {
  const { run, http } = world
  let armed: Armed | undefined
  let isDead = false
  const gates = new Set<Gate>()

  const pass = async (point: StopPoint, request?: HttpRequest) => {
    if (isDead) throw new Error('the process has died')
    const waits = armed?.waits
    if (armed?.point !== point || (request && waits?.about?.(request) === false)) return
    armed = undefined
    if (waits) {
      waits.arrival.resolve()
      return waits.gate.promise
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
      await pass('before send', asked)
      const answer = await http.request(asked)
      await pass('after send', asked)
      return answer
    },
  }
  return {
    dieAt(point) {
      armed = { point }
    },
    async hold(point, begin, about) {
      const [arrival, gate]: [Gate, Gate] = [Promise.withResolvers(), Promise.withResolvers()]
      gates.add(gate)
      armed = { point, waits: { arrival, gate, about } }
      const work = begin()
      const isHeld = await Promise.race([arrival.promise.then(() => true), work.then(() => false)])
      armed = undefined
      return { isHeld, work, goOn: () => gate.resolve() }
    },
    disarm() {
      armed = undefined
      return isDead
    },
    goOn() {
      for (const gate of gates) gate.resolve()
      gates.clear()
    },
    revive() {
      isDead = false
      armed = undefined
      for (const gate of gates) {
        gate.promise.catch(() => undefined)
        gate.reject(new Error('the process has died'))
      }
      gates.clear()
    },
  }
}
