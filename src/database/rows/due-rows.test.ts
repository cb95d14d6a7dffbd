import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { storeCard, withNetworkTokens } from '../../../test/support/domains/network-tokens.ts'
import { injectFaults } from '../../../test/support/provider.ts'
import { addService, openShop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { answerDeadline } from '../../connectors/wire/answer-deadline.ts'
import { processDueServiceTokens } from '../../payment-services/tokens/payment-service-token.ts'
import { startBackgroundTasks } from '../../vault/background-tasks.ts'
import { processDueRows } from './due-rows.ts'

const railyard = await startRailyardForFile()
const { world } = railyard
// the rounds of this file are its own
await railyard.maintenance.stop()
const shop = await openShop(railyard, { settings: withNetworkTokens() })
const tokenizer = await addService(railyard, shop, {
  open_loop: false,
  payment_method_tokenization_enabled: true,
})
const method = await storeCard(shop)
const leaseUntil = () => answerDeadline(world)

beforeEach(async () => {
  await world.db.updateTable('payment_service_tokens').set({ check_at: null }).execute()
  await world.db.updateTable('network_tokens').set({ check_at: null }).execute()
})

/** Tokens that became due one after the other. Refused ones: one card has many of them at one payment service. */
const insertDueTokens = (service: string, count: number, dueSinceMs: number) =>
  world.run(
    `insert into payment_service_tokens
            (merchant_account_id, id, payment_method_id, payment_service_id, status, check_at, created_at, updated_at)
     select $1, gen_random_uuid(), $2, $3, 'failed', $4::timestamptz + n * interval '1 millisecond', $4, $4
       from generate_series(1, $5::int) n`,
    [shop.account, method, service, new Date(world.clock.now() - dueSinceMs).toISOString(), count],
  )

test('rows of a payment service that does not answer delay none of another that are due later, and none is left', async () => {
  const [silent, other] = [randomUUID(), randomUUID()]
  await insertDueTokens(silent, 100, 60_000)
  await insertDueTokens(other, 40, 1_000)
  const answered = Promise.withResolvers<undefined>()
  const begun: string[] = []
  const of = (service: string) => begun.filter((each) => each === service).length
  const round = processDueRows(world, 'payment_service_tokens', {
    leaseUntil,
    processRow: async ({ payment_service_id: service }) => {
      begun.push(service)
      if (service === silent) await answered.promise
    },
  })
  await expect.poll(() => of(other)).toBe(40)
  expect(of(silent)).toBeLessThan(50)
  answered.resolve(undefined)
  expect(await round).toBe(140)
  expect(of(silent)).toBe(100)
})

test('a token service that does not answer delays no tokens of payment services', async () => {
  await shop.post(`/payment-methods/${method}/network-tokens`, {
    merchant_initiated: false,
    is_subsequent_payment: false,
  })
  const dueSince = new Date(world.clock.now() - 1_000).toISOString()
  await world.db.updateTable('network_tokens').set({ check_at: dueSince }).execute()
  const asked = Promise.withResolvers<undefined>()
  const answered = Promise.withResolvers<undefined>()
  const processed = Promise.withResolvers<undefined>()
  const often = { ...world, settings: { ...world.settings, recoveryInterval: 10 } }
  const tasks = startBackgroundTasks(often, [
    (_, round) =>
      processDueRows(
        world,
        'network_tokens',
        {
          leaseUntil,
          processRow: () => {
            asked.resolve(undefined)
            return answered.promise
          },
        },
        round,
      ),
    (_, round) =>
      processDueRows(
        world,
        'payment_service_tokens',
        { leaseUntil, processRow: async () => processed.resolve(undefined) },
        round,
      ),
  ])
  await asked.promise
  await insertDueTokens(randomUUID(), 1, 1_000)
  await processed.promise
  answered.resolve(undefined)
  await tasks.stop()
})

test('a row that was claimed by processes that died is tried again soon', async () => {
  const askedOf = () => world.db.selectFrom('payment_service_tokens').selectAll().where('id', '=', token.id)
  await injectFaults(railyard, { operation: 'tokenize', kind: 'lost', times: 2 })
  const { body: token } = await shop.post(`/payment-methods/${method}/payment-service-tokens`, {
    payment_service_id: tokenizer,
    redirect_url: 'https://shop.example',
  })
  expect(token.status).toBe('processing')
  for (let deaths = 0; deaths < 8; deaths += 1) {
    railyard.clock.advance(30_000)
    const claimed = Promise.withResolvers<undefined>()
    // the process dies before the payment service answers
    void processDueRows(world, 'payment_service_tokens', {
      leaseUntil,
      processRow: () => {
        claimed.resolve(undefined)
        return new Promise(() => undefined)
      },
    })
    await claimed.promise
  }
  railyard.clock.advance(30_000)
  expect(await processDueServiceTokens(world)).toBe(1)
  const { status, check_at: checkAt } = await askedOf().executeTakeFirstOrThrow()
  expect(status).toBe('processing')
  expect(Date.parse(checkAt ?? '') - world.clock.now()).toBeLessThanOrEqual(2_000)
  railyard.clock.advance(2_000)
  expect(await processDueServiceTokens(world)).toBe(1)
  expect(await askedOf().executeTakeFirst()).toMatchObject({ status: 'succeeded', check_at: null })
})
