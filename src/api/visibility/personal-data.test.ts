import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { addAntiFraudService } from '../../../test/support/domains/anti-fraud.ts'
import { openBnplShop } from '../../../test/support/domains/bnpl.ts'
import { payoutOf } from '../../../test/support/domains/payouts.ts'
import { authenticatedPayment, openSecureShop, scenario } from '../../../test/support/domains/secure-shop.ts'
import { goTo, openWalletShop } from '../../../test/support/domains/wallet.ts'
import { person } from '../../../test/support/people.ts'
import { card } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { Closed, Erasable, MapOf, Nullable, Personal } from '../schema.ts'
import { maskOf } from './personal-mask.ts'

const railyard = await startRailyardForFile()

const MARK = 'Lovelace'
const billing_details = {
  first_name: 'Ada',
  last_name: MARK,
  email_address: `${MARK}@example.com`,
  address: { city: MARK, country: 'GB' },
}

test('people without the scope for personal data see buyers and payments, and not who the buyers are', async () => {
  const merchant = await railyard.merchant()
  const buyer = (await merchant.post('/buyers', { display_name: 'Customer 7', billing_details })).body
  await merchant.post(`/buyers/${buyer.id}/shipping-details`, {
    first_name: 'Ada',
    last_name: MARK,
    address: { city: MARK },
  })
  await merchant.post('/payment-methods', { ...card, buyer_id: buyer.id })
  const paid = (
    await merchant.post('/transactions', {
      amount: 10_00,
      currency: 'EUR',
      payment_method: card,
      buyer: { billing_details },
    })
  ).body
  const payout = (
    await merchant.post('/payouts', payoutOf(merchant.paymentServiceId, { buyer: { billing_details } }))
  ).body
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

describe('people without the scope for personal data do not see it in the exchanges of a payment', () => {
  const address = { line1: `1 ${MARK} Street`, city: MARK, country: 'DE', postal_code: '10115' }
  const buyer = {
    billing_details: { ...billing_details, address },
    shipping_details: { first_name: 'Ada', last_name: MARK, address },
  }
  const shown = async (account: string, id: string, roles: string[]) => {
    const reader = await person(railyard, { roles, merchantAccounts: [account] })
    const answers = await Promise.all(
      [`/transactions/${id}`, `/transactions/${id}/events`].map((path) => reader.get(path)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    return JSON.stringify(answers.map(({ body }) => body))
  }

  test('with a pay-later service', async () => {
    const shop = await openBnplShop(railyard)
    const id = await shop.paidOnPage(10_00, { buyer })
    expect(await shown(shop.account, id, ['customer-support'])).not.toContain(MARK)
    expect(await shown(shop.account, id, ['customer-support', 'pii-viewer'])).toContain(MARK)
  })

  test('with a wallet, which knows who pays', async () => {
    const shop = await openWalletShop(railyard)
    const payment = await shop.asked(10_00, { buyer })
    await goTo(await payment.buyer.approve())
    const { payer_email: email } = (await payment.read()).additional_identifiers
    const text = await shown(shop.account, payment.id, ['customer-support'])
    expect([MARK, email].filter((secret) => text.includes(secret))).toEqual([])
  })

  test('with an anti-fraud service and the card’s issuer', async () => {
    const shop = await openSecureShop(railyard)
    await addAntiFraudService(railyard, shop)
    await scenario(railyard, shop, 12_00, 'Y')
    const { body } = await shop.pay(12_00, { ...authenticatedPayment(), buyer })
    expect(body.status).toBe('authorization_succeeded')
    expect(await shown(shop.account, body.id, ['customer-support'])).not.toContain(MARK)
  })
})

describe('a mask', () => {
  const Person = Closed('Person', {
    name: Personal(Nullable(Type.String())),
    note: Type.Optional(Erasable(Nullable(Type.String()))),
    age: Type.Integer(),
  })
  const hide = (schema: object) => maskOf(schema, ['restricted'])
  const erase = (schema: object) => maskOf(schema, ['restricted', 'erasable'])

  test('removes the members that a schema marks, on every level, and leaves the others', () => {
    const List = Type.Object({ items: Type.Array(Nullable(Person)), by: MapOf(Person) })
    const ada = { name: 'Ada', note: 'pays late', age: 36 }
    expect(hide(List)?.({ items: [ada, null], by: { name: ada } })).toEqual({
      items: [{ ...ada, name: null }, null],
      by: { name: { ...ada, name: null } },
    })
    expect(erase(List)?.({ items: [ada], by: {} })).toEqual({
      items: [{ name: null, note: null, age: 36 }],
      by: {},
    })
  })

  test('adds no member that was absent', () => {
    expect(erase(Person)?.({ name: null, age: 36 })).toEqual({ name: null, age: 36 })
  })

  test('writes *** or an empty list for a member that may not be null', () => {
    expect(
      hide(Type.Object({ name: Personal(Type.String()), names: Personal(Type.Array(Type.String())) }))?.({
        name: 'Ada',
        names: ['Ada'],
      }),
    ).toEqual({
      name: '***',
      names: [],
    })
  })

  test('of several shapes removes a member that any of them marks', () => {
    const Either = Type.Union([
      Type.Object({ kind: Type.Literal('card'), holder: Personal(Type.String()) }),
      Type.Object({ kind: Type.Literal('none') }),
    ])
    expect(hide(Either)?.({ kind: 'none', holder: 'Ada' })).toEqual({ kind: 'none', holder: '***' })
  })

  test('does not exist for a schema without marks', () => {
    expect(hide(Type.Object({ age: Type.Integer(), more: Type.Array(Type.Unknown()) }))).toBeUndefined()
  })
})

const scopeMissing = {
  status: 403,
  body: { code: 'forbidden', message: expect.stringContaining('buyers.billing-details.read') },
}

test('people without the scope for personal data see no passengers, devices or recipients of a payment, in answers, timelines and events', async () => {
  const merchant = await railyard.merchant()
  const passenger = {
    first_name: 'Ada',
    last_name: MARK,
    passport_number: `P${MARK}`,
    date_of_birth: '1815-12-10',
    email_address: `${MARK}@example.com`,
  }
  const airline = {
    booking_code: MARK,
    passenger_name_record: MARK,
    ticket_number: MARK,
    issuing_carrier_name: 'Analytical Airways',
    passengers: [passenger],
  }
  const recipient = { first_name: 'Ada', last_name: MARK, date_of_birth: '1815-12-10' }
  const buyer = (
    await merchant.post('/buyers', { display_name: MARK, account_number: MARK, billing_details })
  ).body
  const paid = (
    await merchant.post('/transactions', {
      amount: 10_00,
      currency: 'EUR',
      payment_method: card,
      buyer_id: buyer.id,
      airline,
      recipient,
      anti_fraud_fingerprint: MARK,
      connection_options: { 'adyen-card': { riskData: { name: MARK } } },
      metadata: { shop: 'berlin' },
    })
  ).body
  await merchant.post(`/transactions/${paid.id}/capture`, { airline })
  await merchant.post('/payment-links', {
    amount: 10_00,
    currency: 'EUR',
    country: 'DE',
    buyer: { billing_details, display_name: MARK },
  })
  await merchant.post('/checkout/sessions', { buyer: { display_name: MARK, billing_details }, airline })
  const paths = [
    `/transactions/${paid.id}`,
    `/transactions/${paid.id}/events`,
    '/transactions',
    '/buyers',
    '/payment-links',
    '/events',
  ]
  const read = async (roles: string[]) => {
    const reader = await person(railyard, { roles, merchantAccounts: [merchant.account] })
    const answers = await Promise.all(paths.map((path) => reader.get(path)))
    return answers.map(({ status, body }) => ({ status, text: JSON.stringify(body) }))
  }
  // no role except administrator sees both payments and events
  const [asAnalyst, asManager] = [await read(['analyst']), await read(['system-manager'])]
  expect(asAnalyst.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 403])
  expect(asManager.at(-1)?.status).toBe(200)
  for (const { text } of [...asAnalyst, ...asManager])
    for (const secret of [MARK, '1815-12-10']) expect(text).not.toContain(secret)
  for (const text of [asAnalyst[0]?.text, asAnalyst[1]?.text]) {
    expect(text).toContain('Analytical Airways')
    expect(text).toContain('berlin')
  }
  expect((await read(['analyst', 'pii-viewer'])).slice(0, 5).every(({ text }) => text.includes(MARK))).toBe(
    true,
  )
})

test('people without the scope for personal data may not filter by it', async () => {
  const merchant = await railyard.merchant()
  await merchant.post('/transactions', {
    amount: 10_00,
    currency: 'EUR',
    payment_method: card,
    buyer: { billing_details },
  })
  const filters = [
    `/transactions?buyer_email_address=${MARK}@example.com`,
    `/transactions?buyer_search=${MARK}`,
    '/transactions?ip_address=127.0.0.1',
    `/payment-links?buyer_search=${MARK}`,
  ]
  const analyst = await person(railyard, { roles: ['analyst'], merchantAccounts: [merchant.account] })
  const viewer = await person(railyard, {
    roles: ['analyst', 'pii-viewer'],
    merchantAccounts: [merchant.account],
  })
  for (const path of filters) {
    expect(await analyst.get(path)).toMatchObject(scopeMissing)
    expect((await viewer.get(path)).status).toBe(200)
    expect((await merchant.get(path)).status).toBe(200)
  }
  expect((await analyst.get('/transactions?buyer_external_identifier=none&currency=EUR')).status).toBe(200)
})

test('a search for buyers by a person without the scope for personal data does not search their names', async () => {
  const merchant = await railyard.merchant()
  const { id } = (await merchant.post('/buyers', { display_name: MARK, external_identifier: 'customer-7' }))
    .body
  const found = async (roles: string[], search: string) => {
    const reader = await person(railyard, { roles, merchantAccounts: [merchant.account] })
    return (await reader.get(`/buyers?search=${search}`)).body.items.map((buyer: { id: string }) => buyer.id)
  }
  expect(await found(['analyst'], MARK.slice(0, 4))).toEqual([])
  expect(await found(['analyst'], 'customer')).toEqual([id])
  expect(await found(['analyst'], id)).toEqual([id])
  expect(await found(['analyst', 'pii-viewer'], MARK.slice(0, 4))).toEqual([id])
})

test('a person without the scope for personal data cannot order a report by it', async () => {
  const merchant = await railyard.merchant()
  const report = (field: string) => ({
    name: 'Ordered',
    schedule: 'once',
    schedule_enabled: false,
    spec: { model: 'transactions', params: { fields: ['id'], sort: [{ field, order: 'asc' }] } },
  })
  const manager = await person(railyard, {
    roles: ['analyst', 'report-manager'],
    merchantAccounts: [merchant.account],
  })
  expect(await manager.send('POST', '/reports', report('billing_details_email_address'))).toMatchObject(
    scopeMissing,
  )
  expect((await manager.send('POST', '/reports', report('created_at'))).status).toBe(201)
})
