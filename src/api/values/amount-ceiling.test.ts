import currencyCodes from 'currency-codes'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Audited } from '../../../test/support/checks/audited/kit.ts'
import { auditedOperations } from '../../../test/support/checks/audited-operations.ts'
import { operationsOf } from '../../../test/support/checks/schema-values.ts'
import { addGiftCardService } from '../../../test/support/domains/gift-cards.ts'
import { payoutOf } from '../../../test/support/domains/payouts.ts'
import { linesOf } from '../../../test/support/domains/reports.ts'
import { card } from '../../../test/support/railyard.ts'
import { invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const USUAL = 99_999_999
const HIGHEST = 99_999_999_999

const { railyard, shop } = await startShop()
/** A payment service that takes every currency. */
const service = shop.paymentServiceId
const all = { accepted_currencies: currencyCodes.codes(), accepted_countries: ['DE', 'ID'] }
expect(
  await railyard.admin.put(`/payment-services/${service}`, all, {
    'x-svc-merchant-account-id': shop.account,
  }),
).toMatchObject({ status: 200 })

const pay = (amount: number, currency: string, more: object = {}) =>
  shop.post('/transactions', { amount, currency, payment_method: card, ...more })
const beyondCeiling = (...loc: (string | number)[]) => ({
  status: 422,
  body: { detail: [{ loc: ['body', ...loc], type: 'maximum' }] },
})
const noDecimals = currencyCodes.codes().filter((code) => currencyCodes.code(code)?.digits === 0)

test('every currency without decimals, and IDR, COP and their like, have the high ceiling; EUR, USD and KWD have the usual one', async () => {
  expect(noDecimals).toEqual(expect.arrayContaining(['JPY', 'KRW', 'VND', 'CLP']))
  for (const currency of [...noDecimals, 'IDR', 'COP', 'LAK', 'IRR', 'NGN', 'IQD'])
    expect(await pay(HIGHEST + 1, currency), currency).toMatchObject({
      ...beyondCeiling('amount'),
      body: { detail: [{ ctx: { limit: HIGHEST } }] },
    })
  for (const currency of ['EUR', 'USD', 'GBP', 'CHF', 'BRL', 'INR', 'KWD', 'BHD'])
    expect(await pay(USUAL + 1, currency), currency).toMatchObject({
      ...beyondCeiling('amount'),
      body: { detail: [{ ctx: { limit: USUAL } }] },
    })
})

test('an amount is accepted up to the ceiling of its currency and not beyond, in every currency', async () => {
  const amountAndCurrency = fc.tuple(
    fc.constantFrom(...currencyCodes.codes()),
    fc.oneof(
      fc.constantFrom(USUAL, USUAL + 1, HIGHEST, HIGHEST + 1),
      fc.integer({ min: 600_000, max: 2 * HIGHEST }),
    ),
  )
  await fc.assert(
    fc.asyncProperty(amountAndCurrency, async ([currency, amount]) => {
      const refusal = await pay(Number.MAX_SAFE_INTEGER, currency)
      expect(refusal.status).toBe(422)
      const answer = await pay(amount, currency, { payment_service_id: service })
      if (amount <= USUAL)
        expect(answer).toMatchObject({ status: 201, body: { amount, authorized_amount: amount } })
      else if (amount > HIGHEST) expect(answer).toMatchObject(beyondCeiling('amount'))
      else {
        // the same for every amount between the two ceilings: the answer says which one the currency has
        const isHigh = (await pay(USUAL + 1, currency, { payment_service_id: service })).status === 201
        expect(answer).toMatchObject(
          isHigh ? { status: 201, body: { amount, authorized_amount: amount } } : beyondCeiling('amount'),
        )
        if (noDecimals.includes(currency)) expect(isHigh).toBe(true)
      }
    }),
    { numRuns: 60 },
  )
})

describe('a payment beyond the usual ceiling', () => {
  test('is authorized, increased, captured, refunded, disputed, listed and reported in its whole amount', async () => {
    const created = await pay(50_000_000_000, 'IDR', {
      cart_items: [{ name: 'House', quantity: 1, unit_amount: 50_000_000_000 }],
    })
    expect(created).toMatchObject({
      status: 201,
      body: { status: 'authorization_succeeded', amount: 50_000_000_000 },
    })
    const payment = shop.payment(created.body.id)
    expect(await payment.increment(40_000_000_000)).toMatchObject({
      status: 200,
      body: { status: 'succeeded' },
    })
    expect(await payment.capture({ amount: 80_000_000_000 })).toMatchObject({
      status: 200,
      body: { captured_amount: 80_000_000_000 },
    })
    expect(await payment.refund({ amount: 30_000_000_001 })).toMatchObject({
      status: 201,
      body: { amount: 30_000_000_001, status: 'succeeded' },
    })
    const simulate = (body: object) => shop.post(`/sandbox/transactions/${payment.id}/simulate`, body)
    expect(await simulate({ event: 'settled' })).toMatchObject({ status: 200 })
    expect(await simulate({ event: 'disputed', amount: 20_000_000_000 })).toMatchObject({ status: 200 })
    expect(await payment.read()).toMatchObject({
      amount: 90_000_000_000,
      authorized_amount: 90_000_000_000,
      captured_amount: 80_000_000_000,
      refunded_amount: 30_000_000_001,
      disputed_amount: 20_000_000_000,
      settled: true,
    })
    expect(
      (await shop.get('/transactions?amount_gte=90000000000&amount_lte=90000000000')).body.items,
    ).toMatchObject([{ id: payment.id }])
    const fields = ['id', 'amount', 'captured_amount', 'refunded_amount']
    const lines = await linesOf(railyard, shop, {
      model: 'transactions',
      params: { fields, filters: { currency: ['IDR'] } },
    })
    expect(lines.find(({ id }) => id === payment.id)).toMatchObject({
      captured_amount: '80000000000',
      refunded_amount: '30000000001',
    })
  })

  test('is corrected to another amount beyond it', async () => {
    // a shop of its own: after a correction the books of the payment service differ
    const corrected = await openShop(railyard)
    const { body } = await corrected.pay(50_000_000_000, { currency: 'JPY' })
    const more = { amount: 60_000_000_000, authorized_amount: 60_000_000_000 }
    expect(await corrected.payment(body.id).correct(more)).toMatchObject({ status: 200, body: more })
  })

  test('pays through a link, with gift cards, and is paid out', async () => {
    await addGiftCardService(railyard, shop)
    const link = await shop.post('/payment-links', { amount: HIGHEST, currency: 'IDR', country: 'ID' })
    expect(link).toMatchObject({ status: 201, body: { amount: HIGHEST } })
    expect((await shop.get(`/payment-links?amount_eq=${HIGHEST}`)).body.items).toMatchObject([
      { id: link.body.id },
    ])
    const issued = await shop.post('/gift-cards/issuances', {
      theme: 'birthday',
      amount: 70_000_000_000,
      currency: 'IDR',
    })
    expect(issued).toMatchObject({ status: 201 })
    const payout = await shop.post('/payouts', payoutOf(service, { amount: 60_000_000_000, currency: 'IDR' }))
    expect(payout).toMatchObject({ status: 201, body: { amount: 60_000_000_000, status: 'succeeded' } })
    expect(
      await shop.post('/payment-options', { amount: HIGHEST, currency: 'IDR', country: 'ID' }),
    ).toMatchObject({ status: 200 })
  })

  test('can be the value of a flow rule of its currency, and not of a rule of euros', async () => {
    const rule = (currency: string) => ({
      display_name: 'Large payments',
      action: 'decline-early',
      condition: { field: 'amount', operator: 'gte', value: 95_000_000_000, currency },
    })
    const own = await openShop(railyard)
    expect(await own.post('/flows/card-transaction/rules', rule('EUR'))).toMatchObject(
      invalidFields('/condition/value'),
    )
    expect(await own.post('/flows/card-transaction/rules', rule('IDR'))).toMatchObject({ status: 201 })
  })
})

describe('an amount beyond the ceiling of euros is a 422 that names it', () => {
  test('in the body of every operation whose amount has a currency', async () => {
    const operations: Record<string, Audited> = auditedOperations(railyard, shop)
    const { body: document } = await railyard.send('GET', '/openapi.json')
    const schemaOf = (body: { $ref?: string } | undefined) =>
      document.components.schemas[body?.$ref?.split('/').at(-1) ?? '']
    const tested: string[] = []
    for (const { id, method, body } of operationsOf(document)) {
      const amounts = Object.entries<{ 'x-amount'?: boolean }>(schemaOf(body)?.properties ?? {}).filter(
        ([, shape]) => shape['x-amount'],
      )
      if (!amounts.some(([name]) => name === 'amount')) continue
      const [path, request] = (await operations[id]?.request()) ?? []
      expect(path, `there is no request for ${id}`).toBeDefined()
      const currency = schemaOf(body).properties.currency ? { currency: 'EUR' } : {}
      const send = method === 'PUT' ? shop.put : shop.post
      const answer = await send(path ?? '', { ...(request as object), ...currency, amount: USUAL + 1 })
      expect({ id, ...answer }).toMatchObject({ id, ...beyondCeiling('amount') })
      tested.push(id)
    }
    expect(tested).toEqual(
      expect.arrayContaining([
        'create_transaction',
        'update_transaction',
        'capture_transaction',
        'increment_transaction_authorization',
        'create_transaction_refund',
        'create_payout',
        'add_payment_link',
        'issue_gift_card',
      ]),
    )
  })

  test('in an item of the cart, and in a part that a gift card pays', async () => {
    const cart_items = [{ name: 'House', quantity: 1, unit_amount: USUAL + 1 }]
    expect(await pay(10_00, 'EUR', { cart_items })).toMatchObject(
      beyondCeiling('cart_items', '0', 'unit_amount'),
    )
    const gift_cards = [{ id: crypto.randomUUID(), amount: USUAL + 1 }]
    expect(await pay(10_00, 'EUR', { gift_cards })).toMatchObject({ status: 422 })
  })
})
