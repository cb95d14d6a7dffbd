import { expect, onTestFinished, test } from 'vitest'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'

test('the timeline has its lines and calls, whatever form the server writes bytes in', async () => {
  const postgres = await startOwnPostgres({ settings: ['fsync=off', 'bytea_output=escape'] })
  onTestFinished(postgres.close)
  const railyard = await startTestRailyard({ DATABASE_URL: postgres.url })
  onTestFinished(railyard.close)
  const shop = await openShop(railyard)
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
