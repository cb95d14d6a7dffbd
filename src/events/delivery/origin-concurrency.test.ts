import { expect, test } from 'vitest'
import { currentAheadMs, runAheadBy } from '../../base/account-clock.ts'
import { makeOriginConcurrency } from './origin-concurrency.ts'

test('an origin has 32 slots, and each queue that waits gets a free slot in turn', () => {
  const concurrency = makeOriginConcurrency()
  const acquired: string[] = []
  /** Acquires free slots until `queue` has `count` of them, and waits for those that are taken. */
  const acquireSlots = (queue: string, count: number) => {
    let missing = count
    const acquireFree = () => {
      while (missing > 0 && concurrency.acquire('https://shop.example', queue, acquireFree)) {
        missing -= 1
        acquired.push(queue)
      }
    }
    acquireFree()
  }
  acquireSlots('first', 34)
  acquireSlots('second', 2)
  acquireSlots('third', 1)
  expect(acquired).toHaveLength(32)
  for (let count = 0; count < 5; count++) concurrency.release('https://shop.example')
  expect(acquired.slice(32)).toEqual(['first', 'second', 'third', 'first', 'second'])
})

test('a queue that waits but no longer needs its slot blocks no other queue, and each origin has its own slots', () => {
  const concurrency = makeOriginConcurrency()
  for (let count = 0; count < 32; count++)
    expect(concurrency.acquire('https://shop.example', 'first', () => undefined)).toBe(true)
  expect(concurrency.acquire('https://other.example', 'second', () => undefined)).toBe(true)
  expect(concurrency.acquire('https://shop.example', 'stopped', () => undefined)).toBe(false)
  let isFree = false
  const whenFree = () => {
    isFree = true
  }
  expect(concurrency.acquire('https://shop.example', 'second', whenFree)).toBe(false)
  concurrency.release('https://shop.example')
  expect(isFree).toBe(true)
})

test('a queue that waited for a slot continues under the account clock under which it asked', () => {
  const concurrency = makeOriginConcurrency()
  for (let count = 0; count < 32; count++)
    concurrency.acquire('https://shop.example', 'first', () => undefined)
  let ahead: number | undefined
  runAheadBy(60_000, () =>
    concurrency.acquire('https://shop.example', 'second', () => {
      ahead = currentAheadMs()
    }),
  )
  concurrency.release('https://shop.example')
  expect(ahead).toBe(60_000)
})
