import { describe, expect, test } from 'vitest'
import type { OperationRow } from '../operations/operation.ts'
import { project } from './projection.ts'
import {
  approved,
  declined,
  failed,
  giftCardsOf,
  operationOf,
  paymentOf,
  pending,
  redemptionOf,
  unknown,
} from './split-tender/gift-card-rows.fixture.ts'

const giftCardOperation = (
  kind: OperationRow['kind'],
  amount = 200,
  redemption: string | undefined = 'first',
) => operationOf(kind, amount, redemption === undefined ? {} : { input: { redemption } })
const first = redemptionOf('first')
const second = redemptionOf('second')
const splitTender = paymentOf({
  status: 'authorization_succeeded',
  authorized_amount: 1000,
  gift_cards: giftCardsOf(first, second),
})
const giftCardsAlone = paymentOf({ payment_method: null, gift_cards: giftCardsOf(first, second) })
const lastOpen = giftCardsOf(redemptionOf('zero', { status: 'succeeded' }), first)

describe('a redemption', () => {
  test('of the last gift card, when approved, decides the intent’s outcome; an earlier one does not', () => {
    expect(project(splitTender, giftCardOperation('redeem'), approved(200, 'theirs'))).toMatchObject({
      redemptions: { first: { set: { status: 'succeeded', reference: 'theirs', sealed: null } } },
      intentOutcome: null,
    })
    expect(
      project({ ...splitTender, gift_cards: lastOpen }, giftCardOperation('redeem'), approved(200)),
    ).toMatchObject({
      redemptions: { first: { set: { reference: null } } },
      intentOutcome: 'succeeded',
      status: 'authorization_succeeded',
    })
    expect(
      project(
        { ...splitTender, intent: 'capture', gift_cards: lastOpen },
        giftCardOperation('redeem'),
        approved(200),
      ).intentOutcome,
    ).toBeNull()
    expect(
      project({ ...giftCardsAlone, gift_cards: lastOpen }, giftCardOperation('redeem'), approved(200)).status,
    ).toBe('capture_succeeded')
  })

  test('that is refused stores the reason and skips the other gift cards', () => {
    const refusal = {
      ...declined,
      facts: { raw_response_code: '51', raw_response_description: 'too little' },
    }
    const refused = project(splitTender, giftCardOperation('redeem'), refusal)
    expect(refused).toMatchObject({ intentOutcome: 'failed', status: 'authorization_succeeded' })
    expect(refused.redemptions).toEqual({
      first: {
        set: {
          status: 'failed',
          sealed: null,
          error_code: 'insufficient_funds',
          raw_error_code: '51',
          raw_error_message: 'too little',
        },
      },
      second: { set: { status: 'skipped', sealed: null } },
    })
    const withoutReason = project(giftCardsAlone, giftCardOperation('redeem'), {
      ...failed,
      code: 'issuer_decline',
    })
    expect(withoutReason).toMatchObject({
      status: 'authorization_failed',
      redemptions: {
        first: {
          set: {
            status: 'failed',
            error_code: 'unknown_error',
            raw_error_code: null,
            raw_error_message: null,
          },
        },
      },
    })
  })

  test('of unknown outcome, without an id, or in a payment without gift cards changes nothing', () => {
    expect(project(splitTender, giftCardOperation('redeem'), unknown)).toMatchObject({
      redemptions: null,
      intentOutcome: null,
    })
    expect(project(splitTender, operationOf('redeem', 200), approved(200))).toMatchObject({
      redemptions: null,
      intentOutcome: null,
    })
    expect(project(paymentOf(), giftCardOperation('redeem'), approved(200))).toMatchObject({
      redemptions: null,
      intentOutcome: null,
    })
  })
})

describe('a gift card’s part', () => {
  test('is reversed when another part failed, and is stuck when the service refuses the reversal', () => {
    expect(project(splitTender, giftCardOperation('reverse', 150), approved(150)).redemptions).toEqual({
      first: { refunded: 150 },
    })
    for (const outcome of [declined, failed])
      expect(project(splitTender, giftCardOperation('reverse'), outcome).redemptions).toEqual({
        first: { set: { stuck: true } },
      })
    expect(project(splitTender, giftCardOperation('reverse'), unknown).redemptions).toBeNull()
    expect(project(splitTender, operationOf('reverse', 200), approved(200)).redemptions).toBeNull()
  })

  test('is refunded from its reservation, which a refused refund releases', () => {
    expect(project(splitTender, giftCardOperation('gift-card-refund', 80), approved(80)).redemptions).toEqual(
      {
        first: { refunded: 80, reserved: -80 },
      },
    )
    for (const outcome of [declined, failed])
      expect(project(splitTender, giftCardOperation('gift-card-refund', 80), outcome).redemptions).toEqual({
        first: { reserved: -80 },
      })
    for (const outcome of [pending, unknown])
      expect(project(splitTender, giftCardOperation('gift-card-refund', 80), outcome).redemptions).toBeNull()
    expect(project(splitTender, operationOf('gift-card-refund', 80), approved(80)).redemptions).toBeNull()
  })
})

describe('an authorization of the payment method’s part', () => {
  test('makes the intent succeed unless a gift card is still to be redeemed', () => {
    const outcomeWith = (gift_cards: typeof lastOpen | null) =>
      project(paymentOf({ gift_cards }), operationOf('authorize', 1000), approved(1000)).intentOutcome
    expect(
      [null, giftCardsOf(redemptionOf('first', { status: 'succeeded' })), lastOpen].map(outcomeWith),
    ).toEqual(['succeeded', 'succeeded', 'pending'])
  })

  test('that is declined skips the gift cards, once', () => {
    const open = paymentOf({ gift_cards: giftCardsOf(first) })
    expect(project(open, operationOf('authorize', 1000), declined)).toMatchObject({
      status: 'authorization_failed',
      intentOutcome: 'failed',
      redemptions: { first: { set: { status: 'skipped', sealed: null } } },
    })
    expect(
      project({ ...open, status: 'authorization_failed' }, operationOf('correction', 1000), approved(1000))
        .redemptions,
    ).toBeNull()
    expect(project(open, operationOf('authorize', 1000), pending).redemptions).toBeNull()
  })
})

describe('an operation of the payment method', () => {
  test('an approval waits for the buyer, fails when the buyer is too late, and changes nothing when unknown', () => {
    const approval = (outcome: Parameters<typeof project>[2]) =>
      project(paymentOf(), operationOf('approval', 1000), outcome)
    expect(approval(pending).status).toBe('buyer_approval_pending')
    expect(approval(unknown)).toMatchObject({ status: 'processing', intentOutcome: null })
    expect(approval({ ...failed, code: 'incomplete_buyer_approval' })).toMatchObject({
      status: 'authorization_failed',
      stamp: 'buyer_approval_timedout_at',
    })
    expect(approval({ ...declined, code: 'cancelled_buyer_approval' })).toMatchObject({
      status: 'authorization_failed',
      stamp: null,
    })
  })

  test('a capture closes the payment unless it is not final, and a refused one leaves the earlier captures', () => {
    const held = paymentOf({ status: 'authorization_succeeded', authorized_amount: 1000 })
    expect(project(held, operationOf('capture', 400), approved(400)).captureClosed).toBe(true)
    expect(
      project(held, operationOf('capture', 400, { input: { final: false } }), approved(400)).captureClosed,
    ).toBeNull()
    const captured = {
      ...held,
      status: 'capture_succeeded',
      captured_amount: 400,
      capture_reserved: 300,
    } as const
    expect(project(captured, operationOf('capture', 300), declined)).toMatchObject({
      status: 'capture_succeeded',
      captureReserved: -300,
    })
  })

  test('a void without an answer is pending, and an approved cancellation has its time', () => {
    const held = paymentOf({ status: 'authorization_succeeded', authorized_amount: 1000 })
    for (const outcome of [pending, unknown])
      expect(project(held, operationOf('void', 1000), outcome).status).toBe('authorization_void_pending')
    expect(project(held, operationOf('void', 1000), declined).status).toBe('authorization_succeeded')
    expect(project(paymentOf(), operationOf('cancel', 1000), approved(1000))).toMatchObject({
      status: 'authorization_failed',
      stamp: 'canceled_at',
    })
  })
})
