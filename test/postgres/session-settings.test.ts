import { expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

/** A shop on a server with this setting. */
async function shopOn(setting: string) {
  const postgres = await startOwnPostgres({ settings: ['fsync=off', setting] })
  onTestFinished(postgres.close)
  const railyard = await startTestRailyard({ DATABASE_URL: postgres.url })
  onTestFinished(railyard.close)
  return { railyard, shop: await openShop(railyard) }
}

test('the timeline has its lines and calls, whatever form the server writes bytes in', async () => {
  const { shop } = await shopOn('bytea_output=escape')
  const payment = await shop.authorized(10_00)
  expect(await payment.timeline()).toEqual(
    expect.arrayContaining([
      'transaction-api-request',
      'payment-connector-external-transaction-request',
      'payment-connector-response-transaction-authorization-succeeded',
      'transaction-updated-status',
    ]),
  )
})

test('answers have their times in the form of the API, whatever form the server writes times in', async () => {
  const { railyard, shop } = await shopOn('datestyle=German')
  const { body: buyer } = await shop.post('/buyers', { display_name: 'Ada Lovelace' })
  const { created_at } = (await shop.get(`/buyers/${buyer.id}`)).body
  expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
  expect(Math.abs(Date.parse(created_at) - railyard.clock.now())).toBeLessThan(60_000)
})

test('numbers are read as they were written, whatever precision the server shows', async () => {
  const { railyard } = await shopOn('extra_float_digits=-5')
  const [row] = await railyard.world.run<{ rate: number }>(
    'select 1.0987654321098765::double precision as rate',
    [],
  )
  expect(row?.rate).toBe(1.0987654321098765)
})
