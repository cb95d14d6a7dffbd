import { afterAll, expect, test, vi } from 'vitest'
import { SHOP_URL, startBnplShop } from '../../../test/support/domains/bnpl.ts'
import { booksOf, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { returnUrl } from '../../transactions/approval/approval-links.ts'

const { railyard, shop, wire } = await startBnplShop()
afterAll(() => expect(wire.calls).toBeGreaterThan(0))

const statusOf = async (id: string) => (await shop.payment(id).read()).status
const becomes = (id: string, status: string) =>
  vi.waitFor(async () => expect(await statusOf(id)).toBe(status), { timeout: 5_000, interval: 10 })

test('a payment is authorized when the buyer returns from the provider’s page', async () => {
  const { status, body } = await shop.buy(120_00)
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { status: 'buyer_approval_pending', session_token: null },
  })
  const back = await shop.browse(await shop.decide(body.payment_method.approval_url, 'approve'))
  expect(back).toBe(
    `${SHOP_URL}?svc_transaction_id=${body.id}&svc_transaction_status=authorization_succeeded`,
  )
  const paid = await shop.payment(body.id).read()
  expect(paid).toMatchObject({
    status: 'authorization_succeeded',
    authorized_amount: 120_00,
    error_code: null,
  })
  expect(paid.additional_identifiers).toMatchObject({
    payment_service_order_id: paid.payment_service_transaction_id,
    payment_service_session_id: expect.any(String),
  })
})

test('a sale is captured with the order', async () => {
  const id = await shop.paidOnPage(80_00, { intent: 'capture' })
  const paid = await shop.payment(id).read()
  expect(paid).toMatchObject({ status: 'capture_succeeded', captured_amount: 80_00 })
  expect(paid.additional_identifiers.payment_service_capture_id).toEqual(expect.any(String))
  expect(await shop.payment(id).captures()).toHaveLength(1)
})

test.each([
  ['decline', 'failed_buyer_approval'],
  ['cancel', 'cancelled_buyer_approval'],
] as const)('a payment whose buyer chooses to %s fails with the reason', async (decision, code) => {
  const { body } = await shop.buy(50_00)
  const back = await shop.browse(await shop.decide(body.payment_method.approval_url, decision))
  expect(back).toContain('svc_transaction_status=authorization_failed')
  expect(await shop.payment(body.id).read()).toMatchObject({
    status: 'authorization_failed',
    error_code: code,
    authorized_amount: 0,
  })
})

test('the provider’s notification completes the payment of a buyer who never returns', async () => {
  const { body } = await shop.buy(31_00)
  await shop.decide(body.payment_method.approval_url, 'approve')
  await becomes(body.id, 'authorization_succeeded')
})

test('a buyer who returns ten times, between notifications, pays once', async () => {
  const { body } = await shop.buy(32_00, { intent: 'capture' })
  const back = await shop.decide(body.payment_method.approval_url, 'approve')
  const ends = await Promise.all(Array.from({ length: 10 }, () => shop.browse(back)))
  expect(new Set(ends)).toEqual(
    new Set([`${SHOP_URL}?svc_transaction_id=${body.id}&svc_transaction_status=capture_succeeded`]),
  )
  const { payment_service_transaction_id: order } = await shop.payment(body.id).read()
  expect((await booksOf(railyard)).operations.filter(({ payment_id }) => payment_id === order)).toHaveLength(
    1,
  )
})

test('a return before the approval, or with another payment’s link, changes nothing', async () => {
  const [{ body }, other] = [await shop.buy(33_00), await shop.buy(33_00)]
  const back = returnUrl(railyard.world, shop.account, body.id, 'approved')
  expect(await shop.browse(back)).toContain('svc_transaction_status=buyer_approval_pending')
  expect((await fetch(back.replace(body.id, other.body.id), { redirect: 'manual' })).status).toBe(404)
  expect([await statusOf(body.id), await statusOf(other.body.id)]).toEqual([
    'buyer_approval_pending',
    'buyer_approval_pending',
  ])
})

test('a payment fails when its approval expires, and a later approval places no order', async () => {
  const { body } = await shop.buy(34_00)
  railyard.clock.advance(61 * 60_000)
  await railyard.recovery.runOnce()
  expect(await shop.payment(body.id).read()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'incomplete_buyer_approval',
  })
  const before = (await booksOf(railyard)).payments.length
  expect(await shop.browse(await shop.decide(body.payment_method.approval_url, 'approve'))).toContain(
    'authorization_failed',
  )
  await railyard.recovery.runOnce()
  expect((await booksOf(railyard)).payments).toHaveLength(before)
})

test('a merchant who cancels closes the buyer’s page', async () => {
  const { body } = await shop.buy(35_00)
  expect(await shop.payment(body.id).cancel()).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  expect(await shop.payment(body.id).read()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'canceled',
  })
  const answer = await fetch(`${body.payment_method.approval_url}/approve`, { method: 'POST' })
  expect(answer.status).toBe(403)
})

test('a cancellation ends the payment even if the provider does not get it', async () => {
  const { body } = await shop.buy(36_00)
  await injectFaults(railyard, { operation: 'cancel', kind: 'reset' })
  await shop.payment(body.id).cancel()
  await injectFaults(railyard)
  expect(await statusOf(body.id)).toBe('authorization_failed')
  const back = await shop.decide(body.payment_method.approval_url, 'approve')
  expect(await shop.browse(back)).toContain('authorization_failed')
  expect((await shop.payment(body.id).read()).authorized_amount).toBe(0)
})

test('a payment cannot be cancelled while its order is being placed', async () => {
  const { body } = await shop.buy(38_00)
  await injectFaults(railyard, { operation: 'authorize', kind: 'delay', delay_ms: 300, times: 1 })
  await shop.decide(body.payment_method.approval_url, 'approve')
  await becomes(body.id, 'processing')
  expect(await shop.payment(body.id).cancel()).toMatchObject({ status: 425 })
  await becomes(body.id, 'authorization_succeeded')
  await injectFaults(railyard)
})

test('an approval during a cancellation ends in one of the two, and the books agree', async () => {
  const { body } = await shop.buy(37_00)
  const back = await shop.decide(body.payment_method.approval_url, 'approve')
  await Promise.all([shop.browse(back), shop.payment(body.id).cancel()])
  await recoverFully(railyard)
  expect(await statusOf(body.id)).toMatch(/^authorization_(succeeded|failed)$/)
})
