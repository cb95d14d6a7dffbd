import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerWhoIs } from '../../test/anti-fraud.ts'
import { openBnplShop } from '../../test/bnpl.ts'
import { person } from '../../test/people.ts'
import { misbehave, recoverFully } from '../../test/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../test/railyard.ts'
import { openShop, type Shop } from '../../test/shop.ts'
import { openWalletShop } from '../../test/wallet.ts'
import { verify } from '../operations/verify.ts'

let railyard: TestRailyard
let shop: Shop

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openShop(railyard)
})
afterAll(() => railyard.close())

const amountsExplained = async () =>
  (await verify(railyard.world.run)).findings.filter(({ problem }) => problem.includes('amount') || problem.includes('reserved'))

test('what was captured at the payment service by hand can be written down', async () => {
  const payment = await shop.authorized(50_00)
  const answer = await payment.correct({ status: 'capture_succeeded', captured_amount: 30_00 })
  expect(answer).toMatchObject({ status: 200, body: { status: 'capture_succeeded', authorized_amount: 50_00, captured_amount: 30_00 } })
  expect(await amountsExplained()).toEqual([])
})

test('the story and the merchant’s systems are told what was changed', async () => {
  const payment = await shop.authorized(50_00, { external_identifier: 'old' })
  await payment.correct({ external_identifier: 'new', metadata: { shelf: '7' } })
  const { items } = (await shop.get(`/transactions/${payment.id}/events`)).body
  expect(items[0]).toMatchObject({
    name: 'transaction-modified-event',
    context: { before: { external_identifier: 'old', metadata: null }, after: { external_identifier: 'new', metadata: { shelf: '7' } } },
  })
  const told = await railyard.world.run<{ name: string }>('select name from events where target_id = $1 order by id', [payment.id])
  expect(told.map(({ name }) => name)).toEqual(['transaction.authorized', 'transaction.modified'])
})

test('only what is given changes; null clears what can be empty', async () => {
  const payment = await shop.authorized(50_00, { external_identifier: 'order-1', metadata: { a: '1', b: '2' } })
  await payment.correct({ metadata: { c: '3' } })
  expect(await payment.read()).toMatchObject({
    external_identifier: 'order-1',
    metadata: { c: '3' },
    amount: 50_00,
    status: 'authorization_succeeded',
  })
  await payment.correct({ external_identifier: null, metadata: null, payment_service_transaction_id: 'psp-1' })
  expect(await payment.read()).toMatchObject({ external_identifier: null, metadata: null, payment_service_transaction_id: 'psp-1' })
})

test('a correction cannot break the rules on amounts', async () => {
  const payment = await shop.sold(50_00)
  await payment.refund({ amount: 20_00 })
  expect(await payment.correct({ captured_amount: 50_01 })).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  expect((await payment.correct({ captured_amount: 19_99 })).status).toBe(400)
  expect((await payment.correct({ authorized_amount: 49_99 })).status).toBe(400)
  expect(await payment.read()).toMatchObject({ authorized_amount: 50_00, captured_amount: 50_00, refunded_amount: 20_00 })
})

test.each([
  [{ status: 'paid' }, 422],
  [{ amount: -1 }, 422],
  [{ currency: 'USD' }, 422],
  [{ metadata: { a: 1 } }, 422],
  [{ metadata: { a: 'x'.repeat(501) } }, 400],
])('a correction to %o is refused with %i', async (body, status) => {
  const payment = await shop.authorized(5_00)
  expect((await payment.correct(body)).status).toBe(status)
})

test('a payment whose outcome is not known is not corrected: the payment service’s books will tell', async () => {
  await misbehave(railyard, { operation: 'capture', kind: 'lost', times: 1 })
  const payment = await shop.authorized(50_00)
  await payment.capture()
  expect(await payment.correct({ captured_amount: 1_00 })).toMatchObject({ status: 425, body: { code: 'too_early' } })
  await recoverFully(railyard)
  expect(await payment.correct({ captured_amount: 49_00 })).toMatchObject({ status: 200, body: { captured_amount: 49_00 } })
})

test('a refund goes on after a correction, up to the corrected capture', async () => {
  const payment = await shop.sold(50_00)
  await payment.correct({ captured_amount: 40_00 })
  expect((await payment.refund({ amount: 40_01 })).status).toBe(400)
  expect((await payment.refund()).body).toMatchObject({ amount: 40_00, status: 'succeeded' })
  expect(await amountsExplained()).toEqual([])
})

describe('amounts and status are not corrected while', () => {
  test('a capture is pending, and are once it is decided', async () => {
    const payment = await shop.authorized(600000)
    await payment.capture({ amount: 500003 })
    const before = await payment.read()
    for (const body of [{ status: 'authorization_failed' }, { captured_amount: 1 }, { amount: 1 }, { payment_service_transaction_id: 'another' }])
      expect(await payment.correct(body)).toMatchObject({
        status: 400,
        body: { code: 'bad_request', message: expect.stringMatching(/^The capture .* is pending/) },
      })
    expect(await payment.read()).toEqual(before)
    await payment.sync()
    expect(await payment.correct({ captured_amount: 500002 })).toMatchObject({ status: 200, body: { captured_amount: 500002 } })
  })

  test('a refund is pending', async () => {
    const payment = await shop.sold(600000)
    expect((await payment.refund({ amount: 520005 })).body.status).toBe('processing')
    expect(await payment.correct({ captured_amount: 550000 })).toMatchObject({ status: 400 })
  })

  test.each(['in the wallet', 'at bnpl'])('the buyer decides %s, who approves the amount that was asked for', async (where) => {
    const wallet = await openWalletShop(railyard)
    const bnpl = await openBnplShop(railyard)
    const asked = where === 'in the wallet' ? await wallet.ask(42_00) : await bnpl.buy(42_00)
    const payment = (where === 'in the wallet' ? wallet : bnpl).payment(asked.body.id)
    for (const body of [{ amount: 63_00 }, { amount: 1 }, { authorized_amount: 42_00, status: 'authorization_succeeded' }])
      expect(await payment.correct(body)).toMatchObject({ status: 400, body: { message: expect.stringContaining('waits for its buyer') } })
    expect(await payment.read()).toMatchObject({ status: 'buyer_approval_pending', amount: 42_00, authorized_amount: 0 })
    expect((await payment.correct({ metadata: { shelf: '7' } })).status).toBe(200)
  })

  test('the payment is held for review', async () => {
    const own = await openShop(railyard)
    await addAntiFraudService(railyard, own)
    const { body } = await own.pay(20_00, { intent: 'capture', buyer: buyerWhoIs('review') })
    expect(await own.payment(body.id).correct({ authorized_amount: 19_00 })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('held for review') },
    })
  })
})

describe('a correction of the status', () => {
  const DECLINED = 2000_11

  test('does not make a declined payment authorized or captured without the money', async () => {
    const { body } = await shop.pay(DECLINED)
    const payment = shop.payment(body.id)
    expect(body.status).toBe('authorization_failed')
    for (const status of ['authorization_succeeded', 'capture_succeeded']) {
      const answer = await payment.correct({ status })
      expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } })
      expect(answer.body.details[0].pointer).toBe(status === 'capture_succeeded' ? '/captured_amount' : '/authorized_amount')
    }
    expect(await payment.read()).toMatchObject({ status: 'authorization_failed', error_code: body.error_code })
  })

  test('takes what follows from it along: dates, the outcome of the intent and the error code', async () => {
    const { body } = await shop.pay(DECLINED, { intent: 'capture' })
    const payment = shop.payment(body.id)
    const sold = { status: 'capture_succeeded', authorized_amount: DECLINED, captured_amount: DECLINED }
    expect(await payment.correct(sold)).toMatchObject({
      status: 200,
      body: {
        ...sold,
        intent_outcome: 'succeeded',
        error_code: null,
        authorized_at: expect.any(String),
        captured_at: expect.any(String),
        voided_at: null,
      },
    })
    const failed = { status: 'authorization_failed', authorized_amount: 0, captured_amount: 0 }
    expect(await payment.correct(failed)).toMatchObject({
      status: 200,
      body: { ...failed, intent_outcome: 'failed', authorized_at: null, captured_at: null },
    })
    const voided = await shop.authorized(5_00)
    expect(await voided.correct({ status: 'authorization_voided' })).toMatchObject({ status: 200, body: { voided_at: expect.any(String) } })
    expect(await voided.capture()).toMatchObject({ status: 400 })
    expect(await voided.correct({ status: 'authorization_succeeded' })).toMatchObject({ status: 200, body: { voided_at: null } })
    expect(await voided.capture()).toMatchObject({ status: 200, body: { status: 'capture_succeeded' } })
    expect(await amountsExplained()).toEqual([])
  })

  test.each(['processing', 'buyer_approval_pending', 'authorization_void_pending', 'capture_pending'])(
    'to %s is refused: nothing is pending that could decide it',
    async (status) => {
      const payment = await shop.authorized(5_00)
      expect(await payment.correct({ status })).toMatchObject({ status: 400, body: { details: [{ pointer: '/status' }] } })
    },
  )

  test.each([
    [{ captured_amount: 1_00 }, '/captured_amount'],
    [{ status: 'capture_succeeded' }, '/captured_amount'],
    [{ status: 'authorization_failed' }, '/authorized_amount'],
    [{ authorized_amount: 0 }, '/authorized_amount'],
    [{ authorized_amount: 5_01 }, '/authorized_amount'],
    [{ amount: 4_99 }, '/authorized_amount'],
  ])('and of amounts that contradict each other are refused: %o of an authorized payment', async (body, pointer) => {
    const payment = await shop.authorized(5_00)
    const answer = await payment.correct(body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    expect(answer.body.details.map((detail: { pointer: string }) => detail.pointer)).toContain(pointer)
  })
})

describe('the scope transactions.correct', () => {
  const as = async (scopes: string[]) => {
    const payment = await shop.authorized(5_00)
    const caller = await railyard.client({ account: shop.account, scopes })
    return (body: object) => caller.put(`/transactions/${payment.id}`, body)
  }

  test('is needed for amounts and the status', async () => {
    const put = await as(['transactions.read', 'transactions.write'])
    for (const body of [
      { status: 'authorization_voided' },
      { amount: 6_00 },
      { authorized_amount: 4_00 },
      { captured_amount: 0 },
      { metadata: {}, amount: 5_00 },
    ])
      expect(await put(body)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await put({ metadata: { shelf: '7' }, external_identifier: 'order-7', status: null })).status).toBe(200)
  })

  test('opens nothing else', async () => {
    const put = await as(['transactions.correct'])
    expect((await put({ metadata: { shelf: '7' } })).status).toBe(403)
    expect((await put({ amount: 6_00, external_identifier: 'order-7' })).status).toBe(403)
    expect(await put({ authorized_amount: 4_00 })).toMatchObject({ status: 200, body: { authorized_amount: 4_00 } })
  })

  test('is of administrators and of finance, not of support', async () => {
    const payment = await shop.authorized(5_00)
    const path = `/transactions/${payment.id}`
    const header = { 'x-svc-merchant-account-id': shop.account }
    const answers: Record<string, number> = {}
    for (const [index, role] of ['administrator', 'finance', 'customer-support', 'analyst'].entries()) {
      const someone = await person(railyard, { roles: [role] })
      answers[role] = (await someone.send('PUT', path, { authorized_amount: 4_00 - index }, header)).status
    }
    expect(answers).toEqual({ administrator: 200, finance: 200, 'customer-support': 403, analyst: 403 })
  })
})

test('the audit log has the values before and after a correction, and nothing of metadata', async () => {
  const payment = await shop.authorized(50_00)
  await payment.correct({ status: 'capture_succeeded', captured_amount: 30_00, metadata: { buyer: 'ada@example.com' } })
  const { items } = (await shop.get('/audit-logs?resource_type=transaction&action=updated')).body
  expect(items[0]).toMatchObject({
    resource: { id: payment.id },
    details: {
      before: { status: 'authorization_succeeded', captured_amount: 0 },
      after: { status: 'capture_succeeded', captured_amount: 30_00 },
    },
  })
  expect(JSON.stringify(items[0])).not.toContain('ada@example.com')
})

test('a correction that changes nothing writes nothing', async () => {
  const payment = await shop.authorized(50_00, { external_identifier: 'order-1', metadata: { a: '1', b: '2' } })
  const before = await payment.read()
  const written = async () => [await payment.story(), (await shop.get('/audit-logs?resource_type=transaction')).body.items.length]
  const story = await written()
  railyard.clock.advance(1_000)
  const same = { status: before.status, amount: 50_00, authorized_amount: 50_00, captured_amount: 0, external_identifier: 'order-1' }
  for (const body of [{}, { metadata: { b: '2', a: '1' } }, { status: null, amount: null }, same])
    expect(await payment.correct(body)).toMatchObject({ status: 200, body: { updated_at: before.updated_at } })
  expect(await payment.read()).toEqual(before)
  expect(await written()).toEqual(story)
  const options = { connection_options: { 'wallet-wallet': { user_action: 'PAY_NOW' } } }
  const { updated_at } = (await payment.correct(options)).body
  expect(updated_at).not.toBe(before.updated_at)
  railyard.clock.advance(1_000)
  expect((await payment.correct(options)).body.updated_at).toBe(updated_at)
})

test('an unknown transaction cannot be corrected', async () => {
  expect((await shop.payment(crypto.randomUUID()).correct({ amount: 1 })).status).toBe(404)
})
