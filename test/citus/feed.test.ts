import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import type { Event } from '../../src/events/event.schema.ts'
import { moveShard, shardOf } from '../support/cluster.ts'
import { readEvents } from '../support/events.ts'
import { type Answer, card } from '../support/railyard.ts'
import { type Receiver, startReceiver, subscribe } from '../support/receiver.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

const SHOPS_PER_WORKER = 2
const PAYMENTS = 12
/** Authorized, captured (the capture and the payment), refunded. */
const EVENTS_OF_PAYMENT = 4
const PAGE = 7

const railyard = await startRailyardForFile()
const database = railyard.world.settings.databaseUrl ?? ''
const [first = '', second = ''] = process.env['CITUS_WORKERS']?.split(' ') ?? []
const portOf = (url: string) => Number(new URL(url).port)

interface Merchant {
  shop: Shop
  receiver: Receiver
  /** What a client that follows the feed has seen. */
  seen: Event[]
}

/** Merchant accounts on both workers, each with a receiver of webhooks. */
async function openMerchants(): Promise<Merchant[]> {
  const on = new Map([first, second].map((url) => [portOf(url), [] as Shop[]]))
  while ([...on.values()].some((shops) => shops.length < SHOPS_PER_WORKER)) {
    const shop = await openShop(railyard)
    on.get((await shardOf(database, shop.account)).port)?.push(shop)
  }
  return await Promise.all(
    [...on.values()].flatMap((shops) =>
      shops.slice(0, SHOPS_PER_WORKER).map(async (shop) => {
        const receiver = await startReceiver()
        onTestFinished(receiver.close)
        await subscribe(railyard, shop.account, receiver)
        return { shop, receiver, seen: [] }
      }),
    ),
  )
}

/** Sends a request under its key until it is not refused for a shard that moves. */
async function insist(send: (headers: Record<string, string>) => Promise<Answer>): Promise<Answer['body']> {
  const headers = { 'idempotency-key': randomUUID() }
  for (;;) {
    const answer = await send(headers)
    if (answer.status < 300) return answer.body
    expect(answer).toMatchObject({ status: 503 })
    await wait(50)
  }
}

async function trade(shop: Shop): Promise<void> {
  for (let count = 0; count < PAYMENTS; count++) {
    const body = { amount: 10_00 + count, currency: 'EUR', payment_method: card }
    const { id } = await insist((headers) => shop.post('/transactions', body, headers))
    const payment = shop.payment(id)
    await insist((headers) => payment.capture({}, headers))
    await insist((headers) => payment.refund({ amount: 1_00 }, headers))
  }
}

/** Follows a feed from the beginning until nothing is written any more. */
async function follow({ shop, seen }: Merchant, isWriting: () => boolean): Promise<void> {
  let after = ''
  for (let isLast = false; ; ) {
    const { status, body } = await shop.get(`/events?limit=${PAGE}${after}`)
    if (status === 503) continue
    seen.push(...body.items)
    after = `&after=${body.next_cursor}`
    if (body.items.length > 0) continue
    if (isLast) return
    isLast = !isWriting()
    if (isLast) await waitUntilReadable(railyard.world)
  }
}

/** Moves the shard of an account to the other worker. */
async function moveAway(account: string): Promise<void> {
  const { shard, port } = await shardOf(database, account)
  const [from, to] = port === portOf(first) ? [first, second] : [second, first]
  await moveShard(database, shard, from, to)
}

test('feeds and webhooks have every event once and in order while accounts of all workers write and one moves', async () => {
  const merchants = await openMerchants()
  let isWriting = true
  const writing = () => isWriting
  const following = merchants.map((merchant) => follow(merchant, writing))
  const sending = (async () => {
    while (writing()) await railyard.sender.runOnce()
  })()
  await Promise.all([
    ...merchants.map(({ shop }) => trade(shop)),
    moveAway(merchants[0]?.shop.account ?? ''),
  ]).finally(() => {
    isWriting = false
  })
  await Promise.all([...following, sending])
  await railyard.sender.runOnce()
  for (const { shop, receiver, seen } of merchants) {
    const events = await readEvents(railyard, shop)
    expect(events).toHaveLength(PAYMENTS * EVENTS_OF_PAYMENT)
    expect(seen).toEqual(events)
    const received = receiver.received.map(({ event }) => event as Event)
    const byId = (a: Event, b: Event) => (a.id < b.id ? -1 : 1)
    expect(received.toSorted(byId)).toEqual(events.toSorted(byId))
    for (const ofResource of Map.groupBy(received, ({ target }) => target.id).values())
      expect(ofResource.map(({ sequence }) => sequence)).toEqual(ofResource.map((_, index) => index + 1))
  }
}, 240_000)
