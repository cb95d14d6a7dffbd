import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MethodShop, openMethodShop } from '../../../test/support/domains/simulated-method.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { Method } from '../contract/method.schema.ts'
import { type MethodKindName, methodKinds, methodsWithoutSimulator, simulatedMethods } from './methods.ts'

let shop: MethodShop
const railyard = await startRailyardForFile()
shop = await openMethodShop(railyard)
afterAll(() => expectBooksMatch(railyard, shop.account))

const every = (Method as unknown as { enum: string[] }).enum

test('every method of the API is simulated, or is listed with how to test it or why it cannot be tested', () => {
  expect(every.length).toBeGreaterThan(120)
  expect([...simulatedMethods.keys(), ...Object.keys(methodsWithoutSimulator)].sort()).toEqual(
    [...every].sort(),
  )
  for (const { why } of Object.values(methodsWithoutSimulator)) expect(why).not.toBe('')
})

test('docs/reference/payment-methods.md names every method and how to test it', async () => {
  const page = await readFile(new URL('../../../docs/reference/payment-methods.md', import.meta.url), 'utf8')
  for (const method of simulatedMethods.keys())
    expect(page).toMatch(new RegExp(`^\\*\\*.*\`${method}\``, 'm'))
  for (const [method, { with: how, why }] of Object.entries(methodsWithoutSimulator))
    expect(page).toContain(`| \`${method}\` | ${how === null ? 'not yet' : `\`${how}\``} | ${why} |`)
})

const byKind = Object.keys(methodKinds) as MethodKindName[]
const happens = (id: string, event: string) => shop.post(`/sandbox/transactions/${id}/simulate`, { event })

describe.each(byKind)('every %s method', (kind) => {
  const methods = [...simulatedMethods].flatMap(([method, of]) => (of === kind ? [method] : []))
  const { outcome, delayedCapture, refunds } = methodKinds[kind]

  test.each(methods)(
    '%s: the buyer approves, the payment is captured, and it is refunded if the method can refund',
    async (method) => {
      await shop.takes(method)
      if (!delayedCapture)
        expect(await shop.ask(method, 30_00, { intent: 'authorize' })).toMatchObject(invalidFields('/intent'))
      const payment = await shop.paid(method, 30_00)
      if (outcome === 'later') {
        expect(await payment.read()).toMatchObject({ status: 'capture_pending', method })
        expect(await happens(payment.id, 'completed')).toMatchObject({ status: 200 })
      }
      expect(await payment.read()).toMatchObject({
        status: 'capture_succeeded',
        captured_amount: 30_00,
        method,
      })
      const refund = await payment.refund({ amount: 10_00 })
      expect(refund).toMatchObject(refunds ? { status: 201, body: { amount: 10_00 } } : { status: 400 })
    },
  )
})

describe('a buyer of a simulated method', () => {
  beforeAll(async () => {
    shop = await openMethodShop(railyard, 'ideal', 'sepa', 'oxxo', 'venmo')
  })

  test('sees the shop, the amount and the method on the page', async () => {
    const payment = await shop.asked('ideal', 30_00, {
      cart_items: [{ name: 'Tea <b>pot</b>', quantity: 2, unit_amount: 15_00 }],
    })
    const page = await payment.page()
    for (const text of ['Test merchant', '€30.00', 'Pay with ideal', 'Tea &lt;b&gt;pot&lt;/b&gt;'])
      expect(page).toContain(text)
    await payment.decides('cancel')
    expect(await payment.page()).toContain('You cancelled this payment')
  })

  test.each([
    ['decline', 'failed_buyer_approval'],
    ['cancel', 'cancelled_buyer_approval'],
  ] as const)('who chooses “%s” does not pay', async (decision, error_code) => {
    const payment = await shop.asked('sepa', 30_00)
    await payment.decides(decision)
    expect(await payment.read()).toMatchObject({
      status: 'authorization_failed',
      error_code,
      captured_amount: 0,
    })
  })

  test('whose bank does not pay later has not paid', async () => {
    const payment = await shop.paid('sepa', 30_00)
    expect(await payment.read()).toMatchObject({ status: 'capture_pending' })
    expect(await happens(payment.id, 'declined')).toMatchObject({
      status: 200,
      body: { status: 'authorization_failed', captured_amount: 0 },
    })
  })

  test('who pays a voucher is found by recovery, too', async () => {
    const payment = await shop.paid('oxxo', 30_00)
    expect(await payment.sync()).toMatchObject({ status: 200, body: { status: 'capture_succeeded' } })
  })

  test('cannot approve after the merchant has cancelled', async () => {
    const payment = await shop.asked('venmo', 30_00)
    expect(await payment.cancel()).toMatchObject({ status: 200 })
    expect(await payment.page()).toContain('This payment has expired')
    expect(await payment.read()).toMatchObject({ status: 'authorization_failed', error_code: 'canceled' })
  })

  test('pays once: an order of another amount, or a paid order, is refused', async () => {
    const { id } = await shop.paid('venmo', 30_00)
    const [sale] = await railyard.world.run<{ id: string; service: string; order: string }>(
      `select o.id, o.payment_service_id as service, a.id as order from operations o
         join operations a on a.transaction_id = o.transaction_id and a.kind = 'approval' where o.transaction_id = $1 and o.kind = 'sale'`,
      [id],
    )
    const again = await fetch(`${railyard.simulatorUrl}/redirect/${sale?.service}/payments`, {
      method: 'POST',
      headers: { 'x-merchant-id': 'sandbox', 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify({
        kind: 'sale',
        order_id: sale?.order,
        amount: 30_00,
        currency: 'EUR',
        settles: 'at once',
        notification_url: '',
      }),
    })
    expect(again.status).toBe(404)
  })
})

test('a payment with an account can be authorized, captured in part and released', async () => {
  const authorized = await shop.paid('venmo', 30_00, { intent: 'authorize' })
  expect((await authorized.capture({ amount: 20_00 })).body).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 20_00,
  })
  const released = await shop.paid('venmo', 40_00, { intent: 'authorize' })
  expect((await released.void()).body).toMatchObject({ status: 'authorization_voided' })
})

test('the amount decides the outcome of a payment with every method', async () => {
  const refused = await shop.paid('sepa', 200_011)
  expect(await refused.read()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'insufficient_funds',
  })
})

test('unknown credentials are refused', async () => {
  const other = await openMethodShop(railyard)
  await other.takes('ideal', { merchant_id: 'invalid' })
  expect((await other.ask('ideal', 30_00)).body).toMatchObject({
    status: 'authorization_failed',
    error_code: 'invalid_service_credentials',
  })
})
