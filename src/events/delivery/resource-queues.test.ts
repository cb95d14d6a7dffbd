import { expect, test } from 'vitest'
import { makeResourceQueues } from './resource-queues.ts'

test('one of a resource at a time, in the order they came; resources take turns', () => {
  const lanes = makeResourceQueues<string>()
  for (const job of ['a1', 'a2', 'b1', 'a3', 'c1']) lanes.add(job.slice(0, 1), job)
  expect([lanes.takeNext(), lanes.takeNext(), lanes.takeNext(), lanes.takeNext()]).toEqual(['a1', 'b1', 'c1', undefined])
  lanes.finish('b')
  expect(lanes.takeNext()).toBeUndefined()
  lanes.finish('a')
  expect(lanes.waiting).toBe(2)
  expect(lanes.takeNext()).toBe('a2')
  lanes.add('b', 'b2')
  expect(lanes.takeNext()).toBe('b2')
})

test('what stands behind one that failed is handed back, and what comes later begins anew', () => {
  const lanes = makeResourceQueues<string>()
  for (const job of ['a1', 'a2', 'a3', 'b1']) lanes.add(job.slice(0, 1), job)
  lanes.takeNext()
  expect(lanes.block('a')).toEqual(['a2', 'a3'])
  expect(lanes.waiting).toBe(1)
  lanes.add('a', 'a4')
  expect([lanes.takeNext(), lanes.takeNext()]).toEqual(['b1', 'a4'])
})
