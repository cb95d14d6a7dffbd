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

const of = (kind: OperationRow['kind'], amount = 200, redemption: string | undefined = 'first') =>
  operationOf(kind, amount, redemption === undefined ? {} : { input: { redemption } })
const first = redemptionOf('first')
const second = redemptionOf('second')
const shared = paymentOf({ status: 'authorization_succeeded', authorized_amount: 1000, gift_cards: giftCardsOf(first, second) })
const alone = paymentOf({ payment_method: null, gift_cards: giftCardsOf(first, second) })
const both = giftCardsOf(redemptionOf('zero', { status: 'succeeded' }), first)

describe('a card is asked', () => {
  test('and pays its part; the last one decides what was wanted', () => {
    expect(project(shared, of('redeem'), approved(200, 'theirs'))).toMatchObject({
      redemptions: { first: { set: { status: 'succeeded', reference: 'theirs', sealed: null } } },
      intentOutcome: null,
    })
    expect(project({ ...shared, gift_cards: both }, of('redeem'), approved(200))).toMatchObject({
      redemptions: { first: { set: { reference: null } } },
      intentOutcome: 'succeeded',
      status: 'authorization_succeeded',
    })
    expect(project({ ...shared, intent: 'capture', gift_cards: both }, of('redeem'), approved(200)).intentOutcome).toBeNull()
    expect(project({ ...alone, gift_cards: both }, of('redeem'), approved(200)).status).toBe('capture_succeeded')
  })

  test('and refuses: why is kept, and the others are not asked any more', () => {
    const said = { ...declined, facts: { raw_response_code: '51', raw_response_description: 'too little' } }
    const refused = project(shared, of('redeem'), said)
    expect(refused).toMatchObject({ intentOutcome: 'failed', status: 'authorization_succeeded' })
    expect(refused.redemptions).toEqual({
      first: { set: { status: 'failed', sealed: null, error_code: 'insufficient_funds', raw_error_code: '51', raw_error_message: 'too little' } },
      second: { set: { status: 'skipped', sealed: null } },
    })
    const wordless = project(alone, of('redeem'), { ...failed, code: 'issuer_decline' })
    expect(wordless).toMatchObject({
      status: 'authorization_failed',
      redemptions: { first: { set: { status: 'failed', error_code: 'unknown_error', raw_error_code: null, raw_error_message: null } } },
    })
  })

  test('and nothing is known of it, or nobody knows of the card', () => {
    expect(project(shared, of('redeem'), unknown)).toMatchObject({ redemptions: null, intentOutcome: null })
    expect(project(shared, operationOf('redeem', 200), approved(200))).toMatchObject({ redemptions: null, intentOutcome: null })
    expect(project(paymentOf(), of('redeem'), approved(200))).toMatchObject({ redemptions: null, intentOutcome: null })
  })
})

describe('a card’s part goes back', () => {
  test('because another part failed, or stays where its service refuses', () => {
    expect(project(shared, of('reverse', 150), approved(150)).redemptions).toEqual({ first: { refunded: 150 } })
    for (const outcome of [declined, failed]) expect(project(shared, of('reverse'), outcome).redemptions).toEqual({ first: { set: { stuck: true } } })
    expect(project(shared, of('reverse'), unknown).redemptions).toBeNull()
    expect(project(shared, operationOf('reverse', 200), approved(200)).redemptions).toBeNull()
  })

  test('by a refund: what was reserved for it is given back, or free again', () => {
    expect(project(shared, of('gift-card-refund', 80), approved(80)).redemptions).toEqual({ first: { refunded: 80, reserved: -80 } })
    for (const outcome of [declined, failed])
      expect(project(shared, of('gift-card-refund', 80), outcome).redemptions).toEqual({ first: { reserved: -80 } })
    for (const outcome of [pending, unknown]) expect(project(shared, of('gift-card-refund', 80), outcome).redemptions).toBeNull()
    expect(project(shared, operationOf('gift-card-refund', 80), approved(80)).redemptions).toBeNull()
  })
})

describe('the payment method pays its part', () => {
  test('and the payment is whole where no card is to be asked', () => {
    const outcomeWith = (gift_cards: typeof both | null) =>
      project(paymentOf({ gift_cards }), operationOf('authorize', 1000), approved(1000)).intentOutcome
    expect([null, giftCardsOf(redemptionOf('first', { status: 'succeeded' })), both].map(outcomeWith)).toEqual(['succeeded', 'succeeded', 'pending'])
  })

  test('or does not: no card is asked then, and that is decided once', () => {
    const open = paymentOf({ gift_cards: giftCardsOf(first) })
    expect(project(open, operationOf('authorize', 1000), declined)).toMatchObject({
      status: 'authorization_failed',
      intentOutcome: 'failed',
      redemptions: { first: { set: { status: 'skipped', sealed: null } } },
    })
    expect(project({ ...open, status: 'authorization_failed' }, operationOf('correction', 1000), approved(1000)).redemptions).toBeNull()
    expect(project(open, operationOf('authorize', 1000), pending).redemptions).toBeNull()
  })
})

describe('the buyer and the merchant', () => {
  test('a buyer is waited for, comes too late, or nobody knows', () => {
    const approval = (outcome: Parameters<typeof project>[2]) => project(paymentOf(), operationOf('approval', 1000), outcome)
    expect(approval(pending).status).toBe('buyer_approval_pending')
    expect(approval(unknown)).toMatchObject({ status: 'processing', intentOutcome: null })
    expect(approval({ ...failed, code: 'incomplete_buyer_approval' })).toMatchObject({
      status: 'authorization_failed',
      stamp: 'buyer_approval_timedout_at',
    })
    expect(approval({ ...declined, code: 'cancelled_buyer_approval' })).toMatchObject({ status: 'authorization_failed', stamp: null })
  })

  test('a capture closes the payment unless it says that others follow; a refused one leaves those before it', () => {
    const held = paymentOf({ status: 'authorization_succeeded', authorized_amount: 1000 })
    expect(project(held, operationOf('capture', 400), approved(400)).captureClosed).toBe(true)
    expect(project(held, operationOf('capture', 400, { input: { final: false } }), approved(400)).captureClosed).toBeNull()
    const captured = { ...held, status: 'capture_succeeded', captured_amount: 400, capture_reserved: 300 } as const
    expect(project(captured, operationOf('capture', 300), declined)).toMatchObject({ status: 'capture_succeeded', captureReserved: -300 })
  })

  test('a void without an answer is pending, a cancellation has its time', () => {
    const held = paymentOf({ status: 'authorization_succeeded', authorized_amount: 1000 })
    for (const outcome of [pending, unknown]) expect(project(held, operationOf('void', 1000), outcome).status).toBe('authorization_void_pending')
    expect(project(held, operationOf('void', 1000), declined).status).toBe('authorization_succeeded')
    expect(project(paymentOf(), operationOf('cancel', 1000), approved(1000))).toMatchObject({ status: 'authorization_failed', stamp: 'canceled_at' })
  })
})
