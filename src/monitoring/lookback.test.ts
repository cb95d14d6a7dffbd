import { expect, test } from 'vitest'
import { lookback } from './metric.ts'

test.each([
  ['PT5M/now', 5],
  ['PT60M/now', 60],
  ['PT1H/now', 60],
  ['PT7M30S/now', 7.5],
])('a metric may have the range %s', (range, minutes) => {
  expect(lookback(range)).toBe(minutes * 60_000)
})

test.each([
  'PT4M59S/now',
  'PT60M1S/now',
  'PT15M',
  '/now',
  'now',
  'PT15M/hour_end',
  'PT15M/now/now',
  'now/PT15M',
  'P15M/now',
  'PT-15M/now',
  'hour_start/now',
])('a metric may not have the range %s', (range) => {
  expect(lookback(range)).toBeUndefined()
})
