import { expect, test } from 'vitest'
import type { OrderForCall } from '../../../src/connectors/contract/call.ts'
import { mollieMethods } from '../../../src/connectors/mollie/methods.ts'
import { purchase } from '../../support/domains/connector-call.ts'
import { DEBIT_MS } from './fake-payments.ts'
import { openBench, openPayment } from './harness.ts'

const HOUR_MS = 3_600_000
const PAGE = 'https://www.mollie.com/checkout/tr_0000000001'
const currencyOf = (id: string) => mollieMethods.find((method) => method.id === id)?.currencies[0] ?? 'EUR'
const ids = mollieMethods.map(({ id }) => id)

test.each(ids)('%s: the buyer pays on the provider’s page', async (id) => {
  const bench = openBench(id)
  const currency = currencyOf(id)
  const payment = await openPayment(bench, 'sale', { currency })
  expect(payment.outcome).toEqual({
    status: 'pending',
    facts: expect.anything(),
    references: { transaction: 'tr_0000000001' },
    approval: { url: PAGE, sessionData: null },
  })
  const operation = { ...payment, kind: 'sale' as const, currency }
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'pending' } })
  bench.fake.visit?.(PAGE, 'approve')
  if (id === 'mollie-sepa') {
    expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'pending' } })
    bench.fake.advance(DEBIT_MS)
  }
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  expect(bench.fake.effects()).toMatchObject([{ key: payment.id, kind: 'sale', amount: 10_00 }])
})

test.each(ids)('%s: a buyer who is refused, and one who never pays', async (id) => {
  for (const [decision, code] of [
    ['decline', 'issuer_decline'],
    ['abandon', 'incomplete_buyer_approval'],
  ] as const) {
    const bench = openBench(id)
    const currency = currencyOf(id)
    const payment = await openPayment(bench, 'sale', { currency })
    bench.fake.visit?.(PAGE, decision)
    bench.fake.advance(HOUR_MS)
    expect(await bench.find({ ...payment, kind: 'sale', currency })).toMatchObject({ outcome: { code } })
  }
})

test('a page that is over is closed: canceled where the provider can, else it has to expire', async () => {
  const klarna = openBench('mollie-klarna')
  const open = { ...(await openPayment(klarna, 'authorize')), kind: 'authorize' as const }
  expect(await klarna.close(open)).toMatchObject({ outcome: { code: 'cancelled_buyer_approval' } })
  expect(klarna.fake.books.payments[0]?.status).toBe('canceled')
  const ideal = openBench('mollie-ideal')
  const waiting = { ...(await openPayment(ideal, 'sale')), kind: 'sale' as const }
  expect(await ideal.close(waiting)).toMatchObject({ outcome: { status: 'pending' } })
  ideal.fake.visit?.(PAGE, 'approve')
  expect(await ideal.close(waiting)).toMatchObject({ outcome: { status: 'approved' } })
})

test('a page is not opened without an order, or for nothing', async () => {
  const bench = openBench('mollie-ideal')
  const { payment, ...call } = bench.call({ kind: 'sale' })
  expect(await bench.connector.operations.sale?.(call)).toMatchObject({ code: 'missing_redirect_url' })
  expect(await bench.run('sale', { amount: 0 })).toMatchObject({ code: 'invalid_amount', unprocessed: true })
  expect(payment).toBeDefined()
  expect(bench.fake.requests).toEqual([])
})

const line = { name: 'Hat', quantity: 2, unit_amount: 6_00, discount_amount: 2_00, sku: 'hat' }
const person = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  phone_number: '+31201234567',
  address: { line1: 'Keizersgracht 126', city: 'Amsterdam', postal_code: '1015 CW', country: 'NL' },
}
const order = (more: Partial<OrderForCall>): OrderForCall => ({
  ...purchase(),
  integrationClient: 'redirect',
  ...more,
})

test('Klarna gets the cart and the addresses; it is authorized, captured in parts, and released', async () => {
  const bench = openBench('mollie-klarna')
  const buyer = { id: null, name: null, email: 'ada@example.com', billing: person }
  const context = { order: order({ lines: [line], buyer, shipping: person }) }
  const payment = await openPayment(bench, 'authorize', {}, context)
  const eur = (value: string) => ({ currency: 'EUR', value })
  expect(bench.fake.requests[0]?.body).toMatchObject({
    method: 'klarna',
    captureMode: 'manual',
    lines: [
      {
        description: 'Hat',
        quantity: 2,
        unitPrice: eur('6.00'),
        discountAmount: eur('2.00'),
        totalAmount: eur('10.00'),
      },
    ],
    billingAddress: {
      givenName: 'Ada',
      familyName: 'Lovelace',
      email: 'ada@example.com',
      phone: '+31201234567',
      streetAndNumber: 'Keizersgracht 126',
      postalCode: '1015 CW',
      city: 'Amsterdam',
      country: 'NL',
    },
    shippingAddress: { city: 'Amsterdam' },
  })
  bench.fake.visit?.(PAGE, 'approve')
  expect(await bench.find({ ...payment, kind: 'authorize' })).toMatchObject({
    outcome: { status: 'approved' },
  })
  const capture = { ...payment, id: bench.nextId(), kind: 'capture' as const, amount: 4_00 }
  expect(await bench.run('capture', capture)).toMatchObject({ status: 'pending' })
  expect(await bench.run('void', { ...payment, id: bench.nextId() })).toMatchObject({ status: 'pending' })
  expect(bench.fake.books.payments[0]?.status).toBe('paid')
})

test.each([
  ['is empty', []],
  ['does not add up', [{ ...line, quantity: 1 }]],
  ['has taxes on top', [{ ...line, tax_amount: 1_00 }]],
])('a cart that %s is sent as one line', async (_what, lines) => {
  const bench = openBench('mollie-klarna')
  await openPayment(bench, 'sale', {}, { order: order({ lines }) })
  expect(bench.fake.requests[0]?.body).toMatchObject({
    lines: [{ description: 'order-1', quantity: 1, totalAmount: { value: '10.00' } }],
  })
})
