import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { subscribe } from '../../../test/support/receiver.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import type { MerchantAnswer, MerchantHttp } from '../../outgoing/merchant-http.ts'
import type { World } from '../../world.ts'
import { startSender } from './sender.ts'

let railyard: TestRailyard
beforeAll(async () => {
  railyard = await startTestRailyard()
  // these tests have senders of their own
  await railyard.sender.stop()
})
afterAll(() => railyard.close())

interface Asked {
  url: string
  target: string
  answer(status: number): void
}

/** A sender whose requests are answered when the test answers them; those to `…/quick` at once. */
function sending({ db = railyard.world.db }: { db?: World['db'] } = {}) {
  const asked: Asked[] = []
  const http: MerchantHttp = {
    request(url, { body = '' }) {
      const { promise, resolve } = Promise.withResolvers<MerchantAnswer>()
      const answer = (status: number) => resolve({ status, headers: {}, text: '' })
      asked.push({ url, target: JSON.parse(body).target.id, answer })
      if (isStopping || url.endsWith('/quick')) answer(200)
      return promise
    },
    close: async () => undefined,
  }
  let isStopping = false
  const sender = startSender({ ...railyard.world, db, merchantHttp: http })
  onTestFinished(async () => {
    isStopping = true
    for (const { answer } of asked) answer(200)
    await sender.stop()
    await railyard.world.db.updateTable('webhook_subscriptions').set({ active: false }).execute()
    railyard.world.changes.invalidate('webhook_subscriptions')
  })
  return { asked, hasAsked: (count: number) => vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(count), { timeout: 10_000 }) }
}

/** Events of so many things, or so many of one. */
const happens = ({ account }: Shop, count: number, one?: string) =>
  railyard.world.db.transaction().execute(async (db) => {
    for (let thing = 0; thing < count; thing++)
      await recordEvent(db, railyard.world, { account, name: 'thing.happened', target: { type: 'thing', id: one ?? railyard.world.ids.next() } })
  })

const at = (id: string) => `/webhook-subscriptions/${id}`

test('a process that tends as many subscriptions as it can serves them by turns: the 65th is told, too', async () => {
  const shop = await openShop(railyard)
  const urls = Array.from({ length: 65 }, (_, index) => `https://shop-${index}.example/`)
  for (const url of urls) await subscribe(railyard, shop.account, { url })
  const { asked, hasAsked } = sending()
  await happens(shop, 3, railyard.world.ids.next())
  await hasAsked(64)
  expect(asked).toHaveLength(64)
  railyard.clock.advance(6_000)
  for (const { answer } of asked.slice()) answer(200)
  await vi.waitFor(() => expect(new Set(asked.map(({ url }) => url)).size).toBe(65), { timeout: 5_000 })
})

test('while many events are waiting for a subscription, a URL that is changed holds at once', async () => {
  const shop = await openShop(railyard)
  const { id } = await subscribe(railyard, shop.account, { url: 'https://shop.example/old' })
  const { asked, hasAsked } = sending()
  await happens(shop, 300)
  await hasAsked(16)
  expect((await shop.put(at(id), { url: 'https://shop.example/new' })).status).toBe(200)
  await untilAnswered(asked, () => expect(asked.at(-1)?.url).toBe('https://shop.example/new'))
})

test('while many events are waiting for a subscription, nothing is sent once it is deleted', async () => {
  const shop = await openShop(railyard)
  const { id } = await subscribe(railyard, shop.account, { url: 'https://shop.example/' })
  const { asked, hasAsked } = sending()
  await happens(shop, 300)
  await hasAsked(16)
  expect((await shop.delete(at(id))).status).toBe(204)
  await untilAnswered(asked, (before) => expect(asked).toHaveLength(before))
})

/** Answers one after the other, ten a second, until what is expected of the next is so. `before`: how many were asked before that answer. */
function untilAnswered(asked: Asked[], expected: (before: number) => void) {
  const underWay = asked.slice()
  let known = asked.length
  return vi.waitFor(
    async () => {
      underWay.push(...asked.slice(known))
      known = asked.length
      underWay.shift()?.answer(200)
      await setImmediate()
      expected(known)
    },
    { timeout: 3_000, interval: 100 },
  )
}

test('a subscription that is made inactive and active again with another URL is sent nothing more at the one before', async () => {
  const shop = await openShop(railyard)
  const { id } = await subscribe(railyard, shop.account, { url: 'https://shop.example/old' })
  const { asked, hasAsked } = sending()
  await happens(shop, 300)
  await hasAsked(16)
  await shop.put(at(id), { active: false })
  await shop.put(at(id), { active: true, url: 'https://shop.example/new' })
  await happens(shop, 1)
  await untilAnswered(asked, (before) => expect(asked).toHaveLength(before))
  const old = asked.filter(({ url }) => url.endsWith('/old')).length
  for (const { answer } of asked.slice()) answer(200)
  await vi.waitFor(() => expect(asked.at(-1)?.url).toBe('https://shop.example/new'), { timeout: 5_000 })
  expect(asked).toHaveLength(old + 1)
})

/** A database that refuses the next transaction when the test says so. */
function failing(db: World['db']) {
  const { promise: hasFailed, resolve } = Promise.withResolvers<void>()
  let fails = false
  const proxy = new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (name !== 'transaction' || !fails) return member.apply(target, given)
        fails = false
        resolve()
        throw new Error('the connection was lost')
      }
    },
  })
  return {
    db: proxy,
    failNext: () => {
      fails = true
      return hasFailed
    },
  }
}

test('after a statement that failed a resource’s event is not sent while the attempt before is under way', async () => {
  const [shop, other] = [await openShop(railyard), await openShop(railyard)]
  await subscribe(railyard, shop.account, { url: 'https://shop.example/' })
  await subscribe(railyard, other.account, { url: 'https://other.example/quick' })
  const { db, failNext } = failing(railyard.world.db)
  const { asked, hasAsked } = sending({ db })
  await happens(shop, 2)
  await hasAsked(2)
  const [slow, refused] = asked
  const hasFailed = failNext()
  refused?.answer(500)
  await hasFailed
  // a round in which the queue is looked for, and one more
  for (let round = 1; round <= 3; round++) {
    await happens(other, 1)
    await hasAsked(2 + round)
  }
  expect(asked.filter(({ target }) => target === slow?.target)).toHaveLength(1)
  slow?.answer(200)
  await vi.waitFor(() => expect(asked.filter(({ target }) => target === slow?.target)).toHaveLength(2), { timeout: 5_000 })
})
