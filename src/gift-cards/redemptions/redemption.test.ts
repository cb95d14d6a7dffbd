import { expect, test } from 'vitest'
import { giftCardsOf, redemptionOf } from '../../transactions/split-tender/gift-card-rows.fixture.ts'
import {
  giftCardAmount,
  leftOfRedemption,
  nextRedemption,
  nextRedemptionToUndo,
  redemptionById,
  redemptionsAfter,
  skipUndecided,
} from './redemption.ts'

const cards = giftCardsOf(redemptionOf('first', { amount: 200 }), redemptionOf('second', { amount: 50 }))

test('a change replaces members of one redemption or adds to its amounts, and leaves the others as they are', () => {
  const reserved = redemptionsAfter(cards, {
    first: { set: { status: 'succeeded', sealed: null }, reserved: 80 },
  })
  expect(reserved.redemptions).toEqual([
    redemptionOf('first', { status: 'succeeded', sealed: null, refund_reserved: 80 }),
    redemptionOf('second', { amount: 50 }),
  ])
  const refunded = redemptionsAfter(reserved, { first: { refunded: 80, reserved: -80 } })
  expect(refunded.redemptions[0]).toMatchObject({ status: 'succeeded', refunded: 80, refund_reserved: 0 })
  expect(redemptionsAfter(cards, {})).toEqual(cards)
})

test('a redemption is found by its id in its own payment only', () => {
  expect(redemptionById(cards, 'second')).toBe(cards.redemptions[1])
  for (const none of [
    redemptionById(cards, 'third'),
    redemptionById(cards, undefined),
    redemptionById(null, 'first'),
  ])
    expect(none).toBeUndefined()
})

test('a refund may take from a redemption what no other refund has taken or reserved', () => {
  expect(leftOfRedemption(redemptionOf('first', { amount: 200, refunded: 50, refund_reserved: 30 }))).toBe(
    120,
  )
})

test('cards are redeemed in their order until all are decided', () => {
  expect(nextRedemption(cards)?.id).toBe('first')
  expect(nextRedemption(redemptionsAfter(cards, { first: { set: { status: 'succeeded' } } }))?.id).toBe(
    'second',
  )
  expect(
    nextRedemption(
      redemptionsAfter(cards, {
        first: { set: { status: 'failed' } },
        second: { set: { status: 'skipped' } },
      }),
    ),
  ).toBeUndefined()
})

test('a redemption that took effect is undone, unless nothing is left of it or its service has refused', () => {
  expect(nextRedemptionToUndo(cards)).toBeUndefined()
  const succeeded = redemptionOf('third', { status: 'succeeded', refunded: 199 })
  expect(nextRedemptionToUndo(giftCardsOf(...cards.redemptions, succeeded))).toBe(succeeded)
  expect(nextRedemptionToUndo(giftCardsOf({ ...succeeded, refunded: 200 }))).toBeUndefined()
  expect(nextRedemptionToUndo(giftCardsOf({ ...succeeded, stuck: true }))).toBeUndefined()
})

test('redemptions that are no longer needed are skipped and forget their cards', () => {
  const first = redemptionOf('first', { status: 'succeeded' })
  expect(skipUndecided(giftCardsOf(first, redemptionOf('second')))).toEqual({
    second: { set: { status: 'skipped', sealed: null } },
  })
})

test('gift cards pay the sum of their redemptions', () => {
  expect([giftCardAmount(cards), giftCardAmount(giftCardsOf()), giftCardAmount(null)]).toEqual([250, 0, 0])
})
