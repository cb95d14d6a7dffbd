import { expect, test } from 'vitest'
import { makeResourceQueues } from './resource-queues.ts'

test('resource queues give one job of a resource at a time, in their order, and resources take turns', () => {
  const queues = makeResourceQueues<string>()
  for (const job of ['a1', 'a2', 'b1', 'a3', 'c1']) queues.add(job.slice(0, 1), job)
  expect([queues.takeNext(), queues.takeNext(), queues.takeNext(), queues.takeNext()]).toEqual([
    'a1',
    'b1',
    'c1',
    undefined,
  ])
  queues.finish('b')
  expect(queues.takeNext()).toBeUndefined()
  queues.finish('a')
  expect(queues.waiting).toBe(2)
  expect(queues.takeNext()).toBe('a2')
  queues.add('b', 'b2')
  expect(queues.takeNext()).toBe('b2')
})

test('blocking a resource answers its waiting jobs, and a job that is added later is given again', () => {
  const queues = makeResourceQueues<string>()
  for (const job of ['a1', 'a2', 'a3', 'b1']) queues.add(job.slice(0, 1), job)
  queues.takeNext()
  expect(queues.block('a')).toEqual(['a2', 'a3'])
  expect(queues.waiting).toBe(1)
  queues.add('a', 'a4')
  expect([queues.takeNext(), queues.takeNext()]).toEqual(['b1', 'a4'])
})
