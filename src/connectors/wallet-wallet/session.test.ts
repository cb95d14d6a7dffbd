import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { startWalletShop } from '../../../test/support/domains/wallet.ts'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import type { Answer } from '../../../test/support/railyard.ts'

const { railyard, shop, wire } = await startWalletShop()
afterEach(async () => {
  await injectFaults(railyard)
  await expectBooksMatch(railyard, shop.account)
})
afterAll(() => expect(wire.calls).toBeGreaterThan(20))

const inPage = (more: object = {}) => ({ integration_client: 'web', ...more })

const exchange = (method: 'GET' | 'POST', { id, session_token }: Answer['body'], token = session_token) =>
  railyard.send(method, `/transactions/${id}/session?token=${encodeURIComponent(token)}`, {
    ...(method === 'POST' && { body: '{"payload":null}', headers: { 'content-type': 'application/json' } }),
  })

/** The merchant's backend calls this when its page reports the buyer's approval. */
const complete = async (created: Answer['body']) => {
  const { body } = await exchange('POST', created)
  return shop.get(new URL(body.default_completion_url).pathname)
}

describe('in a client integration', () => {
  test.each(['GET', 'POST'] as const)(
    'the page exchanges its session token for the script’s data (%s)',
    async (method) => {
      const { created } = await shop.asked(42_00, inPage())
      expect(created).toMatchObject({
        session_token: expect.any(String),
        payment_method: { approval_url: null },
      })
      expect(await exchange(method, created)).toMatchObject({
        status: 200,
        body: {
          session_data: {
            orderId: created.payment_service_transaction_id,
            clientId: 'client-1',
            intent: 'authorize',
            currency: 'EUR',
          },
          default_completion_url: `${railyard.url}/transactions/${created.id}/complete/${shop.account}`,
          integration_client: 'web',
        },
      })
    },
  )

  test('the script’s intent is the payment’s', async () => {
    const { created } = await shop.asked(42_00, inPage({ intent: 'capture' }))
    expect((await exchange('POST', created)).body.session_data.intent).toBe('capture')
  })

  test('the session cannot be read without its token', async () => {
    const { created } = await shop.asked(42_00, inPage())
    expect(await exchange('POST', created, 'wrong')).toMatchObject({ status: 401 })
    expect((await railyard.send('GET', `/transactions/${created.id}/session`)).status).toBe(401)
  })

  test.each([
    ['authorize', 'PAY_NOW', 'authorization_succeeded'],
    ['capture', 'CONTINUE', 'capture_succeeded'],
  ])(
    'the completion makes the payment once the buyer approved (%s, %s)',
    async (intent, user_action, status) => {
      const payment = await shop.asked(
        42_00,
        inPage({ intent, connection_options: { 'wallet-wallet': { user_action } } }),
      )
      expect((await payment.buyer.review()).user_action).toBe(user_action)
      await payment.buyer.approve()
      expect(await complete(payment.created)).toMatchObject({ status: 200, body: { id: payment.id, status } })
      expect((await payment.read()).status).toBe(status)
    },
  )

  test('the buyer’s approval alone pays nothing: the merchant completes the payment', async () => {
    const payment = await shop.asked(
      42_00,
      inPage({ connection_options: { 'wallet-wallet': { user_action: 'CONTINUE' } } }),
    )
    await payment.buyer.approve()
    await payment.sync()
    railyard.clock.advance(11 * 60_000)
    await railyard.recovery.runOnce()
    expect((await payment.read()).status).toBe('buyer_approval_pending')
    expect((await complete(payment.created)).body.status).toBe('authorization_succeeded')
  })

  test('a completion before the approval is too early, and harmless', async () => {
    const payment = await shop.asked(42_00, inPage())
    expect(await complete(payment.created)).toMatchObject({ status: 425 })
    await payment.buyer.approve()
    expect((await complete(payment.created)).body.status).toBe('authorization_succeeded')
  })

  test('a declined payment is a transaction, not an error', async () => {
    const payment = await shop.asked(42_00, inPage())
    await payment.buyer.decline()
    expect(await complete(payment.created)).toMatchObject({
      status: 200,
      body: { status: 'authorization_failed', error_code: 'issuer_decline' },
    })
  })

  test('a hundred completions at once have one effect', async () => {
    const payment = await shop.asked(42_00, inPage({ intent: 'capture' }))
    await payment.buyer.approve()
    const path = `/transactions/${payment.id}/complete`
    const answers = await Promise.all(Array.from({ length: 100 }, () => shop.get(path)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status}`))).toEqual(
      new Set(['200 capture_succeeded']),
    )
    const { operations, attempts } = await booksOf(railyard)
    const sales = operations.filter(
      ({ payment_id }) => payment_id === payment.created.payment_service_transaction_id,
    )
    expect(sales.map(({ kind, amount, key }) => ({ kind, amount, attempts: attempts[key] }))).toEqual([
      { kind: 'sale', amount: 42_00, attempts: 1 },
    ])
  })

  test('a completion whose answer is lost is looked up, not repeated', async () => {
    const payment = await shop.asked(42_00, inPage())
    await payment.buyer.approve()
    await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
    await complete(payment.created)
    await recoverFully(railyard)
    expect((await payment.read()).status).toBe('authorization_succeeded')
  })

  test('the completion URL works without the account header for a key pair of several accounts', async () => {
    const payment = await shop.asked(42_00, inPage())
    const { default_completion_url: url } = (await exchange('POST', payment.created)).body
    const follow = (headers: object = {}, at = url) =>
      railyard.send('GET', at.slice(railyard.url.length), {
        headers: { authorization: `Bearer ${railyard.admin.token}`, ...headers },
      })
    await payment.buyer.approve()
    expect(await follow({ 'x-svc-merchant-account-id': 'default' })).toMatchObject({ status: 403 })
    expect(await follow({}, url.replace(shop.account, 'no-such-account'))).toMatchObject({ status: 403 })
    expect(await follow({}, url.replace(shop.account, '%00'))).toMatchObject({ status: 403 })
    expect(await follow({}, url.replace(shop.account, 'default'))).toMatchObject({ status: 404 })
    const stranger = await railyard.merchant()
    expect(await stranger.get(new URL(url).pathname)).toMatchObject({ status: 403 })
    expect(await follow({}, `${url}?authorization_token=t`)).toMatchObject({
      status: 200,
      body: { status: 'authorization_succeeded' },
    })
  })

  test('a finished payment has no session', async () => {
    const payment = await shop.asked(42_00, inPage())
    await payment.buyer.approve()
    await complete(payment.created)
    expect(await exchange('POST', payment.created)).toMatchObject({ status: 400 })
  })
})
