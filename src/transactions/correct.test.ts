import { afterAll, beforeAll, expect, test } from 'vitest'
import { misbehave, recoverFully } from '../../test/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../test/railyard.ts'
import { openShop, type Shop } from '../../test/shop.ts'
import { verify } from '../verify/verify.ts'

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
  expect(await payment.correct({ captured_amount: 0 })).toMatchObject({ status: 425, body: { code: 'too_early' } })
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

test.each(['authorization_failed', 'authorization_voided', 'buyer_approval_pending', 'capture_succeeded'])(
  'a pending payment that a person called %s is still settled when the payment service decides',
  async (status) => {
    const payment = await shop.authorized(600000)
    await payment.capture({ amount: 500003 })
    await payment.correct({ status })
    expect((await payment.sync()).status).toBe(200)
    expect(await payment.captures()).toMatchObject([{ status: 'succeeded' }])
    expect((await payment.read()).captured_amount).toBe(500003)
    expect(await amountsExplained()).toEqual([])
  },
)

test('a capture that fails on a payment that a person called captured leaves nothing open', async () => {
  const payment = await shop.authorized(600000)
  await payment.correct({ status: 'capture_succeeded' })
  expect(await payment.capture({ amount: 500002 })).toMatchObject({ status: 200, body: { captured_amount: 0 } })
  expect(await payment.captures()).toMatchObject([{ status: 'declined' }])
  expect(await amountsExplained()).toEqual([])
})

test('a person may set every status', async () => {
  const payment = await shop.authorized(5_00)
  for (const status of ['processing', 'buyer_approval_pending', 'authorization_declined', 'authorization_void_pending', 'capture_pending']) {
    expect((await payment.correct({ status })).body.status).toBe(status)
  }
})

test('an unknown transaction cannot be corrected', async () => {
  expect((await shop.payment(crypto.randomUUID()).correct({ amount: 1 })).status).toBe(404)
})
