import { describe, expect, test } from 'vitest'
import type { OperationOutcome, OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { newOperationOn, type OperationPlan } from '../new-operation.ts'
import type { TransactionRow } from '../transaction.row.ts'
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
} from './gift-card-rows.fixture.ts'
import { compensationAfterReview, nextSplitTenderStep } from './split-tender.ts'

const clockAndIds: Pick<World, 'clock'> & { ids: { next(): string }; settings: { providerTimeout: number } } =
  {
    clock: { now: () => 0 },
    ids: { next: () => 'next' },
    settings: { providerTimeout: 1_000 },
  }
const world = clockAndIds as World

const paid = redemptionOf('paid', { status: 'succeeded' })
const open = redemptionOf('open')
const authorized = {
  authorized_amount: 1000,
  status: 'authorization_succeeded',
  gift_cards: giftCardsOf(paid, open),
} as const
const redeeming = operationOf('redeem', 200, { input: { redemption: 'open' } })
const afterRedemptions: OperationPlan = { kind: 'capture', amount: 1000 }

/** The operation that follows; undefined: none. */
function next(
  row: TransactionRow,
  operation: OperationRow,
  outcome: OperationOutcome,
): OperationRow | undefined {
  const step = nextSplitTenderStep(row, operation, outcome, afterRedemptions)
  return step && 'operation' in step ? newOperationOn(world, row, step.operation, operation) : undefined
}

const reversalOf = (redemption: string, amount: number) => ({
  kind: 'reverse',
  amount,
  payment_service_id: null,
  input: { redemption, undoes: true },
})

describe('the next operation of a split tender', () => {
  test('is undefined for a payment without gift cards', () => {
    expect(next(paymentOf(), operationOf('authorize', 1000), approved(1000))).toBeUndefined()
    expect(compensationAfterReview(world, paymentOf({ authorized_amount: 1000 }))).toBeUndefined()
  })

  test('after the payment method has paid is the first redemption, without a payment service and under the request’s idempotency key', () => {
    const operation = operationOf('authorize', 1000, { idempotency_scope: 'scope', idempotency_key: 'key' })
    expect(next(paymentOf({ gift_cards: giftCardsOf(open) }), operation, approved(1000))).toMatchObject({
      kind: 'redeem',
      amount: 200,
      payment_service_id: null,
      input: { redemption: 'open' },
      idempotency_scope: 'scope',
      idempotency_key: 'key',
    })
    expect(next(paymentOf({ gift_cards: giftCardsOf(paid) }), operation, approved(1000))).toMatchObject(
      afterRedemptions,
    )
    for (const outcome of [pending, unknown])
      expect(next(paymentOf({ gift_cards: giftCardsOf(open) }), operation, outcome)).toBeUndefined()
  })

  test('is undefined after the payment method was refused', () => {
    for (const outcome of [declined, failed])
      expect(next(paymentOf(authorized), operationOf('authorize', 1000), outcome)).toBeUndefined()
  })

  test('after a card refused is a compensation, of the payment method’s part first, unless a review is pending', () => {
    for (const outcome of [declined, failed]) {
      expect(next(paymentOf(authorized), redeeming, outcome)).toMatchObject({
        kind: 'void',
        amount: 1000,
        input: { undoes: true },
      })
      expect(next(paymentOf({ gift_cards: authorized.gift_cards }), redeeming, outcome)).toMatchObject(
        reversalOf('paid', 200),
      )
    }
    expect(next(paymentOf({ ...authorized, pending_review: true }), redeeming, declined)).toBeUndefined()
  })

  test('after a refused capture is a compensation only if the capture belongs to the payment’s intent', () => {
    const whole = { ...authorized, gift_cards: giftCardsOf(paid), intent: 'capture' } as const
    const capture = operationOf('capture', 1000)
    expect(next(paymentOf(whole), capture, declined)).toMatchObject({ kind: 'void', input: { undoes: true } })
    expect(next(paymentOf(whole), capture, approved(1000))).toBeUndefined()
    expect(next(paymentOf({ ...whole, intent: 'authorize' }), capture, declined)).toBeUndefined()
    expect(next(paymentOf({ ...whole, intent_outcome: 'succeeded' }), capture, declined)).toBeUndefined()
  })

  test('of a compensation is the next card’s reversal, also after a refused one, and waits for an outcome that is open', () => {
    const both = {
      ...authorized,
      gift_cards: giftCardsOf(paid, redemptionOf('other', { status: 'succeeded', amount: 70 })),
    } as const
    const reverse = operationOf('reverse', 200, { input: { redemption: 'paid', undoes: true } })
    for (const outcome of [approved(200), declined]) {
      expect(next(paymentOf(both), reverse, outcome)).toMatchObject(reversalOf('other', 70))
      for (const kind of ['void', 'refund'] as const)
        expect(
          next(paymentOf(both), operationOf(kind, 1000, { input: { undoes: true } }), outcome),
        ).toMatchObject(reversalOf('paid', 200))
    }
    for (const outcome of [unknown, pending]) expect(next(paymentOf(both), reverse, outcome)).toBeUndefined()
  })

  test('after a reversal of an earlier version, which began with the gift cards, is the payment method’s part', () => {
    const reverse = operationOf('reverse', 200, { input: { redemption: 'paid' } })
    expect(next(paymentOf(authorized), reverse, approved(200))).toMatchObject({
      kind: 'void',
      amount: 1000,
      input: { undoes: true },
    })
  })

  test('is undefined after any other operation', () => {
    for (const kind of ['refund', 'void', 'increment', 'gift-card-refund'] as const)
      expect(next(paymentOf(authorized), operationOf(kind, 10), declined)).toBeUndefined()
  })
})

describe('the first compensation', () => {
  const firstOf = (more: Partial<TransactionRow>) =>
    compensationAfterReview(world, paymentOf({ gift_cards: giftCardsOf(), ...more }))

  test('refunds what is left of a capture: neither refunded nor reserved for a refund', () => {
    expect(
      firstOf({ authorized_amount: 1000, captured_amount: 1000, refunded_amount: 300, refund_reserved: 200 }),
    ).toMatchObject({
      kind: 'refund',
      amount: 500,
      payment_service_id: 'p',
      input: { undoes: true },
    })
  })

  test('voids an authorization of which nothing was captured', () => {
    expect(firstOf({ authorized_amount: 1000 })).toMatchObject({
      kind: 'void',
      amount: 1000,
      payment_service_id: 'p',
    })
  })

  test('reverses what is left of a card’s part if the payment method has none', () => {
    const part = giftCardsOf(redemptionOf('paid', { status: 'succeeded', refunded: 50 }))
    expect(firstOf({ gift_cards: part })).toMatchObject(reversalOf('paid', 150))
    expect(firstOf({ gift_cards: part, captured_amount: 1000, refunded_amount: 1000 })).toMatchObject(
      reversalOf('paid', 150),
    )
  })

  test('is undefined if nothing is left', () => {
    expect(firstOf({})).toBeUndefined()
    expect(firstOf({ authorized_amount: 1000, captured_amount: 1000, refunded_amount: 1000 })).toBeUndefined()
  })
})
