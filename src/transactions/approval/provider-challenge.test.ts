import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addPageProvider,
  type PageProvider,
  pageProvider,
} from '../../../test/support/domains/page-provider.ts'
import { recoverFully } from '../../../test/support/provider.ts'
import { card, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { readNotices } from '../../operations/journal/notices.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import { verify } from '../../verify/verify.ts'

let railyard: TestRailyard
let shop: Shop
let provider: PageProvider
beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openShop(railyard)
  provider = pageProvider('page-card')
  await addPageProvider(railyard, shop.account, provider)
  const inactive = await railyard.admin.put(
    `/payment-services/${shop.paymentServiceId}`,
    { active: false },
    { 'x-svc-merchant-account-id': shop.account },
  )
  expect(inactive.status).toBe(200)
})
afterAll(async () => {
  expect((await verify(railyard.world.run)).findings).toEqual([])
  await railyard.close()
})

const HOUR_MS = 3_600_000
const back = 'https://shop.example/back'
const cardWithReturn = { ...card, redirect_url: back }
const payAtPage = async (more: Record<string, unknown> = {}) => {
  const { status, body } = await shop.post('/transactions', {
    amount: 10_00,
    currency: 'EUR',
    country: 'DE',
    payment_method: cardWithReturn,
    connection_options: null,
    ...more,
    metadata: { page: 'yes' },
  })
  expect({ status, body }).toMatchObject({ status: 201 })
  return body
}
const operationOf = async (transaction: string) => {
  const operation = (await readOperations(railyard.world, shop.account, transaction)).at(-1)
  if (!operation) throw new Error('no operation')
  return operation
}
/** The buyer's browser follows the provider's link back; answers where Railyard sends it. */
async function comeBack(transaction: string, result: 'approved' | 'cancelled', query = '') {
  const { id } = await operationOf(transaction)
  const urls = await provider.payments.get(id)?.call.payment?.purchase()
  const url = new URL(urls?.returnUrls[result] ?? '')
  const answer = await railyard.send('GET', `${url.pathname}${query}`, { redirect: 'manual' })
  return { status: answer.status, location: answer.headers.get('location') }
}
const statusOf = async (transaction: string) => (await shop.get(`/transactions/${transaction}`)).body.status

describe('a card payment whose cardholder the provider challenges', () => {
  test.each([
    ['authorize', 'authorization_succeeded'],
    ['capture', 'capture_succeeded'],
  ])('with the intent %s it waits for the buyer, and ends when they come back', async (intent, status) => {
    const payment = await payAtPage({ intent })
    expect(payment).toMatchObject({
      status: 'buyer_approval_pending',
      payment_method: { approval_url: expect.stringContaining('https://page.example/'), mode: 'card' },
    })
    const { id } = await operationOf(payment.id)
    provider.decide(id, 'approved')
    const answer = await comeBack(payment.id, 'approved', '?redirectResult=abc')
    expect(provider.returned.at(-1)).toEqual({ redirectResult: 'abc' })
    expect(answer).toEqual({
      status: 303,
      location: `${back}?svc_transaction_id=${payment.id}&svc_transaction_status=${status}`,
    })
    expect((await shop.get(`/transactions/${payment.id}`)).body).toMatchObject({
      status,
      authorized_amount: 10_00,
      payment_method: { approval_url: null },
    })
  })

  test('a decline on the page fails the payment with the provider’s code', async () => {
    const payment = await payAtPage()
    provider.decide((await operationOf(payment.id)).id, 'declined')
    await comeBack(payment.id, 'approved')
    expect((await shop.get(`/transactions/${payment.id}`)).body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'issuer_decline',
    })
  })

  test('a buyer who comes back before they have decided leaves the payment waiting', async () => {
    const payment = await payAtPage()
    expect((await comeBack(payment.id, 'approved')).location).toContain('buyer_approval_pending')
    expect(await statusOf(payment.id)).toBe('buyer_approval_pending')
  })

  test('a buyer who never comes back: the payment is closed at the provider and fails when its time is over', async () => {
    const payment = await payAtPage()
    const { id } = await operationOf(payment.id)
    railyard.clock.advance(HOUR_MS + 60_000)
    await recoverFully(railyard)
    expect((await shop.get(`/transactions/${payment.id}`)).body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'incomplete_buyer_approval',
      buyer_approval_timedout_at: expect.any(String),
    })
    expect(provider.payments.get(id)?.state).toBe('closed')
  })

  test('a buyer who paid and never came back: recovery finds the payment', async () => {
    const payment = await payAtPage({ intent: 'capture' })
    provider.decide((await operationOf(payment.id)).id, 'approved')
    railyard.clock.advance(HOUR_MS + 60_000)
    await recoverFully(railyard)
    expect(await statusOf(payment.id)).toBe('capture_succeeded')
  })

  test('a buyer who cancels on the page: the payment is closed at the provider and fails', async () => {
    const payment = await payAtPage()
    await comeBack(payment.id, 'cancelled')
    expect((await shop.get(`/transactions/${payment.id}`)).body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'cancelled_buyer_approval',
    })
  })

  test('a buyer who paid and then follows the cancel link: the payment counts', async () => {
    const payment = await payAtPage()
    provider.decide((await operationOf(payment.id)).id, 'approved')
    await comeBack(payment.id, 'cancelled')
    expect(await statusOf(payment.id)).toBe('authorization_succeeded')
  })

  test('a payment without a page to come back to is declined', async () => {
    const { body } = await shop.post('/transactions', {
      amount: 10_00,
      currency: 'EUR',
      country: 'DE',
      payment_method: { method: 'card', number: card.number, expiration_date: card.expiration_date },
    })
    expect(body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'requires_buyer_authentication',
    })
  })

  test('an answer that is lost after the reference was committed: recovery closes the payment by it', async () => {
    provider.silent = true
    const payment = await payAtPage()
    provider.silent = false
    expect(payment.status).toBe('processing')
    const operation = await operationOf(payment.id)
    expect(operation).toMatchObject({
      status: 'unknown',
      payment_service_transaction_id: `page-${operation.id}`,
    })
    railyard.clock.advance(60_000)
    await recoverFully(railyard)
    expect(provider.payments.get(operation.id)).toMatchObject({
      state: 'closed',
      call: { operation: { committedReference: `page-${operation.id}` } },
    })
    expect(await statusOf(payment.id)).toBe('authorization_failed')
  })
})

test.each([
  ['JSON', 'application/json', JSON.stringify],
  [
    'a form',
    'application/x-www-form-urlencoded',
    (body: Record<string, string>) => `${new URLSearchParams(body)}`,
  ],
])('a verified notice as %s is kept once, and the next look-up gets it', async (_, type, encode) => {
  const payment = await payAtPage()
  const operation = await operationOf(payment.id)
  const { notificationUrl } = provider.payments.get(operation.id)?.call.service ?? { notificationUrl: '' }
  const notice = { id: `event of ${type}`, operation: operation.id, code: 'AUTHORISATION' }
  for (let times = 0; times < 2; times++) {
    const { status } = await railyard.send('POST', new URL(notificationUrl).pathname, {
      headers: { 'content-type': type },
      body: encode(notice),
    })
    expect(status).toBe(200)
  }
  expect(await readNotices(railyard.world, operation, null)).toMatchObject([{ body: notice }])
  await shop.payment(payment.id).cancel()
})

test('a method whose buyer pays at the provider is one operation, and fails only once it is closed there', async () => {
  const ideal = pageProvider('page-ideal', { method: 'ideal', movesMoney: true })
  await addPageProvider(railyard, shop.account, ideal)
  const pay = () =>
    shop.post('/transactions', {
      amount: 10_00,
      currency: 'EUR',
      country: 'DE',
      intent: 'capture',
      payment_method: { method: 'ideal', country: 'DE', currency: 'EUR', redirect_url: back },
    })
  const { body: paid } = await pay()
  expect(paid).toMatchObject({ status: 'buyer_approval_pending', payment_method: { method: 'ideal' } })
  const operation = await operationOf(paid.id)
  expect(operation.kind).toBe('sale')
  ideal.decide(operation.id, 'approved')
  railyard.clock.advance(2 * HOUR_MS)
  await recoverFully(railyard)
  expect(await statusOf(paid.id)).toBe('capture_succeeded')
  const { body: left } = await pay()
  railyard.clock.advance(2 * HOUR_MS)
  await recoverFully(railyard)
  expect(await statusOf(left.id)).toBe('authorization_failed')
})
