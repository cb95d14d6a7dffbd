import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { card } from '../../test/support/railyard.ts'
import { invalidFields } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { browserWithToken } from '../../test/support/tokens.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const storedCard = { number: card.number, expiration_date: card.expiration_date }
async function buyer() {
  const name = randomUUID()
  const { id } = (await shop.post('/buyers', { external_identifier: name, display_name: 'A buyer' })).body
  return { id, name, card: (await shop.post('/payment-methods', { ...storedCard, buyer_id: id })).body.id }
}
/** Two buyers with a stored card each. */
const [ada, eve] = [await buyer(), await buyer()]
const ownerless: string = (await shop.post('/payment-methods', storedCard)).body.id

const terms = { amount: 12_00, currency: 'EUR' }

/** A browser that has a token of the shop. `embed` undefined: the token has no constraints. */
const browser = (embed: Record<string, unknown> | undefined, claims: Record<string, unknown> = {}) =>
  browserWithToken(railyard, shop.signer, embed, claims)
const pay = async (embed: Record<string, unknown> | undefined, more: Record<string, unknown>) =>
  (await browser(embed))('POST', '/transactions', { ...terms, payment_method: card, ...more })

describe('a browser whose token does not constrain the buyer', () => {
  const tokens = [undefined, terms]

  test('sees no stored payment method, also if it names a buyer', async () => {
    for (const embed of tokens) {
      const send = await browser(embed)
      expect(await send('GET', '/buyers/payment-methods')).toMatchObject({ status: 200, body: { items: [] } })
      for (const query of [`buyer_id=${ada.id}`, `buyer_external_identifier=${ada.name}`])
        expect(await send('GET', `/buyers/payment-methods?${query}`)).toMatchObject({
          status: 400,
          body: { details: [{ location: 'query' }] },
        })
      expect((await send('GET', `/card-details?currency=EUR&payment_method_id=${ada.card}`)).status).toBe(400)
      expect((await send('DELETE', `/payment-methods/${ada.card}`)).status).toBe(404)
    }
  })

  test('cannot pay with a stored payment method, store one, or name a buyer by any member', async () => {
    for (const embed of tokens) {
      for (const id of [ada.card, ownerless])
        expect(await pay(embed, { payment_method: { method: 'id', id } })).toMatchObject(
          invalidFields('/payment_method/id'),
        )
      expect(await pay(embed, { store: true })).toMatchObject(invalidFields('/store'))
      expect(await pay(embed, { buyer_id: ada.id })).toMatchObject(invalidFields('/buyer_id'))
      expect(await pay(embed, { buyer_external_identifier: ada.name })).toMatchObject(
        invalidFields('/buyer_external_identifier'),
      )
      expect(await pay(embed, { buyer: { external_identifier: ada.name } })).toMatchObject(
        invalidFields('/buyer/external_identifier'),
      )
      for (const [name, value] of Object.entries({ buyer_id: ada.id, buyer_external_identifier: ada.name }))
        expect(await pay(embed, { payment_method: { ...card, [name]: value } })).toMatchObject(
          invalidFields(`/payment_method/${name}`),
        )
    }
    expect((await shop.get(`/transactions?buyer_id=${ada.id}`)).body.items).toEqual([])
  })

  test('pays with a card, with billing details and a cart of its own', async () => {
    const buyer = {
      display_name: 'Guest',
      billing_details: { first_name: 'Guest', address: { country: 'DE' } },
    }
    const cart_items = [{ name: 'Pen', quantity: 1, unit_amount: 12_00 }]
    const { status, body } = await pay(terms, { buyer, cart_items, store: false, country: 'DE' })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { status: 'authorization_succeeded', buyer, cart_items, country: 'DE' },
    })
  })
})

describe('a browser whose token constrains the buyer', () => {
  const tokens = () => [
    { ...terms, buyer_id: ada.id },
    { ...terms, buyer_external_identifier: ada.name },
    { ...terms, buyer_id: ada.id, buyer_external_identifier: ada.name },
  ]

  test('pays as that buyer, with their stored cards, and stores a new one for them', async () => {
    for (const embed of tokens()) {
      const send = await browser(embed)
      expect(
        (await send('GET', '/buyers/payment-methods')).body.items.map(({ id }: { id: string }) => id),
      ).toContain(ada.card)
      const paid = await pay(embed, { payment_method: { method: 'id', id: ada.card } })
      expect(paid).toMatchObject({
        status: 201,
        body: { buyer: { id: ada.id }, payment_method: { id: ada.card } },
      })
      const stored = await pay(embed, { store: true })
      expect(stored).toMatchObject({ status: 201, body: { buyer: { id: ada.id } } })
      expect((await shop.get(`/payment-methods/${stored.body.payment_method.id}`)).body.buyer.id).toBe(ada.id)
    }
  })

  test('cannot pay with a stored card of another buyer, nor with one that has no buyer', async () => {
    for (const embed of tokens())
      for (const id of [eve.card, ownerless])
        expect(await pay(embed, { payment_method: { method: 'id', id } })).toMatchObject(
          invalidFields('/payment_method/id'),
        )
    const send = await browser(tokens()[0])
    for (const id of [eve.card, ownerless])
      expect((await send('DELETE', `/payment-methods/${id}`)).status).toBe(404)
  })

  test('cannot name another buyer by any member', async () => {
    for (const embed of tokens()) {
      expect(await pay(embed, { buyer_id: eve.id })).toMatchObject(invalidFields('/buyer_id'))
      expect(await pay(embed, { buyer_external_identifier: eve.name })).toMatchObject(
        invalidFields('/buyer_external_identifier'),
      )
      expect(await pay(embed, { buyer: { external_identifier: eve.name } })).toMatchObject(
        invalidFields('/buyer/external_identifier'),
      )
      expect(await pay(embed, { payment_method: { ...card, buyer_id: eve.id } })).toMatchObject(
        invalidFields('/payment_method/buyer_id'),
      )
    }
    const repeated = {
      buyer_external_identifier: ada.name,
      buyer: { external_identifier: ada.name },
      payment_method: { ...card, buyer_external_identifier: ada.name },
    }
    expect(await pay(tokens()[1], repeated)).toMatchObject({
      status: 201,
      body: { buyer: { id: ada.id, external_identifier: ada.name } },
    })
  })
})

describe('a browser with any token', () => {
  const proof = {
    cavv: 'AAABBBCCC',
    eci: '05',
    version: '2.1.0',
    directory_response: 'Y',
    directory_transaction_id: randomUUID(),
  }
  const ofMerchant = {
    merchant_initiated: true,
    is_subsequent_payment: true,
    payment_source: 'recurring',
    three_d_secure_data: proof,
    three_d_secure: { amount: 1 },
    previous_scheme_transaction_id: '123456789012345',
    payment_service_id: randomUUID(),
    allow_partial_authorization: true,
    account_funding_transaction: true,
    metadata: { discount: '100%' },
    external_identifier: 'another-order',
    intent: 'capture',
    installment_count: 12,
    connection_options: { 'bnpl-bnpl': { authorization_token: 'stolen' } },
  }

  test.each(Object.entries(ofMerchant))(
    'cannot send %s, whatever the token constrains',
    async (name, value) => {
      const pointer =
        name === 'connection_options' ? '/connection_options/bnpl-bnpl/authorization_token' : `/${name}`
      for (const embed of [undefined, terms, { ...terms, buyer_id: ada.id }])
        expect(await pay(embed, { [name]: value })).toMatchObject(invalidFields(pointer))
    },
  )

  test('gets one answer with all members that it may not send', async () => {
    expect(
      await pay(terms, { merchant_initiated: false, payment_source: 'moto', buyer: { account_number: '1' } }),
    ).toMatchObject(invalidFields('/merchant_initiated', '/payment_source', '/buyer/account_number'))
  })

  test('cannot change metadata and options that its token constrains: the token’s values replace them', async () => {
    const embed = {
      ...terms,
      metadata: { order: '1' },
      connection_options: { 'mock-card': { skip_retry: true } },
    }
    const sent = {
      metadata: { order: '2' },
      connection_options: { 'bnpl-bnpl': { authorization_token: 'x' } },
    }
    expect(await pay(embed, sent)).toMatchObject({ status: 201, body: { metadata: { order: '1' } } })
  })

  test('cannot pay with a number that claims an authentication by a wallet or a scheme', async () => {
    const { number, expiration_date } = card
    for (const method of [
      { method: 'network-token', token: number, expiration_date, cryptogram: 'AAAA', eci: '05' },
      { method: 'click-to-pay', token: number, expiration_date, cryptogram: 'AAAA' },
      { method: 'click-to-pay', number, expiration_date },
      { method: 'googlepay_pan_only', number, expiration_date },
    ])
      expect(await pay(terms, { payment_method: method })).toMatchObject(
        invalidFields('/payment_method/method'),
      )
  })

  test('opens nothing with other scopes of its token: they would lead around its constraints', async () => {
    const send = await browser({ ...terms, buyer_id: ada.id }, { scopes: ['embed', '*.read', '*.write'] })
    expect((await send('POST', '/payment-methods', { ...storedCard, buyer_id: eve.id })).status).toBe(403)
    expect((await send('GET', '/payment-methods')).status).toBe(403)
    expect((await send('GET', '/transactions')).status).toBe(403)
    expect((await send('GET', '/buyers/payment-methods')).status).toBe(200)
  })

  test('may send fifty requests a minute in all, to any operation', async () => {
    const send = await browser({ ...terms, buyer_id: ada.id })
    const requests = [
      () => send('GET', '/buyers/payment-methods'),
      () => send('GET', '/card-details?currency=EUR&bin=411111'),
      () => send('POST', '/payment-options', {}),
      () => send('DELETE', `/payment-methods/${randomUUID()}`),
      () => send('POST', '/digital-wallets/google/session', { origin_domain: 'shop.example' }),
    ]
    const answers = []
    for (let turn = 0; turn < 11; turn++)
      answers.push(...(await Promise.all(requests.map((request) => request()))))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5)
    expect(answers.slice(0, 50).filter(({ headers }) => headers.get('ratelimit-limit') !== '50')).toEqual([])
  })
})

describe('an embed claim', () => {
  test('without the amount or the currency, or with an unknown member, makes the token invalid', async () => {
    for (const embed of [
      {},
      { amount: 12_00 },
      { currency: 'EUR' },
      { Amount: 12_00, currency: 'EUR' },
      { ...terms, buyerId: ada.id },
      { ...terms, buyer: ada.id },
      { ...terms, amount: '1200' },
      { ...terms, amount: null },
      { ...terms, currency: 'euro' },
      { ...terms, cartItems: [] },
    ])
      expect({ embed, status: (await pay(embed, {})).status }).toEqual({ embed, status: 401 })
    expect((await pay(terms, {})).status).toBe(201)
    expect((await pay(undefined, {})).status).toBe(201)
  })

  test('of a server’s token may have the merchant account alone', async () => {
    const server = await railyard.client({
      account: shop.account,
      embed: { merchant_account_id: shop.account },
    })
    expect((await server.get('/transactions')).status).toBe(200)
  })
})

describe('a checkout session in a browser’s payment', () => {
  const enter = (session: string, payment_method: Record<string, unknown> = card) =>
    railyard.send('PUT', `/checkout/sessions/${session}/fields`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_method }),
    })
  const open = async (values: Record<string, unknown>) => {
    const { id } = (await shop.post('/checkout/sessions', values)).body
    expect((await enter(id)).status).toBe(204)
    return id
  }

  test('provides the members that the browser may not send: the intent, the metadata and the buyer', async () => {
    const session = await open({ intent: 'capture', metadata: { order: '7' }, buyer_id: ada.id })
    const send = await browser(terms, { checkout_session_id: session })
    const paid = await send('POST', '/transactions', {
      payment_method: { method: 'checkout-session', id: session },
    })
    expect(paid).toMatchObject({
      status: 201,
      body: { status: 'capture_succeeded', metadata: { order: '7' }, buyer: { id: ada.id } },
    })
  })

  test('keeps its buyer, whatever the browser sends of them', async () => {
    const session = await open({ buyer: { external_identifier: ada.name, display_name: 'Ada' } })
    const buyer = { billing_details: { first_name: 'A.' } }
    const paid = await pay(terms, { payment_method: { method: 'checkout-session', id: session }, buyer })
    expect(paid).toMatchObject({
      status: 201,
      body: { buyer: { external_identifier: ada.name, display_name: 'Ada', ...buyer } },
    })
  })

  test('of another buyer than the token’s does not pay', async () => {
    for (const values of [{ buyer_id: eve.id }, { buyer: { external_identifier: eve.name } }]) {
      const session = await open(values)
      const answer = await pay(
        { ...terms, buyer_id: ada.id },
        { payment_method: { method: 'checkout-session', id: session } },
      )
      expect(answer).toMatchObject({ status: 400, body: { message: 'Request failed validation' } })
    }
  })

  test('pays with the stored card that its own buyer chose in it, and accepts no other card', async () => {
    const session = await open({ buyer_id: ada.id })
    expect(await enter(session, { method: 'id', id: eve.card })).toMatchObject(
      invalidFields('/payment_method/id'),
    )
    expect((await enter(session, { method: 'id', id: ada.card })).status).toBe(204)
    const paid = await pay(terms, { payment_method: { method: 'checkout-session', id: session } })
    expect(paid).toMatchObject({
      status: 201,
      body: { payment_method: { id: ada.card }, buyer: { id: ada.id } },
    })
  })
})
