import { describe, expect, test } from 'vitest'
import { fields, HOUR, sessionsOf } from '../../../test/support/domains/checkout-sessions.ts'
import { addStoredCard } from '../../../test/support/domains/stored-card.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { readSessionForPayment } from './checkout-session.store.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()
const { open, read, readForPayment, codeOf, browser, enter } = sessionsOf(railyard, merchant)

describe('a merchant with a checkout session', () => {
  test('opens it for an hour with an empty body in any form', async () => {
    for (const body of [undefined, null, {}, []]) {
      const now = railyard.clock.now()
      const answer = await merchant.post('/checkout/sessions', body)
      expect(answer).toMatchObject({
        status: 201,
        body: {
          type: 'checkout-session',
          cart_items: null,
          metadata: null,
          buyer: null,
          amount: null,
          currency: null,
          payment_method: null,
        },
      })
      const life = Date.parse(answer.body.expires_at) - now
      expect(Math.round(life / 60_000)).toBe(60)
    }
  })

  test('reads its values, but for those that only the transaction uses', async () => {
    const values = {
      cart_items: [{ name: 'Pen', quantity: 1, unit_amount: 9_00, type: 'physical' }],
      metadata: { shop: 'berlin', constructor: 'x' },
      buyer: { display_name: 'Ada', billing_details: { first_name: 'Ada' } },
      airline: { booking_code: 'X1' },
      amount: 9_00,
      currency: 'EUR',
      payment_service_id: merchant.paymentServiceId,
    }
    const hidden = {
      country: 'DE',
      is_subsequent_payment: false,
      merchant_initiated: false,
      payment_source: 'ecommerce',
      intent: 'capture',
    }
    const id = await open({ ...values, ...hidden, expires_in: 7_200 })
    const { body } = await read(id)
    expect(body).toMatchObject({
      ...values,
      cart_items: [{ name: 'Pen', type: 'physical', product_type: 'physical' }],
    })
    expect(Object.keys(body).filter((name) => name in hidden || name === 'expires_in')).toEqual([])
    expect((await readForPayment(id))?.values).toEqual({ ...values, ...hidden })
  })

  test('changes the values that an update names: null clears, the rest stays, and the expiry changes with `expires_in` only', async () => {
    const id = await open({ amount: 1_00, currency: 'EUR', metadata: { a: '1', b: '2' } })
    const before = (await read(id)).body
    const changed = await merchant.put(`/checkout/sessions/${id}`, {
      amount: 2_00,
      currency: null,
      metadata: { c: '3' },
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { ...before, amount: 2_00, currency: null, metadata: { c: '3' } },
    })
    railyard.clock.advance(HOUR / 2)
    const prolonged = await merchant.put(`/checkout/sessions/${id}`, { expires_in: 86_400 })
    expect(Date.parse(prolonged.body.expires_at)).toBeGreaterThan(Date.parse(before.expires_at) + 23 * HOUR)
    expect(prolonged.body).toMatchObject({ amount: 2_00, metadata: { c: '3' } })
  })

  test('gets a 400 for values that no transaction would accept', async () => {
    const id = await open()
    for (const send of [
      (body: unknown) => merchant.post('/checkout/sessions', body),
      (body: unknown) => merchant.put(`/checkout/sessions/${id}`, body),
    ]) {
      expect(await send({ currency: 'XXQ' })).toMatchObject(invalidFields('/currency'))
      expect(await send({ metadata: { a: 'x'.repeat(501) } })).toMatchObject(invalidFields('/metadata'))
      for (const wrong of [
        { expires_in: 3_599 },
        { expires_in: 86_401 },
        { expires_in: null },
        { amount: -1 },
        { colour: 'red' },
        [{}],
      ])
        expect((await send(wrong)).status).toBe(422)
    }
  })

  test('of another account cannot find it', async () => {
    const id = await open({ amount: 1_00 })
    const stranger = await railyard.merchant()
    expect((await stranger.get(`/checkout/sessions/${id}`)).status).toBe(404)
    expect((await stranger.put(`/checkout/sessions/${id}`, { amount: 2_00 })).status).toBe(404)
    expect((await stranger.delete(`/checkout/sessions/${id}`)).status).toBe(404)
    expect(await readSessionForPayment(railyard.world, stranger.account, id)).toBeUndefined()
    expect((await read(id)).body.amount).toBe(1_00)
  })

  test('deletes it with everything that was entered', async () => {
    const id = await open()
    await enter(id)
    expect((await merchant.delete(`/checkout/sessions/${id}`)).status).toBe(204)
    expect((await read(id)).status).toBe(404)
    expect((await merchant.delete(`/checkout/sessions/${id}`)).status).toBe(404)
    expect((await enter(id)).status).toBe(404)
    expect(await codeOf(id)).toBeNull()
  })
})

describe('a buyer’s browser with a checkout session', () => {
  test('enters a card without a token, and the merchant reads its scheme, BIN and last digits', async () => {
    for (const method of ['PUT', 'POST']) {
      const id = await open()
      const answer = await browser(method, `${id}/fields`, { payment_method: fields, postal_code: '10119' })
      expect(answer).toMatchObject({ status: 204, body: undefined })
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect((await read(id)).body.payment_method).toEqual({
        type: 'payment-method',
        id: null,
        method: 'card',
        label: '1111',
        scheme: 'visa',
        // null, as otherwise a browser could try numbers against a fingerprint
        fingerprint: null,
        details: { bin: '411111', card_country: 'US', card_type: 'credit', card_issuer_name: 'Sandbox Bank' },
      })
      expect(await readForPayment(id)).toMatchObject({
        postalCode: '10119',
        paymentMethod: {
          kind: 'card',
          card: { number: fields.number, expirationDate: '12/35' },
          snapshot: { label: '1111', scheme: 'visa' },
        },
      })
    }
  })

  test('may send a CORS preflight request', async () => {
    const answer = await railyard.send('OPTIONS', `/checkout/sessions/${await open()}/fields`, {
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(answer.headers.get('access-control-allow-methods')).toContain('PUT')
  })

  test('may write the session’s id in upper case', async () => {
    const id = await open()
    expect((await enter(id.toUpperCase())).status).toBe(204)
    expect((await readForPayment(id.toUpperCase()))?.paymentMethod).toMatchObject({ kind: 'card' })
    expect(await codeOf(id)).toBe('123')
  })

  test('gets a 400 at the wrong field, and nothing is stored', async () => {
    const id = await open()
    expect(await enter(id, { ...fields, number: '4111111111111112' })).toMatchObject(
      invalidFields('/payment_method/number'),
    )
    expect(await enter(id, { ...fields, expiration_date: '01/20' })).toMatchObject(
      invalidFields('/payment_method/expiration_date'),
    )
    for (const wrong of [
      { ...fields, number: '411' },
      { ...fields, colour: 'red' },
      { method: 'card' },
      { method: 'id' },
      '4111111111111111',
    ]) {
      const answer = await enter(id, wrong)
      expect(answer.status).toBe(422)
      expect(JSON.stringify(answer.body)).not.toContain('4111111111111111')
    }
    expect((await read(id)).body.payment_method).toBeNull()
    expect((await readForPayment(id))?.paymentMethod).toBeNull()
  })

  test('replaces a card by another, and the code of the first does not stay with the second', async () => {
    const id = await open()
    await enter(id)
    await enter(id, { number: '378282246310005', expiration_date: '11/36' })
    expect((await read(id)).body.payment_method).toMatchObject({ label: '0005', scheme: 'amex' })
    expect(await readForPayment(id)).toMatchObject({
      postalCode: null,
      paymentMethod: { card: { number: '378282246310005', expirationDate: '11/36' } },
    })
    expect(await codeOf(id)).toBeNull()
  })

  test('sends several cards at once, and the stored code is that of the stored card', async () => {
    const cards = [
      fields,
      { ...fields, number: '378282246310005', security_code: '4567' },
      { number: '5555555555554444', expiration_date: '12/35' },
    ]
    const codes: Record<string, string | null> = { '1111': '123', '0005': '4567', '4444': null }
    for (let round = 0; round < 5; round++) {
      const id = await open()
      await Promise.all(cards.map((each) => enter(id, each)))
      expect(await codeOf(id)).toBe(codes[(await read(id)).body.payment_method.label])
    }
  })

  test('chooses a stored payment method of the session’s buyer', async () => {
    const external_identifier = crypto.randomUUID()
    const { id: buyer_id } = (await merchant.post('/buyers', { external_identifier })).body
    const card = await addStoredCard(railyard, merchant.account, { buyer_id })
    for (const session of [{ buyer_id }, { buyer: { external_identifier } }])
      expect((await enter(await open(session), { method: 'id', id: card })).status).toBe(204)
    const id = await open({ buyer_id })
    expect((await enter(id, { method: 'id', id: card, security_code: '999' })).status).toBe(204)
    expect((await read(id)).body.payment_method).toMatchObject({
      id: card,
      method: 'card',
      label: '1111',
      details: { bin: '411111' },
    })
    expect((await readForPayment(id))?.paymentMethod).toEqual({ kind: 'id', id: card })
    expect(await codeOf(id)).toBe('999')
  })

  test('cannot choose a stored payment method in a session without a stored buyer', async () => {
    const { id: buyer_id } = (await merchant.post('/buyers', {})).body
    const card = await addStoredCard(railyard, merchant.account, { buyer_id })
    for (const session of [
      {},
      { buyer: { display_name: 'Ada' } },
      { buyer: { external_identifier: crypto.randomUUID() } },
    ])
      expect(await enter(await open(session), { method: 'id', id: card })).toMatchObject(
        invalidFields('/payment_method/id'),
      )
  })

  test('cannot choose a payment method of another buyer, without a buyer, of another merchant, that does not exist, or that is provisional', async () => {
    const stranger = await railyard.merchant()
    const { id: buyer_id } = (await merchant.post('/buyers', {})).body
    const { id: another } = (await merchant.post('/buyers', {})).body
    const id = await open({ buyer_id })
    for (const other of [
      await addStoredCard(railyard, merchant.account, { buyer_id: another }),
      await addStoredCard(railyard, merchant.account),
      await addStoredCard(railyard, stranger.account),
      await addStoredCard(railyard, merchant.account, { buyer_id, provisional: true }),
      crypto.randomUUID(),
    ])
      expect(await enter(id, { method: 'id', id: other })).toMatchObject(invalidFields('/payment_method/id'))
  })

  test('stores the values of click-to-pay', async () => {
    const id = await open()
    const values = {
      method: 'click-to-pay',
      merchant_transaction_id: 'm',
      src_correlation_id: 'c',
      src_dpa_id: 'd',
    }
    expect((await enter(id, values)).status).toBe(204)
    expect((await read(id)).body.payment_method).toMatchObject({
      method: 'click-to-pay',
      id: null,
      details: null,
    })
    expect((await readForPayment(id))?.paymentMethod).toEqual({
      kind: 'click-to-pay',
      merchantTransactionId: 'm',
      srcCorrelationId: 'c',
      srcDpaId: 'd',
      srcCxFlowId: null,
    })
  })

  test('reads the card’s details while the number is typed, and the acquirer', async () => {
    const id = await open()
    expect(await browser('POST', `${id}/card-details`, { bin: '40000025' })).toMatchObject({
      status: 200,
      body: {
        bin: '40000025',
        card_type: 'credit',
        scheme: 'visa',
        scheme_icon_url: `${railyard.url}/assets/card-schemes/visa.svg`,
        additional_schemes: ['carte-bancaire'],
      },
    })
    expect(await browser('GET', `${id}/acquirer`)).toMatchObject({ status: 200, body: {} })
    const unknown = crypto.randomUUID()
    expect((await browser('POST', `${unknown}/card-details`, { bin: '40000025' })).status).toBe(404)
    expect((await browser('GET', `${unknown}/acquirer`)).status).toBe(404)
    expect((await enter(unknown)).status).toBe(404)
  })

  test('can send fields fifty times a minute for each session', async () => {
    const id = await open()
    const statuses = []
    for (let attempt = 0; attempt < 51; attempt++)
      statuses.push((await enter(id, { method: 'id', id: crypto.randomUUID() })).status)
    expect(statuses).toEqual([...Array(50).fill(400), 429])
    expect((await enter(await open())).status).toBe(204)
    railyard.clock.advance(60_000)
    expect((await enter(id)).status).toBe(204)
  })
})
