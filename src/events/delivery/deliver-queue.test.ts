import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { subscribe } from '../../../test/support/receiver.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import type { MerchantAnswer, MerchantHttp } from '../../outgoing/merchant-http.ts'
import type { World } from '../../world.ts'
import { startSender } from './sender.ts'

const railyard = await startRailyardForFile()
// these tests have senders of their own
await railyard.sender.stop()

interface SentRequest {
  url: string
  target: string
  answer(status: number): void
}

/** A sender whose requests are answered when the test answers them, and those to `…/quick` at once. */
function startTestSender(changed: Partial<Pick<World, 'db' | 'eventTargets'>> = {}) {
  const sent: SentRequest[] = []
  const http: MerchantHttp = {
    request(url, { body = '' }) {
      const { promise, resolve } = Promise.withResolvers<MerchantAnswer>()
      const answer = (status: number) => resolve({ status, headers: {}, text: '' })
      sent.push({ url, target: JSON.parse(body).target.id, answer })
      if (isStopping || url.endsWith('/quick')) answer(200)
      return promise
    },
    close: async () => undefined,
  }
  let isStopping = false
  const sender = startSender({ ...railyard.world, ...changed, merchantHttp: http })
  onTestFinished(async () => {
    isStopping = true
    for (const { answer } of sent) answer(200)
    await sender.stop()
    await railyard.world.db.updateTable('webhook_subscriptions').set({ active: false }).execute()
    railyard.world.changes.invalidate('webhook_subscriptions')
  })
  return {
    sent,
    hasSent: (count: number) =>
      vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(count), { timeout: 10_000 }),
  }
}

/** Records `count` events: of one resource each, or all of `resource`. */
const recordEvents = ({ account }: Shop, count: number, resource?: string) =>
  railyard.world.db.transaction().execute(async (db) => {
    for (let event = 0; event < count; event++)
      await recordEvent(db, railyard.world, {
        account,
        name: 'thing.happened',
        target: { type: 'thing', id: resource ?? railyard.world.ids.next() },
      })
  })

const at = (id: string) => `/webhook-subscriptions/${id}`

test('a process that has as many queues as it can serve gives each its turn: the 65th subscription receives its events, too', async () => {
  const shop = await openShop(railyard)
  const urls = Array.from({ length: 65 }, (_, index) => `https://shop-${index}.example/`)
  for (const url of urls) await subscribe(railyard, shop.account, { url })
  const { sent, hasSent } = startTestSender()
  await recordEvents(shop, 3, railyard.world.ids.next())
  await hasSent(64)
  expect(sent).toHaveLength(64)
  railyard.clock.advance(6_000)
  for (const { answer } of sent.slice()) answer(200)
  await vi.waitFor(() => expect(new Set(sent.map(({ url }) => url)).size).toBe(65), { timeout: 5_000 })
})

test('a changed URL holds at once while many events wait for the subscription', async () => {
  const shop = await openShop(railyard)
  const { id } = await subscribe(railyard, shop.account, { url: 'https://shop.example/old' })
  const { sent, hasSent } = startTestSender()
  await recordEvents(shop, 300)
  await hasSent(16)
  expect((await shop.put(at(id), { url: 'https://shop.example/new' })).status).toBe(200)
  await answerUntil(sent, () => expect(sent.at(-1)?.url).toBe('https://shop.example/new'))
})

test('a deleted subscription receives nothing more while many events wait for it', async () => {
  const shop = await openShop(railyard)
  const { id } = await subscribe(railyard, shop.account, { url: 'https://shop.example/' })
  const { sent, hasSent } = startTestSender()
  await recordEvents(shop, 300)
  await hasSent(16)
  expect((await shop.delete(at(id))).status).toBe(204)
  await answerUntil(sent, (before) => expect(sent).toHaveLength(before))
})

/**
 * Answers one request after the other, ten a second, until the expectation holds. `before`: how many requests
 * had been sent before the last answer.
 */
function answerUntil(sent: SentRequest[], expectation: (before: number) => void) {
  const unanswered = sent.slice()
  let before = sent.length
  return vi.waitFor(
    async () => {
      unanswered.push(...sent.slice(before))
      before = sent.length
      unanswered.shift()?.answer(200)
      await setImmediate()
      expectation(before)
    },
    { timeout: 3_000, interval: 100 },
  )
}

test('a subscription that becomes active again with another URL receives nothing more at the old one', async () => {
  const shop = await openShop(railyard)
  const { id } = await subscribe(railyard, shop.account, { url: 'https://shop.example/old' })
  const { sent, hasSent } = startTestSender()
  await recordEvents(shop, 300)
  await hasSent(16)
  await shop.put(at(id), { active: false })
  await shop.put(at(id), { active: true, url: 'https://shop.example/new' })
  await recordEvents(shop, 1)
  await answerUntil(sent, (before) => expect(sent).toHaveLength(before))
  const old = sent.filter(({ url }) => url.endsWith('/old')).length
  for (const { answer } of sent.slice()) answer(200)
  await vi.waitFor(() => expect(sent.at(-1)?.url).toBe('https://shop.example/new'), { timeout: 5_000 })
  expect(sent).toHaveLength(old + 1)
})

/** A database that refuses the next transaction after `failNext`. */
function failingDatabase(db: World['db']) {
  const { promise: hasFailed, resolve } = Promise.withResolvers<void>()
  let fails = false
  const proxy = new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        if (name !== 'transaction' || !fails) return member.apply(target, parameters)
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

test('after a failed statement a resource’s event is not sent again while its previous attempt is in flight', async () => {
  const [shop, other] = [await openShop(railyard), await openShop(railyard)]
  await subscribe(railyard, shop.account, { url: 'https://shop.example/' })
  await subscribe(railyard, other.account, { url: 'https://other.example/quick' })
  const { db, failNext } = failingDatabase(railyard.world.db)
  const { sent, hasSent } = startTestSender({ db })
  await recordEvents(shop, 2)
  await hasSent(2)
  const [slow, refused] = sent
  const hasFailed = failNext()
  refused?.answer(500)
  await hasFailed
  // one round in which the sender looks for queues, and one more
  for (let round = 1; round <= 3; round++) {
    await recordEvents(other, 1)
    await hasSent(2 + round)
  }
  expect(sent.filter(({ target }) => target === slow?.target)).toHaveLength(1)
  slow?.answer(200)
  await vi.waitFor(() => expect(sent.filter(({ target }) => target === slow?.target)).toHaveLength(2), {
    timeout: 5_000,
  })
})

test('an event that cannot be shown holds up no other, and is sent once it can be shown', async () => {
  const shop = await openShop(railyard)
  await subscribe(railyard, shop.account, { url: 'https://shop.example/quick' })
  const broken = railyard.world.ids.next()
  let isMended = false
  const { sent, hasSent } = startTestSender({
    eventTargets: {
      thing: async (_, events) =>
        new Map(
          events.map(({ id, target_id, target }) => [
            id,
            () => {
              if (target_id === broken && !isMended) throw new Error('a member is missing')
              return { ...target, id: target_id }
            },
          ]),
        ),
    },
  })
  await recordEvents(shop, 1)
  await recordEvents(shop, 1, broken)
  await recordEvents(shop, 1)
  await hasSent(2)
  expect(sent.map(({ target }) => target)).not.toContain(broken)
  isMended = true
  await vi.waitFor(
    async () => {
      // past the pause after the failed attempt
      railyard.clock.advance(6_000)
      await recordEvents(shop, 1)
      expect(sent.map(({ target }) => target)).toContain(broken)
    },
    { timeout: 10_000, interval: 200 },
  )
})
