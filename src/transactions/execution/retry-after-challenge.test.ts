import { expect, test } from 'vitest'
import { storeCard } from '../../../test/support/domains/network-tokens.ts'
import {
  authenticatedPayment,
  challenge,
  openSecureShop,
  scenario,
} from '../../../test/support/domains/secure-shop.ts'
import { booksOf } from '../../../test/support/provider.ts'
import { recordedRequests } from '../../../test/support/recorded-requests.ts'
import { addService, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

/** An amount that every payment service declines, so that the next one gets the payment (semantics §3.10). */
const declined = 200012

/** A shop with three payment services, whose cardholders are challenged. */
async function shopWithThree() {
  const shop = await openSecureShop(railyard)
  const a = shop.paymentServiceId
  const [b, c] = [await addService(railyard, shop), await addService(railyard, shop)]
  await scenario(railyard, shop, declined, 'C', 'Y')
  return { shop, a, b, c }
}

async function routeTo(shop: Shop, ...attempts: { payment_service_id: string; instrument?: string }[]) {
  const rule = {
    display_name: 'Our order',
    action: 'route-transaction',
    condition: { all: [] },
    outcome: { attempts },
  }
  expect(await shop.put('/flows/card-transaction/rules', { items: [rule] })).toMatchObject({ status: 200 })
  expect((await shop.post('/flows/card-transaction/rules/publish', {})).status).toBe(200)
}

const ofAccount = ({ account }: Shop) => ({ 'x-svc-merchant-account-id': account })
const deactivate = (shop: Shop, id: string) =>
  railyard.admin.put(`/payment-services/${id}`, { active: false }, ofAccount(shop))
const remove = (shop: Shop, id: string) => shop.delete(`/payment-services/${id}`)

/** The payment services that got a payment, in order. */
const servicesWithPayment = async (services: readonly string[]) =>
  (await booksOf(railyard)).operations
    .filter((operation) => services.includes(operation.payment_service_id))
    .map((operation) => operation.payment_service_id)

test.each([
  ['deactivated', deactivate],
  ['deleted', remove],
])('a payment service that is %s during a challenge does not get the retry', async (_word, change) => {
  const { shop, a, b, c } = await shopWithThree()
  const { body } = await shop.pay(declined, authenticatedPayment())
  for (const id of [b, c]) expect((await change(shop, id)).status).toBeLessThan(300)
  await challenge(railyard, body.payment_method.approval_url)
  expect(await shop.payment(body.id).read()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'issuer_decline',
    payment_service: { id: a },
  })
  expect(await servicesWithPayment([a, b, c])).toEqual([a])
})

test('after a challenge the next attempt of a rule replaces one at a payment service that was deactivated', async () => {
  const { shop, a, b, c } = await shopWithThree()
  await routeTo(shop, ...[a, b, c].map((payment_service_id) => ({ payment_service_id })))
  const { body } = await shop.pay(declined, authenticatedPayment())
  expect((await deactivate(shop, b)).status).toBe(200)
  await challenge(railyard, body.payment_method.approval_url)
  expect(await servicesWithPayment([a, b, c])).toEqual([a, c])
  const decisions = (await shop.get(`/transactions/${body.id}/actions`)).body.items
  expect(decisions.at(-1).outcome).toMatchObject({
    result: [{ payment_service_id: c }],
    skipped: [
      { payment_service_id: a, reason: 'was tried already' },
      { payment_service_id: b, reason: 'is not active' },
    ],
  })
})

test('after a challenge a payment service gets the card number, and not the token of the one that refused', async () => {
  const { shop, a, b, c } = await shopWithThree()
  const tokenizes = { open_loop: false, payment_method_tokenization_enabled: true }
  expect((await shop.put(`/payment-services/${a}`, tokenizes)).status).toBe(200)
  const id = await storeCard(shop)
  const token = { payment_service_id: a, redirect_url: 'https://shop.example' }
  expect(await shop.post(`/payment-methods/${id}/payment-service-tokens`, token)).toMatchObject({
    body: { status: 'succeeded' },
  })
  const { body } = await shop.pay(declined, {
    payment_method: { id, redirect_url: 'https://shop.example/done' },
  })
  expect(body).toMatchObject({ status: 'buyer_approval_pending', instrument_type: 'card_token' })
  await challenge(railyard, body.payment_method.approval_url)
  expect(await servicesWithPayment([a, b, c])).toEqual([a, b, c])
  expect((await recordedRequests(railyard.world, body.id)).slice(-3)).toMatchObject([
    { token: '***' },
    { card: { number: '411111******1111' } },
    { card: { number: '411111******1111' } },
  ])
  expect(await shop.payment(body.id).read()).toMatchObject({
    payment_service: { id: c },
    instrument_type: 'pan',
  })
})

test('after a challenge an attempt of a rule that wants the card number is made', async () => {
  const { shop, a, b, c } = await shopWithThree()
  await routeTo(
    shop,
    { payment_service_id: a },
    { payment_service_id: b, instrument: 'network_token' },
    { payment_service_id: c, instrument: 'pan' },
  )
  const { body } = await shop.pay(declined, authenticatedPayment())
  await challenge(railyard, body.payment_method.approval_url)
  expect(await servicesWithPayment([a, b, c])).toEqual([a, c])
  const decisions = (await shop.get(`/transactions/${body.id}/actions`)).body.items
  expect(decisions.at(-1).outcome).toMatchObject({
    result: [{ payment_service_id: c, instrument: 'pan' }],
    skipped: [
      { payment_service_id: a, reason: 'was tried already' },
      { payment_service_id: b, reason: 'there is no network token of the card' },
    ],
  })
})
