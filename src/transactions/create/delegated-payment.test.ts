import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { openPlatform } from '../../../test/support/domains/delegated-payments.ts'
import { challenge, openSecureShop, scenario } from '../../../test/support/domains/secure-shop.ts'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { addService, invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { eraseExpiredCardData } from '../../checkout/sessions/erase-expired.ts'
import { verify } from '../../verify/verify.ts'

const { railyard, shop } = await startShop()
const platform = openPlatform(railyard, shop)

const payWith = (token: string, amount = 20_00, more: Record<string, unknown> = {}) =>
  shop.pay(amount, {
    payment_method: { method: 'delegated-payment', token, checkout_session_id: 'csn_1' },
    ...more,
  })
const rowOf = async (token: string) =>
  (
    await railyard.world.run(
      `select d.*, (select count(*)::int from security_codes c
                     where c.merchant_account_id = d.merchant_account_id and c.id = d.id) as codes
         from delegated_payments d where id = $1`,
      [token.slice(3)],
    )
  )[0]
const used = invalidFields('/payment_method/token')

test('a merchant pays with the token of a platform, and the payment shows what it allowed', async () => {
  const token = await platform.token()
  const paid = await payWith(token, 20_00, { intent: 'capture' })
  expect(paid).toMatchObject({
    status: 201,
    body: {
      status: 'capture_succeeded',
      method: 'card',
      payment_method: { label: '1111', scheme: 'visa' },
      cvv_response_code: 'match',
      buyer: { billing_details: { first_name: 'Jane', last_name: 'Doe' } },
      delegated_payment: {
        id: token,
        checkout_session_id: 'csn_1',
        max_amount: 20_00,
        currency: 'EUR',
        risk_signals: [{ type: 'card_testing', score: 10, action: 'manual_review' }],
      },
    },
  })
  expect((await shop.get(`/transactions/${paid.body.id}`)).body.delegated_payment.id).toBe(token)
})

test('a token that has paid pays no second time, and nothing of its card is left', async () => {
  const token = await platform.token()
  const { id } = (await payWith(token)).body
  expect(await rowOf(token)).toMatchObject({
    transaction_id: id,
    sealed: null,
    data_key: null,
    metadata: {},
    codes: 0,
  })
  expect(await payWith(token)).toMatchObject(used)
  await shop.payment(id).void()
  expect(await payWith(token)).toMatchObject(used)
})

test('of a thousand payments at once with one token, one has an effect', async () => {
  const token = await platform.token()
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, () => payWith(token, 20_00, { intent: 'capture' })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(999)
  const [{ payments }] = (await railyard.world.run<{ payments: number }>(
    `select count(*)::int as payments from transactions where details #>> '{delegated_payment,id}' = $1`,
    [token],
  )) as [{ payments: number }]
  expect(payments).toBe(1)
})

test('a token pays neither another session, nor another currency, nor more than it allows', async () => {
  const token = await platform.token()
  const swapped = await shop.pay(20_00, {
    payment_method: { method: 'delegated-payment', token, checkout_session_id: 'csn_2' },
  })
  expect(swapped).toMatchObject(invalidFields('/payment_method/checkout_session_id'))
  expect(await payWith(token, 20_01)).toMatchObject(invalidFields('/amount'))
  expect(await payWith(token, 20_00, { currency: 'USD' })).toMatchObject(invalidFields('/currency'))
  expect(await payWith(token, 20_00, { store: true })).toMatchObject(invalidFields('/store'))
  expect((await payWith(token)).body.status).toBe('authorization_succeeded')
})

test('the token of another account is one that does not exist', async () => {
  const other = await openShop(railyard)
  const token = await openPlatform(railyard, other).token()
  const foreign = await payWith(token)
  expect(foreign).toMatchObject(used)
  expect((await payWith(`vt_${randomUUID()}`)).body).toEqual(foreign.body)
})

test('a payment that is declined gives the token back, without its security code', async () => {
  const token = await platform.token({ allowance: { max_amount: 3_000_00 } })
  expect((await payWith(token, 2_000_11)).body).toMatchObject({
    status: 'authorization_failed',
    cvv_response_code: 'match',
  })
  expect(await rowOf(token)).toMatchObject({ transaction_id: null, reserved_amount: null, codes: 0 })
  expect((await payWith(token)).body).toMatchObject({
    status: 'authorization_succeeded',
    cvv_response_code: 'not_provided',
  })
})

test('a payment that no payment service can take leaves the token as it is', async () => {
  const token = await platform.token({ allowance: { currency: 'chf' } })
  expect((await payWith(token, 20_00, { currency: 'CHF' })).body.status).toBe('authorization_failed')
  expect(await rowOf(token)).toMatchObject({ transaction_id: null, codes: 1 })
})

test('while the outcome of its payment is unknown, a token pays nothing else', async () => {
  const token = await platform.token()
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
  const first = await payWith(token)
  expect(first.body.status).toBe('processing')
  expect(await payWith(token)).toMatchObject(used)
  await recoverFully(railyard)
  const { status } = await shop.payment(first.body.id).read()
  expect(['authorization_succeeded', 'authorization_failed']).toContain(status)
  const row = await rowOf(token)
  if (status === 'authorization_failed') expect(row).toMatchObject({ transaction_id: null, used_at: null })
  else expect(row).toMatchObject({ transaction_id: first.body.id, sealed: null })
})

test('a process that dies between the reservation and the payment service’s answer leaves the token reserved, and recovery decides', async () => {
  const token = await platform.token()
  const hung = Promise.withResolvers<never>()
  const hangs = vi.spyOn(railyard.world.http, 'request').mockImplementation(() => hung.promise)
  const stalled = payWith(token)
  await expect.poll(() => hangs).toHaveBeenCalled()
  hangs.mockRestore()
  expect(await payWith(token)).toMatchObject(used)
  const id = (await rowOf(token))?.transaction_id
  await recoverFully(railyard)
  expect((await shop.payment(`${id}`).read()).status).toBe('authorization_failed')
  expect(await rowOf(token)).toMatchObject({ transaction_id: null, used_at: null })
  const second = (await payWith(token)).body
  expect(second.status).toBe('authorization_succeeded')
  // the process was only slow: what it finds out now changes nothing
  hung.reject(new Error('the connection broke'))
  expect((await stalled).body).toMatchObject({ id, status: 'authorization_failed' })
  expect(await rowOf(token)).toMatchObject({ transaction_id: second.id, sealed: null })
})

test('the same request under one idempotency key pays once and is answered the same, also after the token has paid', async () => {
  const token = await platform.token()
  const key = { 'idempotency-key': randomUUID() }
  const body = {
    amount: 20_00,
    currency: 'EUR',
    payment_method: { method: 'delegated-payment', token, checkout_session_id: 'csn_1' },
  }
  const answers = await Promise.all(Array.from({ length: 50 }, () => shop.post('/transactions', body, key)))
  answers.push(await shop.post('/transactions', body, key))
  expect(new Set(answers.map(({ status, body: { id } }) => `${status} ${id}`)).size).toBe(1)
})

test('a token stays reserved while the cardholder is with the issuer, and comes back if they refuse', async () => {
  const secure = await openSecureShop(railyard)
  await scenario(railyard, secure, 20_00, 'C', 'N')
  const token = await openPlatform(railyard, secure).token()
  const pay = () =>
    secure.pay(20_00, {
      payment_method: {
        method: 'delegated-payment',
        token,
        checkout_session_id: 'csn_1',
        redirect_url: 'https://shop.example/done',
      },
    })
  const { body } = await pay()
  expect(body.status).toBe('buyer_approval_pending')
  expect(await pay()).toMatchObject(used)
  await challenge(railyard, body.payment_method.approval_url, 'decline')
  expect((await secure.payment(body.id).read()).status).toBe('authorization_failed')
  expect(await rowOf(token)).toMatchObject({ transaction_id: null, used_at: null, codes: 0 })
})

test('verify finds a token that looks unused after it has paid, and one that has paid more than it allows', async () => {
  const { run } = railyard.world
  const token = await platform.token()
  const { id } = (await payWith(token)).body
  const row = token.slice(3)
  const problems = async () => (await verify(run)).findings.map(({ problem }) => problem)
  await run('update delegated_payments set used_at = null where id = $1', [row])
  expect(await problems()).toEqual(['delegated payment: has paid'])
  await run('update delegated_payments set transaction_id = null, reserved_amount = null where id = $1', [
    row,
  ])
  expect(await problems()).toEqual(['payment of a delegated payment'])
  await run(
    'update delegated_payments set transaction_id = $2, reserved_amount = 1, used_at = now(), max_amount = 1 where id = $1',
    [row, id],
  )
  expect(await problems()).toEqual(['delegated payment: beyond what it allows'])
  await run('update delegated_payments set max_amount = 2000 where id = $1', [row])
  expect(await problems()).toEqual([])
})

test('an erasure of a payment that gave its token back erases the card', async () => {
  const token = await platform.token({ allowance: { max_amount: 3_000_00 } })
  const { body } = await payWith(token, 2_000_11)
  expect((await rowOf(token))?.sealed).not.toBeNull()
  expect((await shop.post(`/transactions/${body.id}/erase`)).status).toBe(202)
  await railyard.erasing.runOnce()
  expect(await rowOf(token)).toMatchObject({ sealed: null, metadata: {} })
  expect(await payWith(token)).toMatchObject({ status: 400 })
})

test('a token is good until the second in which it expires, and its card is erased then', async () => {
  const in_ = (ms: number) => new Date(railyard.clock.now() + ms).toISOString()
  const token = await platform.token({ allowance: { expires_at: in_(600_000) } })
  railyard.clock.advance(600_001)
  expect(await payWith(token)).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/payment_method/token', message: 'has expired' }] },
  })
  await eraseExpiredCardData(railyard.world)
  expect(await rowOf(token)).toMatchObject({ sealed: null, metadata: {}, risk_signals: [], codes: 0 })
})

test('neither increments nor captures beyond the authorization take more than the token allows', async () => {
  const rich = await openShop(railyard, { settings: { over_capture_percentage: 100 } })
  const token = await openPlatform(railyard, rich).token()
  const { body } = await rich.pay(15_00, {
    payment_method: { method: 'delegated-payment', token, checkout_session_id: 'csn_1' },
  })
  const payment = rich.payment(body.id)
  expect(await payment.increment(5_01)).toMatchObject(invalidFields('/amount'))
  expect((await payment.increment(2_00)).body.status).toBe('succeeded')
  expect(await payment.capture({ amount: 20_01 })).toMatchObject(invalidFields('/amount'))
  expect((await payment.capture({ amount: 20_00 })).body.captured_amount).toBe(20_00)
})

test('a network token pays with its cryptogram', async () => {
  const service = await addService(railyard, shop, { network_tokens_enabled: true })
  expect(service).toBeDefined()
  const token = await platform.token({
    payment_method: {
      card_number_type: 'network_token',
      number: '4895370012003478',
      cryptogram: 'AgAAAAAABk4DWZ4C28yUQAAAAAA=',
      eci_value: '05',
      display_last4: '1111',
      cvc: undefined,
    },
  })
  expect((await payWith(token)).body).toMatchObject({
    status: 'authorization_succeeded',
    instrument_type: 'network_token',
    payment_method: { label: '1111' },
  })
})
