import { expect, test } from 'vitest'
import { openBnplShop } from '../../../test/support/domains/bnpl.ts'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { scopesOf } from '../../accounts/roles/role.ts'
import { covers } from '../../api/auth/scopes.ts'
import { verify } from '../../verify/verify.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

/** The findings of `railyard verify` about amounts: none, if the journal explains them. */
const amountFindings = async () =>
  (await verify(railyard.world.run)).findings.filter(
    ({ problem }) => problem.includes('amount') || problem.includes('reserved'),
  )

test('a correction records what a person captured at the payment service by hand', async () => {
  const payment = await shop.authorized(50_00)
  const answer = await payment.correct({ status: 'capture_succeeded', captured_amount: 30_00 })
  expect(answer).toMatchObject({
    status: 200,
    body: { status: 'capture_succeeded', authorized_amount: 50_00, captured_amount: 30_00 },
  })
  expect(await amountFindings()).toEqual([])
})

test('a correction adds a timeline entry with the changes and a transaction.modified event', async () => {
  const payment = await shop.authorized(50_00, { external_identifier: 'old' })
  await payment.correct({ external_identifier: 'new', metadata: { shelf: '7' } })
  const { items } = (await shop.get(`/transactions/${payment.id}/events`)).body
  expect(items[0]).toMatchObject({
    name: 'transaction-modified-event',
    context: {
      before: { external_identifier: 'old', metadata: null },
      after: { external_identifier: 'new', metadata: { shelf: '7' } },
    },
  })
  const events = await railyard.world.run<{ name: string }>(
    'select name from events where target_id = $1 order by id',
    [payment.id],
  )
  expect(events.map(({ name }) => name)).toEqual(['transaction.authorized', 'transaction.modified'])
})

test('a correction changes only the members of the request, and null clears what can be empty', async () => {
  const payment = await shop.authorized(50_00, {
    external_identifier: 'order-1',
    metadata: { a: '1', b: '2' },
  })
  await payment.correct({ metadata: { c: '3' } })
  expect(await payment.read()).toMatchObject({
    external_identifier: 'order-1',
    metadata: { c: '3' },
    amount: 50_00,
    status: 'authorization_succeeded',
  })
  await payment.correct({
    external_identifier: null,
    metadata: null,
    payment_service_transaction_id: 'psp-1',
  })
  expect(await payment.read()).toMatchObject({
    external_identifier: null,
    metadata: null,
    payment_service_transaction_id: 'psp-1',
  })
})

test('a correction that breaks a constraint on amounts is refused', async () => {
  const payment = await shop.sold(50_00)
  await payment.refund({ amount: 20_00 })
  expect(await payment.correct({ captured_amount: 50_01 })).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
  expect((await payment.correct({ captured_amount: 19_99 })).status).toBe(400)
  expect((await payment.correct({ authorized_amount: 49_99 })).status).toBe(400)
  expect(await payment.read()).toMatchObject({
    authorized_amount: 50_00,
    captured_amount: 50_00,
    refunded_amount: 20_00,
  })
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

test('a payment with an unknown outcome cannot be corrected until recovery has found the outcome', async () => {
  await injectFaults(railyard, { operation: 'capture', kind: 'lost', times: 1 })
  const payment = await shop.authorized(50_00)
  await payment.capture()
  expect(await payment.correct({ captured_amount: 1 })).toMatchObject({
    status: 425,
    body: { code: 'too_early' },
  })
  await recoverFully(railyard)
  expect(await payment.correct({ captured_amount: 49_00 })).toMatchObject({
    status: 200,
    body: { captured_amount: 49_00 },
  })
})

test('after a correction refunds are possible up to the corrected capture', async () => {
  const payment = await shop.sold(50_00)
  await payment.correct({ captured_amount: 40_00 })
  expect((await payment.refund({ amount: 40_01 })).status).toBe(400)
  expect((await payment.refund()).body).toMatchObject({ amount: 40_00, status: 'succeeded' })
  expect(await amountFindings()).toEqual([])
})

test('while a capture is pending, metadata can be corrected and amounts and the status cannot', async () => {
  const payment = await shop.authorized(600000)
  await payment.capture({ amount: 500003 })
  for (const body of [{ status: 'authorization_failed' }, { amount: 1 }, { captured_amount: 500003 }])
    expect(await payment.correct(body)).toMatchObject({ status: 425, body: { code: 'too_early' } })
  expect((await payment.correct({ metadata: { shelf: '7' } })).status).toBe(200)
  expect((await payment.sync()).status).toBe(200)
  expect(await payment.captures()).toMatchObject([{ status: 'succeeded' }])
  expect((await payment.read()).captured_amount).toBe(500003)
  expect(await amountFindings()).toEqual([])
})

test('a capture that fails after a correction to capture_succeeded leaves nothing reserved', async () => {
  const payment = await shop.authorized(600000)
  expect((await payment.correct({ status: 'capture_succeeded', captured_amount: 99998 })).status).toBe(200)
  expect(await payment.capture({ amount: 500002 })).toMatchObject({
    status: 200,
    body: { captured_amount: 99998 },
  })
  expect(await payment.captures()).toMatchObject([{ status: 'declined' }])
  expect(await amountFindings()).toEqual([])
})

test.each(['processing', 'buyer_approval_pending', 'authorization_void_pending', 'capture_pending'])(
  'a correction cannot set the status %s, which only an operation brings',
  async (status) => {
    const payment = await shop.authorized(5_00)
    expect((await payment.correct({ status })).status).toBe(400)
    expect((await payment.read()).status).toBe('authorization_succeeded')
  },
)

test('amounts and the status cannot be corrected while the buyer approves the payment', async () => {
  const bnpl = await openBnplShop(railyard)
  const waiting = (await bnpl.buy(42_00)).body
  expect(waiting.status).toBe('buyer_approval_pending')
  for (const body of [
    { amount: 63_00 },
    { amount: 1 },
    { status: 'authorization_succeeded', authorized_amount: 42_00 },
  ])
    expect(await bnpl.payment(waiting.id).correct(body)).toMatchObject({
      status: 425,
      body: { code: 'too_early' },
    })
  expect((await bnpl.payment(waiting.id).correct({ external_identifier: 'order-7' })).status).toBe(200)
  await bnpl.browse(await bnpl.decide(waiting.payment_method.approval_url, 'approve'))
  expect(await bnpl.payment(waiting.id).read()).toMatchObject({
    status: 'authorization_succeeded',
    amount: 42_00,
    authorized_amount: 42_00,
  })
})

test('a declined payment becomes authorized only with an authorized amount, and then has no error code', async () => {
  const payment = shop.payment((await shop.pay(200_012)).body.id)
  const declined = await payment.read()
  expect(declined).toMatchObject({ status: 'authorization_failed', authorized_amount: 0 })
  expect((await payment.correct({ status: 'authorization_succeeded' })).status).toBe(400)
  expect((await payment.correct({ status: 'capture_succeeded', authorized_amount: 200_012 })).status).toBe(
    400,
  )
  expect(
    (await payment.correct({ status: 'authorization_succeeded', authorized_amount: 200_013 })).status,
  ).toBe(400)
  expect(await payment.read()).toEqual(declined)
  expect(
    (await payment.correct({ status: 'authorization_succeeded', authorized_amount: 200_012 })).status,
  ).toBe(200)
  expect(await payment.read()).toMatchObject({
    status: 'authorization_succeeded',
    authorized_amount: 200_012,
    error_code: null,
    intent_outcome: 'succeeded',
    authorized_at: expect.any(String),
  })
})

test('a payment with an authorized amount cannot become declined, nor get an amount beyond it', async () => {
  const payment = await shop.authorized(5_00)
  expect((await payment.correct({ status: 'authorization_declined' })).status).toBe(400)
  expect((await payment.correct({ amount: 6_00 })).status).toBe(400)
  expect((await payment.correct({ amount: 4_00 })).status).toBe(400)
  expect(
    (await payment.correct({ status: 'authorization_failed', authorized_amount: 0 })).body,
  ).toMatchObject({
    status: 'authorization_failed',
    authorized_amount: 0,
    intent_outcome: 'failed',
  })
})

test('amounts and the status are corrected with the scope transactions.correct, which transactions.write does not cover', async () => {
  const payment = await shop.authorized(5_00)
  const at = `/transactions/${payment.id}`
  const clientWith = (...scopes: string[]) => railyard.client({ account: shop.account, scopes })
  const writer = await clientWith('transactions.write')
  for (const body of [
    { status: 'authorization_failed' },
    { amount: 4_00 },
    { authorized_amount: 0 },
    { captured_amount: 5_00 },
  ])
    expect(await writer.put(at, body)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect((await writer.put(at, { external_identifier: 'order-7', metadata: { a: '1' } })).status).toBe(200)
  const corrector = await clientWith('transactions.write', 'transactions.correct')
  expect((await corrector.put(at, { status: 'capture_succeeded', captured_amount: 5_00 })).status).toBe(200)
  const processing = await railyard.client({ account: shop.account, roleIds: ['processing'] })
  expect((await processing.put(at, { captured_amount: 4_00 })).status).toBe(403)
  expect(covers(scopesOf(['customer-support']), 'transactions.correct')).toBe(false)
})

test('the audit log says what a correction changed, before and after', async () => {
  const payment = await shop.authorized(50_00)
  await payment.correct({ status: 'capture_succeeded', captured_amount: 30_00, metadata: { name: 'Ada' } })
  const { items } = (
    await railyard.admin.get('/audit-logs?resource_type=transaction', {
      'x-svc-merchant-account-id': shop.account,
    })
  ).body
  expect(items[0]).toMatchObject({ action: 'updated', resource: { id: payment.id } })
  expect(items[0].changes).toEqual({
    before: { status: 'authorization_succeeded', captured_amount: 0 },
    after: { status: 'capture_succeeded', captured_amount: 30_00 },
  })
  expect(items[1].changes).toBeUndefined()
})

test('a request that changes nothing writes nothing', async () => {
  const payment = await shop.authorized(5_00, {
    metadata: { a: '1', b: '2' },
    external_identifier: 'order-1',
  })
  const before = await payment.read()
  const events = (await shop.get(`/transactions/${payment.id}/events`)).body
  for (const body of [
    {},
    { status: null },
    { amount: 5_00, status: 'authorization_succeeded' },
    { metadata: { b: '2', a: '1' }, external_identifier: 'order-1' },
  ])
    expect(await payment.correct(body)).toMatchObject({ status: 200, body: before })
  expect(await payment.read()).toEqual(before)
  expect((await shop.get(`/transactions/${payment.id}/events`)).body).toEqual(events)
})

test('an unknown transaction cannot be corrected', async () => {
  expect((await shop.payment(crypto.randomUUID()).correct({ amount: 1 })).status).toBe(404)
})
