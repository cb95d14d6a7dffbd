import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { openMethodShop } from '../../../test/support/domains/simulated-method.ts'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { giftCardsOf, paymentOf, redemptionOf } from '../split-tender/gift-card-rows.fixture.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { reviewStepOf } from './review.ts'

// an instant payment cannot be captured later: it is a sale, review or not
const method = 'bitpay'
const railyard = await startRailyardForFile()
const shop = await openMethodShop(railyard, method)
const fraud = await addAntiFraudService(railyard, shop)
await addGiftCardService(railyard, shop)

/** A sale of 12.00 that was made during its review, 3.00 of a gift card, and one that refuses its 5.00. */
async function sold() {
  const payment = await shop.paid(method, 20_00, {
    buyer: buyerScreenedAs('review'),
    gift_cards: [
      { ...newGiftCard('05000'), amount: 3_00 },
      { ...newGiftCard('10006'), amount: 5_00 },
    ],
  })
  expect(await payment.read()).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 12_00,
    refunded_amount: 0,
    intent_outcome: 'failed',
    pending_review: true,
    gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 0 }, { status: 'failed' }],
  })
  return payment
}

/** What the payment service has given back of each of its payments, in the order of the payments. */
const refundedInBooks = async () => (await booksOf(railyard)).payments.map(({ refunded }) => refunded)

const undone = {
  status: 'capture_succeeded',
  captured_amount: 12_00,
  refunded_amount: 12_00,
  intent_outcome: 'failed',
  pending_review: false,
  gift_card_redemptions: [{ refunded_amount: 3_00 }, { status: 'failed' }],
}

describe('a sale during a review, whose gift card refused its part', () => {
  test('is given back with the other gift card when it is accepted', async () => {
    const payment = await sold()
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await payment.read()).toMatchObject(undone)
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await payment.refunds()).toHaveLength(1)
    expect(await payment.refundAll()).toMatchObject({ status: 400 })
    expect((await refundedInBooks()).at(-1)).toBe(12_00)
    await expectBooksMatch(railyard, shop.account)
  })

  test('is left to the merchant when it is rejected', async () => {
    const payment = await sold()
    await fraud.decides(payment.id, 'REJECT')
    expect(await payment.read()).toMatchObject({
      refunded_amount: 0,
      pending_review: false,
      gift_card_redemptions: [{ refunded_amount: 0 }, { status: 'failed' }],
    })
    expect(await payment.refundAll()).toMatchObject({ status: 201 })
    expect(await payment.read()).toMatchObject(undone)
    await expectBooksMatch(railyard, shop.account)
  })

  test.each([5_00, 12_00])('of which the merchant has refunded %d is given back once', async (amount) => {
    const payment = await sold()
    expect(await payment.refund({ amount })).toMatchObject({ status: 201 })
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await payment.read()).toMatchObject(undone)
    expect((await refundedInBooks()).at(-1)).toBe(12_00)
    await expectBooksMatch(railyard, shop.account)
  })

  test('that the merchant refunds while it is accepted is given back once', async () => {
    const payment = await sold()
    const [refund] = await Promise.all([
      payment.refund({ amount: 7_00 }),
      fraud.decides(payment.id, 'ACCEPT'),
    ])
    expect([201, 400, 425]).toContain(refund.status)
    await recoverFully(railyard)
    expect(await payment.read()).toMatchObject(undone)
    expect((await refundedInBooks()).at(-1)).toBe(12_00)
    await expectBooksMatch(railyard, shop.account)
  })

  test.each(['lost', 'outage'] as const)(
    'is given back once when the refund’s answer is: %s',
    async (kind) => {
      const payment = await sold()
      await injectFaults(
        railyard,
        { operation: 'refund', kind },
        { operation: 'find', kind: 'outage' },
        { operation: 'close', kind: 'outage' },
      )
      await fraud.decides(payment.id, 'ACCEPT')
      expect(await payment.read()).toMatchObject({ refunded_amount: 0, pending_review: false })
      expect(await payment.refund({})).toMatchObject({ status: 425 })
      await recoverFully(railyard)
      expect(await payment.read()).toMatchObject(undone)
      expect((await refundedInBooks()).at(-1)).toBe(12_00)
      await expectBooksMatch(railyard, shop.account)
    },
  )

  test('is given back by recovery when the decision came while another operation was under way', async () => {
    const payment = await sold()
    const setActiveOperation = (operation: string | null) =>
      railyard.world.run(
        'update transactions set active_operation_id = $3 where merchant_account_id = $1 and id = $2',
        [shop.account, payment.id, operation],
      )
    await setActiveOperation(randomUUID())
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await payment.read()).toMatchObject({ refunded_amount: 0, pending_review: true })
    await setActiveOperation(null)
    for (let run = 0; run < 2; run++) {
      railyard.clock.advance(120_000)
      await railyard.recovery.runOnce()
    }
    expect(await payment.read()).toMatchObject(undone)
    expect((await refundedInBooks()).at(-1)).toBe(12_00)
    await expectBooksMatch(railyard, shop.account)
  })

  test.each([
    { taken: 4_00, refunded: 8_00 },
    { taken: 12_00, refunded: 0 },
  ])('of which a dispute has taken $taken is given back without it', async ({ taken, refunded }) => {
    const payment = await sold()
    await railyard.world.run(
      'update transactions set disputed_amount = $3 where merchant_account_id = $1 and id = $2',
      [shop.account, payment.id, taken],
    )
    expect(await payment.read()).toMatchObject({ disputed_amount: taken })
    await fraud.decides(payment.id, 'ACCEPT')
    expect(await payment.read()).toMatchObject({ ...undone, refunded_amount: refunded })
    expect((await refundedInBooks()).at(-1)).toBe(refunded)
  })
})

test('a sale that the payment service took back during its review leaves what gift cards have paid to the merchant', () => {
  const takenBack = paymentOf({
    status: 'capture_succeeded',
    intent: 'capture',
    intent_outcome: 'failed',
    pending_review: true,
    anti_fraud: { decision: 'accept' } as TransactionRow['anti_fraud'],
    gift_cards: giftCardsOf(redemptionOf('paid', { status: 'succeeded' })),
  })
  expect(reviewStepOf(takenBack)).toBe('nothing')
  const refused = giftCardsOf(
    redemptionOf('paid', { status: 'succeeded' }),
    redemptionOf('refused', { status: 'failed' }),
  )
  expect(reviewStepOf({ ...takenBack, gift_cards: refused, captured_amount: 1000 })).toBe('undo')
})
