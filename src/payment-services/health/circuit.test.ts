import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addCall,
  BUCKET_MS,
  bucketStart,
  type CallBucket,
  emptyBucket,
  latencyAt,
  latencyClasses,
  WINDOW_MS,
  windowOf,
} from './call-window.ts'
import {
  type Circuit,
  canProbe,
  closedCircuit,
  type Evidence,
  nextCircuit,
  PROBE_INTERVAL_MS,
} from './circuit.ts'

const well: Evidence = { calls: 100, failed: 0, slow: 0, lostInARow: 0, unanswered: 0, probe: null }
const now = Date.UTC(2026, 0, 1)
const stateAfter = (evidence: Partial<Evidence>) =>
  nextCircuit(closedCircuit, { ...well, ...evidence }, now).state

describe('a closed circuit', () => {
  test.each<[string, Partial<Evidence>]>([
    ['half of twenty calls failed', { calls: 20, failed: 10 }],
    ['four fifths of twenty calls were slow', { calls: 20, slow: 16 }],
    ['five calls in a row got no answer', { calls: 5, lostInARow: 5 }],
    ['five calls wait and nothing is answered', { calls: 0, unanswered: 5 }],
  ])('opens when %s', (_, evidence) => expect(stateAfter(evidence)).toBe('open'))

  test.each<[string, Partial<Evidence>]>([
    ['nineteen calls failed in some way, but no five in a row', { calls: 19, failed: 19, slow: 19 }],
    ['a little less than half failed', { calls: 100, failed: 49 }],
    ['a little less than four fifths were slow', { calls: 100, slow: 79 }],
    ['four calls in a row got no answer', { calls: 4, lostInARow: 4, unanswered: 4 }],
    ['there were no calls', { calls: 0 }],
  ])('stays closed when %s', (_, evidence) => expect(stateAfter(evidence)).toBe('closed'))
})

/** What may happen to a circuit: time passes, evidence arrives, a payment claims the probe. */
const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    calls: fc.nat(60),
    failed: fc.nat(60),
    slow: fc.nat(60),
    lostInARow: fc.nat(7),
    unanswered: fc.nat(7),
    probe: fc.constantFrom(null, 'good' as const, 'good' as const, 'bad' as const),
  })
  .map((drawn) => ({
    ...drawn,
    failed: Math.min(drawn.failed, drawn.calls),
    slow: Math.min(drawn.slow, drawn.calls),
  }))
const step = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 400_000 }) }),
  fc.record({ kind: fc.constant('evidence' as const), evidence }),
  fc.record({ kind: fc.constant('claim' as const) }),
)

test('a circuit always closes after three good probes in a row only, and is open for 15 s, doubled with each failure, up to 5 min', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let circuit: Circuit = closedCircuit
      let time = now
      // a second, simple model of the same circuit
      let failures = 0
      let goodInARow = 0
      for (const current of steps) {
        const before: Circuit = circuit
        if (current.kind === 'wait') time += current.ms
        else if (current.kind === 'claim') {
          // as the statement does it (`leaseProbe`)
          if (before.state === 'closed' || !canProbe(before, time)) continue
          const { openings } = before
          const goodProbes = before.state === 'half_open' ? before.goodProbes : 0
          circuit = {
            state: 'half_open',
            since: before.state === 'open' ? time : before.since,
            nextProbeAt: time + 20_000,
            openings,
            goodProbes,
          }
          if (before.state === 'open') goodInARow = 0
        } else {
          circuit = nextCircuit(before, current.evidence, time)
          const { calls, failed, slow, lostInARow, unanswered, probe } = current.evidence
          if (before.state === 'closed') {
            const tripped =
              lostInARow > 4 ||
              unanswered > 4 ||
              (calls > 19 && (failed / calls >= 0.5 || slow / calls >= 0.8))
            expect(circuit.state).toBe(tripped ? 'open' : 'closed')
            failures = tripped ? 1 : 0
          } else if (before.state === 'open') expect(circuit).toBe(before)
          else if (probe === 'bad') {
            failures += 1
            expect(circuit.state).toBe('open')
          } else if (probe === 'good') {
            goodInARow += 1
            expect(circuit.state).toBe(goodInARow === 3 ? 'closed' : 'half_open')
            if (circuit.state === 'half_open') expect(circuit.nextProbeAt).toBe(time + PROBE_INTERVAL_MS)
          } else expect(circuit).toBe(before)
        }
        if (circuit.state === 'open' && before.state !== 'open')
          expect(circuit.nextProbeAt - time).toBe(Math.min(15_000 * 2 ** (failures - 1), 300_000))
        if (circuit.state !== before.state) expect(circuit.since).toBe(time)
      }
    }),
    { numRuns: 2_000 },
  )
})

const calls = fc.array(
  fc.record({
    at: fc.integer({ min: now, max: now + 3 * WINDOW_MS }),
    ms: fc.integer({ min: 0, max: 40_000 }),
    failed: fc.boolean(),
    slow: fc.boolean(),
  }),
  { maxLength: 200 },
)

test('the window holds every call of the last fifty seconds and none that is older than a minute', () => {
  fc.assert(
    fc.property(calls, fc.integer({ min: now + WINDOW_MS, max: now + 3 * WINDOW_MS }), (made, at) => {
      const past = made.filter((call) => call.at <= at)
      const window = windowOf(bucketsOf(past), at)
      expect(window.calls).toBeGreaterThanOrEqual(
        past.filter((call) => call.at > at - WINDOW_MS + BUCKET_MS).length,
      )
      expect(window.calls).toBeLessThanOrEqual(past.filter((call) => call.at > at - WINDOW_MS).length)
      expect(window.latencies.reduce((sum, count) => sum + count, 0)).toBe(window.calls)
      expect([window.failed, window.slow].every((count) => count <= window.calls)).toBe(true)
    }),
  )
})

test('calls that began before the circuit’s state did are not counted', () => {
  const since = now + 4_000
  const buckets = bucketsOf([
    { at: now + 1_000, ms: 1, failed: true, slow: false },
    { at: now + 12_000, ms: 1, failed: false, slow: false },
  ])
  expect(windowOf(buckets, now + 20_000, since)).toMatchObject({ calls: 1, failed: 0 })
  expect(windowOf(buckets, now + 20_000)).toMatchObject({ calls: 2, failed: 1 })
})

test('a percentile is the latency of the call at its rank, rounded up to the end of its class', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 100 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (ms, share) => {
        const bucket = emptyBucket(now)
        for (const one of ms) addCall(bucket, one, false, false)
        const exact = ms.toSorted((a, b) => a - b)[Math.ceil(ms.length * share) - 1] ?? 0
        expect(latencyAt(bucket, share)).toBe(latencyClasses.find((end) => exact <= end) ?? null)
      },
    ),
  )
  expect(latencyAt(emptyBucket(now), 0.5)).toBeNull()
})

function bucketsOf(
  made: readonly { at: number; ms: number; failed: boolean; slow: boolean }[],
): CallBucket[] {
  const buckets = new Map<number, CallBucket>()
  for (const { at, ms, failed, slow } of made) {
    const start = bucketStart(at)
    const bucket = buckets.get(start) ?? emptyBucket(start)
    buckets.set(start, bucket)
    addCall(bucket, ms, failed, slow)
  }
  return [...buckets.values()]
}
