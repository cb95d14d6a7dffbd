import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

/** The URL of a server with this setting. */
async function serverWith(setting: string): Promise<string> {
  const postgres = await startOwnPostgres({ settings: ['fsync=off', setting] })
  onTestFinished(postgres.close)
  return postgres.url
}

/** A shop on a server with this setting. */
async function shopOn(setting: string) {
  const railyard = await startTestRailyard({ DATABASE_URL: await serverWith(setting) })
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

test('the clock is the server’s, whatever precision the server shows', async () => {
  const url = await serverWith('extra_float_digits=-15')
  const { time, close } = await openDatabase(readSettings({ DATABASE_URL: url }))
  onTestFinished(close)
  // the listener asks for the time twice a second
  await wait(1_200)
  expect(Math.abs(time.skew())).toBeLessThan(1_000)
})

test('an idle connection stays open, whatever the server does with idle sessions', async () => {
  const url = await serverWith('idle_session_timeout=100')
  const { run, close } = await openDatabase(readSettings({ DATABASE_URL: url, DATABASE_POOL_SIZE: '1' }))
  onTestFinished(close)
  const session = () => run('select pg_backend_pid() as pid', [])
  const before = await session()
  await wait(400)
  expect(await session()).toEqual(before)
})
