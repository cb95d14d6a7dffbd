import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DebouncingPolicy } from '../database/tables/monitoring.ts'
import { afterSample, type DebounceState } from './debounce.ts'

const policyOf = (create_after_n: number, close_after_n: number): DebouncingPolicy => ({
  strategy: 'debouncing',
  params: { create_after_n, close_after_n },
})

/** The change of the incident with each sample: `o`pened, `c`losed, or `-` for none. */
function changes(samples: readonly (boolean | null)[], policy: DebouncingPolicy | null): string {
  let state: DebounceState = { open: false, streak: 0 }
  return samples
    .map((healthy) => {
      const step = afterSample(state, healthy, policy)
      state = step
      return step.change?.charAt(0) ?? '-'
    })
    .join('')
}

/** `+` healthy, `-` unhealthy, ` ` without a verdict. */
const samplesOf = (text: string) => [...text].map((sign) => (sign === ' ' ? null : sign === '+'))

test('with a policy of 3 and 2 the third unhealthy sample in a row opens an incident, and the second healthy one closes it', () => {
  expect(changes(samplesOf('--+---+-++--'), policyOf(3, 2))).toBe('-----o---c--')
})

test('samples without a verdict neither count nor break a row', () => {
  expect(changes(samplesOf('-  - ++ + '), policyOf(2, 3))).toBe('---o----c-')
})

test('without an incident policy there are no incidents', () => {
  expect(changes(samplesOf('----------'), null)).toBe('-'.repeat(10))
})

const count = fc.integer({ min: 1, max: 10 })
const verdict = fc.constantFrom(true, false, null)

/**
 * The same by another algorithm: with each sample it reads all samples since the last change again, and keeps
 * no streak.
 */
function changesByHistory(samples: readonly (boolean | null)[], { params }: DebouncingPolicy): string {
  let open = false
  let since = 0
  return samples
    .map((_, index) => {
      const verdicts = samples.slice(since, index + 1).filter((healthy) => healthy !== null)
      const needed = open ? params.close_after_n : params.create_after_n
      const last = verdicts.slice(-needed)
      if (samples[index] === null || last.length < needed || last.some((healthy) => healthy !== open))
        return '-'
      open = !open
      since = index + 1
      return open ? 'o' : 'c'
    })
    .join('')
}

test('the changes are those of an algorithm that reads all samples again each time', () => {
  fc.assert(
    fc.property(fc.array(verdict, { maxLength: 200 }), count, count, (samples, create, close) => {
      expect(changes(samples, policyOf(create, close))).toBe(
        changesByHistory(samples, policyOf(create, close)),
      )
    }),
    { numRuns: 500 },
  )
})

test('incidents open and close in turn, and never sooner than the policy says', () => {
  fc.assert(
    fc.property(fc.array(verdict, { maxLength: 200 }), count, count, (samples, create, close) => {
      const allChanges = changes(samples, policyOf(create, close))
      expect(allChanges.replaceAll('-', '')).toMatch(/^(oc)*o?$/)
      const changesWithIndex = [...allChanges].flatMap((change, index) =>
        change === '-' ? [] : [{ change, index }],
      )
      for (const [nth, { change, index }] of changesWithIndex.entries()) {
        const before = changesWithIndex[nth - 1]?.index ?? -1
        const isClosing = change === 'c'
        const needed = isClosing ? close : create
        const towardsChange = samples.slice(before + 1, index + 1).filter((healthy) => healthy === isClosing)
        expect(towardsChange.length).toBeGreaterThanOrEqual(needed)
      }
    }),
  )
})
