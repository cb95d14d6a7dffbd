import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../crash/chance.ts'
import { type Fleet, startFleet } from '../processes/fleet.ts'
import { killAndCompare, killTwo } from '../processes/kills.ts'
import { offerTooMany, pullAtOnePayment, sendOneKeyTogether } from '../processes/rounds.ts'

// Two processes that answer and two that work, as a merchant runs them. The full form: npm run test:processes

const SEED = 8
const repeat = `(bash scripts/with-postgres.sh npm run test:processes -- --seed ${SEED})`

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet({ apis: 2, workers: 2 })
})
afterAll(() => fleet?.close())

test('a worker answers only health checks', async () => {
  const worker = fleet.members.find(({ role }) => role === 'worker')
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${worker?.port}${path}`)).status
  expect(
    await Promise.all(
      ['/health/live', '/health/ready', '/metrics', '/transactions', '/openapi.json', '/docs'].map(status),
    ),
  ).toEqual([200, 200, 200, 404, 404, 404])
  const lost = await (await fetch(`http://127.0.0.1:${worker?.port}/transactions`)).text()
  expect(lost).toContain('a worker has /health/live, /health/ready and /metrics')
})

test('the rate limit of a browser’s token holds over all processes: exactly 50', async () => {
  expect(await offerTooMany(fleet)).toEqual([])
})

test('100 concurrent requests under one key over all processes make one payment with equal answers', async () => {
  expect(await sendOneKeyTogether(fleet, seeded(SEED))).toEqual([])
})

test('64 concurrent captures, increments, voids and refunds of one payment over all processes are accepted or refused and never fail', async () => {
  expect(await pullAtOnePayment(fleet, seeded(SEED))).toEqual([])
})

test(`with two of four processes killed under load, nothing is lost, done twice or left undecided ${repeat}`, async () => {
  const { findings, acknowledged } = await killAndCompare(fleet, {
    seed: SEED,
    workers: 16,
    faults: false,
    async strike(_, chance) {
      await killTwo(fleet, chance)
      await wait(500)
    },
  })
  expect(findings).toEqual([])
  expect(acknowledged).toBeGreaterThan(0)
})

test('the processes’ output has no token', async () => {
  await Promise.all(fleet.members.map(({ process }) => process.stop()))
  const lives = await Promise.all(
    fleet.members.flatMap(({ role, ended }) => ended.map(async (end) => ({ role, ...(await end) }))),
  )
  for (const { output } of lives) expect(output).not.toMatch(/eyJ[\w-]+\.[\w-]+\./)
  for (const { role, output } of lives)
    if (role === 'api') expect(output).toContain('npm run -s railyard -- token')
})
