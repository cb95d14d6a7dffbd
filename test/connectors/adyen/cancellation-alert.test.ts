import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openAdyenShopForFile, openIdealShopForFile } from './shop.ts'

const cards = await openAdyenShopForFile()
const ideal = await openIdealShopForFile()

const GAUGE = 'railyard_cancellations_pending_age_seconds'
const HOUR_MS = 3_600_000
const DAY_SECONDS = 86_400

async function pendingSeconds({ adyen }: typeof cards): Promise<number> {
  // gauges from the database are cached for a few seconds
  adyen.advance(6_000)
  const { body } = await adyen.railyard.send('GET', '/metrics')
  return Number(new RegExp(`^${GAUGE} (\\S+)`, 'm').exec(`${body}`)?.[1])
}

test('a void whose webhook does not come is told after a day, and no more once it has come', async () => {
  const { adyen } = cards
  const payment = await adyen.shop.authorized(10_00, adyen.payment)
  await adyen.deliver()
  expect(await pendingSeconds(cards)).toBe(0)
  await payment.void()
  adyen.advance(25 * HOUR_MS)
  await adyen.railyard.recovery.runOnce()
  expect(await payment.read()).toMatchObject({ status: 'authorization_void_pending' })
  expect(await pendingSeconds(cards)).toBeGreaterThan(DAY_SECONDS)
  const alerts = readFileSync('docs/operations/alerts.yml', 'utf8')
  expect(alerts).toContain(`max(${GAUGE}{job="railyard"}) > ${DAY_SECONDS}`)

  await adyen.deliver()
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'authorization_voided' })
  expect(await pendingSeconds(cards)).toBe(0)
})

test('a capture that is pending for days is not told', async () => {
  const { adyen } = cards
  const payment = await adyen.shop.authorized(10_00, adyen.payment)
  await adyen.deliver()
  await payment.capture()
  adyen.advance(25 * HOUR_MS)
  expect(await payment.read()).toMatchObject({ status: 'capture_pending' })
  expect(await pendingSeconds(cards)).toBe(0)
  await adyen.deliver()
})

test('a session that is being closed is told after a day, if the webhook of its cancellation does not come', async () => {
  const { adyen } = ideal
  const payment = await adyen.shop.sold(10_00, {
    country: 'NL',
    payment_method: {
      method: 'ideal',
      country: 'NL',
      currency: 'EUR',
      redirect_url: 'https://shop.example/back',
    },
  })
  expect(await pendingSeconds(ideal)).toBe(0)
  adyen.advance(25 * HOUR_MS)
  await adyen.railyard.recovery.runOnce()
  expect(await payment.read()).toMatchObject({ status: 'buyer_approval_pending' })
  expect(await pendingSeconds(ideal)).toBeGreaterThan(DAY_SECONDS)
  await adyen.settle()
  adyen.advance(16 * 60_000)
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed' })
  expect(await pendingSeconds(ideal)).toBe(0)
})
