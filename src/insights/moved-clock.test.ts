import { expect, test } from 'vitest'
import { updateInsights } from '../../test/support/insights.ts'
import { injectFaults } from '../../test/support/provider.ts'
import { openShop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '20000' })

test('a payment that is under way while the clock is moved counts with its outcome', async () => {
  const shop = await openShop(railyard)
  const service = { payment_service_id: shop.paymentServiceId }
  await injectFaults(
    railyard,
    { ...service, operation: 'authorize', kind: 'delay', delay_ms: 4_000 },
    { ...service, operation: 'close', kind: 'error' },
  )
  const paying = shop.pay(7_00)
  await expect.poll(async () => (await shop.get('/transactions')).body.items.length).toBe(1)
  expect((await shop.post('/sandbox/clock/advance', { by: 'PT1H' })).status).toBe(200)
  await updateInsights(railyard)
  expect(await paying).toMatchObject({ status: 201, body: { status: 'authorization_succeeded' } })
  const { body } = await shop.get(
    '/metrics-explorer/authorization/metrics/transactions/modules/authorized?datetime_range=P2D/hour_end',
  )
  expect(body).toMatchObject([{ key: '1', value: 1 }])
})
