import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { goTo, startWalletShop } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { declinedAmounts, failedAmounts } from '../../sandbox/core/amounts.ts'

const { railyard, shop, wire } = await startWalletShop({
  // the notifications of a hundred payments would only disturb the test
  fields: { webhook_id: undefined },
})
afterEach(() => expectBooksMatch(railyard, shop.account))
afterAll(() => expect(wire.calls).toBeGreaterThan(300))

/**
 * Codes that the wallet cannot express, with the nearest that it has. It knows no taxes and no billing
 * address, and of countries it says only that a value is wrong.
 */
const nearest: Readonly<Record<string, string>> = {
  invalid_billing_address: 'invalid_request_parameters',
  invalid_tax_identifier: 'invalid_request_parameters',
  missing_billing_address: 'invalid_service_request',
  missing_shipping_address: 'invalid_service_request',
  missing_tax_identifier: 'invalid_service_request',
  refund_period_expired: 'unexpected_state',
  unrecognised_country: 'invalid_request_parameters',
  unrecognised_currency: 'unsupported_currency',
  unsupported_country: 'invalid_request_parameters',
}

const rows = [...declinedAmounts, ...failedAmounts].map(([amount, code]) => ({
  amount,
  code,
  expected: nearest[code] ?? code,
}))

describe.each(['authorize', 'capture'])('with the intent %s', (intent) => {
  test.each(rows)('the amount $amount ends with $expected', async ({ amount, expected }) => {
    const payment = await shop.asked(amount, { intent })
    const { location } = await goTo(await payment.buyer.approve())
    expect(location.searchParams.get('svc_transaction_status')).toBe('authorization_failed')
    expect(await payment.read()).toMatchObject({
      status: 'authorization_failed',
      intent_outcome: 'failed',
      error_code: expected,
      authorized_amount: 0,
      captured_amount: 0,
      raw_response_code: expect.stringMatching(/./),
    })
  })

  test('the amount 540001 is pending until it is synced', async () => {
    const payment = await shop.asked(540001, { intent })
    await goTo(await payment.buyer.approve())
    expect((await payment.read()).status).toBe(intent === 'capture' ? 'capture_pending' : 'processing')
    await payment.sync()
    await payment.sync()
    expect((await payment.read()).status).toBe(
      intent === 'capture' ? 'capture_succeeded' : 'authorization_succeeded',
    )
  })
})

describe('later operations', () => {
  // the wallet cannot express a network error of a void: it answers that the request was wrong; and an issuer
  // does not decide on voids
  test.each([
    [500001, 'service_network_error', 'failed'],
    [500002, 'refused_transaction', 'declined'],
  ])('a capture of %i: %s', async (amount, code, status) => {
    const payment = await shop.authorized(amount)
    await payment.capture()
    expect(await payment.captures()).toMatchObject([{ status, error_code: code, amount }])
    expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded', captured_amount: 0 })
  })

  test.each([
    [510001, 'invalid_service_request'],
    [510002, 'refused_transaction'],
  ])('a void of %i: %s', async (amount, code) => {
    const payment = await shop.authorized(amount)
    const { body } = await payment.void({ prefer: 'resource=transaction-void' })
    expect(body).toMatchObject({ code })
    expect((await payment.read()).status).toBe('authorization_succeeded')
  })

  test.each([
    [520001, 'disputed_transaction', 'failed'],
    [520002, 'issuer_decline', 'declined'],
    [520003, 'service_error', 'failed'],
    [520004, 'refund_already_satisfied', 'failed'],
  ])('a refund of %i: %s', async (amount, code, status) => {
    const payment = await shop.sold(amount)
    expect((await payment.refund()).body).toMatchObject({ status, error_code: code })
    expect((await payment.read()).refunded_amount).toBe(0)
  })

  test.each([
    ['capture', 500003, 'capture_succeeded'],
    ['void', 510003, 'authorization_voided'],
  ] as const)('a sync finds the outcome of a pending %s', async (action, amount, status) => {
    const payment = await shop.authorized(amount)
    expect((await payment[action]()).body.status).toMatch(/_pending$/)
    await payment.sync()
    await payment.sync()
    expect((await payment.read()).status).toBe(status)
  })

  test('a sync finds the outcome of a pending refund', async () => {
    const payment = await shop.sold(520005)
    expect((await payment.refund()).body.status).toBe('processing')
    await payment.sync()
    await payment.sync()
    expect((await payment.read()).refunded_amount).toBe(520005)
  })
})
