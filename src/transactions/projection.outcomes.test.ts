import { describe, expect, test } from 'vitest'
import type { OperationOutcome, OperationRow } from '../operations/operation.ts'
import { project, projectLateFailure, withoutChange } from './projection.ts'
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
  test('leaves the intent pending in a payment that is to be captured', () => {
    expect(
      project(paymentOf({ intent: 'capture' }), operationOf('authorize', 1000), approved(1000)),
    ).toMatchObject({ status: 'authorization_succeeded', authorized: 1000, intentOutcome: 'pending' })
  })

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
    expect(
      project(paymentOf({ status: 'buyer_approval_pending' }), operationOf('approval', 1000), approved(1000)),
    ).toMatchObject({ status: 'processing', amount: 0 })
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

describe('an outcome changes these members, and no others', () => {
  const held = paymentOf({ status: 'authorization_succeeded', intent: 'capture', authorized_amount: 1000 })
  const captured = { ...held, status: 'capture_succeeded', captured_amount: 400 } as const
  const tooLate = { ...failed, code: 'incomplete_buyer_approval' } as const
  const atProvider = {
    ...pending,
    approval: { url: 'https://wallet.example' },
  } as unknown as OperationOutcome
  const refused = { status: 'authorization_failed', intentOutcome: 'failed' }
  const timedOut = { ...refused, stamp: 'buyer_approval_timedout_at' }

  /** The members that differ from `withoutChange`. */
  const changed = (
    row: Parameters<typeof project>[0],
    operation: OperationRow,
    outcome: OperationOutcome,
  ): object => {
    const unchanged: Record<string, unknown> = { ...withoutChange(row) }
    return Object.fromEntries(
      Object.entries(project(row, operation, outcome)).filter(([name, value]) => unchanged[name] !== value),
    )
  }

  test.each<[string, OperationRow, OperationOutcome, object]>([
    ['an approved approval', operationOf('approval', 1000), approved(900), { amount: -100 }],
    ['a refused approval', operationOf('approval', 1000), declined, refused],
    [
      'a challenge that waits',
      operationOf('authentication', 1000),
      pending,
      { status: 'buyer_approval_pending' },
    ],
    ['a challenge that is too late', operationOf('authentication', 1000), tooLate, timedOut],
    ['an approved screening', operationOf('screening', 1000), approved(1000), {}],
    ['a pending screening', operationOf('screening', 1000), pending, {}],
    ['a rejected screening', operationOf('screening', 1000), declined, refused],
    ['a failed screening', operationOf('screening', 1000), failed, refused],
    [
      'an authorization',
      operationOf('authorize', 1000),
      approved(900),
      {
        status: 'authorization_succeeded',
        authorized: 900,
        intentOutcome: 'succeeded',
        stamp: 'authorized_at',
      },
    ],
    ['an authorization without an outcome', operationOf('authorize', 1000), unknown, {}],
    ['a pending authorization', operationOf('authorize', 1000), pending, {}],
    [
      'an authorization with its buyer',
      operationOf('authorize', 1000),
      atProvider,
      { status: 'buyer_approval_pending' },
    ],
    ['a declined authorization', operationOf('authorize', 1000), declined, refused],
    ['a failed authorization', operationOf('authorize', 1000), failed, refused],
    ['an authorization whose buyer is too late', operationOf('authorize', 1000), tooLate, timedOut],
    [
      'a sale',
      operationOf('sale', 1000),
      approved(900),
      {
        status: 'capture_succeeded',
        authorized: 900,
        captured: 900,
        captureClosed: true,
        intentOutcome: 'succeeded',
        stamp: 'captured_at',
      },
    ],
    [
      'a pending sale',
      operationOf('sale', 1000),
      pending,
      { status: 'capture_pending', captureClosed: true },
    ],
    [
      'a sale with its buyer',
      operationOf('sale', 1000),
      atProvider,
      { status: 'buyer_approval_pending', captureClosed: true },
    ],
    ['a sale without an outcome', operationOf('sale', 1000), unknown, {}],
    ['a declined sale', operationOf('sale', 1000), declined, refused],
    ['a sale whose buyer is too late', operationOf('sale', 1000), tooLate, timedOut],
    ['a refused cancellation', operationOf('cancel', 1000), declined, {}],
    ['a correction', operationOf('correction', 1000), approved(1000), {}],
    ['a late failure', operationOf('late-failure', 1000), approved(1000), {}],
    ['a payout', operationOf('payout', 1000), approved(1000), {}],
    [
      'the void of a late approval',
      operationOf('void', 1000, { input: { undoes: 'x' } }),
      approved(1000),
      {},
    ],
  ])('%s, of a payment that is processed', (_, operation, outcome, expected) => {
    expect(changed(paymentOf(), operation, outcome)).toEqual(expected)
  })

  test.each<[string, OperationRow, OperationOutcome, object]>([
    [
      'a capture',
      operationOf('capture', 400),
      approved(400),
      {
        status: 'capture_succeeded',
        captured: 400,
        captureReserved: -400,
        captureClosed: true,
        intentOutcome: 'succeeded',
        stamp: 'captured_at',
      },
    ],
    [
      'a pending capture',
      operationOf('capture', 400),
      pending,
      { status: 'capture_pending', captureClosed: true },
    ],
    [
      'a capture without an outcome that is not final',
      operationOf('capture', 400, { input: { final: false } }),
      unknown,
      { status: 'capture_pending' },
    ],
    [
      'a refused capture',
      operationOf('capture', 400),
      declined,
      { captureReserved: -400, captureClosed: false, intentOutcome: 'failed' },
    ],
    [
      'a void',
      operationOf('void', 1000),
      approved(1000),
      { status: 'authorization_voided', captureClosed: true, stamp: 'voided_at' },
    ],
    [
      'a cancellation',
      operationOf('cancel', 1000),
      approved(1000),
      { status: 'authorization_voided', captureClosed: true, stamp: 'voided_at' },
    ],
    ['an increment', operationOf('increment', 200), approved(200), { authorized: 200, amount: 200 }],
    ['a refused increment', operationOf('increment', 200), declined, {}],
  ])('%s, of an authorized payment that is to be captured', (_, operation, outcome, expected) => {
    expect(changed({ ...held, capture_reserved: 400 }, operation, outcome)).toEqual(expected)
  })

  test.each<[string, OperationRow, OperationOutcome, object]>([
    ['a pending capture', operationOf('capture', 100), pending, { captureClosed: true }],
    ['a capture without an outcome', operationOf('capture', 100), unknown, { captureClosed: true }],
    ['a refund', operationOf('refund', 100), approved(100), { refunded: 100, refundReserved: -100 }],
    ['a declined refund', operationOf('refund', 100), declined, { refundReserved: -100 }],
    ['a failed refund', operationOf('refund', 100), failed, { refundReserved: -100 }],
    ['a pending refund', operationOf('refund', 100), pending, {}],
    ['a refund without an outcome', operationOf('refund', 100), unknown, {}],
  ])('%s, of a captured payment', (_, operation, outcome, expected) => {
    expect(changed(captured, operation, outcome)).toEqual(expected)
  })

  test('a refused capture leaves another one under way, and does not decide an intent that is decided', () => {
    const another = {
      ...held,
      intent_outcome: 'succeeded',
      capture_reserved: 700,
      status: 'capture_pending',
    } as const
    expect(changed(another, operationOf('capture', 400, { input: { final: false } }), failed)).toEqual({
      captureReserved: -400,
    })
  })
})

describe('the late failure', () => {
  const captured = paymentOf({
    status: 'capture_succeeded',
    intent: 'capture',
    intent_outcome: 'succeeded',
    authorized_amount: 1000,
    captured_amount: 700,
  })
  const changes = (row: typeof captured, kind: OperationRow['kind'], amount: number, final = false) => {
    const change = projectLateFailure(row, { kind, amount, final })
    return change && { ...change }
  }
  const unchanged = withoutChange(captured)

  test('of a refund takes the refunded amount back', () => {
    expect(changes(captured, 'refund', 200)).toEqual({ ...unchanged, refunded: -200 })
  })

  test('of a refund or reversal to a gift card takes back what its redemption had got', () => {
    const redemption = 'first'
    const late = (kind: OperationRow['kind'], of?: string) =>
      projectLateFailure(captured, { kind, amount: 200, final: true, redemption: of })
    expect(late('gift-card-refund', redemption)).toEqual({
      ...unchanged,
      redemptions: { first: { refunded: -200 } },
    })
    expect(late('reverse', redemption)).toEqual({
      ...unchanged,
      redemptions: { first: { refunded: -200, set: { stuck: true } } },
    })
    expect([late('gift-card-refund'), late('reverse')]).toEqual([undefined, undefined])
  })

  test('of a capture leaves the other captures, those under way, or the authorization', () => {
    expect(changes(captured, 'capture', 300)).toEqual({ ...unchanged, captured: -300 })
    expect(changes({ ...captured, capture_reserved: 100 }, 'capture', 700, true)).toEqual({
      ...unchanged,
      captured: -700,
      captureClosed: false,
      status: 'capture_pending',
      intentOutcome: 'failed',
    })
    expect(changes({ ...captured, intent: 'authorize' }, 'capture', 700)).toEqual({
      ...unchanged,
      captured: -700,
      status: 'authorization_succeeded',
    })
    const voiding = { ...captured, status: 'authorization_void_pending' } as const
    expect(changes(voiding, 'capture', 700)).toMatchObject({ status: 'authorization_void_pending' })
  })

  test('of a sale fails the payment, unless gift cards paid a part of it', () => {
    const failedSale = { ...unchanged, authorized: -700, captured: -700, intentOutcome: 'failed' }
    expect(changes(captured, 'sale', 700)).toEqual({ ...failedSale, status: 'authorization_failed' })
    const withCards = (...statuses: ('succeeded' | 'failed')[]) => ({
      ...captured,
      gift_cards: giftCardsOf(...statuses.map((status, index) => redemptionOf(String(index), { status }))),
    })
    expect(changes(withCards('failed', 'succeeded'), 'sale', 700)).toEqual(failedSale)
    expect(changes(withCards('failed', 'failed'), 'sale', 700)).toEqual({
      ...failedSale,
      status: 'authorization_failed',
    })
    const reviewed = { ...captured, status: 'authorization_void_pending' } as const
    expect(changes(reviewed, 'sale', 700)).toMatchObject({ status: 'authorization_void_pending' })
  })

  test('of a sale whose gift cards are not decided, and of another kind, is not taken back by itself', () => {
    const open = {
      ...captured,
      intent_outcome: 'pending',
      gift_cards: giftCardsOf(redemptionOf('first')),
    } as const
    expect(changes(open, 'sale', 700)).toBeUndefined()
    expect(changes({ ...captured, intent_outcome: 'pending' }, 'sale', 700)).toBeDefined()
    expect(changes(captured, 'void', 700)).toBeUndefined()
  })
})
