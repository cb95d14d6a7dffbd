import { expect } from 'vitest'
import { buyerScreenedAs } from '../support/domains/anti-fraud.ts'
import { newGiftCard } from '../support/domains/gift-cards.ts'
import { payoutOf } from '../support/domains/payouts.ts'
import { authenticatedPayment, scenario } from '../support/domains/secure-shop.ts'
import { booksOf, injectFaults } from '../support/provider.ts'
import type { Merchants } from './merchants.ts'

type Script = (town: Merchants) => Promise<unknown>

const asCapture = { prefer: 'resource=transaction-capture' }
const asVoid = { prefer: 'resource=transaction-void' }

/** What becomes of payments, refunds and payouts. */
export const paymentScripts: Record<string, Script> = {
  'an authorization that stays pending, and is completed': async ({ shop, simulate }) =>
    simulate((await shop.pay(540_001)).body, 'completed'),
  'an authorization that stays pending, and fails': async ({ shop, simulate }) =>
    simulate((await shop.pay(540_001)).body, 'failed'),
  'a decline, which the merchant notes as the contract has it': async ({ shop }) => {
    const { body } = await shop.pay(200_012)
    await shop.payment(body.id).correct({ status: 'authorization_declined' })
    // the feed tells of it
    await shop.payment(body.id).correct({ metadata: { order: '7' } })
  },
  'a buyer who approves': async ({ wallet, simulate }) =>
    simulate(await wallet.asked(10_00), 'approved', {}, wallet),
  'a buyer who turns back': async ({ wallet, simulate }) =>
    simulate(await wallet.asked(10_00), 'rejected', {}, wallet),
  captures: async ({ shop }) => {
    await (await shop.authorized(10_00)).capture({}, asCapture)
    await (await shop.authorized(600_000)).capture({ amount: 500_001 }, asCapture)
    const declined = await shop.authorized(600_000)
    await declined.capture({ amount: 500_002 }, asCapture)
    await declined.captures()
  },
  'a capture that stays pending, and fails': async ({ shop, simulate }) => {
    const payment = await shop.authorized(600_000)
    await payment.capture({ amount: 500_003 }, asCapture)
    await payment.read()
    await payment.captures()
    await simulate(payment, 'failed')
    await payment.captures()
  },
  'a sale': async ({ shop }) => (await shop.sold(10_00)).captures(),
  voids: async ({ shop, simulate }) => {
    await (await shop.authorized(10_00)).void(asVoid)
    await (await shop.authorized(510_001)).void(asVoid)
    await (await shop.authorized(510_002)).void(asVoid)
    const pending = await shop.authorized(510_003)
    await pending.void(asVoid)
    await pending.read()
    await simulate(pending, 'completed')
  },
  'a cancellation': async ({ shop }) => shop.payment((await shop.pay(540_001)).body.id).cancel(),
  'a cancellation without an answer': async ({ shop, railyard }) => {
    const { body } = await shop.pay(540_001)
    await injectFaults(railyard, {
      payment_service_id: shop.paymentServiceId,
      operation: 'cancel',
      kind: 'lost',
    })
    await shop.payment(body.id).cancel()
    await injectFaults(railyard)
  },
  'a cancellation that comes too late': async ({ shop, railyard }) => {
    const { body } = await shop.pay(540_001)
    const booked = (await booksOf(railyard)).operations.find(
      ({ payment_id }) => payment_id === body.payment_service_transaction_id,
    )
    // asked again, the sandbox's provider has approved it; we have not heard of it
    await fetch(`${railyard.simulatorUrl}/card/${shop.paymentServiceId}/operations/${booked?.key}`, {
      headers: { 'x-merchant-id': 'test' },
    })
    await shop.payment(body.id).cancel()
  },
  increments: async ({ shop }) => {
    const payment = await shop.authorized(10_00)
    for (const amount of [1_00, 550_002, 550_001]) await payment.increment(amount)
  },
  refunds: async ({ shop }) => {
    const payment = await shop.sold(3_000_000)
    for (const amount of [1_00, 520_001, 520_002, 520_005]) await payment.refund({ amount })
  },
  payouts: async ({ shop }) => {
    for (const amount of [1_00, 530_001, 530_002, 530_003])
      await shop.post('/payouts', payoutOf(shop.paymentServiceId, { amount }))
  },
  'a payment that gift cards share': async ({ shop }) => {
    const pays = (amount: number, pin: string) =>
      shop.pay(amount, { gift_cards: [{ ...newGiftCard(pin), amount: 1_00 }] })
    await pays(10_00, '05000')
    // refused, so that the gift card is left alone
    await pays(200_012 + 1_00, '05000')
    // insufficient funds
    await pays(10_00, '0050')
    await pays(540_001 + 1_00, '05000')
  },
  'cardholders at their issuer': async ({ railyard, secure, simulate }) => {
    const said = { 2001: ['Y'], 2002: ['N'], 2003: ['timeout'], 2004: ['C', 'Y'] } as const
    for (const [amount, [authentication, result]] of Object.entries(said)) {
      await scenario(railyard, secure, Number(amount), authentication, result)
    }
    for (const amount of [20_01, 20_02, 20_03]) await secure.pay(amount, authenticatedPayment())
    const challenged = (await secure.pay(20_04, authenticatedPayment())).body
    await simulate(challenged, 'expired', {}, secure)
  },
  'what an anti-fraud service says': async ({ careful, simulate }) => {
    for (const verdict of ['accept', 'reject', 'error', 'timeout', 'unavailable'])
      await careful.pay(10_00, { buyer: buyerScreenedAs(verdict) })
    await careful.pay(10_00)
    const held = await careful.pay(10_00, { intent: 'capture', buyer: buyerScreenedAs('review') })
    await simulate(held.body, 'approved', {}, careful)
  },
  'what a payment service tells of disputes': async ({ shop, simulate }) => {
    for (const status of ['inquiry', 'needs_response', 'under_review', 'won', 'lost', 'accepted', 'closed']) {
      const payment = await shop.sold(10_00)
      await simulate(payment, 'dispute_notified', { status })
      const { items } = (await shop.get(`/transactions/${payment.id}/disputes`)).body
      await shop.get(`/disputes/${items[0].id}`)
    }
  },
  'settlements and disputes': async ({ shop, simulate }) => {
    const payment = await shop.sold(10_00)
    await payment.refund({ amount: 1_00 })
    for (const event of ['settled', 'refund_settled', 'disputed', 'dispute_reversed', 'disputed'])
      await simulate(payment, event)
    const { items } = (await shop.get(`/transactions/${payment.id}/settlements`)).body
    await shop.get(`/transactions/${payment.id}/settlements/${items[0].id}`)
    const refunds = (await shop.get(`/transactions/${payment.id}/refund-settlements`)).body.items
    await shop.get(`/transactions/${payment.id}/refund-settlements/${refunds[0].id}`)
  },
  'what is known of a payment at each moment': async ({ railyard, shop, simulate }) => {
    const look = async (id: string) => {
      await shop.get(`/transactions/${id}/proof`)
      await shop.get(`/transactions/${id}/routing-decision`)
    }
    const sale = { payment_service_id: shop.paymentServiceId, operation: 'sale' } as const
    for (const amount of [10_00, 200_012]) await look((await shop.pay(amount)).body.id)
    const pending = (await shop.pay(540_001)).body
    await look(pending.id)
    await simulate(pending, 'failed')
    await look(pending.id)
    await injectFaults(railyard, { ...sale, kind: 'lost', times: 1 })
    await look((await shop.sold(10_00)).id)
    // its capture is left to recovery
    await look((await shop.pay(10_00, { intent: 'capture', async_capture: true })).body.id)
    await injectFaults(railyard, { ...sale, kind: 'delay', delay_ms: 4_000, times: 1 })
    const slow = shop.pay(10_00, { intent: 'capture', external_identifier: 'slow' })
    const found = async () => (await shop.get('/transactions?external_identifier=slow')).body.items[0]
    await expect.poll(found).toBeDefined()
    await look((await found()).id)
    await slow
    await injectFaults(railyard)
  },
}
