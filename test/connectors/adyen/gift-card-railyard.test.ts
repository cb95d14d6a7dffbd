import { afterAll, beforeAll, expect, test } from 'vitest'
import { verify } from '../../../src/verify/verify.ts'
import { recoverFully } from '../../support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../support/railyard.ts'
import { openShop, type Shop } from '../../support/shop.ts'
import { type AdyenFake, adyenFake } from './fake.ts'
import { fields } from './harness.ts'

let railyard: TestRailyard
let shop: Shop
let fake: AdyenFake
let service: string
let webhookPath: string
let faults: ('lost after' | undefined)[] = []

const number = '6280501100000000000'
const pin = '73737'
const balance = () => fake.giftCards.get(number)?.balance.value

beforeAll(async () => {
  railyard = await startTestRailyard()
  fake = adyenFake(Date.now())
  fake.giftCards.set(number, { pin, balance: { value: 500_00, currency: 'EUR' }, active: true })
  const { http } = railyard.world
  const send = http.request.bind(http)
  http.request = async (request) => {
    if (!request.url.includes('.adyen.com/')) return send(request)
    const { status, headers = {}, body } = fake.receive(request)
    if (faults.shift()) return { lost: true, sent: true, reason: 'the connection broke' }
    return { lost: false, status, headers, body: { ...(body as Record<string, unknown>) } }
  }
  shop = await openShop(railyard)
  for (const { id } of (await shop.get('/gift-card-services')).body.items)
    await shop.delete(`/gift-card-services/${id}`)
  const created = await shop.post('/gift-card-services', {
    gift_card_service_definition_id: 'adyen-gift-card',
    display_name: 'Adyen gift cards',
    fields: Object.entries({ ...fields, brand: 'givex' }).map(([key, value]) => ({ key, value })),
  })
  expect(created).toMatchObject({ status: 201 })
  service = created.body.id
  const { body } = await shop.get(`/gift-card-services/${service}/webhook`)
  expect(body).toMatchObject({ type: 'gift-card-service-webhook' })
  webhookPath = new URL(body.url).pathname
})
afterAll(() => railyard.close())

const notify = (body: unknown) =>
  railyard.send('POST', webhookPath, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
async function deliver() {
  for (const { body } of fake.takeNotifications()) expect((await notify(body)).status).toBe(200)
}

const payByGiftCard = (amount: number, more: object = {}) =>
  shop.post('/transactions', {
    amount,
    currency: 'EUR',
    country: 'DE',
    intent: 'capture',
    gift_cards: [{ number, pin, amount }],
    ...more,
  })

test('a payment by a gift card at Adyen is redeemed at once, and its refund waits for the notification', async () => {
  const before = balance() ?? 0
  const { body: payment } = await payByGiftCard(30_00)
  expect(payment).toMatchObject({ status: 'capture_succeeded' })
  const [redemption] = payment.gift_card_redemptions
  expect(redemption).toMatchObject({ status: 'succeeded', amount: 30_00 })
  const refunded = await shop.post(`/transactions/${payment.id}/refunds`, {
    target_type: 'gift-card-redemption',
    target_id: redemption.id,
    amount: 10_00,
  })
  expect(refunded).toMatchObject({ status: 201, body: { status: 'processing' } })
  await deliver()
  expect((await shop.get(`/transactions/${payment.id}/refunds`)).body.items).toMatchObject([
    { status: 'succeeded', amount: 10_00 },
  ])
  expect((await shop.get(`/transactions/${payment.id}`)).body.gift_card_redemptions).toMatchObject([
    { refunded_amount: 10_00 },
  ])
  expect(balance()).toBe(before - 20_00)
})

test('a redemption whose answer is lost is sent again under its key, and takes the amount once', async () => {
  const before = balance() ?? 0
  faults = ['lost after']
  const { body: payment } = await payByGiftCard(40_00)
  expect(payment).toMatchObject({ gift_card_redemptions: [{ status: 'created' }] })
  railyard.clock.advance(60_000)
  await recoverFully(railyard)
  expect((await shop.get(`/transactions/${payment.id}`)).body).toMatchObject({
    status: 'capture_succeeded',
    gift_card_redemptions: [{ status: 'succeeded' }],
  })
  expect(balance()).toBe(before - 40_00)
  await deliver()
})

test('if the second gift card refuses, the first redemption is reversed once its notification has come', async () => {
  const before = balance() ?? 0
  const { body: payment } = await payByGiftCard(50_00, {
    gift_cards: [
      { number, pin, amount: 20_00 },
      { number: '6280501100000000001', pin: '1', amount: 30_00 },
    ],
  })
  expect(payment).toMatchObject({
    status: 'authorization_failed',
    gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 0 }, { status: 'failed' }],
  })
  await deliver()
  expect((await shop.get(`/transactions/${payment.id}`)).body).toMatchObject({
    gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 20_00 }, { status: 'failed' }],
  })
  expect(balance()).toBe(before)
})

const lateOutcomes = async (result: string) => {
  const name = 'railyard_late_outcomes_total'
  const text = await railyard.world.metrics.registry.getSingleMetricAsString(name)
  return Number(text.match(new RegExp(`result="${result}"} (\\d+)`))?.[1] ?? 0)
}

test('a refund that Adyen takes back has failed, and the money can be refunded again', async () => {
  const before = balance() ?? 0
  const { body: payment } = await payByGiftCard(30_00)
  const [redemption] = payment.gift_card_redemptions
  const target = { target_type: 'gift-card-redemption', target_id: redemption.id }
  const { body: refund } = await shop.post(`/transactions/${payment.id}/refunds`, {
    ...target,
    amount: 10_00,
  })
  await deliver()
  fake.takeBack(refund.id)
  await deliver()
  await recoverFully(railyard)
  expect((await shop.get(`/transactions/${payment.id}/refunds/${refund.id}`)).body).toMatchObject({
    status: 'failed',
    amount: 10_00,
    error_code: 'unknown_error',
    raw_response_code: 'REFUND_FAILED',
    raw_response_description: 'Insufficient balance',
  })
  const read = async () => (await shop.get(`/transactions/${payment.id}`)).body
  expect(await read()).toMatchObject({
    status: 'capture_succeeded',
    gift_card_redemptions: [{ status: 'succeeded', amount: 30_00, refunded_amount: 0 }],
  })
  expect((await shop.get(`/transactions?id=${payment.id}&has_refunds=true`)).body.items).toEqual([])
  const events = await railyard.world.run<{ name: string }>(
    'select name from events where target_id = $1 order by sequence',
    [refund.id],
  )
  expect(events.at(-1)?.name).toBe('refund.failed')
  const timeline = (await shop.get(`/transactions/${payment.id}/events?limit=100`)).body.items
  expect(timeline.map(({ name }: { name: string }) => name)).toContain('gift-card-refund-failed')

  // Adyen sends a webhook again
  fake.takeBack(refund.id)
  await deliver()
  await recoverFully(railyard)
  expect(await read()).toMatchObject({ gift_card_redemptions: [{ refunded_amount: 0 }] })
  const all = await shop.post(`/transactions/${payment.id}/refunds`, { ...target, amount: 30_00 })
  expect(all).toMatchObject({ status: 201 })
  await deliver()
  expect(await read()).toMatchObject({ gift_card_redemptions: [{ refunded_amount: 30_00 }] })
  expect(balance()).toBe(before - 10_00)
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

test('an operator is told if Adyen takes back the reversal of a failed payment', async () => {
  const before = balance() ?? 0
  const { body: payment } = await payByGiftCard(50_00, {
    gift_cards: [
      { number, pin, amount: 20_00 },
      { number: '6280501100000000001', pin: '1', amount: 30_00 },
    ],
  })
  await deliver()
  const [reversal] = await railyard.world.run<{ id: string }>(
    `select id from operations where transaction_id = $1 and kind = 'reverse'`,
    [payment.id],
  )
  const refused = await lateOutcomes('compensation_refused')
  fake.takeBack(reversal?.id ?? '')
  await deliver()
  await recoverFully(railyard)
  expect((await shop.get(`/transactions/${payment.id}`)).body).toMatchObject({
    status: 'authorization_failed',
    gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 0 }, { status: 'failed' }],
  })
  expect(balance()).toBe(before - 20_00)
  expect(await lateOutcomes('compensation_refused')).toBe(refused + 1)
  expect(railyard.logged.join()).toContain('took the compensation of a failed payment back')
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

test('a forged notification is refused, and one about another system’s payment keeps nothing', async () => {
  const kept = () => railyard.world.run('select id from provider_notices', [])
  await payByGiftCard(1_00)
  const [message] = fake.takeNotifications()
  if (!message) throw new Error('no notification')
  const before = await kept()
  const forged = JSON.parse(message.text.replace('"value":100', '"value":101'))
  expect((await notify(forged)).status).toBe(401)
  expect(await kept()).toEqual(before)
  expect((await notify(message.body)).status).toBe(200)
  expect(await kept()).toHaveLength(before.length + 1)
})
