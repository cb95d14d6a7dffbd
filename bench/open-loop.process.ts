import { setTimeout as wait, setImmediate as yielded } from 'node:timers/promises'
import { build, type Histogram } from 'hdr-histogram-js'
import { Pool } from 'undici'
import { answer } from './assistant.ts'
import type { Latency, OpenLoad, OpenLoaded } from './open-loop.ts'

const MAX_MS = 60_000
/** More connections than any server can use: further requests wait here. */
const CONNECTIONS = 2_000

const histogram = () =>
  build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_MS * 1_000,
    numberOfSignificantValueDigits: 3,
  })
const record = (into: Histogram, ms: number) =>
  into.recordValue(Math.max(1, Math.min(MAX_MS * 1_000, Math.round(ms * 1_000))))
const latencyOf = (from: Histogram): Latency => {
  const at = (percentile: number) =>
    from.totalCount === 0 ? Number.NaN : from.getValueAtPercentile(percentile) / 1_000
  return {
    count: from.totalCount,
    p50: at(50),
    p99: at(99),
    most: from.totalCount === 0 ? Number.NaN : from.maxValue / 1_000,
  }
}

/** Milliseconds until the next request: exponentially distributed. */
const pause = (perSecond: number) => (-Math.log(1 - Math.random()) / perSecond) * 1_000

/** A timer is late by up to two milliseconds. */
const TIMER_MS = 2

/** `isPunctual`: the process waits actively for the last milliseconds. */
async function untilDue(due: number, isPunctual: boolean): Promise<void> {
  const early = due - performance.now() - (isPunctual ? TIMER_MS : 0)
  if (early > 0) await wait(early)
  while (performance.now() < due) await yielded()
}

answer(async (load: OpenLoad): Promise<OpenLoaded> => {
  const pool = new Pool(load.url, { connections: CONNECTIONS, headersTimeout: MAX_MS, bodyTimeout: MAX_MS })
  const [answered, shed, late] = [histogram(), histogram(), histogram()]
  const began = performance.now()
  const measuredFrom = began + load.warmUpSeconds * 1_000
  const until = measuredFrom + load.seconds * 1_000
  const reasons: Record<string, number> = {}
  const failed = (reason: string) => {
    reasons[reason] = (reasons[reason] ?? 0) + 1
  }
  let inTime = 0

  const send = async (due: number) => {
    const isMeasured = due >= measuredFrom
    if (isMeasured) record(late, performance.now() - due)
    try {
      const { statusCode, body } = await pool.request({
        path: load.path,
        method: 'POST',
        headers: load.headers,
        body: load.body,
      })
      await body.dump()
      const now = performance.now()
      if (now >= measuredFrom && now < until && statusCode < 300) inTime++
      if (!isMeasured) return
      if (statusCode < 300) record(answered, now - due)
      else if (statusCode === 429 || statusCode === 503) record(shed, now - due)
      else failed(String(statusCode))
    } catch (error) {
      failed(error instanceof Error && 'code' in error ? String(error.code) : String(error))
    }
  }

  const sent: Promise<void>[] = []
  for (let due = began + pause(load.perSecond); due < until; due += pause(load.perSecond)) {
    await untilDue(due, load.isPunctual)
    sent.push(send(due))
  }
  await Promise.all(sent)
  await pool.destroy()
  const errors = Object.values(reasons).reduce((sum, count) => sum + count, 0)
  return {
    answered: latencyOf(answered),
    shed: latencyOf(shed),
    errors,
    reasons,
    perSecond: inTime / load.seconds,
    sendLag: latencyOf(late).p99,
  }
})
