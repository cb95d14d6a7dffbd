import { afterAll, afterEach, expect, test } from 'vitest'
import { startRailyard } from '../../src/process/railyard.ts'
import { expectBooksMatch, injectFaults, recoverFully } from '../support/provider.ts'
import { addService, openShop, type Shop } from '../support/shop.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

const shops: Shop[] = []
// Two servers on one PostgreSQL: what one finds out of a payment service, both act upon.
const first = await startRailyardForFile()
const second = await startRailyard(
  { ...first.world.settings, sandboxUrl: first.simulatorUrl },
  { clock: first.clock, log: first.world.log, inMemory: true },
)
// from here on circuits are looked at when a test says so
await Promise.all([first.health.stop(), second.health.stop()])
afterEach(() => injectFaults(first))
afterAll(async () => {
  await recoverFully(first)
  for (const shop of shops) await expectBooksMatch(first, shop.account)
  await second.close()
})

async function openPair() {
  const shop = await openShop(first)
  shops.push(shop)
  return { ...shop, preferred: shop.paymentServiceId, other: await addService(first, shop) }
}

/** Who carried a payment that the second server was asked for, or an error in its place. */
async function carriedBySecond(
  { token, account }: Shop,
  more: Record<string, unknown> = {},
): Promise<string> {
  const payment_method = {
    method: 'card',
    number: '4111111111111111',
    expiration_date: '12/35',
    security_code: '123',
  }
  const answer = await fetch(`${second.url}/transactions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'x-svc-merchant-account-id': account,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ amount: 10_00, currency: 'EUR', payment_method, ...more }),
  })
  const { payment_service } = (await answer.json()) as { payment_service: { id: string } }
  return payment_service.id
}
const carriedByFirst = async (shop: Shop): Promise<string> => (await shop.pay(10_00)).body.payment_service.id

const stateOf = async (shop: Shop, service: string) =>
  (await shop.get(`/payment-services/${service}/health`)).body.state
const eventsOf = async (shop: Shop) => {
  const rows = await first.world.run<{ name: string }>(
    `select name from events where merchant_account_id = $1 and name like 'payment-service.%' order by id`,
    [shop.account],
  )
  return rows.map(({ name }) => name)
}
const lookAtBoth = () => Promise.all([first.health.runOnce(), second.health.runOnce()])

test('both servers avoid a payment service that one finds failing, and three good probes over both bring all payments back', async () => {
  const shop = await openPair()
  expect(await carriedBySecond(shop)).toBe(shop.preferred)
  await injectFaults(first, { operation: '*', kind: 'reset', payment_service_id: shop.preferred })
  await Promise.all(Array.from({ length: 5 }, () => shop.pay(10_00)))
  await first.health.runOnce()
  await injectFaults(first)
  await expect.poll(() => carriedBySecond(shop)).toBe(shop.other)
  first.clock.advance(15_000)
  for (const pay of [carriedBySecond, carriedByFirst, carriedBySecond]) {
    expect(await pay(shop)).toBe(shop.preferred)
    await lookAtBoth()
    first.clock.advance(1_000)
  }
  expect(await stateOf(shop, shop.preferred)).toBe('closed')
  expect(await eventsOf(shop)).toEqual(['payment-service.unhealthy', 'payment-service.healthy'])
  await expect
    .poll(async () => [await carriedByFirst(shop), await carriedBySecond(shop)])
    .toEqual([shop.preferred, shop.preferred])
})

test('calls count over both servers, and a circuit opens once although both see it', async () => {
  const shop = await openPair()
  for (let index = 0; index < 5; index++)
    for (const amount of [10_00, 3000_13]) {
      await shop.pay(amount, { payment_service_id: shop.preferred })
      await carriedBySecond(shop, { amount, payment_service_id: shop.preferred })
    }
  await lookAtBoth()
  // the process that was first may not have seen the other's calls; it does with its next
  await Promise.all([
    shop.pay(3000_13, { payment_service_id: shop.preferred }),
    carriedBySecond(shop, { amount: 3000_13, payment_service_id: shop.preferred }),
  ])
  await lookAtBoth()
  expect(await stateOf(shop, shop.preferred)).toBe('open')
  expect((await shop.get(`/payment-services/${shop.preferred}/health`)).body.window).toMatchObject({
    calls: 22,
    failed: 12,
  })
  expect(await eventsOf(shop)).toEqual(['payment-service.unhealthy'])
})

test('of forty concurrent payments over both servers one probes a half-open circuit', async () => {
  const shop = await openPair()
  await injectFaults(first, { operation: '*', kind: 'reset', payment_service_id: shop.preferred })
  await Promise.all(Array.from({ length: 5 }, () => shop.pay(10_00)))
  await first.health.runOnce()
  await injectFaults(first)
  await expect.poll(() => carriedBySecond(shop)).toBe(shop.other)
  first.clock.advance(15_000)
  const carriers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0 ? carriedByFirst(shop) : carriedBySecond(shop),
    ),
  )
  expect(carriers.filter((carrier) => carrier === shop.preferred)).toHaveLength(1)
})
