import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Tries, weightedDifference, weightedRate, wilson } from './approval-rate.ts'

const tries = fc
  .integer({ min: 1, max: 100_000 })
  .chain((tried) => fc.record({ tried: fc.constant(tried), approved: fc.integer({ min: 0, max: tried }) }))
const width = ({ low, high }: { low: number; high: number }) => high - low

/** A seeded random generator: the same numbers in every run. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const RUNS = 4_000
function sample(random: () => number, tried: number, rate: number): Tries {
  let approved = 0
  for (let each = 0; each < tried; each++) if (random() < rate) approved++
  return { tried, approved }
}
const holds = ({ low, high }: { low: number; high: number }, truth: number) => low <= truth && truth <= high

describe('wilson: the interval of one share', () => {
  test('the interval equals the published values', () => {
    // Newcombe, Statistics in Medicine 17 (1998), table I, method 3
    const published = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const
    for (const [approved, tried, low, high] of published) {
      const interval = wilson({ approved, tried })
      expect(interval.low).toBeCloseTo(low, 4)
      expect(interval.high).toBeCloseTo(high, 4)
    }
  })

  test('the interval contains the observed share and lies within 0 and 1', () => {
    fc.assert(
      fc.property(tries, (observed) => {
        const { low, high } = wilson(observed)
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(1)
        expect(holds({ low, high }, observed.approved / observed.tried)).toBe(true)
      }),
    )
  })

  test('the interval shrinks as the same share is seen in more tries', () => {
    fc.assert(
      fc.property(tries, fc.integer({ min: 2, max: 50 }), ({ tried, approved }, times) => {
        expect(width(wilson({ tried: tried * times, approved: approved * times }))).toBeLessThan(
          width(wilson({ tried, approved })),
        )
      }),
    )
  })

  test.each([
    [30, 0.9],
    [50, 0.5],
    [200, 0.97],
  ])('some 95 % of the intervals of samples with %i tries contain the true rate %f', (tried, rate) => {
    const random = dice(tried)
    const held = Array.from({ length: RUNS }, () => holds(wilson(sample(random, tried, rate)), rate)).filter(
      Boolean,
    ).length
    expect(held / RUNS).toBeGreaterThan(0.92)
    expect(held / RUNS).toBeLessThan(0.985)
  })
})

describe('weightedRate: a rate over several shares', () => {
  const cells = fc
    .array(fc.tuple(tries, fc.integer({ min: 1, max: 1_000 })), { minLength: 1, maxLength: 12 })
    .map((drawn) => {
      const sum = drawn.reduce((total, [, weight]) => total + weight, 0)
      return drawn.map(([observed, weight]) => ({ ...observed, weight: weight / sum }))
    })

  test('a rate over one share has that share’s interval', () => {
    fc.assert(
      fc.property(tries, (observed) => {
        const { value, interval } = weightedRate([{ ...observed, weight: 1 }])
        expect(value).toBeCloseTo(observed.approved / observed.tried, 12)
        expect(interval.low).toBeCloseTo(wilson(observed).low, 12)
        expect(interval.high).toBeCloseTo(wilson(observed).high, 12)
      }),
    )
  })

  test('a rate lies in its interval, which shrinks with more tries and is no wider than the widest share’s', () => {
    fc.assert(
      fc.property(cells, fc.integer({ min: 2, max: 50 }), (drawn, times) => {
        const { value, interval } = weightedRate(drawn)
        expect(holds(interval, value)).toBe(true)
        const more = drawn.map(({ tried, approved, weight }) => ({
          tried: tried * times,
          approved: approved * times,
          weight,
        }))
        expect(width(weightedRate(more).interval)).toBeLessThan(width(interval))
        expect(width(interval)).toBeLessThanOrEqual(
          Math.max(...drawn.map((cell) => width(wilson(cell)))) + 1e-9,
        )
      }),
    )
  })

  test('some 95 % of the intervals of samples with three segments contain the true rate', () => {
    const random = dice(3)
    const segments = [
      { tried: 400, rate: 0.92, weight: 0.5 },
      { tried: 60, rate: 0.8, weight: 0.3 },
      { tried: 35, rate: 0.6, weight: 0.2 },
    ]
    const truth = segments.reduce((sum, { rate, weight }) => sum + rate * weight, 0)
    const draw = () =>
      weightedRate(segments.map(({ tried, rate, weight }) => ({ ...sample(random, tried, rate), weight })))
        .interval
    const held = Array.from({ length: RUNS }, () => holds(draw(), truth)).filter(Boolean).length
    expect(held / RUNS).toBeGreaterThan(0.93)
    expect(held / RUNS).toBeLessThan(0.98)
  })
})

describe('weightedDifference: the change of a rate', () => {
  test('the interval equals the published interval of two shares', () => {
    // Newcombe, Statistics in Medicine 17 (1998), 873–890, table II, method 10: 56/70 less 48/80
    const { value, interval } = weightedDifference([
      { approved: 56, tried: 70, weight: 1 },
      { approved: 48, tried: 80, weight: -1 },
    ])
    expect(value).toBeCloseTo(0.2, 12)
    expect(interval.low).toBeCloseTo(0.0524, 4)
    expect(interval.high).toBeCloseTo(0.3339, 4)
  })

  test('the difference changes its sign with the direction', () => {
    fc.assert(
      fc.property(tries, tries, (one, other) => {
        const there = weightedDifference([
          { ...one, weight: 1 },
          { ...other, weight: -1 },
        ])
        const back = weightedDifference([
          { ...one, weight: -1 },
          { ...other, weight: 1 },
        ])
        expect(back.value).toBeCloseTo(-there.value, 12)
        expect(back.interval.low).toBeCloseTo(-there.interval.high, 12)
        expect(back.interval.high).toBeCloseTo(-there.interval.low, 12)
      }),
    )
  })
})
