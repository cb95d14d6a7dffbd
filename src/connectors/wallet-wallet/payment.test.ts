import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { goTo, redirected, startWalletShop } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch, injectFaults } from '../../../test/support/provider.ts'
import { invalidFields } from '../../../test/support/shop.ts'

const { railyard, shop, wire } = await startWalletShop({ env: { RECOVERY_INTERVAL_MS: '50' } })
afterEach(async () => {
  await injectFaults(railyard)
  await expectBooksMatch(railyard, shop.account)
})
afterAll(() => expect(wire.calls).toBeGreaterThan(20))

describe('an authorized payment', () => {
  test('is captured in full', async () => {
    const payment = await shop.authorized(30_00)
    expect((await payment.capture()).body).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 30_00,
    })
  })

  test('is captured in part, once: the rest is released', async () => {
    const payment = await shop.authorized(30_00)
    expect((await payment.capture({ amount: 20_00 })).body).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 20_00,
    })
    expect(await payment.capture()).toMatchObject({ status: 400 })
  })

  test('is not captured above the authorized amount', async () => {
    const payment = await shop.authorized(30_00)
    expect(await payment.capture({ amount: 30_01 })).toMatchObject(invalidFields('/amount'))
  })

  test('is voided', async () => {
    const payment = await shop.authorized(30_00)
    expect((await payment.void()).body.status).toBe('authorization_voided')
    expect(await payment.capture()).toMatchObject({ status: 400 })
  })

  test('is not incremented', async () => {
    const payment = await shop.authorized(30_00)
    expect(await payment.increment(1_00)).toMatchObject({ status: 400 })
  })
})

describe('a captured payment', () => {
  test('is refunded in parts, never beyond what was captured', async () => {
    const payment = await shop.authorized(30_00)
    await payment.capture({ amount: 20_00 })
    expect(await payment.refund({ amount: 5_00 })).toMatchObject({
      status: 201,
      body: { status: 'succeeded', amount: 5_00 },
    })
    expect(await payment.refund({ amount: 15_01 })).toMatchObject(invalidFields('/amount'))
    expect(await payment.refund()).toMatchObject({
      status: 201,
      body: { status: 'succeeded', amount: 15_00 },
    })
    expect(await payment.read()).toMatchObject({ refunded_amount: 20_00, status: 'capture_succeeded' })
  })

  test('that was a sale is refunded, too', async () => {
    const payment = await shop.sold(30_00)
    expect((await payment.refundAll()).status).toBe(201)
    expect((await payment.read()).refunded_amount).toBe(30_00)
  })

  test('with two concurrent refunds that exceed the capture: one succeeds, the other fails with the reason', async () => {
    const payment = await shop.sold(100_00)
    const answers = await Promise.all([payment.refund({ amount: 60_00 }), payment.refund({ amount: 60_00 })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expect((await payment.read()).refunded_amount).toBe(60_00)
  })
})

describe('a payment that is canceled', () => {
  test('while its authorization is pending is voided at the wallet', async () => {
    const payment = await shop.asked(540001)
    await goTo(await payment.buyer.approve())
    expect((await payment.read()).status).toBe('processing')
    expect((await payment.cancel()).body).toMatchObject({ status: 'succeeded' })
    expect(await payment.read()).toMatchObject({ status: 'authorization_failed', error_code: 'canceled' })
    await payment.sync()
    expect(await payment.read()).toMatchObject({ status: 'authorization_failed', authorized_amount: 0 })
  })

  test('while its authorization is in flight stays: the merchant gets an error', async () => {
    const payment = await shop.asked(30_00)
    await injectFaults(railyard, { operation: 'authorize', kind: 'delay', delay_ms: 300 })
    const returned = goTo(await payment.buyer.approve())
    await expect.poll(async () => (await payment.read()).status, { interval: 5 }).toBe('processing')
    expect(await payment.cancel()).toMatchObject({ status: 425 })
    await returned
    await expect.poll(async () => (await payment.read()).status).toBe('authorization_succeeded')
  })
})

test.each([
  ['JPY', 5_000],
  ['USD', 1_05],
  ['EUR', 7],
  ['HUF', 1_000_00],
])('an amount in %s is the same amount at the wallet (%i)', async (currency, amount) => {
  const payment = await shop.asked(amount, { currency, payment_method: { ...redirected, currency } })
  await goTo(await payment.buyer.approve())
  await payment.capture()
  await payment.refund()
  expect(await payment.read()).toMatchObject({ captured_amount: amount, refunded_amount: amount, currency })
})

test('refuses an amount with decimals that the wallet does not accept, and sends nothing', async () => {
  const before = wire.calls
  expect(
    await shop.ask(1_000_50, { currency: 'HUF', payment_method: { ...redirected, currency: 'HUF' } }),
  ).toMatchObject(invalidFields('/amount'))
  expect(wire.calls).toBe(before)
})
