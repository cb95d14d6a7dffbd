import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { erasureActions } from '../../../test/support/domains/erasure.ts'
import { withNetworkTokens } from '../../../test/support/domains/network-tokens.ts'
import {
  addPageProvider,
  type PageProvider,
  pageProvider,
} from '../../../test/support/domains/page-provider.ts'
import { crashingWorld } from '../../../test/support/domains/payment-links.ts'
import { payoutOf } from '../../../test/support/domains/payouts.ts'
import { booksOf, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { addService, openShop, type Shop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { verify } from '../../verify/verify.ts'
import { createTransaction } from './create-transaction.ts'
import { readDraft } from './draft.ts'

const { railyard, shop } = await startShop({
  env: { CARD_NUMBERS: 'refuse', PROVIDER_TIMEOUT_MS: '400' },
})
const { erase } = erasureActions(railyard, shop)
// comes first where a payment could go to either
await addService(railyard, shop, { position: 1 })

const newBuyer = async () => (await shop.post('/buyers', { external_identifier: randomUUID() })).body.id
const token = (more: Record<string, unknown> = {}, at: Shop = shop) => ({
  method: 'provider-token',
  payment_service_id: at.paymentServiceId,
  token: 'tok_visa',
  ...more,
})
const storing = (more: Record<string, unknown> = {}) =>
  shop.pay(10_00, { payment_method: token({ buyer_id: more['buyer_id'] }), store: true })
const stored = async (buyer?: string) => (await storing({ buyer_id: buyer })).body.payment_method.id
const methodsOf = async (buyer: string) => (await shop.get(`/payment-methods?buyer_id=${buyer}`)).body.items
const tokensOf = async (method: string) =>
  (await shop.get(`/payment-methods/${method}/payment-service-tokens`)).body.items
const payWith = (id: string, more: Record<string, unknown> = {}) =>
  shop.pay(11_00, { payment_method: { method: 'id', id }, ...more })
/** A payment that stores its card, and whose cardholder is challenged at the provider's page. */
async function payAtPage(at: Shop, provider: PageProvider, more: Record<string, unknown> = {}) {
  const service = await addPageProvider(railyard, at.account, provider)
  const { body: pending } = await at.pay(10_00, {
    country: 'DE',
    store: true,
    payment_method: token({
      payment_service_id: service,
      redirect_url: 'https://shop.example/back',
      ...more,
    }),
  })
  const approve = async () => {
    const [operation = ''] = provider.payments.keys()
    provider.decide(operation, 'approved')
    return (await at.payment(pending.id).sync()).body
  }
  return { pending, approve }
}
const expectClean = async () =>
  expect(
    (await verify(railyard.world.run, { now: railyard.clock.now(), idempotencyRetention: 30 })).findings,
  ).toEqual([])

/** Expects a stored card with its token for a payment that succeeded, and nothing for any other. */
async function expectStoredIfPaid(buyer: string): Promise<'stored' | 'nothing'> {
  const { items } = (await shop.get(`/transactions?buyer_id=${buyer}`)).body
  const paid = items.filter(({ status }: { status: string }) => status === 'authorization_succeeded')
  const methods = await methodsOf(buyer)
  expect(methods.map(({ id }: { id: string }) => id)).toEqual(
    paid.map((payment: { payment_method: { id: string } }) => payment.payment_method.id),
  )
  for (const { id } of methods)
    expect(await tokensOf(id)).toMatchObject([{ status: 'succeeded', token: expect.any(String) }])
  await expectClean()
  return methods.length > 0 ? 'stored' : 'nothing'
}

describe('store: true with a provider’s token', () => {
  test('stores the card by the payment service’s own token, with what the provider tells of it', async () => {
    const buyer = await newBuyer()
    const { status, body } = await storing({ buyer_id: buyer })
    const { id } = body.payment_method
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        status: 'authorization_succeeded',
        instrument_type: 'card_token',
        payment_method: {
          id: expect.any(String),
          method: 'card',
          label: '1111',
          scheme: 'visa',
          expiration_date: '12/39',
          fingerprint: null,
        },
      },
    })
    expect(await methodsOf(buyer)).toMatchObject([
      {
        id,
        method: 'card',
        mode: 'card',
        status: 'succeeded',
        label: '1111',
        scheme: 'visa',
        expiration_date: '12/39',
        fingerprint: null,
        details: { bin: '411111' },
        usage_count: 1,
        cit_usage_count: 1,
        scheme_transaction_id: body.scheme_transaction_id,
        scheme_transaction_id_scheme: 'visa',
      },
    ])
    expect(await tokensOf(id)).toMatchObject([
      {
        payment_service_id: shop.paymentServiceId,
        status: 'succeeded',
        token: expect.stringMatching(/^tok_/),
      },
    ])
    await expectClean()
  })

  test('seals the payment service’s token: no row and no log line has it in the clear', async () => {
    const { body } = await storing()
    const [{ token: secret }] = await tokensOf(body.payment_method.id)
    for (const table of [
      'payment_service_tokens',
      'payment_methods',
      'transactions',
      'operations',
      'events',
    ]) {
      const rows = await railyard.world.run(`select row_to_json(t)::text as row from ${table} t`, [])
      expect(JSON.stringify(rows)).not.toContain(secret)
    }
    expect(railyard.logged.join()).not.toContain(secret)
    expect(JSON.stringify((await shop.get(`/transactions/${body.id}/events`)).body)).not.toContain(secret)
  })

  test('stores no card if the payment is declined', async () => {
    const buyer = await newBuyer()
    const { body } = await shop.pay(200001, { payment_method: token({ buyer_id: buyer }), store: true })
    expect(body).toMatchObject({ status: 'authorization_failed', payment_method: { id: null } })
    expect(await methodsOf(buyer)).toEqual([])
  })

  test('stores no card if the provider gives no token, and the payment says so', async () => {
    const own = await openShop(railyard)
    const { pending, approve } = await payAtPage(own, pageProvider('keeps-no-cards'))
    expect(pending).toMatchObject({ status: 'buyer_approval_pending', payment_method: { id: null } })
    expect(await approve()).toMatchObject({ status: 'authorization_succeeded', payment_method: { id: null } })
    expect((await own.get('/payment-methods')).body.items).toEqual([])
    await expectClean()
  })

  test('stores the card after the cardholder’s challenge', async () => {
    const own = await openShop(railyard)
    const { approve } = await payAtPage(own, pageProvider('keeps-cards', { storesAs: 'page-token' }))
    const { payment_method: method, payment_service: service } = await approve()
    const tokens = await own.get(`/payment-methods/${method.id}/payment-service-tokens`)
    expect(tokens.body.items).toMatchObject([{ payment_service_id: service.id, token: 'page-token' }])
  })

  test('shows of the card what the provider tells, whatever the client sent', async () => {
    const own = await openShop(railyard)
    const provider = pageProvider('tells-of-cards', {
      storesAs: 'page-token',
      storedCard: {
        scheme: 'mastercard',
        bin: '555555',
        last4: '4444',
        expirationDate: '03/30',
        type: 'debit',
        country: 'NL',
      },
    })
    const { approve } = await payAtPage(own, provider, {
      bin: '411111',
      card_suffix: '1111',
      card_type: 'credit',
      expiration_date: '12/39',
    })
    const told = {
      label: '4444',
      scheme: 'mastercard',
      expiration_date: '03/30',
      details: { bin: '555555', card_type: 'debit' },
    }
    const { payment_method: method } = await approve()
    expect(method).toMatchObject(told)
    expect((await own.get(`/payment-methods/${method.id}`)).body).toMatchObject(told)
    const details = await own.get(`/card-details?currency=EUR&payment_method_id=${method.id}`)
    expect(details.body).toMatchObject({ country: 'NL', card_type: 'debit' })
    const { items } = (await own.get('/transactions?payment_method_country=NL')).body
    expect(items).toHaveLength(1)
  })

  test('works through a checkout session', async () => {
    const buyer = await newBuyer()
    const { body: session } = await shop.post('/checkout/sessions', {
      payment_service_id: shop.paymentServiceId,
      buyer_id: buyer,
    })
    const { status } = await railyard.send('PUT', `/checkout/sessions/${session.id}/fields`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_method: { method: 'provider-token', token: 'tok_mastercard' } }),
    })
    expect(status).toBe(204)
    const { body } = await shop.pay(10_00, {
      store: true,
      buyer_id: buyer,
      payment_method: { method: 'checkout-session', id: session.id },
    })
    expect(await methodsOf(buyer)).toMatchObject([{ id: body.payment_method.id, scheme: 'mastercard' }])
  })

  test.each(['lost', 'malformed', 'reset', 'duplicate'] as const)(
    'stores the card once if the answer of the payment is %s',
    async (kind) => {
      const buyer = await newBuyer()
      await injectFaults(railyard, { operation: 'authorize', kind })
      await storing({ buyer_id: buyer })
      await recoverFully(railyard)
      expect(await expectStoredIfPaid(buyer)).toBe(kind === 'reset' ? 'nothing' : 'stored')
    },
  )

  test('a process that dies at any statement leaves the payment with its stored card, or neither', async () => {
    let completed = false
    const found = new Set<string>()
    for (let at = 1; !completed; at++)
      for (const committed of [false, true]) {
        const buyer = await newBuyer()
        const body = {
          amount: 10_00,
          currency: 'EUR',
          store: true,
          payment_method: { ...token(), method: 'provider-token' as const, buyer_id: buyer },
        }
        const creating = createTransaction(crashingWorld(railyard.world, at, committed), {
          account: shop.account,
          body,
          draft: readDraft(body, railyard.world),
          session: undefined,
          fromBrowser: false,
          ipAddress: null,
          claim: undefined,
          path: '/transactions',
        })
        const survived = await creating.then(
          () => true,
          () => false,
        )
        await recoverFully(railyard)
        found.add(`${await expectStoredIfPaid(buyer)}${survived ? '' : ' after a crash'}`)
        completed = survived
      }
    expect([...found].sort()).toEqual(['nothing after a crash', 'stored', 'stored after a crash'])
  })
})

describe('a card without a number', () => {
  test('pays by its token, at the payment service that stores it and no other', async () => {
    const id = await stored(await newBuyer())
    const { body } = await payWith(id)
    expect(body).toMatchObject({
      status: 'authorization_succeeded',
      instrument_type: 'card_token',
      payment_service: { id: shop.paymentServiceId },
      payment_method: { id, label: '1111', scheme: 'visa' },
    })
    const { items } = (await shop.get(`/transactions/${body.id}/events`)).body
    expect(
      items.find(({ name }: { name: string }) => name === 'payment-services-skipped').context.skipped,
    ).toContainEqual(expect.objectContaining({ reason: 'did not make the token that pays' }))
    const { payments } = await booksOf(railyard)
    expect(
      payments.find(({ payment_id }) => payment_id === body.payment_service_transaction_id),
    ).toMatchObject({ authorized: 11_00, card: { last4: '1111' } })
  })

  test('charged by the merchant, refers to the payment in which the buyer agreed', async () => {
    const first = (await storing()).body
    const { body } = await payWith(first.payment_method.id, {
      payment_source: 'recurring',
      merchant_initiated: true,
      is_subsequent_payment: true,
    })
    expect(body.status).toBe('authorization_succeeded')
    const { items } = (await shop.get(`/transactions/${body.id}/events`)).body
    const sent = items
      .map(({ context }: { context: { request?: unknown } }) => context?.request)
      .find((request: { stored_credential?: unknown } | undefined) => request?.stored_credential)
    expect(typeof sent === 'string' ? JSON.parse(sent) : sent).toMatchObject({
      stored_credential: {
        initiator: 'merchant',
        usage: 'subsequent',
        scheme_transaction_id: first.scheme_transaction_id,
      },
    })
  })

  test('cannot pay while its payment service is not active, and the payment says why', async () => {
    const other = await openShop(railyard)
    const { body } = await other.pay(10_00, { payment_method: token({}, other), store: true })
    const { id } = body.payment_method
    await addService(railyard, other)
    await railyard.admin.put(
      `/payment-services/${other.paymentServiceId}`,
      { active: false },
      { 'x-svc-merchant-account-id': other.account },
    )
    const refused = await other.pay(11_00, { payment_method: { id } })
    expect(refused.body).toMatchObject({ status: 'authorization_failed', error_code: 'all_attempts_skipped' })
    const { items } = (await other.get(`/transactions/${refused.body.id}/events`)).body
    const reasons = items
      .find(({ name }: { name: string }) => name === 'payment-services-skipped')
      .context.skipped.map(({ reason }: { reason: string }) => reason)
      .sort()
    expect(reasons).toEqual(['did not make the token that pays', 'is not active'])
  })

  test('is listed for its buyer only while its payment service takes it', async () => {
    const buyer = await newBuyer()
    const id = await stored(buyer)
    const listed = async () =>
      (await shop.get(`/buyers/payment-methods?buyer_id=${buyer}`)).body.items.map(
        (item: { id: string }) => item.id,
      )
    expect(await listed()).toEqual([id])
    const own = { 'x-svc-merchant-account-id': shop.account }
    const at = `/payment-services/${shop.paymentServiceId}`
    await railyard.admin.put(at, { active: false }, own)
    expect(await listed()).toEqual([])
    await railyard.admin.put(at, { active: true }, own)
  })

  test.each<[string, (id: string) => Promise<{ status: number; body: unknown }>]>([
    ['a security code', (id) => shop.pay(1_00, { payment_method: { id, security_code: '123' } })],
    [
      'a network token',
      (id) =>
        shop.post(`/payment-methods/${id}/network-tokens`, {
          merchant_initiated: false,
          is_subsequent_payment: false,
        }),
    ],
    [
      'a token of another payment service',
      (id) =>
        shop.post(`/payment-methods/${id}/payment-service-tokens`, {
          payment_service_id: shop.paymentServiceId,
          redirect_url: 'https://shop.example/',
        }),
    ],
    [
      'a payout',
      (id) =>
        shop.post('/payouts', payoutOf(shop.paymentServiceId, { payment_method: { method: 'id', id } })),
    ],
    [
      'deletion of its only token',
      async (id) => {
        const [only] = await tokensOf(id)
        return shop.delete(`/payment-methods/${id}/payment-service-tokens/${only.id}`)
      },
    ],
  ])('is refused with 400 for %s, which it cannot have', async (_, act) => {
    const id = await stored()
    expect(await act(id)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    expect((await payWith(id)).body.status).toBe('authorization_succeeded')
  })

  test('is left out of the account updater’s jobs', async () => {
    const own = await openShop(railyard, { settings: { account_updater_enabled: true } })
    const { body } = await own.pay(10_00, { payment_method: token({}, own), store: true })
    const { status } = await own.post('/account-updater/jobs', {
      payment_method_ids: [body.payment_method.id],
    })
    expect(status).toBe(204)
  })

  test('gets no network token of its own accord', async () => {
    const settings = withNetworkTokens({ async_network_tokens_enabled: true })
    const own = await openShop(railyard, { settings })
    const { body } = await own.pay(10_00, { payment_method: token({}, own), store: true })
    const tokens = await own.get(`/payment-methods/${body.payment_method.id}/network-tokens`)
    expect(tokens.body.items).toEqual([])
  })

  test('may have no expiration date', async () => {
    const id = await stored()
    expect(await shop.put(`/payment-methods/${id}`, { expiration_date: null })).toMatchObject({
      status: 200,
      body: { expiration_date: null },
    })
    expect((await payWith(id)).body.status).toBe('authorization_succeeded')
  })

  test('is deleted with its token', async () => {
    const id = await stored()
    expect((await shop.delete(`/payment-methods/${id}`)).status).toBe(204)
    expect(
      await railyard.world.run('select 1 as one from payment_service_tokens where payment_method_id = $1', [
        id,
      ]),
    ).toEqual([])
    expect(await payWith(id)).toMatchObject({ status: 400 })
  })

  test('is erased with its buyer, token and all', async () => {
    const buyer = await newBuyer()
    const id = await stored(buyer)
    expect(await erase(buyer)).toMatchObject({ status: 'succeeded' })
    for (const [column, table] of [
      ['id', 'payment_methods'],
      ['payment_method_id', 'payment_service_tokens'],
    ])
      expect(await railyard.world.run(`select 1 as one from ${table} where ${column} = $1`, [id])).toEqual([])
    await expectClean()
  })

  test('belongs to its merchant account: no other can pay with it or see its token', async () => {
    const id = await stored()
    const other = await openShop(railyard)
    expect(await other.pay(1_00, { payment_method: { id } })).toMatchObject({ status: 400 })
    expect((await other.get(`/payment-methods/${id}/payment-service-tokens`)).status).toBe(404)
  })
})
