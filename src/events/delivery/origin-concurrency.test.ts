import { expect, test } from 'vitest'
import { currentAheadMs, runAheadBy } from '../../base/account-clock.ts'
import { makeOriginConcurrency } from './origin-concurrency.ts'

test('an origin has room for 32, and free places go by turns to those who wait', () => {
  const room = makeOriginConcurrency()
  const taken: string[] = []
  /** Takes what it can, and as soon as it can. */
  const wants = (queue: string, count: number) => {
    let left = count
    const takeAll = () => {
      while (left > 0 && room.acquire('https://shop.example', queue, takeAll)) {
        left -= 1
        taken.push(queue)
      }
    }
    takeAll()
  }
  wants('first', 34)
  wants('second', 2)
  wants('third', 1)
  expect(taken).toHaveLength(32)
  for (let count = 0; count < 5; count++) room.release('https://shop.example')
  expect(taken.slice(32)).toEqual(['first', 'second', 'third', 'first', 'second'])
})

test('one that waits no more keeps the place from nobody, and other origins have room of their own', () => {
  const room = makeOriginConcurrency()
  for (let count = 0; count < 32; count++) expect(room.acquire('https://shop.example', 'first', () => undefined)).toBe(true)
  expect(room.acquire('https://other.example', 'second', () => undefined)).toBe(true)
  expect(room.acquire('https://shop.example', 'stopped', () => undefined)).toBe(false)
  let isTold = false
  const tell = () => {
    isTold = true
  }
  expect(room.acquire('https://shop.example', 'second', tell)).toBe(false)
  room.release('https://shop.example')
  expect(isTold).toBe(true)
})

test('who has waited goes on in the time in which they asked', () => {
  const room = makeOriginConcurrency()
  for (let count = 0; count < 32; count++) room.acquire('https://shop.example', 'first', () => undefined)
  let ahead: number | undefined
  runAheadBy(60_000, () =>
    room.acquire('https://shop.example', 'second', () => {
      ahead = currentAheadMs()
    }),
  )
  room.release('https://shop.example')
  expect(ahead).toBe(60_000)
})
