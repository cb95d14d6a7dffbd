import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { goTo, redirected, startWalletShop } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { verify } from '../../verify/verify.ts'
import type { HttpAnswer } from '../wire/http-message.ts'

const { railyard, shop, wire } = await startWalletShop({ fields: { webhook_id: undefined } })
afterEach(async () => {
  await expectBooksMatch(railyard, shop.account)
  expect(
    (await verify(railyard.world.run, { now: railyard.clock.now(), idempotencyRetention: 30 })).findings,
  ).toEqual([])
})
afterAll(() => expect(wire.calls).toBeGreaterThan(20))

const newBuyer = async (): Promise<string> =>
  (await shop.post('/buyers', { external_identifier: randomUUID() })).body.id
const storing = async (buyer: string, more: Record<string, unknown> = {}) =>
  shop.asked(42_00, { buyer_id: buyer, store: true, ...more })
const methodsOf = async (buyer: string) => (await shop.get(`/payment-methods?buyer_id=${buyer}`)).body.items
const tokensOf = async (method: string) =>
  (await shop.get(`/payment-methods/${method}/payment-service-tokens`)).body.items

/** A stored PayPal account, and its buyer. */
async function stored(): Promise<{ id: string; buyer: string }> {
  const buyer = await newBuyer()
  const payment = await storing(buyer)
  await goTo(await payment.buyer.approve())
  return { id: (await payment.read()).payment_method.id, buyer }
}

/** The later payment of a series, which the merchant initiates. */
const byMerchant = {
  payment_source: 'recurring',
  merchant_initiated: true,
  is_subsequent_payment: true,
}
const charge = (id: string, more: Record<string, unknown> = {}) =>
  shop.pay(11_00, { ...byMerchant, payment_method: { method: 'id', id }, ...more })

/** Changes every answer with an order from now on. Returns a function that stops it. */
function changeOrders(change: (order: Record<string, unknown>) => unknown): () => void {
  const { http } = railyard.world
  const send = http.request
  http.request = async (request) => {
    const answer: HttpAnswer = await send(request)
    return answer.lost || !('purchase_units' in answer.body)
      ? answer
      : { ...answer, body: change(answer.body) as Record<string, unknown> }
  }
  return () => {
    http.request = send
  }
}

describe('store: true on a payment that its buyer approves', () => {
  test.each([
    ['authorize', 'authorization_succeeded'],
    ['capture', 'capture_succeeded'],
  ])('stores the account (intent %s)', async (intent, status) => {
    const buyer = await newBuyer()
    const payment = await storing(buyer, { intent })
    expect(await methodsOf(buyer)).toEqual([])
    await goTo(await payment.buyer.approve())
    const paid = await payment.read()
    expect(paid).toMatchObject({
      status,
      instrument_type: 'redirect',
      payment_method: { id: expect.any(String), method: 'wallet', mode: 'redirect', country: 'US' },
    })
    const { id } = paid.payment_method
    expect(await methodsOf(buyer)).toMatchObject([
      {
        id,
        method: 'wallet',
        mode: 'redirect',
        status: 'succeeded',
        country: 'US',
        currency: 'EUR',
        usage_count: 1,
      },
    ])
    expect(await tokensOf(id)).toMatchObject([
      { payment_service_id: shop.walletServiceId, status: 'succeeded', token: expect.any(String) },
    ])
    expect(
      (await shop.get(`/buyers/payment-methods?buyer_id=${buyer}&country=US&currency=EUR`)).body.items,
    ).toMatchObject([{ id }])
  })

  test.each(['decline', 'cancel'] as const)('stores nothing where the buyer’s part is: %s', async (act) => {
    const buyer = await newBuyer()
    const payment = await storing(buyer)
    await goTo(await payment.buyer[act]())
    expect(await payment.read()).toMatchObject({ status: 'authorization_failed' })
    expect(await methodsOf(buyer)).toEqual([])
  })

  test('waits for a token that PayPal makes after the payment', async () => {
    const buyer = await newBuyer()
    const payment = await storing(buyer)
    const back = await payment.buyer.approve()
    const restore = changeOrders(withoutToken)
    try {
      await goTo(back)
      expect(await payment.read()).toMatchObject({ status: 'processing' })
      expect(await methodsOf(buyer)).toEqual([])
    } finally {
      restore()
    }
    await payment.sync()
    const { status, payment_method: method } = await payment.read()
    expect(status).toBe('authorization_succeeded')
    expect(await tokensOf(method.id)).toHaveLength(1)
  })

  test('does not wait for ever: the payment succeeds, and stores nothing', async () => {
    const buyer = await newBuyer()
    const payment = await storing(buyer)
    const back = await payment.buyer.approve()
    const restore = changeOrders(withoutToken)
    try {
      await goTo(back)
      railyard.clock.advance(16 * 60_000)
      await payment.sync()
    } finally {
      restore()
    }
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      authorized_amount: 42_00,
    })
    expect(await methodsOf(buyer)).toEqual([])
  })

  test('keeps the token out of the timeline', async () => {
    const { id } = await stored()
    const [{ token }] = await tokensOf(id)
    const later = await charge(id)
    const { items } = (await shop.get(`/transactions?payment_method_id=${id}`)).body
    for (const each of [...items, later.body])
      expect(JSON.stringify((await shop.get(`/transactions/${each.id}/events`)).body)).not.toContain(token)
  })

  test('is a 400 where no payment service can store the account', async () => {
    const missing = await shop.ask(42_00, { store: true, payment_method: { ...redirected, method: 'bnpl' } })
    expect(missing).toMatchObject({ status: 400, body: { details: [{ pointer: '/store' }] } })
  })

  const withoutToken = (order: Record<string, unknown>) => ({
    ...order,
    payment_source: { paypal: { attributes: { vault: { status: 'APPROVED' } } } },
  })
})

describe('a payment with a stored account', () => {
  test('that the merchant initiates needs no buyer, and goes on as any other', async () => {
    const { id } = await stored()
    const { status, body } = await charge(id)
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        status: 'authorization_succeeded',
        instrument_type: 'redirect_token',
        authorized_amount: 11_00,
        payment_method: { id, method: 'wallet', mode: 'redirect', approval_url: null },
        additional_identifiers: { payer_id: 'QYR5Z8XDVJNXQ' },
      },
    })
    const payment = shop.payment(body.id)
    await payment.capture({ amount: 11_00 })
    await payment.refund({ amount: 5_00 })
    expect(await payment.read()).toMatchObject({ captured_amount: 11_00, refunded_amount: 5_00 })
    expect((await charge(id, { intent: 'capture' })).body).toMatchObject({ status: 'capture_succeeded' })
    expect((await shop.get(`/payment-methods/${id}`)).body).toMatchObject({
      usage_count: 3,
      cit_usage_count: 1,
    })
  })

  test('that the buyer makes needs a page to return to', async () => {
    const { id, buyer } = await stored()
    const pay = (more = {}) =>
      shop.pay(11_00, { buyer_id: buyer, payment_method: { method: 'id', id, ...more } })
    expect(await pay()).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/payment_method/redirect_url' }] },
    })
    expect(await pay({ redirect_url: redirected.redirect_url })).toMatchObject({
      status: 201,
      body: { status: 'authorization_succeeded', instrument_type: 'redirect_token' },
    })
  })

  test('is a 400 once the account is deleted here, or with a security code', async () => {
    const { id } = await stored()
    expect(await charge(id, { payment_method: { method: 'id', id, security_code: '123' } })).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/payment_method/security_code' }] },
    })
    expect((await shop.delete(`/payment-methods/${id}`)).status).toBe(204)
    expect(await charge(id)).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/payment_method/id' }] },
    })
  })
})
