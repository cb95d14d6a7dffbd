import { expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

test('answers have their times in the form of the API, whatever form the server writes times in', async () => {
  const postgres = await startOwnPostgres({ settings: ['fsync=off', 'datestyle=German'] })
  onTestFinished(postgres.close)
  const railyard = await startTestRailyard({ DATABASE_URL: postgres.url })
  onTestFinished(railyard.close)
  const shop = await openShop(railyard)
  const { body: buyer } = await shop.post('/buyers', { display_name: 'Ada Lovelace' })
  const { created_at } = (await shop.get(`/buyers/${buyer.id}`)).body
  expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
  expect(Math.abs(Date.parse(created_at) - railyard.clock.now())).toBeLessThan(60_000)
})
