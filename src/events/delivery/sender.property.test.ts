import fc from 'fast-check'
import { expect, test } from 'vitest'
import { subscribe } from '../../../test/support/receiver.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { insertAccountShard } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { type MerchantHttp, MerchantUnreachable } from '../../outgoing/merchant-http.ts'
import type { World } from '../../world.ts'
import { startSender } from './sender.ts'

const railyard = await startRailyardForFile()
// this test has senders of its own
await railyard.sender.stop()

const HOUR = 3_600_000

interface Scenario {
  /** Percentage of the receivers' answers that are failures. */
  failures: number
  /** Percentage of the sender's writes before which its process dies. */
  crashes: number
  /** In each round events happen to resources, by number; the sender runs, and time passes. */
  rounds: { resources: number[]; seconds: number }[]
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  failures: fc.integer({ min: 0, max: 90 }),
  crashes: fc.integer({ min: 0, max: 60 }),
  rounds: fc.array(
    fc.record({
      resources: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 }),
      seconds: fc.integer({ min: 0, max: 3_600 }),
    }),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
})

interface Delivered {
  id: string
  resource: string
  sequence: number
}

/** Receivers that fail at random: they refuse an event, do not get it, or get it and their answer is lost. */
function receivers(fails: () => boolean) {
  const delivered = new Map<string, Delivered[]>()
  const http: MerchantHttp = {
    async request(url, { body = '' }) {
      const { id, sequence, target } = JSON.parse(body)
      const receive = () =>
        void delivered.set(url, [...(delivered.get(url) ?? []), { id, sequence, resource: target.id }])
      await new Promise((resolve) => setImmediate(resolve))
      if (fails()) {
        if (fails()) receive()
        throw new MerchantUnreachable('the connection broke')
      }
      if (fails()) return { status: 500, headers: {}, text: 'no' }
      receive()
      return { status: 200, headers: {}, text: 'yes' }
    },
    close: async () => undefined,
  }
  return { delivered, http }
}

/** The database of a process that dies before some of its writes. */
const dying = (db: World['db'], dies: () => boolean): World['db'] =>
  new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        if ((name === 'transaction' || name === 'getExecutor' || name === 'updateTable') && dies())
          throw new Error('died')
        return member.apply(target, parameters)
      }
    },
  })

test('every receiver gets every event, each resource’s in order, whatever fails or dies; an event that comes twice has the same id', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      scenario,
      fc.infiniteStream(fc.integer({ min: 0, max: 99 })),
      async ({ failures, crashes, rounds }, chances) => {
        const { world, clock } = railyard
        let isReliable = false
        const chance = (inHundred: number) => !isReliable && Number(chances.next().value) < inHundred
        const { delivered, http } = receivers(() => chance(failures))
        const account = `m-${world.ids.next()}`
        const now = new Date(clock.now()).toISOString()
        await world.db
          .insertInto('merchant_accounts')
          .values({
            id: account,
            display_name: account,
            account_updater_enabled: false,
            async_network_tokens_enabled: false,
            identifiers: '{}',
            created_at: now,
            updated_at: now,
          })
          .execute()
        await insertAccountShard(world.db, account)
        const urls = ['https://one.example/', 'https://two.example/', 'https://all.example/']
        for (const url of urls) await subscribe(railyard, url === urls[2] ? null : account, { url })
        const resources = Array.from({ length: 5 }, () => world.ids.next())
        const sender = startSender({
          ...world,
          merchantHttp: http,
          db: dying(world.db, () => chance(crashes)),
        })
        const round = () => sender.runOnce().catch(() => undefined)

        for (const { resources: changed, seconds } of rounds) {
          for (const number of changed) {
            const target = { type: 'thing', id: resources[number] ?? '' }
            await world.db
              .transaction()
              .execute((db) => recordEvent(db, world, { account, name: 'thing.happened', target }))
          }
          await round()
          clock.advance(seconds * 1_000)
        }
        isReliable = true
        for (let pause = 0; pause < 4; pause++) {
          clock.advance(7 * HOUR)
          await round()
        }
        await sender.stop()
        await world.db.updateTable('webhook_subscriptions').set({ active: false }).execute()
        world.changes.invalidate('webhook_subscriptions')

        const recorded = await world.db
          .selectFrom('events')
          .select(['id', 'target_id', 'sequence'])
          .where('merchant_account_id', '=', account)
          .execute()
        for (const url of urls) {
          const received = new Map(
            (delivered.get(url) ?? []).map(({ id, resource, sequence }) => [
              id,
              { id, target_id: resource, sequence },
            ]),
          )
          const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
          expect([...received.values()].toSorted(byId)).toEqual(recorded.toSorted(byId))
          for (const [resource, events] of Map.groupBy(received.values(), ({ target_id }) => target_id))
            expect({ resource, sequences: events.map(({ sequence }) => sequence) }).toEqual({
              resource,
              sequences: events.map((_, index) => index + 1),
            })
        }
      },
    ),
    { numRuns: 15 },
  )
})
