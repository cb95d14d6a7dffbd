import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  cutNow,
  DAY_MS,
  KEPT_MS,
  retire,
  seal,
  sendWebhooks,
  signedInAgain,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import type { TestRailyard } from '../../test/support/railyard.ts'
import { type Receiver, startReceiver, subscribe } from '../../test/support/receiver.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { readPlanned } from './retirement.store.ts'

// A merchant makes a subscription inactive while deliveries of the events of a payment wait.

let railyard: TestRailyard
let shop: Shop
let receiver: Receiver
let subscription: string

beforeAll(async () => {
  railyard = await startOldRailyard()
  shop = await openShop(railyard)
  receiver = await startReceiver()
  receiver.answers(500)
  subscription = (await subscribe(railyard, shop.account, receiver)).id
  const payment = await shop.authorized(10_00)
  await cutNow(railyard)
  // an event after the bound, whose delivery waits behind the one before
  railyard.clock.advance(DAY_MS)
  await payment.capture()
  await seal(railyard)
  await sendWebhooks(railyard)
  railyard.clock.advance(KEPT_MS - DAY_MS)
  shop = await signedInAgain(railyard, shop)
})
afterAll(async () => {
  await railyard.close()
  await receiver.close()
})

const setActive = (active: boolean) =>
  shop.put(`/webhook-subscriptions/${subscription}`, { active }).then(({ status }) => status)

const waiting = () =>
  railyard.world.run<{ event_name: string; is_due: boolean }>(
    `select event_name, due_at is not null as is_due from webhook_deliveries where status = 'waiting' order by position, sequence`,
    [],
  )

test('a delivery that waits for an active subscription keeps the payments', async () => {
  expect(await waiting()).toMatchObject([
    { event_name: 'transaction.authorized', is_due: true },
    { event_name: 'capture.succeeded', is_due: true },
    { event_name: 'transaction.captured', is_due: false },
  ])
  expect(await retire(railyard)).toBe(0)
  expect((await readPlanned(railyard.world.db))?.kept_by).toMatchObject([
    { reason: 'unsent_webhooks', example: subscription },
  ])
})

test('once the subscription is inactive the payments are retired, and the delivery goes with its event', async () => {
  expect(await setActive(false)).toBe(200)
  expect(await retire(railyard)).toBe(5)
  expect(await waiting()).toEqual([
    { event_name: 'capture.succeeded', is_due: true },
    { event_name: 'transaction.captured', is_due: true },
  ])
  expect(await verifyFindings(railyard)).toEqual([])
})

test('later deliveries of the same payment are sent when the subscription is active again', async () => {
  receiver.answers(200)
  const before = receiver.received.length
  expect(await setActive(true)).toBe(200)
  await sendWebhooks(railyard)
  const sent = receiver.received.slice(before).map(({ event }) => event.name)
  expect(sent.sort()).toEqual(['capture.succeeded', 'transaction.captured'])
  expect(await waiting()).toEqual([])
})
