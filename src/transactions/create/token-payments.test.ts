import { afterAll, describe, expect, test } from 'vitest'
import { storeCard, withNetworkTokens } from '../../../test/support/domains/network-tokens.ts'
import { expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { recordedRequests } from '../../../test/support/recorded-requests.ts'
import { addService, invalidFields, openShop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
/** Its first payment service takes network tokens, its second tokenizes cards. */
const shop = await openShop(railyard, { settings: withNetworkTokens() })
expect(
  (
    await shop.put(`/payment-services/${shop.paymentServiceId}`, {
      open_loop: true,
      network_tokens_enabled: true,
    })
  ).status,
).toBe(200)
const tokenizer = await addService(railyard, shop, {
  open_loop: false,
  payment_method_tokenization_enabled: true,
})
afterAll(() => expectBooksMatch(railyard, shop.account))

const withToken = async () => {
  const id = await storeCard(shop)
  const token = await shop.post(`/payment-methods/${id}/network-tokens`, {
    merchant_initiated: false,
    is_subsequent_payment: false,
  })
  expect(token.status).toBe(201)
  return { id, token: token.body }
}
const tokenize = async (id: string) => {
  const token = await shop.post(`/payment-methods/${id}/payment-service-tokens`, {
    payment_service_id: tokenizer,
    redirect_url: 'https://shop.example',
  })
  expect(token).toMatchObject({ status: 201 })
  return token.body
}

/** The stored requests to payment services for a payment, in their order. */
const requestsFor = (transaction: string) => recordedRequests(railyard.world, transaction)

describe('a stored card with a network token', () => {
  test('pays with the token and a cryptogram of this payment', async () => {
    const { id, token } = await withToken()
    const paid = await shop.pay(10_00, { payment_method: { id, security_code: '123' } })
    expect(paid.body).toMatchObject({
      status: 'authorization_succeeded',
      instrument_type: 'network_token',
      payment_method: { id, label: '1111' },
    })
    const [sent] = await requestsFor(paid.body.id)
    expect(sent).toMatchObject({
      network_token: {
        number: expect.stringMatching(/^489537\*{6}/),
        cryptogram: '***',
        eci: '05',
        source: 'network',
      },
    })
    expect(sent).not.toHaveProperty('card')
    expect(await shop.payment(paid.body.id).timeline()).toContain(
      'network-token-cryptogram-provision-succeeded',
    )
    expect(JSON.stringify(await shop.get(`/transactions/${paid.body.id}/events`))).not.toContain(token.token)
  })

  test('needs no cryptogram when the merchant charges it', async () => {
    const { id } = await withToken()
    await shop.authorized(10_00, { payment_method: { id } })
    const more = { merchant_initiated: true, is_subsequent_payment: true, payment_source: 'recurring' }
    const paid = await shop.pay(10_00, { payment_method: { id }, ...more })
    expect(paid.body).toMatchObject({ status: 'authorization_succeeded', instrument_type: 'network_token' })
    expect(await requestsFor(paid.body.id)).toMatchObject([{ network_token: { cryptogram: null } }])
  })

  test('pays with the card number when there is no cryptogram or the token is suspended', async () => {
    const { id, token } = await withToken()
    await injectFaults(railyard, { operation: 'cryptogram', kind: 'error', times: 1 })
    const paid = await shop.pay(10_00, { payment_method: { id } })
    expect(paid.body).toMatchObject({ status: 'authorization_succeeded', instrument_type: 'pan' })
    expect(await shop.payment(paid.body.id).timeline()).toContain('network-token-cryptogram-provision-failed')
    expect((await shop.post(`/payment-methods/${id}/network-tokens/${token.id}/suspend`)).status).toBe(200)
    expect((await shop.pay(10_00, { payment_method: { id } })).body).toMatchObject({ instrument_type: 'pan' })
  })

  test('pays with the card number at the next payment service', async () => {
    const { id } = await withToken()
    await injectFaults(railyard, { operation: 'authorize', kind: 'outage', times: 1 })
    const lost = await shop.pay(10_00, { payment_method: { id } })
    expect(lost.body.status).toBe('processing')
    await recoverFully(railyard)
    // a retriable decline
    const refused = await shop.pay(200_012, { payment_method: { id } })
    expect(refused.body).toMatchObject({
      status: 'authorization_failed',
      instrument_type: 'pan',
      payment_service: { id: tokenizer },
    })
    const [first, second] = await requestsFor(refused.body.id)
    expect(first).toHaveProperty('network_token')
    expect(second).toMatchObject({ card: { number: '411111******1111' } })
  })
})

describe('a card that a payment service has tokenized', () => {
  test('pays with the payment service’s token at that service only', async () => {
    const id = await storeCard(shop)
    const token = await tokenize(id)
    expect(token).toMatchObject({
      type: 'payment-service-token',
      status: 'succeeded',
      token: expect.stringMatching(/^tok_/),
      approval_url: null,
    })
    const paid = await shop.pay(10_00, { payment_method: { id }, payment_service_id: tokenizer })
    expect(paid.body).toMatchObject({
      status: 'authorization_succeeded',
      instrument_type: 'card_token',
      payment_method: { label: '1111' },
    })
    expect(await requestsFor(paid.body.id)).toMatchObject([{ token: '***' }])
    expect((await shop.pay(10_00, { payment_method: { id } })).body).toMatchObject({
      instrument_type: 'pan',
      payment_service: { id: shop.paymentServiceId },
    })
    const cascaded = await shop.pay(200_012, { payment_method: { id } })
    expect(cascaded.body).toMatchObject({ instrument_type: 'card_token', payment_service: { id: tokenizer } })
  })

  test('gets one token from concurrent requests, which can be deleted and made again', async () => {
    const id = await storeCard(shop)
    const at = `/payment-methods/${id}/payment-service-tokens`
    const body = { payment_service_id: tokenizer, redirect_url: 'https://shop.example', security_code: '123' }
    const answers = await Promise.all([1, 2, 3].map(() => shop.post(at, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400])
    const { items } = (await shop.get(`${at}?payment_service_id=${tokenizer}`)).body
    expect(items).toHaveLength(1)
    expect((await shop.get(`${at}?payment_service_id=${shop.paymentServiceId}`)).body.items).toEqual([])
    expect((await shop.delete(`${at}/${items[0].id}`)).status).toBe(204)
    expect((await shop.delete(`${at}/${items[0].id}`)).status).toBe(404)
    expect(
      (await shop.pay(10_00, { payment_method: { id }, payment_service_id: tokenizer })).body.instrument_type,
    ).toBe('pan')
    expect((await shop.post(at, body)).status).toBe(201)
  })

  test('has its token after maintenance although the answer was lost', async () => {
    const id = await storeCard(shop)
    await injectFaults(railyard, { operation: 'tokenize', kind: 'lost', times: 1 })
    expect(await tokenize(id)).toMatchObject({ status: 'processing', token: null })
    railyard.clock.advance(40_000)
    await railyard.maintenance.runOnce()
    expect((await shop.get(`/payment-methods/${id}/payment-service-tokens`)).body.items).toMatchObject([
      { status: 'succeeded', token: expect.any(String) },
    ])
  })

  test('needs an existing payment service that tokenizes cards, and a redirect URL', async () => {
    const at = `/payment-methods/${await storeCard(shop)}/payment-service-tokens`
    const body = { payment_service_id: tokenizer, redirect_url: 'https://shop.example' }
    expect((await shop.post(at, { ...body, payment_service_id: crypto.randomUUID() })).status).toBe(404)
    expect((await shop.post(at, { ...body, payment_service_id: shop.paymentServiceId })).status).toBe(400)
    expect(await shop.post(at, { ...body, redirect_url: 'nowhere' })).toMatchObject(
      invalidFields('/redirect_url'),
    )
    expect((await shop.post(at, { payment_service_id: tokenizer })).status).toBe(422)
  })
})

describe('a token in a merchant’s request', () => {
  const networkToken = {
    method: 'network-token',
    token: '4895370000000000',
    expiration_date: '12/35',
    cryptogram: 'AAECAwQFBgc=',
    eci: '5',
    card_suffix: '4242',
  }

  test('pays as a network token, and the timeline has neither the token nor its cryptogram', async () => {
    const paid = await shop.pay(10_00, { payment_method: { ...networkToken, card_source: 'apple-pay' } })
    expect(paid.body).toMatchObject({
      status: 'authorization_succeeded',
      method: 'network-token',
      instrument_type: 'network_token',
      payment_method: { method: 'network-token', label: '4242', scheme: 'visa', expiration_date: '12/35' },
    })
    expect(await requestsFor(paid.body.id)).toMatchObject([
      { network_token: { number: '489537******0000', source: 'apple-pay', eci: '05', cryptogram: '***' } },
    ])
    const timeline = JSON.stringify((await shop.get(`/transactions/${paid.body.id}/events`)).body)
    expect(timeline).not.toContain(networkToken.token)
    expect(timeline).not.toContain(networkToken.cryptogram)
  })

  test('of Click to Pay pays as a network token, too', async () => {
    const { token, expiration_date, cryptogram } = networkToken
    const paid = await shop.pay(10_00, {
      payment_method: { method: 'click-to-pay', token, expiration_date, cryptogram },
    })
    expect(paid.body).toMatchObject({
      status: 'authorization_succeeded',
      method: 'click-to-pay',
      instrument_type: 'network_token',
    })
  })

  test('is refused unless it has 13 to 19 digits and has not expired', async () => {
    expect(
      await shop.pay(1_00, {
        payment_method: { ...networkToken, token: '48953700000', expiration_date: '01/20' },
      }),
    ).toMatchObject(invalidFields('/payment_method/token', '/payment_method/expiration_date'))
    expect(
      await shop.pay(1_00, { payment_method: { ...networkToken, token: 'tok_48953700000000' } }),
    ).toMatchObject(invalidFields('/payment_method/token'))
  })
})

test('an account with async_network_tokens_enabled gets tokens for cards that have paid, which the next payments use', async () => {
  const tokenizing = await openShop(railyard, {
    settings: withNetworkTokens({ async_network_tokens_enabled: true }),
  })
  expect(
    (
      await tokenizing.put(`/payment-services/${tokenizing.paymentServiceId}`, {
        open_loop: true,
        network_tokens_enabled: true,
      })
    ).status,
  ).toBe(200)
  const id = await storeCard(tokenizing)
  await railyard.maintenance.runOnce()
  expect((await tokenizing.get(`/payment-methods/${id}/network-tokens`)).body.items).toEqual([])
  expect((await tokenizing.pay(10_00, { payment_method: { id } })).body.instrument_type).toBe('pan')
  const withPayment = await tokenizing.pay(10_00, { store: true })
  await railyard.maintenance.runOnce()
  for (const method of [id, withPayment.body.payment_method.id])
    expect((await tokenizing.get(`/payment-methods/${method}/network-tokens`)).body.items).toMatchObject([
      { status: 'active' },
    ])
  expect((await tokenizing.pay(10_00, { payment_method: { id } })).body.instrument_type).toBe('network_token')
  await expectBooksMatch(railyard, tokenizing.account)
})
