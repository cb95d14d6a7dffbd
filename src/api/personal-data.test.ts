import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addAntiFraudService } from '../../test/anti-fraud.ts'
import { openBnplShop } from '../../test/bnpl.ts'
import { payoutOf } from '../../test/payouts.ts'
import { person } from '../../test/people.ts'
import { card, startTestRailyard, type TestRailyard } from '../../test/railyard.ts'
import { openSecureShop, scenario, secured } from '../../test/secure-shop.ts'
import { goTo, openWalletShop } from '../../test/wallet.ts'
import { withoutPersonalData } from './personal-data.ts'

let railyard: TestRailyard
beforeAll(async () => {
  railyard = await startTestRailyard()
})
afterAll(() => railyard.close())

const MARK = 'Lovelace'
const billing_details = { first_name: 'Ada', last_name: MARK, email_address: `${MARK}@example.com`, address: { city: MARK, country: 'GB' } }

test('people without the scope for it see buyers and payments, and not who the buyers are', async () => {
  const merchant = await railyard.merchant()
  const buyer = (await merchant.post('/buyers', { display_name: 'Customer 7', billing_details })).body
  await merchant.post(`/buyers/${buyer.id}/shipping-details`, { first_name: 'Ada', last_name: MARK, address: { city: MARK } })
  await merchant.post('/payment-methods', { ...card, buyer_id: buyer.id })
  const paid = (await merchant.post('/transactions', { amount: 10_00, currency: 'EUR', payment_method: card, buyer: { billing_details } })).body
  const payout = (await merchant.post('/payouts', payoutOf(merchant.paymentServiceId, { buyer: { billing_details } }))).body
  const paths = [
    '/buyers',
    `/buyers/${buyer.id}`,
    `/buyers/${buyer.id}/shipping-details`,
    '/payment-methods',
    '/transactions',
    `/transactions/${paid.id}`,
    `/transactions/${paid.id}/events`,
    '/payouts',
    `/payouts/${payout.id}`,
  ]
  const marked = async (roles: string[]) => {
    const reader = await person(railyard, { roles, merchantAccounts: [merchant.account] })
    const answers = await Promise.all(paths.map((path) => reader.get(path)))
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
    return answers.filter(({ body }) => JSON.stringify(body).includes(MARK)).length
  }
  expect(await marked(['analyst'])).toBe(0)
  expect(await marked(['customer-support'])).toBe(0)
  expect(await marked(['analyst', 'pii-viewer'])).toBeGreaterThanOrEqual(7)
  expect((await merchant.get(`/buyers/${buyer.id}`)).body.billing_details.last_name).toBe(MARK)
})

describe('nor what others were asked and answered about their payments', () => {
  const address = { line1: `1 ${MARK} Street`, city: MARK, country: 'DE', postal_code: '10115' }
  const buyer = { billing_details: { ...billing_details, address }, shipping_details: { first_name: 'Ada', last_name: MARK, address } }
  const shown = async (account: string, id: string, roles: string[]) => {
    const reader = await person(railyard, { roles, merchantAccounts: [account] })
    const answers = await Promise.all([`/transactions/${id}`, `/transactions/${id}/events`].map((path) => reader.get(path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    return JSON.stringify(answers.map(({ body }) => body))
  }

  test('by a service to pay later', async () => {
    const shop = await openBnplShop(railyard)
    const id = await shop.paidOnPage(10_00, { buyer })
    expect(await shown(shop.account, id, ['customer-support'])).not.toContain(MARK)
    expect(await shown(shop.account, id, ['customer-support', 'pii-viewer'])).toContain(MARK)
  })

  test('by a wallet, which knows who pays', async () => {
    const shop = await openWalletShop(railyard)
    const payment = await shop.asked(10_00, { buyer })
    await goTo(await payment.buyer.approve())
    const { payer_email: email } = (await payment.read()).additional_identifiers
    const text = await shown(shop.account, payment.id, ['customer-support'])
    expect([MARK, email].filter((told) => text.includes(told))).toEqual([])
  })

  test('by an anti-fraud service and the card’s issuer', async () => {
    const shop = await openSecureShop(railyard)
    await addAntiFraudService(railyard, shop)
    await scenario(railyard, shop, 12_00, 'Y')
    const { body } = await shop.pay(12_00, { ...secured(), buyer })
    expect(body.status).toBe('authorization_succeeded')
    expect(await shown(shop.account, body.id, ['customer-support'])).not.toContain(MARK)
  })
})

test('what is no personal data stays as it is', () => {
  const given = { type: 'transaction', amount: 1, nested: [{ first_name: 'kept' }], billing_details: { last_name: 'x' } }
  expect(withoutPersonalData(given)).toEqual({ ...given, billing_details: null })
})
