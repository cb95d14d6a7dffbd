import { describe, expect, test } from 'vitest'
import type { OperationOutcome, OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { newOperationOn, type OperationPlan } from '../new-operation.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { approved, declined, failed, giftCardsOf, operationOf, paymentOf, pending, redemptionOf, unknown } from './gift-card-rows.fixture.ts'
import { compensationAfterReview, nextSplitTenderStep } from './split-tender.ts'

const ours: Pick<World, 'clock'> & { ids: { next(): string }; settings: { providerTimeout: number } } = {
  clock: { now: () => 0 },
  ids: { next: () => 'next' },
  settings: { providerTimeout: 1_000 },
}
const world = ours as World

const paid = redemptionOf('paid', { status: 'succeeded' })
const asked = redemptionOf('asked')
const held = { authorized_amount: 1000, status: 'authorization_succeeded', gift_cards: giftCardsOf(paid, asked) } as const
const redeeming = operationOf('redeem', 200, { input: { redemption: 'asked' } })
const afterAll: OperationPlan = { kind: 'capture', amount: 1000 }

/** The operation that follows; undefined: none. */
function next(row: TransactionRow, operation: OperationRow, outcome: OperationOutcome): OperationRow | undefined {
  const step = nextSplitTenderStep(row, operation, outcome, afterAll)
  return step && 'operation' in step ? newOperationOn(world, row, step.operation, operation) : undefined
}

const putsBack = (redemption: string, amount: number) => ({ kind: 'reverse', amount, payment_service_id: null, input: { redemption, undoes: true } })

describe('what follows', () => {
  test('a payment without gift cards is none of this', () => {
    expect(next(paymentOf(), operationOf('authorize', 1000), approved(1000))).toBeUndefined()
    expect(compensationAfterReview(world, paymentOf({ authorized_amount: 1000 }))).toBeUndefined()
  })

  test('the payment method has paid: the first card is asked, in no payment service’s name and under the request’s key', () => {
    const operation = operationOf('authorize', 1000, { idempotency_scope: 'scope', idempotency_key: 'key' })
    expect(next(paymentOf({ gift_cards: giftCardsOf(asked) }), operation, approved(1000))).toMatchObject({
      kind: 'redeem',
      amount: 200,
      payment_service_id: null,
      input: { redemption: 'asked' },
      idempotency_scope: 'scope',
      idempotency_key: 'key',
    })
    expect(next(paymentOf({ gift_cards: giftCardsOf(paid) }), operation, approved(1000))).toMatchObject(afterAll)
    for (const outcome of [pending, unknown]) expect(next(paymentOf({ gift_cards: giftCardsOf(asked) }), operation, outcome)).toBeUndefined()
  })

  test('a payment method that refuses leaves it to others what becomes of the payment', () => {
    for (const outcome of [declined, failed]) expect(next(paymentOf(held), operationOf('authorize', 1000), outcome)).toBeUndefined()
  })

  test('a card that refuses has what was paid before it undone, the payment method’s part first, unless a reviewer is to decide', () => {
    for (const outcome of [declined, failed]) {
      expect(next(paymentOf(held), redeeming, outcome)).toMatchObject({ kind: 'void', amount: 1000, input: { undoes: true } })
      expect(next(paymentOf({ gift_cards: held.gift_cards }), redeeming, outcome)).toMatchObject(putsBack('paid', 200))
    }
    expect(next(paymentOf({ ...held, pending_review: true }), redeeming, declined)).toBeUndefined()
  })

  test('a capture that the request asked for and that is refused undoes the payment; one of later does not', () => {
    const whole = { ...held, gift_cards: giftCardsOf(paid), intent: 'capture' } as const
    const capture = operationOf('capture', 1000)
    expect(next(paymentOf(whole), capture, declined)).toMatchObject({ kind: 'void', input: { undoes: true } })
    expect(next(paymentOf(whole), capture, approved(1000))).toBeUndefined()
    expect(next(paymentOf({ ...whole, intent: 'authorize' }), capture, declined)).toBeUndefined()
    expect(next(paymentOf({ ...whole, intent_outcome: 'succeeded' }), capture, declined)).toBeUndefined()
  })

  test('undoing goes on with the next card, also after what is refused, and waits for who has not answered', () => {
    const both = { ...held, gift_cards: giftCardsOf(paid, redemptionOf('other', { status: 'succeeded', amount: 70 })) } as const
    const reverse = operationOf('reverse', 200, { input: { redemption: 'paid', undoes: true } })
    for (const outcome of [approved(200), declined]) {
      expect(next(paymentOf(both), reverse, outcome)).toMatchObject(putsBack('other', 70))
      for (const kind of ['void', 'refund'] as const)
        expect(next(paymentOf(both), operationOf(kind, 1000, { input: { undoes: true } }), outcome)).toMatchObject(putsBack('paid', 200))
    }
    for (const outcome of [unknown, pending]) expect(next(paymentOf(both), reverse, outcome)).toBeUndefined()
  })

  test('what a version before this one began to undo has the payment method’s part undone, too', () => {
    const reverse = operationOf('reverse', 200, { input: { redemption: 'paid' } })
    expect(next(paymentOf(held), reverse, approved(200))).toMatchObject({ kind: 'void', amount: 1000, input: { undoes: true } })
  })

  test('other operations have nothing follow', () => {
    for (const kind of ['refund', 'void', 'increment', 'gift-card-refund'] as const)
      expect(next(paymentOf(held), operationOf(kind, 10), declined)).toBeUndefined()
  })
})

describe('what is given back', () => {
  const begins = (more: Partial<TransactionRow>) => compensationAfterReview(world, paymentOf({ gift_cards: giftCardsOf(), ...more }))

  test('first what is left of a capture: neither given back already nor about to be', () => {
    expect(begins({ authorized_amount: 1000, captured_amount: 1000, refunded_amount: 300, refund_reserved: 200 })).toMatchObject({
      kind: 'refund',
      amount: 500,
      payment_service_id: 'p',
      input: { undoes: true },
    })
  })

  test('or the authorization, where nothing was captured', () => {
    expect(begins({ authorized_amount: 1000 })).toMatchObject({ kind: 'void', amount: 1000, payment_service_id: 'p' })
  })

  test('or what is left of a card’s part, where the payment method has none', () => {
    const part = giftCardsOf(redemptionOf('paid', { status: 'succeeded', refunded: 50 }))
    expect(begins({ gift_cards: part })).toMatchObject(putsBack('paid', 150))
    expect(begins({ gift_cards: part, captured_amount: 1000, refunded_amount: 1000 })).toMatchObject(putsBack('paid', 150))
  })

  test('and nothing, where nothing is left', () => {
    expect(begins({})).toBeUndefined()
    expect(begins({ authorized_amount: 1000, captured_amount: 1000, refunded_amount: 1000 })).toBeUndefined()
  })
})
