import { describe, expect, test } from 'vitest'
import { card, type TestRailyard } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { goodClaims, signed } from '../../../test/support/tokens.ts'
import { deleteOldInstanceData } from '../../operations/retention.ts'

type Merchant = Awaited<ReturnType<TestRailyard['merchant']>>
const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()

const payment = { amount: 10_00, currency: 'USD', payment_method: card }

/** A browser that has a token of the merchant. */
async function browser(
  embed?: Record<string, unknown>,
  {
    scopes = ['embed'],
    by = merchant,
    ...claims
  }: { scopes?: string[]; by?: Merchant } & Record<string, unknown> = {},
) {
  const token = await signed(by.signer, { ...goodClaims(), scopes, ...(embed && { embed }), ...claims })
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    railyard.send(method, path, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
}
const pay = async (embed: Record<string, unknown> | undefined, more = {}) =>
  (await browser(embed))('POST', '/transactions', { ...payment, ...more })
const pointers = (body: { details: { pointer: string }[] }) => body.details.map(({ pointer }) => pointer)

describe('a browser’s token', () => {
  /** Semantics §1.3 and API §4.5; those that this version has are checked. */
  const open = new Set([
    'list_buyer_payment_methods',
    'list_buyer_gift_cards',
    'delete_payment_method',
    'list_gift_card_balances',
    'create_gift_card',
    'activate_gift_card',
    'create_transaction',
    'list_payment_options',
    'get_card_details',
    'create_google_pay_digital_wallet_session',
    'create_apple_pay_digital_wallet_session',
  ])

  test('opens the operations that browsers need, and no others', async () => {
    const send = await browser({ amount: 10_00, currency: 'USD' })
    const { body } = await railyard.send('GET', '/openapi.json')
    const operations = Object.entries<Record<string, { operationId: string; 'x-scopes': string[] }>>(
      body.paths,
    ).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
    )
    const needBearer = operations.filter(({ 'x-scopes': scopes }) => scopes.length > 0)
    expect(needBearer.length).toBeGreaterThan(35)
    for (const { path, method, operationId, 'x-scopes': scopes } of needBearer) {
      const { status } = await send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, crypto.randomUUID()))
      expect({ operationId, open: status !== 403 }).toEqual({ operationId, open: open.has(operationId) })
      expect({ operationId, listed: scopes.includes('embed') }).toEqual({
        operationId,
        listed: open.has(operationId),
      })
    }
  })

  test('pays its amount in its currency', async () => {
    expect(await pay({ amount: 10_00, currency: 'USD' })).toMatchObject({
      status: 201,
      body: { amount: 10_00, status: 'authorization_succeeded' },
    })
  })

  test('without constraints pays any amount', async () => {
    expect(await pay(undefined, { amount: 7_00 })).toMatchObject({ status: 201, body: { amount: 7_00 } })
  })

  test('cannot be used for another amount, currency or buyer; the answer names each member', async () => {
    const buyer_id = crypto.randomUUID()
    const embed = { amount: 10_00, currency: 'USD', buyer_id, buyer_external_identifier: 'anna' }
    const one = await pay({ amount: 10_00, currency: 'USD' }, { amount: 1 })
    expect(one).toMatchObject({
      status: 400,
      body: { code: 'bad_request', message: 'Request failed validation' },
    })
    expect(one.body.details).toEqual([
      { location: 'body', pointer: '/amount', message: expect.any(String), type: expect.any(String) },
    ])
    const all = await pay(embed, {
      amount: 1,
      currency: 'EUR',
      buyer_id: crypto.randomUUID(),
      buyer_external_identifier: 'eve',
    })
    expect([all.status, pointers(all.body)]).toEqual([
      400,
      ['/amount', '/currency', '/buyer_id', '/buyer_external_identifier'],
    ])
  })

  test('replaces metadata and cart with its own, with the same keys', async () => {
    const metadata = { camelCase: 'kept', snake_case: 'kept' }
    const cart_items = [{ name: 'Book', quantity: 1, unit_amount: 10_00 }]
    const ofBrowser = {
      metadata: { discount: '100%' },
      cart_items: [{ name: 'Yacht', quantity: 1, unit_amount: 1 }],
    }
    const { status, body } = await pay({ amount: 10_00, currency: 'USD', metadata, cart_items }, ofBrowser)
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { metadata, cart_items: [{ name: 'Book', unit_amount: 10_00 }] },
    })
    expect(Object.keys(body.metadata)).toEqual(['camelCase', 'snake_case'])
    expect(body.cart_items).toHaveLength(1)
  })

  test('without a cart leaves the cart to the browser', async () => {
    const cart_items = [{ name: 'Book', quantity: 1, unit_amount: 10_00 }]
    const { body } = await pay({ amount: 10_00, currency: 'USD' }, { cart_items })
    expect(body.cart_items).toMatchObject(cart_items)
  })

  test('keeps its constraints also with a scope of another operation', async () => {
    const send = await browser({ amount: 10_00, currency: 'USD' }, { scopes: ['embed', 'buyers.write'] })
    expect((await send('POST', '/transactions', { ...payment, amount: 1 })).status).toBe(400)
  })

  test('with a merchant account is for that account only, whatever the header names', async () => {
    const second = await railyard.merchant()
    const both = await railyard.merchant({ merchantAccountIds: [merchant.account, second.account] })
    const send = await browser(
      { amount: 10_00, currency: 'USD', merchant_account_id: second.account },
      { by: both },
    )
    expect(await send('POST', '/transactions', payment)).toMatchObject({
      status: 201,
      body: { merchant_account_id: second.account },
    })
    const elsewhere = await send('POST', '/transactions', payment, {
      'x-svc-merchant-account-id': merchant.account,
    })
    expect(elsewhere).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    const foreign = await browser(
      { amount: 10_00, currency: 'USD', merchant_account_id: 'default' },
      { by: both },
    )
    expect((await foreign('POST', '/transactions', payment)).status).toBe(403)
  })
})

describe('the rate of a browser’s token', () => {
  /** Sends payments that are refused with 400: refused requests count, too. */
  const sendMany = async (send: Awaited<ReturnType<typeof browser>>, times: number) => {
    const answers = await Promise.all(
      Array.from({ length: times }, () => send('POST', '/transactions', { ...payment, currency: 'XXQ' })),
    )
    return Object.groupBy(answers, ({ status }) => (status === 429 ? 'refused' : 'accepted'))
  }

  test('is exactly 50 requests in any 60 seconds; others are answered 429 with a retry-after', async () => {
    const send = await browser()
    const { accepted = [], refused = [] } = await sendMany(send, 120)
    expect([accepted.length, refused.length]).toEqual([50, 70])
    expect(accepted.map(({ status }) => status)).toEqual(Array(50).fill(400))
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ type: 'error', code: 'too_many_requests', status: 429, details: [] })
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(55)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
      expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['50', '0'])
      expect(headers.get('ratelimit-reset')).toBe(headers.get('retry-after'))
    }
  })

  test('is counted apart from that of a checkout session, whatever the names of accounts and the jti', async () => {
    const account = 'checkout-session'
    await railyard.admin.post('/merchant-accounts', { id: account, display_name: 'Named like a rate' })
    const other = await railyard.client({ account, merchantAccountIds: [account] })
    const { id } = (await merchant.post('/checkout/sessions', {})).body
    for (const jti of [id, `checkout-session/${id}`, `../checkout-session/${id}`]) {
      const send = await browser(undefined, { by: { ...other, paymentServiceId: '' }, jti })
      expect((await sendMany(send, 51)).refused).toHaveLength(1)
    }
    const entered = await railyard.send('PUT', `/checkout/sessions/${id}/fields`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_method: card }),
    })
    expect([entered.status, entered.headers.get('ratelimit-remaining')]).toEqual([204, '49'])
  })

  test('has a sliding window: each request counts for 60 seconds', async () => {
    const send = await browser(undefined, {
      exp: Math.floor(Date.now() / 1000) + 3600,
      scopes: ['embed', '*.write'],
    })
    expect((await sendMany(send, 30)).accepted).toHaveLength(30)
    railyard.clock.advance(30_000)
    expect((await sendMany(send, 30)).accepted).toHaveLength(20)
    railyard.clock.advance(31_000)
    expect((await sendMany(send, 60)).accepted).toHaveLength(30)
    railyard.clock.advance(30_000)
    expect((await sendMany(send, 60)).accepted).toHaveLength(20)
  })

  test('is answered in headers that count down', async () => {
    const send = await browser({ amount: 10_00, currency: 'USD' })
    const [first, second] = [
      await send('POST', '/transactions', payment),
      await send('POST', '/transactions', payment),
    ]
    expect([first.headers.get('ratelimit-remaining'), second.headers.get('ratelimit-remaining')]).toEqual([
      '49',
      '48',
    ])
    expect([
      first.headers.get('ratelimit-limit'),
      first.headers.get('ratelimit-reset'),
      first.headers.get('retry-after'),
    ]).toEqual(['50', '60', null])
  })

  test('is counted for each token, also if two merchants chose the same jti', async () => {
    const [one, other] = [
      await browser(undefined, { jti: 'same' }),
      await browser(undefined, { jti: 'same', by: await railyard.merchant() }),
    ]
    expect((await sendMany(one, 60)).refused).toHaveLength(10)
    expect((await sendMany(other, 50)).accepted).toHaveLength(50)
  })

  test('leaves no row for a token without a request in the last minute', async () => {
    const send = await browser({ amount: 10_00, currency: 'USD' }, { jti: 'silent' })
    await send('POST', '/transactions', payment)
    const rows = () =>
      railyard.world.run<{ key: string }>('select key from rate_limits where key like $1', ['%/silent'])
    railyard.clock.advance(59_000)
    await deleteOldInstanceData(railyard.world)
    expect(await rows()).toHaveLength(1)
    railyard.clock.advance(2_000)
    await deleteOldInstanceData(railyard.world)
    expect(await rows()).toEqual([])
  })

  test('does not apply to a server’s token', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => merchant.post('/transactions', { ...payment, currency: 'XXQ' })),
    )
    expect(answers.filter(({ status }) => status !== 400)).toEqual([])
    expect(answers.filter(({ headers }) => headers.has('ratelimit-limit'))).toEqual([])
  })
})
