import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DebouncingPolicy } from '../database/tables/monitoring.ts'
import { afterSample, type DebounceState } from './debounce.ts'

const policyOf = (create_after_n: number, close_after_n: number): DebouncingPolicy => ({
  strategy: 'debouncing',
  params: { create_after_n, close_after_n },
})

/** What becomes of the incident with each sample: `o`pened, `c`losed, or nothing. */
function changes(samples: readonly (boolean | null)[], policy: DebouncingPolicy | null): string {
  let watch: DebounceState = { open: false, streak: 0 }
  return samples
    .map((healthy) => {
      const step = afterSample(watch, healthy, policy)
      watch = step
      return step.change?.charAt(0) ?? '-'
    })
    .join('')
}

/** `+` healthy, `-` unhealthy, ` ` without a verdict. */
const seen = (text: string) => [...text].map((sign) => (sign === ' ' ? null : sign === '+'))

test('the third unhealthy sample in a row opens an incident, the second healthy one closes it', () => {
  expect(changes(seen('--+---+-++--'), policyOf(3, 2))).toBe('-----o---c--')
})

test('samples without a verdict neither count nor break a row', () => {
  expect(changes(seen('-  - ++ + '), policyOf(2, 3))).toBe('---o----c-')
})

test('without an incident policy there are no incidents', () => {
  expect(changes(seen('----------'), null)).toBe('-'.repeat(10))
})

const count = fc.integer({ min: 1, max: 10 })
const verdict = fc.constantFrom(true, false, null)

/** Reads all that was seen since the last change again with each sample, and counts nothing along. */
function naively(samples: readonly (boolean | null)[], { params }: DebouncingPolicy): string {
  let open = false
  let since = 0
  return samples
    .map((_, index) => {
      const verdicts = samples.slice(since, index + 1).filter((healthy) => healthy !== null)
      const needed = open ? params.close_after_n : params.create_after_n
      const last = verdicts.slice(-needed)
      if (samples[index] === null || last.length < needed || last.some((healthy) => healthy !== open)) return '-'
      open = !open
      since = index + 1
      return open ? 'o' : 'c'
    })
    .join('')
}

test('property: it is what reading all samples again each time would find', () => {
  fc.assert(
    fc.property(fc.array(verdict, { maxLength: 200 }), count, count, (samples, create, close) => {
      expect(changes(samples, policyOf(create, close))).toBe(naively(samples, policyOf(create, close)))
    }),
    { numRuns: 500 },
  )
})

test('property: incidents open and close by turns, and never sooner than the policy says', () => {
  fc.assert(
    fc.property(fc.array(verdict, { maxLength: 200 }), count, count, (samples, create, close) => {
      const timeline = changes(samples, policyOf(create, close))
      expect(timeline.replaceAll('-', '')).toMatch(/^(oc)*o?$/)
      const places = [...timeline].flatMap((change, index) => (change === '-' ? [] : [{ change, index }]))
      for (const [nth, { change, index }] of places.entries()) {
        const before = places[nth - 1]?.index ?? -1
        const wanted = change === 'c'
        const least = wanted ? close : create
        const speaking = samples.slice(before + 1, index + 1).filter((healthy) => healthy === wanted)
        expect(speaking.length).toBeGreaterThanOrEqual(least)
      }
    }),
  )
})
