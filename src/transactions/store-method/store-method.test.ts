import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import { addPageProvider, pageProvider } from '../../../test/support/domains/page-provider.ts'
import { crashingWorld } from '../../../test/support/domains/payment-links.ts'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { verify } from '../../verify/verify.ts'
import { storeAtPaymentService } from './store-at-payment-service.ts'

const { railyard, shop } = await startShop({
  env: { CARD_NUMBERS: 'refuse', PROVIDER_TIMEOUT_MS: '400' },
})

const newBuyer = async () => (await shop.post('/buyers', { external_identifier: randomUUID() })).body.id
const token = (more: Record<string, unknown> = {}) => ({
  method: 'provider-token' as const,
  payment_service_id: shop.paymentServiceId,
  token: 'tok_visa',
  currency: 'EUR',
  ...more,
})
const store = (more: Record<string, unknown> = {}, at: Shop = shop) =>
  at.post('/payment-methods', token(more))
const read = async (id: string, at: Shop = shop) => (await at.get(`/payment-methods/${id}`)).body
const tokensOf = async (id: string, at: Shop = shop) =>
  (await at.get(`/payment-methods/${id}/payment-service-tokens`)).body.items
const transactionsOf = async (id: string, at: Shop = shop) =>
  (await at.get(`/transactions?payment_method_id=${id}`)).body.items
const expectClean = async () =>
  expect(
    (await verify(railyard.world.run, { now: railyard.clock.now(), idempotencyRetention: 30 })).findings,
  ).toEqual([])

/** A shop whose provider challenges the cardholder at its page. */
async function storeAtPage(options: Parameters<typeof pageProvider>[1] = {}) {
  const at = await openShop(railyard)
  const provider = pageProvider(`page-${randomUUID()}`, options)
  const service = await addPageProvider(railyard, at.account, provider)
  const { status, body } = await store(
    { payment_service_id: service, country: 'DE', redirect_url: 'https://shop.example/back' },
    at,
  )
  const decide = async (state: 'approved' | 'declined') => {
    const [operation = ''] = provider.payments.keys()
    provider.decide(operation, state)
    const [{ id }] = await transactionsOf(body.id, at)
    await at.payment(id).sync()
    return read(body.id, at)
  }
  return { at, status, body, decide }
}

describe('POST /payment-methods with a provider’s token', () => {
  test('stores the card at its payment service without a payment, with what the provider tells of it', async () => {
    const buyer = await newBuyer()
    const { status, body } = await store({ buyer_id: buyer, external_identifier: randomUUID() })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        status: 'succeeded',
        method: 'card',
        mode: 'card',
        label: '1111',
        scheme: 'visa',
        expiration_date: '12/39',
        details: { bin: '411111' },
        buyer: { id: buyer },
        approval_url: null,
        fingerprint: null,
        usage_count: 0,
        last_used_at: null,
      },
    })
    expect(await read(body.id)).toEqual(body)
    expect(await tokensOf(body.id)).toMatchObject([
      { payment_service_id: shop.paymentServiceId, status: 'succeeded' },
    ])
    expect(await transactionsOf(body.id)).toMatchObject([{ amount: 0, status: 'authorization_succeeded' }])
    await expectClean()
  })

  test('stores a card that the merchant charges later', async () => {
    const { body } = await store({ buyer_id: await newBuyer() })
    const later = await shop.pay(4_99, {
      payment_source: 'recurring',
      merchant_initiated: true,
      is_subsequent_payment: true,
      payment_method: { method: 'id', id: body.id },
    })
    expect(later.body).toMatchObject({ status: 'authorization_succeeded', instrument_type: 'card_token' })
    expect(await read(body.id)).toMatchObject({ usage_count: 1, cit_usage_count: 0 })
  })

  test('answers where the cardholder confirms, and the card can pay once they have', async () => {
    const { at, status, body, decide } = await storeAtPage({ storesAs: 'page-token' })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        status: 'buyer_approval_required',
        approval_url: expect.stringMatching(/^https:\/\/page\.example\//),
      },
    })
    expect(await read(body.id, at)).toEqual(body)
    const early = await at.pay(1_00, { payment_method: { method: 'id', id: body.id } })
    expect(early).toMatchObject({ status: 400, body: { details: [{ pointer: '/payment_method/id' }] } })
    expect(await decide('approved')).toMatchObject({ id: body.id, status: 'succeeded', approval_url: null })
    expect(await tokensOf(body.id, at)).toMatchObject([{ token: 'page-token' }])
    await expectClean()
  })

  test.each([
    ['the cardholder’s bank refuses', { storesAs: 'page-token' }, 'declined'],
    ['the provider gives no token', {}, 'approved'],
  ] as const)('shows a card as failed when %s, and it cannot pay', async (_, options, decision) => {
    const { at, body, decide } = await storeAtPage(options)
    expect(await decide(decision)).toMatchObject({ status: 'failed', approval_url: null })
    expect(await tokensOf(body.id, at)).toEqual([])
    expect(await at.pay(1_00, { payment_method: { method: 'id', id: body.id } })).toMatchObject({
      status: 400,
    })
    expect((await at.delete(`/payment-methods/${body.id}`)).status).toBe(204)
    await expectClean()
  })

  test('forgets a card that is deleted while its cardholder confirms', async () => {
    const { at, body, decide } = await storeAtPage({ storesAs: 'page-token' })
    expect((await at.delete(`/payment-methods/${body.id}`)).status).toBe(204)
    expect(await decide('approved')).toMatchObject({ code: 'not_found' })
    await expectClean()
  })

  test.each(['lost', 'malformed', 'reset'] as const)(
    'finds out what became of the card if the answer is %s',
    async (kind) => {
      await injectFaults(railyard, { operation: 'authorize', kind })
      const { status, body } = await store({ buyer_id: await newBuyer() })
      expect(status).toBe(201)
      await recoverFully(railyard)
      const isStored = kind !== 'reset'
      expect(await read(body.id)).toMatchObject({ status: isStored ? 'succeeded' : 'failed' })
      expect(await tokensOf(body.id)).toHaveLength(isStored ? 1 : 0)
      await expectClean()
    },
  )

  test('a process that dies at any statement leaves a card that is stored, failed, or not there', async () => {
    const found = new Set<string>()
    let completed = false
    for (let at = 1; !completed; at++)
      for (const committed of [false, true]) {
        const buyer = await newBuyer()
        const storing = storeAtPaymentService(
          crashingWorld(railyard.world, at, committed),
          shop.account,
          token({ buyer_id: buyer }),
          null,
        )
        completed = await storing.then(
          () => true,
          () => false,
        )
        await recoverFully(railyard)
        const { items } = (await shop.get(`/payment-methods?buyer_id=${buyer}`)).body
        const [method] = items
        found.add(method?.status ?? 'none')
        if (method) expect(await tokensOf(method.id)).toHaveLength(method.status === 'succeeded' ? 1 : 0)
        await expectClean()
      }
    expect([...found].sort()).toEqual(['failed', 'none', 'succeeded'])
  })

  test('is a 400 for a card that a rule declines, and the payment service does not get it', async () => {
    const own = await openShop(railyard)
    const declines = {
      display_name: 'No tokens',
      action: 'decline-early',
      condition: { field: 'currency', operator: 'is', value: 'EUR' },
      outcome: { error_code: 'flow_no_tokens' },
    }
    expect(await own.put('/flows/card-transaction/rules', { items: [declines] })).toMatchObject({
      status: 200,
    })
    expect(await own.post('/flows/card-transaction/rules/publish', {})).toMatchObject({ status: 200 })
    expect(await store({ payment_service_id: own.paymentServiceId }, own)).toMatchObject({
      status: 400,
      body: { message: 'The card was not sent to the payment service: flow_no_tokens' },
    })
    expect((await own.get('/payment-methods')).body.items).toEqual([])
    await expectClean()
  })

  test('shows a card as failed when the fraud check rejects its buyer', async () => {
    const own = await openShop(railyard)
    await addAntiFraudService(railyard, own)
    const { body: buyer } = await own.post('/buyers', buyerScreenedAs('reject'))
    const { status, body } = await store(
      { payment_service_id: own.paymentServiceId, buyer_id: buyer.id },
      own,
    )
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'failed' } })
    expect(await transactionsOf(body.id, own)).toMatchObject([
      { status: 'authorization_failed', payment_method: { id: body.id } },
    ])
    await expectClean()
  })

  test('refuses what the request gets wrong, at its own members', async () => {
    const taken = randomUUID()
    await store({ external_identifier: taken })
    const stranger = await openShop(railyard)
    const unable = pageProvider(`unable-${randomUUID()}`)
    unable.connector.definition.features = { ...unable.connector.definition.features, zero_auth: false }
    const other = await addPageProvider(railyard, shop.account, unable)
    const wrong: [Record<string, unknown>, string][] = [
      [{ payment_service_id: randomUUID() }, '/payment_service_id'],
      [{ payment_service_id: stranger.paymentServiceId }, '/payment_service_id'],
      [{ payment_service_id: other }, '/payment_service_id'],
      [{ redirect_url: 'ftp://shop.example/' }, '/redirect_url'],
      [{ buyer_id: randomUUID() }, '/buyer_id'],
      [{ currency: 'XXL' }, '/currency'],
      [{ country: 'UK' }, '/country'],
    ]
    for (const [more, pointer] of wrong)
      expect(await store(more)).toMatchObject({ status: 400, body: { details: [{ pointer }] } })
    expect(await store({ external_identifier: taken })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_record' },
    })
    expect(await store({ currency: undefined })).toMatchObject({ status: 422 })
  })
})
