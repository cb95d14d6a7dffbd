import { expect, test } from 'vitest'
import { makeLanes } from './lanes.ts'

test('one of a resource at a time, in the order they came; resources take turns', () => {
  const lanes = makeLanes<string>()
  for (const job of ['a1', 'a2', 'b1', 'a3', 'c1']) lanes.add(job.slice(0, 1), job)
  expect([lanes.begin(), lanes.begin(), lanes.begin(), lanes.begin()]).toEqual(['a1', 'b1', 'c1', undefined])
  lanes.end('b')
  expect(lanes.begin()).toBeUndefined()
  lanes.end('a')
  expect(lanes.waiting).toBe(2)
  expect(lanes.begin()).toBe('a2')
  lanes.add('b', 'b2')
  expect(lanes.begin()).toBe('b2')
})

test('what stands behind one that failed is handed back, and what comes later begins anew', () => {
  const lanes = makeLanes<string>()
  for (const job of ['a1', 'a2', 'a3', 'b1']) lanes.add(job.slice(0, 1), job)
  lanes.begin()
  expect(lanes.block('a')).toEqual(['a2', 'a3'])
  expect(lanes.waiting).toBe(1)
  lanes.add('a', 'a4')
  expect([lanes.begin(), lanes.begin()]).toEqual(['b1', 'a4'])
})
