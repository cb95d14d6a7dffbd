import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  amountOf,
  cartOf,
  openAgentPlatform,
  priceOf,
  startMerchant,
} from '../../../test/support/domains/agentic-commerce.ts'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { addService, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { eraseExpiredCardData } from '../../checkout/sessions/erase-expired.ts'
import { signWebhook } from '../../events/delivery/signature.ts'
import { runDueErasures } from '../../privacy/run-erasures.ts'
import { createTransaction } from '../../transactions/create/create-transaction.ts'
import { readDraft } from '../../transactions/create/draft.ts'
import { verify } from '../../verify/verify.ts'

const { railyard, shop } = await startShop()
const merchant = await startMerchant()
const platform = openAgentPlatform(railyard, shop)
const seller = (await shop.put('/agentic-seller', { pricing_url: merchant.url })).body
afterAll(() => merchant.close())
beforeEach(() => merchant.prices({}))

const paymentsOf = async (checkout: string): Promise<{ id: string; status: string; amount: number }[]> =>
  railyard.world.run(
    `select id, status, amount from transactions where details #>> '{delegated_payment,checkout_session_id}' = $1 order by created_at`,
    [checkout],
  )
const refusal = (status: number, code: string) => ({ status, body: { code } })
const askedFor = (reason: string) => merchant.received.filter(({ event }) => event.reason === reason)

describe('a checkout from the cart to the order', () => {
  test('a platform creates, updates and completes a checkout, and the buyer pays the total', async () => {
    const created = await platform.create(cartOf(), { 'request-id': 'req_1' })
    expect(created).toMatchObject({
      status: 201,
      body: {
        protocol: { version: '2026-04-17' },
        status: 'ready_for_payment',
        currency: 'eur',
        buyer: { email: 'jane@example.com' },
        metadata: { campaign: 'q4' },
        capabilities: {
          payment: { handlers: [{ id: 'card', config: { merchant_id: shop.account } }] },
          interventions: { supported: ['3ds'] },
        },
      },
    })
    expect(created.headers.get('request-id')).toBe('req_1')
    expect(created.headers.get('idempotency-key')).not.toBeNull()
    expect(amountOf(created.body.totals)).toBe(20_00)
    const { id } = created.body
    const updated = await platform.update(id, {
      line_items: [{ id: 'item_1', quantity: 3 }],
      selected_fulfillment_options: [{ type: 'shipping', option_id: 'standard', item_ids: ['line_item_1'] }],
    })
    expect(amountOf(updated.body.totals)).toBe(28_00)
    expect(updated.body.buyer).toEqual(created.body.buyer)
    const completed = await platform.complete(id, await platform.tokenFor(id))
    expect(completed).toMatchObject({
      status: 200,
      body: {
        id,
        status: 'completed',
        order: {
          id: `order-${id}`,
          checkout_session_id: id,
          permalink_url: `https://shop.example/orders/${id}`,
          status: 'confirmed',
          line_items: [{ title: 'Item item_1', quantity: { ordered: 3, current: 3 }, unit_price: 8_00 }],
          adjustments: [],
        },
      },
    })
    const payments = await paymentsOf(id)
    expect(payments).toMatchObject([{ status: 'capture_succeeded', amount: 28_00 }])
    expect(await shop.payment(payments[0]?.id ?? '').read()).toMatchObject({
      external_identifier: `order-${id}`,
      country: 'DE',
      delegated_payment: { checkout_session_id: id },
      buyer: { display_name: 'Jane Doe', billing_details: { first_name: 'Jane' } },
    })
    expect((await platform.read(id)).body).toEqual(completed.body)
  })

  test('the merchant is asked with a signature, the cart, and what the platform sends with it', async () => {
    const before = merchant.received.length
    const attribution = { provider: 'impact.example', token: 'atp_1', touchpoint: 'first' }
    const id = await platform.created(cartOf({ affiliate_attribution: attribution }))
    const asked = merchant.received[before]
    expect(asked?.event).toMatchObject({
      type: 'agentic-checkout.price',
      reason: 'create',
      checkout_session_id: id,
      merchant_account_id: shop.account,
      protocol_version: '2026-04-17',
      currency: 'eur',
      line_items: [{ id: 'item_1' }, { id: 'item_2' }],
      affiliate_attribution: attribution,
    })
    const timestamp = Number(asked?.headers['x-svc-webhook-timestamp'])
    expect(asked?.headers['x-svc-webhook-signatures']).toBe(
      signWebhook(seller.secret, { timestamp, body: asked?.text ?? '' }),
    )
    await platform.update(id, {})
    expect(merchant.received.at(-1)?.event.affiliate_attribution).toBeUndefined()
  })

  test('a payment is authorized alone where the merchant captures later', async () => {
    const other = await openShop(railyard)
    await other.put('/agentic-seller', { pricing_url: merchant.url, intent: 'authorize' })
    const agent = openAgentPlatform(railyard, other)
    const id = await agent.created()
    expect((await agent.complete(id, await agent.tokenFor(id))).body.order.status).toBe('confirmed')
    const [payment] = await paymentsOf(id)
    expect(payment?.status).toBe('authorization_succeeded')
    await other.payment(payment?.id ?? '').void()
    expect((await agent.read(id)).body.order).toMatchObject({
      status: 'canceled',
      line_items: [{ quantity: { current: 0 } }, { quantity: { current: 0 } }],
    })
  })

  test('an order tells of refunds', async () => {
    const id = await platform.created()
    await platform.complete(id, await platform.tokenFor(id))
    const [payment] = await paymentsOf(id)
    await shop.payment(payment?.id ?? '').refund({ amount: 5_00 })
    expect((await platform.read(id)).body.order).toMatchObject({
      status: 'confirmed',
      adjustments: [{ type: 'refund', status: 'completed', amount: 5_00, currency: 'eur' }],
      totals: expect.arrayContaining([expect.objectContaining({ type: 'amount_refunded', amount: 5_00 })]),
    })
  })

  test('a platform’s proof of 3-D Secure goes into the payment, and a cardholder who was refused does not pay', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id)
    const details = {
      three_ds_cryptogram: 'AAIBBYNoEwAAACcKhAJkdQAAAAA=',
      electronic_commerce_indicator: '05',
      transaction_id: randomUUID(),
      version: '2.2.0',
    }
    expect(
      await platform.complete(id, token, { authentication_result: { outcome: 'denied' } }),
    ).toMatchObject(refusal(422, 'authentication_failed'))
    expect(
      await platform.complete(id, token, { authentication_result: { outcome: 'authenticated' } }),
    ).toMatchObject(refusal(422, 'missing'))
    const authenticated = { outcome: 'authenticated', outcome_details: details }
    expect((await platform.complete(id, token, { authentication_result: authenticated })).status).toBe(200)
  })
})

describe('what the buyer is charged', () => {
  test('a price that the merchant changes when the buyer pays is shown first, and not charged', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id, { max_amount: 90_00 })
    merchant.prices((asked) => priceOf(asked, 9_00))
    expect(await platform.complete(id, token)).toMatchObject(refusal(422, 'price_changed'))
    expect(await paymentsOf(id)).toEqual([])
    const shown = (await platform.read(id)).body
    expect(amountOf(shown.totals)).toBe(22_00)
    expect((await platform.complete(id, token)).status).toBe(200)
    expect(await paymentsOf(id)).toMatchObject([{ amount: 22_00 }])
  })

  test('a cart that is not ready, or is not ready any more, is not charged', async () => {
    const problem = { type: 'error', code: 'out_of_stock', content_type: 'plain', content: 'Sold out' }
    const soldOut = { status: 'not_ready_for_payment', messages: [problem] }
    const id = await platform.created()
    const token = await platform.tokenFor(id)
    merchant.prices(soldOut)
    expect(await platform.complete(id, token)).toMatchObject(refusal(422, 'not_ready_for_payment'))
    expect((await platform.read(id)).body).toMatchObject({
      status: 'not_ready_for_payment',
      messages: [{ code: 'out_of_stock' }],
    })
    const asked = askedFor('complete').length
    expect(await platform.complete(id, token)).toMatchObject(refusal(422, 'not_ready_for_payment'))
    expect(askedFor('complete')).toHaveLength(asked)
    expect(await paymentsOf(id)).toEqual([])
  })

  test('a cart that changes while the merchant confirms another is not charged', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id, { max_amount: 90_00 })
    const confirming = Promise.withResolvers<void>()
    const confirmed = Promise.withResolvers<void>()
    merchant.answers(async ({ event }, reply) => {
      if (event.reason === 'complete') {
        confirming.resolve()
        await confirmed.promise
      }
      reply.writeHead(200).end(JSON.stringify(priceOf(event)))
    })
    const completing = platform.complete(id, token)
    await confirming.promise
    await platform.update(id, { line_items: [{ id: 'item_3', quantity: 4 }] })
    confirmed.resolve()
    expect(await completing).toMatchObject(refusal(409, 'session_changed'))
    expect(await paymentsOf(id)).toEqual([])
  })

  test.each([
    ['less than the total', { max_amount: 19_99 }],
    ['another currency', { currency: 'usd' }],
    ['another checkout', { checkout_session_id: 'csn_1' }],
  ])('a token for %s does not pay, and the merchant is not asked', async (_what, allowance) => {
    const id = await platform.created()
    const token = await platform.tokenFor(id, allowance)
    const asked = merchant.received.length
    expect(await platform.complete(id, token)).toMatchObject({
      status: 422,
      body: { code: 'invalid_payment_data', param: '$.payment_data.instrument.credential.token' },
    })
    expect(merchant.received).toHaveLength(asked)
  })

  test('an expired token does not pay, and neither does a purchase order', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id)
    railyard.clock.advance(3_601_000)
    expect(await platform.complete(id, token)).toMatchObject(refusal(422, 'invalid_payment_data'))
    expect(
      await platform.complete(id, token, { payment_data: { purchase_order_number: 'PO-1' } }),
    ).toMatchObject(refusal(422, 'unsupported'))
  })
})

describe('a checkout is paid once', () => {
  test('a payment of an older price, or of another amount, is not created, and takes neither checkout nor token', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id, { max_amount: 90_00 })
    merchant.prices((asked) => priceOf(asked, 9_00))
    expect(await platform.complete(id, token)).toMatchObject(refusal(422, 'price_changed'))
    const other = await platform.tokenFor(id)
    const pay = (amount: number, revision: number, token: string) => {
      const payment_method = { method: 'delegated-payment', token, checkout_session_id: id } as const
      const input = { amount, currency: 'EUR', intent: 'capture', payment_method } as const
      return createTransaction(railyard.world, {
        account: shop.account,
        body: input,
        draft: readDraft(input, railyard.world),
        session: undefined,
        fromBrowser: false,
        checkout: { id, revision },
        ipAddress: null,
        claim: undefined,
        path: '/',
      })
    }
    await expect(pay(22_00, 1, token)).rejects.toThrow('validation')
    await expect(pay(22_01, 2, token)).rejects.toThrow('validation')
    expect(await paymentsOf(id)).toEqual([])
    expect((await pay(22_00, 2, token)).transaction.status).toBe('capture_succeeded')
    expect((await platform.read(id)).body.status).toBe('completed')
    await expect(pay(22_00, 2, other)).rejects.toThrow('validation')
    expect(await paymentsOf(id)).toHaveLength(1)
  })

  test('of twenty completions at once, each under its own key, one pays', async () => {
    const id = await platform.created()
    const tokens = await Promise.all(Array.from({ length: 4 }, () => platform.tokenFor(id)))
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => platform.complete(id, tokens[index % 4] ?? '')),
    )
    const paid = answers.filter(({ status }) => status === 200)
    // those that lost ask again, as their answers say
    expect(answers.every(({ status }) => [200, 405, 409, 422].includes(status))).toBe(true)
    if (paid.length === 0) expect((await platform.complete(id, tokens[0] ?? '')).status).toBe(200)
    expect((await paymentsOf(id)).filter(({ status }) => status === 'capture_succeeded')).toHaveLength(1)
    expect(await paymentsOf(id)).toHaveLength(1)
  })

  test('twenty repetitions of one request are answered the same, and one pays', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id)
    const headers = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => platform.complete(id, token, {}, headers)),
    )
    answers.push(await platform.complete(id, token, {}, headers))
    expect(answers.at(-1)?.headers.get('idempotent-replayed')).toBe('true')
    expect(answers.at(-1)).toMatchObject({ status: 200, body: { status: 'completed' } })
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect(await paymentsOf(id)).toHaveLength(1)
    const changed = await platform.complete(id, token, { marketing_consents: [] }, headers)
    expect(changed).toMatchObject(refusal(422, 'idempotency_conflict'))
  })

  test('a platform that has lost the answer gets the order under another key, and another token pays nothing', async () => {
    const id = await platform.created()
    const [token, other] = [await platform.tokenFor(id), await platform.tokenFor(id)]
    const first = await platform.complete(id, token)
    expect((await platform.complete(id, token)).body).toEqual(first.body)
    expect(await platform.complete(id, other)).toMatchObject(refusal(405, 'session_completed'))
    expect(await platform.update(id, {})).toMatchObject(refusal(405, 'session_completed'))
    expect(await platform.cancel(id)).toMatchObject(refusal(405, 'session_completed'))
    expect(await paymentsOf(id)).toHaveLength(1)
  })

  test('of a completion and a cancellation at once one wins', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await platform.created()
      const token = await platform.tokenFor(id)
      const [completed, canceled] = await Promise.all([platform.complete(id, token), platform.cancel(id)])
      expect([completed.status, canceled.status].filter((status) => status === 200)).toHaveLength(1)
      const payments = await paymentsOf(id)
      expect(payments).toHaveLength(completed.status === 200 ? 1 : 0)
      expect((await platform.read(id)).body.status).toBe(completed.status === 200 ? 'completed' : 'canceled')
    }
  })

  test('after a decline the checkout is open, and another token completes it', async () => {
    merchant.prices((asked) => priceOf(asked, 998_06))
    const id = await platform.created()
    const headers = { 'idempotency-key': randomUUID() }
    const token = await platform.tokenFor(id)
    const declined = await platform.complete(id, token, {}, headers)
    expect(declined).toMatchObject(refusal(402, 'payment_declined'))
    expect((await platform.read(id)).body).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ type: 'error', code: 'payment_declined' }],
    })
    const repeated = await platform.complete(id, token, {}, headers)
    expect(repeated.body).toEqual(declined.body)
    expect(await paymentsOf(id)).toHaveLength(1)
    merchant.prices({})
    await platform.update(id, {})
    expect((await platform.complete(id, await platform.tokenFor(id))).status).toBe(200)
    expect((await paymentsOf(id)).map(({ status }) => status)).toEqual([
      'authorization_failed',
      'capture_succeeded',
    ])
  })

  test('a payment that a rule declines leaves the checkout open', async () => {
    const other = await openShop(railyard)
    await other.put('/agentic-seller', { pricing_url: merchant.url })
    const agent = openAgentPlatform(railyard, other)
    const chf = await agent.created(cartOf({ currency: 'CHF' }))
    expect(await agent.complete(chf, await agent.tokenFor(chf))).toMatchObject(
      refusal(402, 'payment_declined'),
    )
    expect((await agent.read(chf)).body.status).toBe('ready_for_payment')
    await addService(railyard, other, { accepted_currencies: ['CHF'] })
    expect((await agent.complete(chf, await agent.tokenFor(chf))).status).toBe(200)
  })

  test('a lost answer keeps the checkout in progress, and recovery decides it', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id)
    const headers = { 'idempotency-key': randomUUID() }
    await injectFaults(railyard, { operation: '*', kind: 'lost', times: 1 })
    expect(await platform.complete(id, token, {}, headers)).toMatchObject(
      refusal(409, 'complete_in_progress'),
    )
    expect((await platform.read(id)).body.status).toBe('complete_in_progress')
    const other = await platform.tokenFor(id)
    expect(await platform.complete(id, other)).toMatchObject(refusal(409, 'complete_in_progress'))
    expect(await platform.update(id, {})).toMatchObject(refusal(409, 'complete_in_progress'))
    expect(await platform.cancel(id)).toMatchObject(refusal(409, 'complete_in_progress'))
    await recoverFully(railyard)
    const [payment] = await paymentsOf(id)
    const { status } = (await platform.read(id)).body
    expect(status).toBe(payment?.status === 'capture_succeeded' ? 'completed' : 'ready_for_payment')
    const repeated = await platform.complete(id, token, {}, headers)
    expect(repeated.status).toBe(status === 'completed' ? 200 : 402)
    expect(await paymentsOf(id)).toHaveLength(1)
  })

  test('a process that dies after it has intended the payment leaves the checkout in progress, and recovery opens it again', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id)
    const hung = Promise.withResolvers<never>()
    const hangs = vi.spyOn(railyard.world.http, 'request').mockImplementation(() => hung.promise)
    const stalled = platform.complete(id, token)
    await expect.poll(() => hangs).toHaveBeenCalled()
    hangs.mockRestore()
    expect((await platform.read(id)).body.status).toBe('complete_in_progress')
    expect(await platform.cancel(id)).toMatchObject(refusal(409, 'complete_in_progress'))
    await recoverFully(railyard)
    expect((await platform.read(id)).body.status).toBe('ready_for_payment')
    expect((await platform.complete(id, token)).status).toBe(200)
    hung.reject(new Error('the connection broke'))
    // the process was only slow: its own payment came to nothing, and the same token has completed the checkout
    expect(await stalled).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect((await paymentsOf(id)).map(({ status }) => status)).toEqual([
      'authorization_failed',
      'capture_succeeded',
    ])
  })
})

describe('the merchant’s endpoint', () => {
  const unavailable = refusal(503, 'merchant_unavailable')
  const invalidAnswer = refusal(502, 'merchant_answer_invalid')

  test('without an answer nothing is created, changed or paid', async () => {
    const id = await platform.created()
    const before = (await platform.read(id)).body
    const token = await platform.tokenFor(id)
    merchant.answers((_, reply) => reply.destroy())
    expect(await platform.create()).toMatchObject(unavailable)
    expect(await platform.update(id, { line_items: [{ id: 'item_9' }] })).toMatchObject(unavailable)
    expect(await platform.complete(id, token)).toMatchObject(unavailable)
    merchant.answers(500)
    expect(await platform.complete(id, token)).toMatchObject(unavailable)
    expect((await platform.read(id)).body).toEqual(before)
    expect(await paymentsOf(id)).toEqual([])
    merchant.prices({})
    expect((await platform.complete(id, token)).status).toBe(200)
  })

  test('a redirect is no answer', async () => {
    merchant.answers((_, reply) => reply.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    expect(await platform.create()).toMatchObject(unavailable)
  })

  test.each<[string, (asked: ReturnType<typeof priceOf> & { event: unknown }) => unknown]>([
    ['no JSON', () => '<html>'],
    [
      'more than 64 KiB',
      (price) => ({
        ...price,
        messages: [{ type: 'info', content_type: 'plain', content: 'x'.repeat(70_000) }],
      }),
    ],
    ['a text that cannot be stored', (price) => JSON.stringify(price).replace('Standard', '\\u0000')],
    ['a member that the protocol does not know', (price) => ({ ...price, surcharge: 1 })],
    ['another currency', (price) => ({ ...price, currency: 'usd' })],
    ['a fraction', (price) => withTotal(price, 'total', 20_00.5)],
    ['a negative amount', (price) => withTotal(price, 'fulfillment', -4_00)],
    ['an amount that is text', (price) => withTotal(price, 'total', '2000')],
    ['a total that is not the sum', (price) => withTotal(price, 'total', 19_99)],
    ['a subtotal that is not the sum', (price) => withTotal(price, 'subtotal', 15_00)],
    [
      'two totals',
      (price) => ({ ...price, totals: [...price.totals, { type: 'total', display_text: 'x', amount: 1 }] }),
    ],
    [
      'no total',
      (price) => ({
        ...price,
        totals: price.totals.filter(({ type }: { type: string }) => type !== 'total'),
      }),
    ],
    [
      'a line that costs something else',
      (price) => ({
        ...price,
        line_items: price.line_items.map((line: object) => ({
          ...line,
          totals: [{ type: 'subtotal', display_text: 'x', amount: 7_00 }],
        })),
      }),
    ],
    [
      'lines with one id',
      (price) => ({ ...price, line_items: price.line_items.map((line: object) => ({ ...line, id: 'one' })) }),
    ],
    ['a chosen option that is none', (price) => ({ ...price, fulfillment_options: [] })],
    [
      'an error in a cart that is ready',
      (price) => ({
        ...price,
        messages: [{ type: 'error', code: 'out_of_stock', content_type: 'plain', content: '' }],
      }),
    ],
    [
      'a link that runs a script',
      (price) => ({ ...price, links: [{ type: 'faq', url: 'javascript:alert(1)' }] }),
    ],
  ])('%s is no price', async (_what, change) => {
    merchant.prices((asked) => change({ ...priceOf(asked), event: asked } as never))
    expect(await platform.create()).toMatchObject(invalidAnswer)
  })

  test('a confirmation without an order does not complete a checkout', async () => {
    const id = await platform.created()
    merchant.prices({ order: undefined })
    expect(await platform.complete(id, await platform.tokenFor(id))).toMatchObject(invalidAnswer)
    expect(await paymentsOf(id)).toEqual([])
  })

  test('a cart that nothing is to be paid for is not ready', async () => {
    merchant.prices((asked) => priceOf({ ...asked, line_items: [] }))
    expect(await platform.create()).toMatchObject(invalidAnswer)
  })
})

/** The price with another amount; the rest is as it was. */
function withTotal(price: ReturnType<typeof priceOf> & { event?: unknown }, type: string, amount: unknown) {
  const { event: _, ...rest } = price
  return { ...rest, totals: price.totals.map((each) => (each.type === type ? { ...each, amount } : each)) }
}

describe('the life of a checkout', () => {
  test('a request that is sent again is done once, and one with another body is refused', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const answers = await Promise.all(Array.from({ length: 10 }, () => platform.create(cartOf(), headers)))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter((each) => each.headers.get('idempotent-replayed') === 'true')).toHaveLength(9)
    expect(await platform.create(cartOf({ currency: 'usd' }), headers)).toMatchObject(
      refusal(422, 'idempotency_conflict'),
    )
    const { id } = answers[0]?.body ?? {}
    const asked = merchant.received.length
    const update = { line_items: [{ id: 'item_5' }] }
    await platform.update(id, update, headers)
    const again = await platform.update(id, update, headers)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(merchant.received).toHaveLength(asked + 1)
  })

  test('of two updates at once, the one that comes too late is told so', async () => {
    const id = await platform.created()
    const statuses = await Promise.all(
      ['a', 'b', 'c'].map(async (item) => (await platform.update(id, { line_items: [{ id: item }] })).status),
    )
    expect(statuses).toContain(200)
    expect(statuses.every((status) => [200, 409].includes(status))).toBe(true)
  })

  test('a checkout that was canceled is over, and the same cancellation is answered the same', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id)
    const headers = { 'idempotency-key': randomUUID() }
    const trace = { intent_trace: { reason_code: 'price_sensitivity', trace_summary: 'Too expensive' } }
    expect(await platform.cancel(id, headers, trace)).toMatchObject({
      status: 200,
      body: { status: 'canceled' },
    })
    expect((await platform.cancel(id, headers, trace)).headers.get('idempotent-replayed')).toBe('true')
    expect(await platform.cancel(id)).toMatchObject(refusal(405, 'session_canceled'))
    expect(await platform.update(id, {})).toMatchObject(refusal(405, 'session_canceled'))
    expect(await platform.complete(id, token)).toMatchObject(refusal(405, 'session_canceled'))
  })

  test('a checkout expires a day after its last price, and is deleted a day later', async () => {
    const other = await openShop(railyard)
    await other.put('/agentic-seller', { pricing_url: merchant.url })
    const agent = openAgentPlatform(railyard, other)
    const id = await agent.created()
    const paid = await agent.created()
    await agent.complete(paid, await agent.tokenFor(paid))
    railyard.clock.advance(24 * 3_600_000)
    expect((await agent.read(id)).body.status).toBe('expired')
    expect(await agent.update(id, {})).toMatchObject(refusal(405, 'session_expired'))
    expect(await agent.cancel(id)).toMatchObject(refusal(405, 'session_expired'))
    expect(await agent.complete(id, `vt_${randomUUID()}`)).toMatchObject(refusal(405, 'session_expired'))
    railyard.clock.advance(24 * 3_600_000)
    await eraseExpiredCardData(railyard.world)
    expect((await agent.read(id)).status).toBe(404)
    expect((await agent.read(paid)).body.status).toBe('completed')
  })

  test('another platform of the same merchant, and another merchant, find nothing', async () => {
    const id = await platform.created()
    const token = await platform.tokenFor(id)
    const second = await railyard.client({ account: shop.account, merchantAccountIds: [shop.account] })
    const stranger = await openShop(railyard)
    await stranger.put('/agentic-seller', { pricing_url: merchant.url })
    for (const other of [second, stranger].map((each) => openAgentPlatform(railyard, each))) {
      expect((await other.read(id)).status).toBe(404)
      expect((await other.update(id, {})).status).toBe(404)
      expect((await other.complete(id, token)).status).toBe(404)
      expect((await other.cancel(id)).status).toBe(404)
    }
    expect((await platform.complete(id, token)).status).toBe(200)
  })

  test('an account that does not sell through AI agents has no checkouts', async () => {
    const other = openAgentPlatform(railyard, await openShop(railyard))
    expect((await other.create()).status).toBe(404)
  })

  test('a request without a key, for an unknown version, or of another shape, is a 400 with the member', async () => {
    expect(await platform.create(cartOf(), { 'idempotency-key': '' })).toMatchObject(
      refusal(400, 'idempotency_key_required'),
    )
    expect((await platform.create(cartOf(), { 'api-version': '1999-01-01' })).status).toBe(400)
    expect(await platform.create(cartOf({ line_items: [] }))).toMatchObject({
      status: 400,
      body: { type: 'invalid_request', param: '$.line_items' },
    })
    expect((await platform.create(cartOf({ currency: 'zzz' }))).status).toBe(422)
  })

  test('an erasure of the payment removes what the platform has sent of the buyer, and leaves the order', async () => {
    const id = await platform.created()
    const { order } = (await platform.complete(id, await platform.tokenFor(id))).body
    const [payment] = await paymentsOf(id)
    expect((await shop.post(`/transactions/${payment?.id}/erase`)).status).toBe(202)
    await vi.waitFor(async () => {
      railyard.clock.advance(61_000)
      await runDueErasures(railyard.world)
      const erased = (await platform.read(id)).body
      expect(erased.buyer).toBeUndefined()
      expect(JSON.stringify(erased)).not.toContain('jane@example.com')
      expect(JSON.stringify(erased)).not.toContain('Main Street')
      expect(erased.order).toEqual(order)
    }, 15_000)
  })

  test('what the tables say of checkouts agrees with their payments', async () => {
    await recoverFully(railyard)
    const { findings } = await verify(railyard.world.run)
    expect(findings).toEqual([])
  })
})
