import { expect, test } from 'vitest'
import type { World } from '../world.ts'
import type { OperationRow } from './operation.ts'
import { nextLateLookupAt, nextLookupAt } from './operation-times.ts'

const worldAt = (now: number) => ({ clock: { now: () => now } }) as World
const operation = (more: Partial<OperationRow>) => ({ kind: 'capture', ...more }) as OperationRow

/** Seconds between the first looks at an operation, each of which finds out nothing. */
function pauses(nextAt: (world: World, isFirst: boolean) => string | null, count: number): number[] {
  const found: number[] = []
  for (let now = 0; found.length < count; ) {
    const next = Date.parse(nextAt(worldAt(now), found.length === 0) ?? '')
    found.push((next - now) / 1_000)
    now = next
  }
  return found
}

const since = new Date(0).toISOString()

test.each<[OperationRow['kind'], 'unknown' | 'pending', number[]]>([
  ['capture', 'unknown', [1, 1, 2, 4, 8, 15, 15]],
  ['capture', 'pending', [600, 600, 600]],
  ['approval', 'pending', [30, 30, 60, 120, 240, 480, 600, 600]],
])('of a %s that is %s recovery looks again after %j seconds', (kind, status, expected) => {
  const next = (world: World, isFirst: boolean) =>
    nextLookupAt(world, operation({ kind }), status, isFirst ? {} : { since })
  expect(pauses(next, expected.length)).toEqual(expected)
})

test('how often processes have claimed an operation, and died before they asked, delays no look-up', () => {
  const claimed = operation({ kind: 'approval', checks: 40 })
  expect(nextLookupAt(worldAt(45_000), claimed, 'pending', { since })).toBe(new Date(90_000).toISOString())
  expect(nextLateLookupAt(worldAt(3_000), { ...claimed, late_notice_at: since })).toBe(
    new Date(6_000).toISOString(),
  )
})

test('an approval is looked at when it expires, and a late notification for a day', () => {
  const approvalExpiresAt = new Date(70_000).toISOString()
  expect(
    nextLookupAt(worldAt(60_000), operation({ kind: 'approval' }), 'pending', { since, approvalExpiresAt }),
  ).toBe(approvalExpiresAt)
  expect(nextLateLookupAt(worldAt(86_400_000), operation({ late_notice_at: since }))).toBeNull()
  expect(nextLateLookupAt(worldAt(0), operation({ late_notice_at: null }))).toBeNull()
})
