import { afterEach, describe, expect, test } from 'vitest'
import { addAntiFraudService } from '../../../test/support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { reviewsOf } from '../../../test/support/domains/reviews.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { verify } from '../../verify/verify.ts'

// A gift card service may accept a redemption and decide it later, as Adyen does: the operation is pending, and no
// operation is active meanwhile.

const { railyard, shop } = await startShop({ comparesBooks: false, env: { PROVIDER_TIMEOUT_MS: '15000' } })
await addGiftCardService(railyard, shop)
const fraud = await addAntiFraudService(railyard, shop)

const name = 'mock-gift-card'
const connectors = railyard.world.giftCardConnectors as Map<
  string,
  NonNullable<ReturnType<typeof connectorOf>>
>
function connectorOf() {
  return railyard.world.giftCardConnectors.get(name)
}
const connector = connectorOf() ?? expect.fail('there is no connector')
let isDecided = false
let areReversalsDecided = true
const held = new Map<string, () => ReturnType<typeof connector.operations.reverse>>()
const undecided = { status: 'pending', reference: null } as const
connectors.set(name, {
  ...connector,
  operations: {
    ...connector.operations,
    redeem: async (call) => {
      const outcome = await connector.operations.redeem(call)
      return isDecided ? outcome : undecided
    },
    reverse: async (call) => {
      if (areReversalsDecided) return connector.operations.reverse(call)
      held.set(call.operation.id, () => connector.operations.reverse(call))
      return undecided
    },
  },
  find: async (call) => {
    const reverse = held.get(call.operation.id)
    if (reverse && !areReversalsDecided) return { status: 'found', outcome: undecided }
    if (reverse) {
      held.delete(call.operation.id)
      return { status: 'found', outcome: await reverse() }
    }
    const finding = await connector.find(call)
    return isDecided ? finding : { status: 'found', outcome: undecided }
  },
})
afterEach(async () => {
  isDecided = false
  areReversalsDecided = true
  await expectBooksMatch(railyard, shop.account)
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

async function decide() {
  isDecided = true
  for (let round = 0; round < 4; round++) {
    railyard.clock.advance(600_000)
    await railyard.recovery.runOnce()
  }
}

const full = () => ({ ...newGiftCard('01000'), amount: 10_00 })
const short = () => ({ ...newGiftCard('01'), amount: 10_00 })
/** The sandbox decides such a capture later. */
const pendingCapture = 500_003

async function pays(amount: number, giftCard: object, more: object = {}) {
  const { body } = await shop.pay(amount + 10_00, { gift_cards: [giftCard], ...more })
  expect(body).toMatchObject({
    status: 'authorization_succeeded',
    intent_outcome: 'pending',
    gift_card_redemptions: [{ status: 'created' }],
  })
  return shop.payment(body.id)
}

describe('while a gift card service has not decided a redemption', () => {
  test.each(['authorize', 'capture'])(
    'captures, voids and increments of a payment with the intent to %s are too early',
    async (intent) => {
      const payment = await pays(40_00, full(), { intent })
      const answers = [await payment.capture(), await payment.increment(1_00), await payment.void()]
      expect(answers.map(({ status }) => status)).toEqual([425, 425, 425])
      await decide()
      expect(await payment.read()).toMatchObject({
        status: intent === 'capture' ? 'capture_succeeded' : 'authorization_succeeded',
        gift_card_redemptions: [{ status: 'succeeded' }],
        intent_outcome: 'succeeded',
      })
    },
  )

  test('no capture can keep the money of a payment that then fails', async () => {
    const payment = await pays(pendingCapture, short())
    await payment.capture()
    await decide()
    const { status, captured_amount, refunded_amount, intent_outcome } = await payment.read()
    expect({ intent_outcome, kept: captured_amount - refunded_amount, status }).toEqual({
      intent_outcome: 'failed',
      kept: 0,
      status: 'authorization_voided',
    })
  })

  test('no void lets a gift card pay for a payment that is voided', async () => {
    const payment = await pays(40_00, full())
    await payment.void()
    await decide()
    const { status, intent_outcome } = await payment.read()
    expect({ status, intent_outcome }).toEqual({
      status: 'authorization_succeeded',
      intent_outcome: 'succeeded',
    })
  })

  test('no capture keeps the outcome of the redemption from being recorded', async () => {
    const payment = await pays(pendingCapture, full(), { intent: 'capture' })
    await payment.capture()
    await decide()
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: pendingCapture,
      gift_card_redemptions: [{ status: 'succeeded' }],
      intent_outcome: 'succeeded',
    })
  })

  test('a reviewer’s decision waits, and takes no money if the card refuses', async () => {
    const { payForReview } = reviewsOf(railyard, shop)
    for (const [giftCard, status, captured_amount] of [
      [full(), 'capture_succeeded', 31_00],
      [short(), 'authorization_voided', 0],
    ] as const) {
      const payment = await payForReview(41_00, { gift_cards: [giftCard], intent: 'capture' })
      await fraud.decides(payment.id, 'ACCEPT')
      expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded', captured_amount: 0 })
      await decide()
      expect(await payment.read()).toMatchObject({ status, captured_amount, pending_review: false })
      expect(await payment.refunds()).toEqual([])
      isDecided = false
    }
  })
})

describe('while a gift card service has not decided a reversal', () => {
  test('no refund gives the money back to the card a second time', async () => {
    isDecided = true
    areReversalsDecided = false
    const { body } = await shop.pay(40_00 + 20_00, { gift_cards: [full(), short()] })
    expect(body).toMatchObject({
      status: 'authorization_voided',
      gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 0 }, { status: 'failed' }],
    })
    const payment = shop.payment(body.id)
    const [{ id: target_id }] = body.gift_card_redemptions
    const refund = await payment.refund({ target_type: 'gift-card-redemption', target_id })
    const all = await payment.refundAll()
    areReversalsDecided = true
    await decide()
    expect((await payment.read()).gift_card_redemptions).toMatchObject([
      { status: 'succeeded', refunded_amount: 10_00 },
      { status: 'failed' },
    ])
    expect([refund.status, all.status]).toEqual([425, 425])
    const [{ rows } = { rows: null }] = await railyard.world.run<{ rows: number }>(
      `select count(*)::int as rows from operations where transaction_id = $1 and status not in ('approved', 'declined', 'failed')`,
      [payment.id],
    )
    expect(rows).toBe(0)
  })

  test('a refund to the card waits for the review of a payment that has failed', async () => {
    isDecided = true
    const payment = await reviewsOf(railyard, shop).payForReview(40_00 + 20_00, {
      gift_cards: [full(), short()],
    })
    const [{ id: target_id }] = (await payment.read()).gift_card_redemptions
    const refund = { target_type: 'gift-card-redemption', target_id, amount: 4_00 }
    expect(await payment.refund(refund)).toMatchObject({
      status: 400,
      body: { message: 'The transaction is held for review' },
    })
    await fraud.decides(payment.id, 'ACCEPT')
    await decide()
    expect(await payment.read()).toMatchObject({
      status: 'authorization_voided',
      gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 10_00 }, { status: 'failed' }],
    })
  })
})
