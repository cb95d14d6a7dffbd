import type { QueryResultRow } from 'pg'
import { expect } from 'vitest'
import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'
import { card } from '../support/railyard.ts'
import { violations } from './invariants.ts'
import { snapshot } from './snapshot.ts'
import type { Merchant, Stage } from './stage.ts'
import type { StopPoint } from './stop-points.ts'

export const payment = (amount: number, intent: 'authorize' | 'capture', more: object = {}) => ({
  amount,
  currency: 'EUR',
  country: 'DE',
  intent,
  payment_method: card,
  ...more,
})

/** Stops processes and statements of a stage at chosen points. */
export function interleave(stage: Stage, merchant: Merchant) {
  const paid = async (...how: Parameters<typeof payment>): Promise<{ id: string }> => {
    const { status, body } = await merchant.post('/transactions', payment(...how))
    expect(status).toBe(201)
    return body
  }

  const expectInvariants = async () =>
    expect(violations(await snapshot(stage, merchant), new Map())).toEqual([])

  /** Runs recovery for ten minutes of the virtual clock. */
  async function recovered(): Promise<void> {
    for (let minute = 0; minute < 10; minute++) {
      stage.clock.advance(60_000)
      await stage.recover()
    }
  }

  /** Runs an action until its process waits at the point, after sending or looking up. */
  async function stalled<T>(point: StopPoint, act: () => Promise<T>): Promise<Promise<T>[]> {
    const { isHeld, work } = await stage.points.hold(point, act)
    expect(isHeld).toBe(true)
    return [work]
  }

  /** The next matching request to a payment service cannot be sent, or gets only this status. */
  function refuseNext(about: (request: HttpRequest) => boolean, status?: number): void {
    const { world } = stage.railyard
    const { http } = world
    world.http = {
      ...http,
      async request(request) {
        if (!about(request)) return http.request(request)
        world.http = http
        return status === undefined
          ? { lost: true, sent: false, reason: 'ECONNREFUSED' }
          : { lost: false, status, headers: {}, body: {} }
      },
    }
  }

  /** Stops the next matching statement until it is released. */
  function stopStatement(about: (sql: string, values: readonly unknown[]) => boolean) {
    const { world } = stage.railyard
    const { run } = world
    const [arrival, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isFree = false
    world.run = async <Row extends QueryResultRow>(sql: string, values: readonly unknown[]) => {
      if (!isFree && about(sql, values)) {
        isFree = true
        arrival.resolve()
        await gate.promise
      }
      return run<Row>(sql, values)
    }
    const release = () => {
      world.run = run
      gate.resolve()
    }
    return { arrived: arrival.promise, release }
  }

  return { paid, expectInvariants, recovered, stalled, refuseNext, stopStatement }
}
