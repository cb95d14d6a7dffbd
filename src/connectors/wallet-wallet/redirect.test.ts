import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import {
  buyerAt,
  goTo,
  openWalletShop,
  pageOf,
  startWalletShop,
  walletService,
} from '../../../test/support/domains/wallet.ts'
import { booksOf, expectBooksMatch, recoverFully } from '../../../test/support/provider.ts'

const { railyard, shop, wire } = await startWalletShop({ env: { RECOVERY_INTERVAL_MS: '50' } })
afterEach(async () => {
  await expectBooksMatch(railyard, shop.account)
})
afterAll(() => expect(wire.calls).toBeGreaterThan(20))

/** Waits for the status: notifications and browsers are asynchronous. */
const becomes = (read: () => Promise<{ status: string }>, status: string) =>
  vi.waitFor(async () => expect((await read()).status).toBe(status), { timeout: 5_000, interval: 20 })

describe('a buyer who is redirected to the wallet', () => {
  test('approves, comes back to the shop, and the payment is authorized', async () => {
    const payment = await shop.asked(42_00)
    expect(payment.created).toMatchObject({
      status: 'buyer_approval_pending',
      session_token: null,
      payment_method: {
        method: 'wallet',
        mode: 'redirect',
        approval_url: expect.stringMatching(/\/wallet\/.+\/checkout\/[A-Z0-9]{17}$/),
      },
    })
    const back = await goTo(await payment.buyer.approve())
    expect(back.status).toBe(303)
    expect(back.location.origin + back.location.pathname).toBe('https://shop.example/return')
    expect(Object.fromEntries(back.location.searchParams)).toEqual({
      order: '7',
      svc_transaction_id: payment.id,
      svc_transaction_status: 'authorization_succeeded',
    })
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      authorized_amount: 42_00,
      captured_amount: 0,
      payment_method: { approval_url: null },
      additional_identifiers: {
        payment_service_order_id: payment.created.payment_service_transaction_id,
        payment_service_authorization_id: expect.stringMatching(/^[A-Z0-9]{17}$/),
        payer_id: 'QYR5Z8XDVJNXQ',
        payer_email: 'robin.buyer@example.com',
      },
    })
  })

  test('pays at once if the intent is capture', async () => {
    const payment = await shop.sold(42_00)
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 42_00,
      additional_identifiers: { payment_service_capture_id: expect.stringMatching(/^[A-Z0-9]{17}$/) },
    })
  })

  test.each([
    ['authorize', 'PAYER_CANNOT_PAY'],
    ['capture', 'INSTRUMENT_DECLINED'],
  ])('whose funding source is refused has not paid (intent %s)', async (intent, issue) => {
    const payment = await shop.asked(42_00, { intent })
    const back = await goTo(await payment.buyer.decline())
    expect(back.location.searchParams.get('svc_transaction_status')).toBe('authorization_failed')
    expect(await payment.read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'issuer_decline',
      raw_response_code: issue,
    })
  })

  test('who cancels has not paid, and an approval after that is never completed', async () => {
    const payment = await shop.asked(42_00)
    const back = await goTo(await payment.buyer.cancel())
    expect(back.location.searchParams.get('svc_transaction_status')).toBe('authorization_failed')
    await goTo(await payment.buyer.approve())
    await recoverFully(railyard)
    expect(await payment.read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'cancelled_buyer_approval',
      authorized_amount: 0,
    })
    expect((await booksOf(railyard)).payments.map(({ payment_id }) => payment_id)).not.toContain(
      payment.created.payment_service_transaction_id,
    )
  })

  test('who returns without an approval can still approve', async () => {
    const payment = await shop.asked(42_00)
    const returnUrl = (await payment.buyer.cancel()).replace('/cancelled', '/approved')
    const back = await goTo(returnUrl)
    expect(back.location.searchParams.get('svc_transaction_status')).toBe('buyer_approval_pending')
    await goTo(await payment.buyer.approve())
    expect((await payment.read()).status).toBe('authorization_succeeded')
  })

  test('who returns twice, or with a prefetched link, pays once', async () => {
    const payment = await shop.asked(42_00)
    const back = await payment.buyer.approve()
    await Promise.all(Array.from({ length: 10 }, () => goTo(back)))
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      authorized_amount: 42_00,
    })
  })

  test('and never returns has paid when the notification arrives', async () => {
    const payment = await shop.asked(42_00)
    await payment.buyer.approve()
    await becomes(async () => {
      await railyard.recovery.runOnce()
      return payment.read()
    }, 'authorization_succeeded')
  })

  test('and never returns has paid even if the notification is lost', async () => {
    const silent = await openWalletShop(railyard, { webhook_id: undefined })
    const payment = await silent.asked(42_00)
    await payment.buyer.approve()
    await railyard.recovery.runOnce()
    expect((await payment.read()).status).toBe('buyer_approval_pending')
    railyard.clock.advance(11 * 60_000)
    await becomes(async () => {
      await railyard.recovery.runOnce()
      return payment.read()
    }, 'authorization_succeeded')
    await expectBooksMatch(railyard, silent.account)
  })

  test('has an hour; then the payment fails, and a later approval is never completed', async () => {
    const payment = await shop.asked(42_00)
    railyard.clock.advance(61 * 60_000)
    await becomes(async () => {
      await railyard.recovery.runOnce()
      return payment.read()
    }, 'authorization_failed')
    expect(await payment.read()).toMatchObject({
      error_code: 'incomplete_buyer_approval',
      buyer_approval_timedout_at: expect.any(String),
    })
    await goTo(await payment.buyer.approve())
    await recoverFully(railyard)
    expect((await payment.read()).status).toBe('authorization_failed')
  })

  test('may get another time limit from the merchant, at most six hours', async () => {
    const inHours = (hours: number) => new Date(railyard.clock.now() + hours * 3_600_000).toISOString()
    expect(await shop.ask(42_00, { approval_expires_at: inHours(7) })).toMatchObject({ status: 400 })
    expect(await shop.ask(42_00, { approval_expires_at: inHours(5) })).toMatchObject({ status: 201 })
  })

  test('cannot complete a payment that the merchant has cancelled', async () => {
    const payment = await shop.asked(42_00)
    expect(await payment.cancel()).toMatchObject({ status: 200 })
    await goTo(await payment.buyer.approve())
    await recoverFully(railyard)
    expect(await payment.read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'canceled',
      authorized_amount: 0,
    })
  })

  test('approves at another wallet account if the first refuses our credentials', async () => {
    const refused = await openWalletShop(railyard, { client_secret: 'invalid' })
    const header = { 'x-svc-merchant-account-id': refused.account }
    const second = await railyard.admin.post(
      '/payment-services',
      walletService({ display_name: 'Second wallet' }),
      header,
    )
    const { body } = await refused.ask(42_00)
    expect(body).toMatchObject({ status: 'buyer_approval_pending', payment_service: { id: second.body.id } })
    const buyer = buyerAt(pageOf(railyard, second.body.id, body.payment_service_transaction_id))
    await goTo(await buyer.approve())
    expect((await refused.payment(body.id).read()).status).toBe('authorization_succeeded')
    await expectBooksMatch(railyard, refused.account)
  })
})
