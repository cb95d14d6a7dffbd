import { expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import {
  authenticatedPayment,
  challenge,
  openSecureShop,
  requireAuthentication,
  scenario,
} from '../../../test/support/domains/secure-shop.ts'
import { goTo, openWalletShop } from '../../../test/support/domains/wallet.ts'
import { readEvents } from '../../../test/support/events.ts'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { startReceiver, subscribe } from '../../../test/support/receiver.ts'
import { addService, openShop, type Payment, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { Event } from '../../events/event.schema.ts'
import { verify } from '../../verify/verify.ts'

const railyard = await startRailyardForFile()

const feedOf = (shop: Pick<Shop, 'get'>): Promise<Event[]> => readEvents(railyard, shop)

/** An event's target as GET answers the payment: without the member that only events have. */
const asAnswered = ({ has_gift_card_redemptions: _, ...shown }: Record<string, unknown>) => shown

/** Steps of a payment from its beginning to its end; each one writes at least one event. */
const steps: [string, (payment: Payment, shop: Shop) => Promise<unknown>][] = [
  ['increment', (payment) => payment.increment(20_00)],
  ['increment that fails', (payment) => payment.increment(550_002)],
  ['correction', (payment) => payment.correct({ metadata: { order: '7' }, external_identifier: 'order-7' })],
  [
    'capture in part',
    (payment) => payment.capture({ amount: 70_00, final: false, external_identifier: 'parcel-1' }),
  ],
  ['capture of the rest', (payment) => payment.capture()],
  ['refund', (payment) => payment.refund({ amount: 15_00, reason: 'Broken', external_identifier: 'rma-1' })],
  ['refund that is declined', async (payment) => void (await payment.refund({ amount: 1 }))],
  ['settlement', ({ id }, shop) => shop.post(`/sandbox/transactions/${id}/simulate`, { event: 'settled' })],
  [
    'chargeback',
    ({ id }, shop) => shop.post(`/sandbox/transactions/${id}/simulate`, { event: 'disputed', amount: 30_00 }),
  ],
  [
    'reversal',
    ({ id }, shop) => shop.post(`/sandbox/transactions/${id}/simulate`, { event: 'dispute_reversed' }),
  ],
]

test('an event shows its resource as the API showed it at that time, whatever happens afterwards', async () => {
  const shop = await openShop(railyard)
  const payment = await shop.authorized(100_00, {
    buyer: { display_name: 'Ada' },
    metadata: { order: '6' },
    country: 'DE',
  })
  let before: Event[] = []
  const checkEvents = async (step: string) => {
    const events = await feedOf(shop)
    expect({ step, events: events.slice(0, before.length) }).toEqual({ step, events: before })
    expect({ step, isAnnounced: events.length > before.length }).toEqual({ step, isAnnounced: true })
    const last = events.findLast(({ target }) => target.id === payment.id)
    // a refund changes the transaction's row, but its only event is about the refund
    const { updated_at: _, ...now } = await payment.read()
    if (!step.startsWith('refund'))
      expect({ step, ...asAnswered({ ...last?.target }) }).toMatchObject({ step, ...now })
    for (const { target } of events.slice(before.length)) {
      if (target.type === 'capture')
        expect(target).toEqual((await shop.get(`/transactions/${payment.id}/captures/${target.id}`)).body)
      if (target.type === 'refund') expect(target).toEqual((await shop.get(`/refunds/${target.id}`)).body)
    }
    before = events
  }
  await checkEvents('authorization')
  for (const [step, happen] of steps) {
    await happen(payment, shop)
    await checkEvents(step)
  }
  expect(before.map(({ name }) => name)).toEqual([
    'transaction.authorized',
    'transaction.authorization-incremented',
    'transaction.authorization-increment-failed',
    'transaction.modified',
    'capture.succeeded',
    'transaction.captured',
    'capture.succeeded',
    'transaction.captured',
    'refund.succeeded',
    'refund.succeeded',
    'transaction.settled',
    'transaction.disputed',
    'transaction.dispute-won',
  ])
  expect(before[1]?.target).toMatchObject({
    type: 'transaction',
    amount: 120_00,
    authorized_amount: 120_00,
    error_code: null,
  })
})

test('the event of a declined payment has its error code and the payment service’s raw response code', async () => {
  const shop = await openShop(railyard)
  const payment = await shop.authorized(200011)
  const [event] = await feedOf(shop)
  expect(event).toMatchObject({
    name: 'transaction.declined',
    target: {
      status: 'authorization_failed',
      error_code: 'insufficient_funds',
      raw_response_code: 'insufficient_funds',
    },
  })
  expect(asAnswered({ ...event?.target })).toEqual(await payment.read())
})

test('an event of a split tender shows the gift card redemptions as they were at that time', async () => {
  const shop = await openShop(railyard)
  await addGiftCardService(railyard, shop)
  const payment = await shop.sold(30_00, { gift_cards: [{ ...newGiftCard(), amount: 10_00 }] })
  const captured = (await feedOf(shop)).findLast(({ name }) => name === 'transaction.captured')
  expect(asAnswered({ ...captured?.target })).toEqual(await payment.read())
  const [redemption] = (await payment.read()).gift_card_redemptions
  await payment.refund({ target_type: 'gift-card-redemption', target_id: redemption.id, amount: 4_00 })
  expect((await payment.read()).gift_card_redemptions[0].refunded_amount).toBe(4_00)
  expect((await feedOf(shop)).findLast(({ name }) => name === 'transaction.captured')).toEqual(captured)
})

test.each([
  ['succeeds', '01000', 'succeeded'],
  ['fails', '01', 'failed'],
] as const)(
  'an event of a split tender stays the same when the redemption that was not decided then %s',
  async (_, pin, status) => {
    const shop = await openShop(railyard)
    await addGiftCardService(railyard, shop)
    await injectFaults(
      railyard,
      { operation: 'redeem', kind: 'lost', times: 1 },
      { operation: 'find', kind: 'outage', times: 1 },
    )
    const { body } = await shop.pay(30_00, { gift_cards: [{ ...newGiftCard(pin), amount: 10_00 }] })
    expect(body.gift_card_redemptions).toMatchObject([{ status: 'created' }])
    const authorized = (await feedOf(shop)).find(({ name }) => name === 'transaction.authorized')
    expect(authorized?.target).toMatchObject({
      gift_card_redemptions: [
        { status: 'created', gift_card_service_redemption_id: null, error_code: null, raw_error_code: null },
      ],
    })
    await recoverFully(railyard)
    expect((await shop.payment(body.id).read()).gift_card_redemptions).toMatchObject([{ status }])
    expect((await feedOf(shop)).find(({ name }) => name === 'transaction.authorized')).toEqual(authorized)
  },
)

test('the event of a payment that waits for its buyer has no credential, and stays the same after the buyer has paid', async () => {
  const shop = await openWalletShop(railyard)
  const { created, buyer } = await shop.asked(45_00)
  expect(created).toMatchObject({
    status: 'buyer_approval_pending',
    payment_method: { approval_url: expect.any(String) },
  })
  const pending = (await feedOf(shop)).at(-1)
  expect(pending).toMatchObject({
    name: 'transaction.authentication-pending',
    target: {
      status: 'buyer_approval_pending',
      intent_outcome: 'pending',
      session_token: null,
      payment_method: { approval_url: null },
    },
  })
  await goTo(await buyer.approve())
  const events = await feedOf(shop)
  expect(events.length).toBeGreaterThan(1)
  expect(events.find(({ id }) => id === pending?.id)).toEqual(pending)
})

test('the event of a payment that waits for its cardholder stays the same after a retry at another payment service', async () => {
  const shop = await openSecureShop(railyard)
  const second = await addService(railyard, shop)
  await requireAuthentication(railyard, shop, second)
  await scenario(railyard, shop, 300_013, 'C', 'Y')
  const { body } = await shop.pay(300_013, authenticatedPayment())
  expect(body).toMatchObject({ status: 'buyer_approval_pending' })
  const pending = (await feedOf(shop)).at(-1)
  await challenge(railyard, body.payment_method.approval_url)
  const paid = await shop.payment(body.id).read()
  expect(paid).toMatchObject({ payment_service: { id: second } })
  expect((await feedOf(shop)).find(({ id }) => id === pending?.id)).toEqual(pending)
})

test('the event of a sale whose answer was lost and that is pending has the status capture_pending', async () => {
  const shop = await openShop(railyard)
  await injectFaults(railyard, { operation: 'sale', kind: 'lost', times: 1 })
  const { body } = await shop.pay(540_001, { intent: 'capture' })
  expect(body).toMatchObject({ status: 'processing' })
  await recoverFully(railyard)
  expect(await shop.payment(body.id).read()).toMatchObject({ status: 'capture_pending' })
  const events = (await feedOf(shop)).filter(({ target }) => target.id === body.id)
  expect(events.at(-1)).toMatchObject({
    name: 'transaction.capture-pending',
    target: { status: 'capture_pending' },
  })
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

test('a webhook delivery, also a retried one, and the feed show an event identically, with microseconds in every time', async () => {
  const shop = await openShop(railyard)
  const receiver = await startReceiver()
  try {
    await subscribe(railyard, shop.account, receiver)
    receiver.answers(500)
    const payment = await shop.sold(9_00)
    await railyard.sender.runOnce()
    await payment.refund({ amount: 1_00 })
    receiver.answers(204)
    for (let hour = 0; hour < 3; hour++) {
      railyard.clock.advance(3_600_000)
      await railyard.sender.runOnce()
    }
    const feed = new Map((await feedOf(shop)).map((event) => [event.id, event]))
    expect(receiver.received.length).toBeGreaterThan(feed.size)
    for (const { event } of receiver.received) expect(event).toEqual(feed.get(event.id))
    const times = JSON.stringify([...feed.values()]).matchAll(/"\w+_at":"([^"]*)"/g)
    for (const [, time] of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
  } finally {
    receiver.close()
  }
})
