import { expect, test } from 'vitest'
import { card } from '../../../test/support/railyard.ts'
import { invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { goodClaims, signed } from '../../../test/support/tokens.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const openSession = async (more: Record<string, unknown> = {}): Promise<string> =>
  (await shop.post('/checkout/sessions', more)).body.id
/**
 * Enters a payment method as a buyer's browser does, which knows the session's id and has no bearer token.
 */
const enter = (session: string, method: Record<string, unknown> = card, more: Record<string, unknown> = {}) =>
  railyard.send('PUT', `/checkout/sessions/${session}/fields`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payment_method: method, ...more }),
  })
const payWith = (session: string, more: Record<string, unknown> = {}) =>
  shop.pay(12_00, { payment_method: { method: 'checkout-session', id: session }, ...more })

test('a card that the buyer entered pays, and its security code is good for one attempt', async () => {
  const session = await openSession()
  expect((await enter(session, card, { postal_code: '10177' })).status).toBe(204)
  const first = await payWith(session)
  expect(first.body).toMatchObject({
    status: 'authorization_succeeded',
    checkout_session_id: session,
    method: 'card',
    payment_method: { label: '1111', scheme: 'visa', details: { bin: '411111' } },
    cvv_response_code: 'match',
    // the address check used the session's postal code
    avs_response_code: 'no_match',
  })
  const second = await payWith(session)
  expect(second.body).toMatchObject({ status: 'authorization_succeeded', cvv_response_code: 'not_provided' })
})

test('a code is gone after an attempt that was declined, too', async () => {
  const session = await openSession()
  await enter(session)
  expect((await payWith(session, { amount: 2_000_11 })).body).toMatchObject({
    status: 'authorization_failed',
    cvv_response_code: 'match',
  })
  expect((await payWith(session)).body.cvv_response_code).toBe('not_provided')
})

test('a request that is refused leaves the security code for the next one', async () => {
  const session = await openSession()
  await enter(session)
  expect((await payWith(session, { intent: 'capture', amount: 0 })).status).toBe(400)
  expect((await payWith(session)).body.cvv_response_code).toBe('match')
})

test('the session’s values complete the request, and the request’s own values take precedence', async () => {
  const session = await openSession({
    intent: 'capture',
    country: 'DE',
    metadata: { order: 'A-1' },
    buyer: { display_name: 'Ada' },
    cart_items: [{ name: 'Book', quantity: 1, unit_amount: 12_00 }],
  })
  await enter(session)
  expect((await payWith(session, { metadata: { order: 'B-2' } })).body).toMatchObject({
    status: 'capture_succeeded',
    country: 'DE',
    metadata: { order: 'B-2' },
    buyer: { display_name: 'Ada' },
    cart_items: [{ name: 'Book' }],
  })
})

test('a stored method that the buyer chose in the session pays, and its use counts', async () => {
  const { id: buyer_id } = (await shop.post('/buyers', {})).body
  const stored = (
    await shop.post('/payment-methods', {
      number: card.number,
      expiration_date: card.expiration_date,
      buyer_id,
    })
  ).body
  const session = await openSession({ buyer_id })
  expect((await enter(session, { method: 'id', id: stored.id, security_code: '333' })).status).toBe(204)
  expect((await payWith(session)).body).toMatchObject({
    payment_method: { id: stored.id },
    cvv_response_code: 'no_match',
    checkout_session_id: session,
  })
  expect((await shop.get(`/payment-methods/${stored.id}`)).body.usage_count).toBe(1)
})

test('a session for a buyer pays as that buyer, and stores cards for that buyer', async () => {
  const [ada, eve] = [(await shop.post('/buyers', {})).body.id, (await shop.post('/buyers', {})).body.id]
  const session = await openSession({ buyer_id: ada })
  expect((await shop.get(`/checkout/sessions/${session}`)).body.buyer_id).toBe(ada)
  await enter(session)
  expect((await payWith(session)).body.buyer.id).toBe(ada)
  expect(await payWith(session, { buyer_id: eve })).toMatchObject(invalidFields('/payment_method/id'))
  const saved = await shop.post('/payment-methods', { method: 'checkout-session', id: session })
  expect(saved).toMatchObject({ status: 201, body: { buyer: { id: ada } } })
  expect(
    await shop.post('/payment-methods', { method: 'checkout-session', id: session, buyer_id: eve }),
  ).toMatchObject(invalidFields('/id'))
  expect(await shop.post('/checkout/sessions', { buyer_id: crypto.randomUUID() })).toMatchObject(
    invalidFields('/buyer_id'),
  )
})

test('a stored method cannot pay after its session was changed to another buyer', async () => {
  const [ada, eve] = [(await shop.post('/buyers', {})).body.id, (await shop.post('/buyers', {})).body.id]
  const stored = (
    await shop.post('/payment-methods', {
      number: card.number,
      expiration_date: card.expiration_date,
      buyer_id: ada,
    })
  ).body
  const session = await openSession({ buyer_id: ada })
  expect((await enter(session, { method: 'id', id: stored.id })).status).toBe(204)
  for (const buyer_id of [eve, null]) {
    await shop.put(`/checkout/sessions/${session}`, { buyer_id })
    expect(await payWith(session)).toMatchObject(invalidFields('/payment_method/id'))
  }
})

test('a card from a session can be stored with a payment or by itself', async () => {
  const session = await openSession()
  await enter(session)
  const paid = await payWith(session, { store: true })
  expect((await shop.get(`/payment-methods/${paid.body.payment_method.id}`)).body).toMatchObject({
    status: 'succeeded',
    label: '1111',
  })
  const saved = await shop.post('/payment-methods', { method: 'checkout-session', id: session })
  expect(saved).toMatchObject({
    status: 201,
    body: { status: 'processing', label: '1111', fingerprint: paid.body.payment_method.fingerprint },
  })
})

test('a browser’s token for a session cannot pay with another session', async () => {
  const [own, another] = [await openSession(), await openSession()]
  for (const session of [own, another]) await enter(session)
  const token = await signed(shop.signer, {
    ...goodClaims(),
    scopes: ['embed'],
    embed: { amount: 12_00, currency: 'EUR' },
    checkout_session_id: own,
  })
  const browser = (session: string) =>
    railyard.send('POST', '/transactions', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        amount: 12_00,
        currency: 'EUR',
        payment_method: { method: 'checkout-session', id: session },
      }),
    })
  expect(await browser(another)).toMatchObject(invalidFields('/payment_method/id'))
  expect(await browser(own)).toMatchObject({
    status: 201,
    body: { checkout_session_id: own, status: 'authorization_succeeded' },
  })
})

test('a session that is empty, unknown, expired or another merchant’s cannot pay', async () => {
  const empty = await openSession()
  expect(await payWith(empty)).toMatchObject(invalidFields('/payment_method/id'))
  expect(await payWith(crypto.randomUUID())).toMatchObject(invalidFields('/payment_method/id'))
  const entered = await openSession()
  await enter(entered)
  const other = await openShop(railyard)
  expect(
    await other.pay(1_00, { payment_method: { method: 'checkout-session', id: entered } }),
  ).toMatchObject(invalidFields('/payment_method/id'))
  railyard.clock.advance(3_601_000)
  expect(await payWith(entered)).toMatchObject(invalidFields('/payment_method/id'))
})
