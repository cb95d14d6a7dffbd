import { expect, test, vi } from 'vitest'
import { contract } from '../../../test/contracts/contract.ts'
import { startBnplShop } from '../../../test/support/domains/bnpl.ts'
import { booksOf, injectFaults } from '../../../test/support/provider.ts'
import { notificationUrl } from '../../payment-services/notification-url.ts'
import { notificationSubject } from './notification.ts'

const { railyard, shop } = await startBnplShop()

const url = () => notificationUrl(railyard.world, shop.account, shop.serviceId)
const notify = async (body: unknown, to = url()) => {
  const answer = await fetch(to, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}

test.each([
  ['authorization_callback', { authorization_token: 'token', session_id: 'session-1' }, 'session-1'],
  [
    'hpp_status_callback',
    { event_id: 'event', session: { session_id: 'page-1', status: 'COMPLETED' } },
    'page-1',
  ],
  ['pending_order_notification', { order_id: 'order-1', event_type: 'FRAUD_RISK_ACCEPTED' }, 'order-1'],
])('a %s names the payment it is about', (schema, body, payment) => {
  expect(contract('bnpl').schema(schema, body)).toEqual([])
  expect(notificationSubject(body)).toEqual({ about: 'payment', payment })
})

test.each([{}, { session: 'text' }, { session: null }, { session: [] }, { order_id: 7 }, { session_id: '' }])(
  'the notification %j is about nothing',
  (body) => {
    expect(notificationSubject(body)).toEqual({ about: 'nothing' })
  },
)

test('a notification without the secret is refused, and one with invented ids changes nothing', async () => {
  const { body } = await shop.buy(71_00)
  const page = (await shop.payment(body.id).read()).payment_service_transaction_id
  const forged = {
    event_id: 'forged',
    session: { session_id: page, status: 'COMPLETED', authorization_token: 'forged' },
  }
  expect((await notify(forged, url().replace(/[^/]+$/, 'guessed'))).status).toBe(404)
  expect(await notify(forged)).toEqual({ status: 200, body: { received: true } })
  expect(await notify({ order_id: 'nobody', event_type: 'FRAUD_RISK_ACCEPTED' })).toEqual({
    status: 200,
    body: { received: false },
  })
  expect((await shop.payment(body.id).read()).status).toBe('buyer_approval_pending')
})

test('repeated and late notifications make one payment', async () => {
  const { body } = await shop.buy(72_00)
  const page = (await shop.payment(body.id).read()).payment_service_transaction_id
  await shop.decide(body.payment_method.approval_url, 'approve')
  const notifyStatus = (status: string) =>
    notify({ event_id: 'event', session: { session_id: page, status } })
  await Promise.all(Array.from({ length: 50 }, () => notifyStatus('COMPLETED')))
  await vi.waitFor(
    async () => expect((await shop.payment(body.id).read()).status).toBe('authorization_succeeded'),
    { timeout: 5_000, interval: 10 },
  )
  expect((await notifyStatus('CANCELLED')).status).toBe(200)
  expect((await notifyStatus('WAITING')).status).toBe(200)
  expect((await shop.payment(body.id).read()).status).toBe('authorization_succeeded')
  expect((await booksOf(railyard)).operations.filter(({ amount }) => amount === 72_00)).toHaveLength(1)
})

test('a notification authorizes an order whose risk was accepted', async () => {
  const { body } = await shop.buyExpress(540001, await shop.pressExpress(540001))
  expect(body.status).toBe('processing')
  const order = body.payment_service_transaction_id
  expect((await notify({ order_id: order, event_type: 'FRAUD_RISK_ACCEPTED' })).body).toEqual({
    received: true,
  })
  expect((await shop.payment(body.id).read()).status).toBe('authorization_succeeded')
})

test('a notification during an outage changes nothing, and is not lost', async () => {
  const { body } = await shop.buy(73_00)
  await injectFaults(railyard, { operation: 'find', kind: 'outage' })
  const back = await shop.decide(body.payment_method.approval_url, 'approve')
  const page = (await shop.payment(body.id).read()).payment_service_transaction_id
  await notify({ event_id: 'event', session: { session_id: page } })
  expect((await shop.payment(body.id).read()).status).toBe('buyer_approval_pending')
  await injectFaults(railyard)
  expect(await shop.browse(back)).toContain('authorization_succeeded')
})
