import fc from 'fast-check'
import { expect, test } from 'vitest'
import { halfDone } from '../../../test/support/checks/gift-card-differences.ts'
import type { Outcome } from '../../connectors/contract/outcome.ts'
import { redemptionsAfter } from '../../gift-cards/redemptions/redemption.ts'
import {
  isGiftCardKind,
  isOpen,
  type OperationOutcome,
  type OperationRow,
} from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { nextOperation } from '../execution/next-operation.fixture.ts'
import { project } from '../projection.ts'
import { transitions } from '../status.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { TransactionStatus } from '../transaction.schema.ts'
import { finalOutcome, giftCardsOf, operationOf, paymentOf, redemptionOf } from './gift-card-rows.fixture.ts'

/** A payment and its journal: a model of the sums in `record-outcome.sql.ts`. */
interface Ledger {
  row: TransactionRow
  operations: OperationRow[]
}

interface Plan {
  first: 'authorize' | 'sale' | 'redeem'
  intent: TransactionRow['intent']
  cards: number[]
  asyncCapture: boolean
}

const METHOD_PAYS = 1000

function newTestWorld(): World {
  let count = 0
  const world: Pick<World, 'clock' | 'connectors'> & {
    ids: { next(): string }
    settings: { providerTimeout: number }
  } = {
    clock: { now: () => 0 },
    connectors: new Map(),
    ids: { next: () => String(++count) },
    settings: { providerTimeout: 1_000 },
  }
  return world as World
}

function openLedger(world: World, { first, intent, cards, asyncCapture }: Plan): Ledger {
  const giftCards = giftCardsOf(...cards.map((amount, index) => redemptionOf(`card-${index}`, { amount })))
  const giftCardsAlone = first === 'redeem'
  const operation = operationOf(first, giftCardsAlone ? (cards[0] ?? 0) : METHOD_PAYS, {
    id: world.ids.next(),
    ...(giftCardsAlone && { input: { redemption: 'card-0' } }),
  })
  const row = paymentOf({
    intent,
    amount: cards.reduce((total, amount) => total + amount, giftCardsAlone ? 0 : METHOD_PAYS),
    active_operation_id: operation.id,
    gift_cards: giftCards,
    details: asyncCapture ? { async_capture: true } : {},
    ...(giftCardsAlone && { payment_method: null, payment_service_id: null }),
  })
  return { row, operations: [operation] }
}

function outcomeOf(
  { kind, amount }: OperationRow,
  status: Outcome['status'],
  part: number,
): OperationOutcome {
  const none = { facts: {}, references: {} }
  switch (status) {
    case 'approved':
      return {
        status,
        amount: kind === 'authorize' ? Math.max(1, Math.floor(amount * part)) : amount,
        facts: {},
        references: { operation: 'theirs' },
      }
    case 'pending':
      return { status, ...none }
    case 'declined':
      return { status, code: isGiftCardKind(kind) ? 'insufficient_funds' : 'issuer_decline', ...none }
    case 'failed':
      return { status, code: 'service_error', ...none }
    case 'unknown':
      return { status, reason: 'lost' }
  }
}

/** Records an outcome and intends the next operation, as one commit does. */
function recordOutcome(
  world: World,
  { row, operations }: Ledger,
  operation: OperationRow,
  outcome: OperationOutcome,
): void {
  const change = project(row, operation, outcome)
  const next = nextOperation(world, row, operation, outcome)
  expect(next?.transaction ?? null).toBeNull()
  const allowed: readonly TransactionStatus[] = transitions[row.status]
  expect([row.status, ...allowed]).toContain(change.status)
  if (row.intent_outcome !== 'pending') expect([null, row.intent_outcome]).toContain(change.intentOutcome)
  operation.status = outcome.status
  row.status = change.status
  row.intent_outcome = change.intentOutcome ?? row.intent_outcome
  row.authorized_amount += change.authorized
  row.captured_amount += change.captured
  row.refunded_amount += change.refunded
  row.capture_reserved +=
    change.captureReserved + (next?.operation.kind === 'capture' ? next.operation.amount : 0)
  row.refund_reserved +=
    change.refundReserved + (next?.operation.kind === 'refund' ? next.operation.amount : 0)
  row.capture_closed = change.captureClosed ?? row.capture_closed
  if (change.redemptions && row.gift_cards)
    row.gift_cards = redemptionsAfter(row.gift_cards, change.redemptions)
  if (outcome.status !== 'unknown') row.active_operation_id = next?.operation.id ?? null
  if (next) operations.push(next.operation)
}

/** The constraints of the table. */
function expectAmountsHold({ row }: Ledger): void {
  expect(row.captured_amount + row.capture_reserved).toBeLessThanOrEqual(row.authorized_amount)
  expect(row.refunded_amount + row.refund_reserved).toBeLessThanOrEqual(row.captured_amount)
  for (const { amount, refunded, refund_reserved } of row.gift_cards?.redemptions ?? [])
    expect(refunded + refund_reserved).toBeLessThanOrEqual(amount)
}

const plan: fc.Arbitrary<Plan> = fc.record({
  first: fc.constantFrom('authorize', 'sale', 'redeem'),
  intent: fc.constantFrom('authorize', 'capture'),
  cards: fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 10 }),
  asyncCapture: fc.boolean(),
})
const anyOutcome = fc.constantFrom<Outcome['status']>(
  'approved',
  'approved',
  'approved',
  'approved',
  'pending',
  'declined',
  'failed',
  'unknown',
)

/**
 * A payment's history: one operation is open at a time, and it gets a few outcomes that are not final at
 * most.
 */
const history = fc
  .record({
    plan,
    outcomes: fc.array(anyOutcome, { minLength: 1, maxLength: 60, size: 'max' }),
    last: finalOutcome,
    part: fc.constantFrom(1, 1, 0.5),
  })
  .map(({ plan: { intent, ...rest }, outcomes, last, part }) => {
    const world = newTestWorld()
    const ledger = openLedger(world, { ...rest, intent: rest.first === 'sale' ? 'capture' : intent })
    const drawn = outcomes.values()
    // each card is redeemed and reversed at most once, and each operation may be unknown and then pending
    // before its final outcome
    const maxSteps = 3 * (2 * rest.cards.length + 3) + outcomes.length
    for (let steps = 0; ; steps++) {
      const opened = ledger.operations.filter(({ status }) => isOpen(status))
      expect(opened.length).toBeLessThanOrEqual(1)
      const [operation] = opened
      if (!operation) return ledger
      expect(steps).toBeLessThan(maxSteps)
      const outcome = outcomeOf(operation, drawn.next().value ?? last, part)
      const repeats =
        outcome.status === operation.status ||
        (outcome.status === 'unknown' && operation.status === 'pending')
      recordOutcome(world, ledger, operation, repeats ? outcomeOf(operation, last, part) : outcome)
      expectAmountsHold(ledger)
    }
  })

test('with any outcomes of its parts, a split tender ends, and took effect whole or is undone', () => {
  fc.assert(
    fc.property(history, ({ row, operations }) => {
      expect(halfDone(row, operations)).toEqual([])
      expect([row.capture_reserved, row.refund_reserved, row.active_operation_id]).toEqual([0, 0, null])
      if (row.intent_outcome === 'succeeded' && row.intent === 'capture')
        expect(row.captured_amount).toBe(row.authorized_amount)
    }),
    { numRuns: 3000 },
  )
})

test('no operation of a split tender is repeated', () => {
  fc.assert(
    fc.property(history, ({ operations }) => {
      const effects = operations.map(({ kind, input }) => `${kind} ${input.redemption ?? ''}`)
      expect(effects).toEqual([...new Set(effects)])
    }),
    { numRuns: 1000 },
  )
})

test('redemptions have the approved amounts, and with gift cards alone the intent’s outcome decides the status', () => {
  fc.assert(
    fc.property(history, ({ row, operations }) => {
      const approved = (kind: OperationRow['kind'], redemption: string) =>
        operations
          .filter(
            (operation) =>
              operation.kind === kind &&
              operation.input.redemption === redemption &&
              operation.status === 'approved',
          )
          .reduce((total, { amount }) => total + amount, 0)
      for (const { id, status, amount, refunded, sealed } of row.gift_cards?.redemptions ?? []) {
        expect([status === 'succeeded' ? amount : 0, refunded, sealed]).toEqual([
          approved('redeem', id),
          approved('reverse', id),
          null,
        ])
      }
      if (row.payment_method === null)
        expect(row.status).toBe(
          row.intent_outcome === 'succeeded' ? 'capture_succeeded' : 'authorization_failed',
        )
    }),
    { numRuns: 1000 },
  )
})
