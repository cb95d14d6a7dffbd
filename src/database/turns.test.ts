import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { watchTurns } from './turns.ts'

/** A pool whose turns a test gives out, on a clock of its own. */
function queue() {
  let ms = 0
  const pool = Object.assign(new EventEmitter(), { waitingCount: 0 })
  const wait = watchTurns(pool, () => ms)
  /** The first of the queue has a connection after so many milliseconds. */
  const turn = (after: number) => {
    ms += after
    pool.waitingCount = Math.max(0, pool.waitingCount - 1)
    pool.emit('acquire')
  }
  return {
    wait,
    pass: (more: number) => {
      ms += more
    },
    join: (count: number) => {
      pool.waitingCount += count
    },
    turn,
    turns: (count: number, each: number) => {
      for (let given = 0; given < count; given++) turn(each)
    },
  }
}

test('nobody waits while a connection is free, however seldom one is asked for', () => {
  const { wait, turns, pass } = queue()
  turns(10, 60_000)
  pass(60_000)
  expect(wait()).toBe(0)
})

test('a queue is as long as it is times the pace at which it moves', () => {
  const { wait, join, turns } = queue()
  join(1_000)
  turns(900, 2)
  expect(wait()).toBeCloseTo(200, 0)
  join(150)
  expect(wait()).toBeCloseTo(500, 0)
})

test('what lies between two queues says nothing of their pace', () => {
  const { wait, join, turns, pass } = queue()
  join(500)
  turns(500, 2)
  pass(3_600_000)
  turns(1, 0)
  join(100)
  expect(wait()).toBeCloseTo(200, 0)
})

test('a queue that does not move is longer from moment to moment', () => {
  const { wait, join, turn, pass } = queue()
  turn(0)
  join(1)
  expect(wait()).toBe(0)
  pass(2_000)
  expect(wait()).toBe(2_000)
})
