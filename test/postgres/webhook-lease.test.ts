import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Railyard, startRailyard } from '../../src/process/railyard.ts'
import { startTestRailyard, type TestRailyard } from '../support/railyard.ts'
import { startReceiver, subscribe } from '../support/receiver.ts'
import { openShop } from '../support/shop.ts'

// two servers on one PostgreSQL
const onPostgres = test.runIf(process.env['DATABASE_URL'])

let first: TestRailyard
let second: Railyard
beforeAll(async () => {
  if (!process.env['DATABASE_URL']) return
  first = await startTestRailyard()
  second = await startRailyard(
    { ...first.world.settings, sandboxUrl: first.simulatorUrl },
    { clock: first.clock, log: first.world.log, inMemory: true },
  )
})
afterAll(async () => {
  await second?.close()
  await first?.close()
})

const SECOND = 1_000

onPostgres('two servers share the work, and each event is sent once', async () => {
  const shop = await openShop(first)
  const receivers = await Promise.all(Array.from({ length: 4 }, startReceiver))
  onTestFinished(async () => void (await Promise.all(receivers.map(({ close }) => close()))))
  for (const receiver of receivers) await subscribe(first, shop.account, receiver)
  for (let index = 0; index < 5; index++) {
    await Promise.all(Array.from({ length: 10 }, () => shop.post('/buyers', {})))
    await Promise.all([first.sender.runOnce(), second.sender.runOnce()])
  }
  await Promise.all(receivers.map((receiver) => receiver.hasReceived(50)))
  await Promise.all([first.sender.runOnce(), second.sender.runOnce()])
  for (const { received } of receivers) {
    expect(received).toHaveLength(50)
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(50)
  }
})

onPostgres('another process sends a dead process’s webhooks when its lease is over, not before', async () => {
  const shop = await openShop(first)
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const { id } = await subscribe(first, shop.account, receiver)
  const dead = '00000000-0000-4000-8000-000000000000'
  const until = new Date(first.clock.now() + 20 * SECOND).toISOString()
  await first.world.db
    .updateTable('webhook_queues')
    .set({ leased_by: dead, leased_until: until })
    .where('webhook_subscription_id', '=', id)
    .execute()
  await shop.post('/buyers', {})
  await Promise.all([first.sender.runOnce(), second.sender.runOnce()])
  expect(receiver.received).toEqual([])
  first.clock.advance(21 * SECOND)
  await second.sender.runOnce()
  await receiver.hasReceived(1)
})

onPostgres('a server that stops hands its queues back at once', async () => {
  const shop = await openShop(first)
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  await subscribe(first, shop.account, receiver)
  const third = await startRailyard(
    { ...first.world.settings, sandboxUrl: first.simulatorUrl },
    { clock: first.clock, log: first.world.log, inMemory: true },
  )
  await Promise.all(Array.from({ length: 30 }, () => shop.post('/buyers', {})))
  await Promise.all([third.sender.runOnce(), third.close()])
  // the clock stands still: a lease that was left would keep the others from it
  await Promise.all([first.sender.runOnce(), second.sender.runOnce()])
  await receiver.hasReceived(30)
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(30)
})
