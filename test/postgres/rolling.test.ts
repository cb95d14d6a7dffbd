import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fleet, startFleet } from '../processes/fleet.ts'
import { rollUnderLoad } from '../processes/rolling.ts'

// The full form: bash scripts/with-postgres.sh npm run test:rolling

let fleet: Fleet
beforeAll(async () => {
  // beside other tests a client may be late by seconds with what it sends on a connection that it has kept
  fleet = await startFleet({ apis: 2, workers: 0, env: { STOP_DELAY_MS: '6000' } })
})
afterAll(() => fleet?.close())

test('processes are replaced one after the other under load, and no request fails', async () => {
  const { requests, failed, exits } = await rollUnderLoad(fleet, { restarts: 2, perSecond: 40 })
  expect(failed).toEqual([])
  expect(exits).toHaveLength(2)
  expect(requests).toBeGreaterThan(0)
})
