import { expect, test } from 'vitest'
import { aheadBy, aheadHere } from '../account-time.ts'
import { makeRoom } from './room.ts'

test('an origin has room for 32, and free places go by turns to those who wait', () => {
  const room = makeRoom()
  const taken: string[] = []
  /** Takes what it can, and as soon as it can. */
  const wants = (queue: string, count: number) => {
    let left = count
    const takeAll = () => {
      while (left > 0 && room.enter('https://shop.example', queue, takeAll)) {
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
  for (let count = 0; count < 5; count++) room.leave('https://shop.example')
  expect(taken.slice(32)).toEqual(['first', 'second', 'third', 'first', 'second'])
})

test('one that waits no more keeps the place from nobody, and other origins have room of their own', () => {
  const room = makeRoom()
  for (let count = 0; count < 32; count++) expect(room.enter('https://shop.example', 'first', () => undefined)).toBe(true)
  expect(room.enter('https://other.example', 'second', () => undefined)).toBe(true)
  expect(room.enter('https://shop.example', 'stopped', () => undefined)).toBe(false)
  let isTold = false
  const tell = () => {
    isTold = true
  }
  expect(room.enter('https://shop.example', 'second', tell)).toBe(false)
  room.leave('https://shop.example')
  expect(isTold).toBe(true)
})

test('who has waited goes on in the time in which they asked', () => {
  const room = makeRoom()
  for (let count = 0; count < 32; count++) room.enter('https://shop.example', 'first', () => undefined)
  let ahead: number | undefined
  aheadBy(60_000, () =>
    room.enter('https://shop.example', 'second', () => {
      ahead = aheadHere()
    }),
  )
  room.leave('https://shop.example')
  expect(ahead).toBe(60_000)
})
