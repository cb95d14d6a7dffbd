import { expect, test } from 'vitest'
import { expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile({ RECOVERY_INTERVAL_MS: '50' })

/** A busy machine may refuse the request with 503 and `Retry-After`; a client sends it again. */
async function advance(shop: Shop, by: string): Promise<void> {
  const send = async () => (await shop.post('/sandbox/clock/advance', { by })).status
  let status = await send()
  while (status === 503) status = await send()
  expect(status).toBe(200)
}

test('advancing a clock during a request to the payment service neither pays twice nor loses a payment', async () => {
  const shop = await openShop(railyard)
  const [first, second, third] = [
    await shop.authorized(20_00),
    await shop.sold(30_00),
    await shop.authorized(40_00),
  ]
  const service = { payment_service_id: shop.paymentServiceId }
  await injectFaults(
    railyard,
    ...(['authorize', 'sale', 'capture', 'refund', 'void'] as const).flatMap((operation) => [
      { ...service, operation, kind: 'delay' as const, delay_ms: 600, times: 2 },
      { ...service, operation, kind: 'lost' as const, times: 1 },
    ]),
  )
  const asked = [
    ...[11_00, 12_00, 13_00, 14_00].map((amount) => shop.pay(amount)),
    ...[15_00, 16_00, 17_00, 18_00].map((amount) => shop.pay(amount, { intent: 'capture' })),
    first.capture({ amount: 20_00 }),
    second.refund({ amount: 10_00 }),
    second.refund({ amount: 20_00 }),
    second.refund({ amount: 30_00 }),
    third.void(),
  ]
  await Promise.all([advance(shop, 'PT1H'), advance(shop, 'P1D'), advance(shop, 'P30D')])
  await advance(shop, 'PT1M')
  for (const { status } of await Promise.all(asked)) expect([200, 201, 400, 425, 504]).toContain(status)
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})
