import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OperationKind } from '../connectors/contract/call.ts'
import type { Outcome } from '../connectors/contract/outcome.ts'
import { isOpen, type OperationRow } from '../operations/operation.ts'
import { project } from './projection.ts'
import { finalOutcome, operationOf, paymentOf } from './split-tender/gift-card-rows.fixture.ts'
import { transitions } from './status.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionStatus } from './transaction.schema.ts'

const AMOUNT = 1000
const ALLOWANCE = 50

/** A payment and its journal: a model of the guards and sums in `record-outcome.sql.ts`. */
interface Ledger {
  row: TransactionRow
  operations: OperationRow[]
}

function openLedger(kind: 'authorize' | 'sale', intent: 'authorize' | 'capture'): Ledger {
  const operation = operationOf(kind, AMOUNT, { id: '0' })
  return { row: paymentOf({ intent, active_operation_id: operation.id }), operations: [operation] }
}

type Guard = (row: TransactionRow, amount: number) => boolean

const guards: Partial<Record<OperationKind, Guard>> = {
  capture: (row, amount) =>
    ['authorization_succeeded', 'capture_succeeded', 'capture_pending'].includes(row.status) &&
    !row.capture_closed &&
    row.captured_amount + row.capture_reserved + amount <= row.authorized_amount + ALLOWANCE,
  void: (row) =>
    row.status === 'authorization_succeeded' && row.captured_amount === 0 && row.capture_reserved === 0,
  cancel: (row) => row.status === 'processing',
  increment: (row) => row.status === 'authorization_succeeded' && !row.capture_closed,
  refund: (row, amount) =>
    row.status === 'capture_succeeded' &&
    row.captured_amount - row.refunded_amount - row.refund_reserved >= amount,
}

function intend({ row, operations }: Ledger, kind: OperationKind, amount: number, final: boolean): void {
  const exclusive = kind !== 'refund'
  if ((exclusive && row.active_operation_id) || !guards[kind]?.(row, amount)) return
  const operation = operationOf(kind, amount, { id: String(operations.length), input: { final } })
  operations.push(operation)
  if (exclusive) row.active_operation_id = operation.id
  if (kind === 'capture') row.capture_reserved += amount
  if (kind === 'refund') row.refund_reserved += amount
}

const outcomes = (amount: number): Record<Outcome['status'], Outcome> => ({
  approved: { status: 'approved', amount, facts: {}, references: {} },
  pending: { status: 'pending', facts: {}, references: {} },
  declined: { status: 'declined', code: 'issuer_decline', facts: {}, references: {} },
  failed: { status: 'failed', code: 'service_error', facts: {}, references: {} },
  unknown: { status: 'unknown', reason: 'lost' },
})

/** Records an outcome of an open operation, unless no payment service could answer that. */
function recordOutcome(ledger: Ledger, operation: OperationRow, status: Outcome['status']): void {
  const { row, operations } = ledger
  const [payment] = operations
  const repeats = status === operation.status || (status === 'unknown' && operation.status === 'pending')
  const cancelsDecided =
    operation.kind === 'cancel' && status === 'approved' && !(payment && isOpen(payment.status))
  if (!isOpen(operation.status) || repeats || cancelsDecided) return
  const change = project(row, operation, outcomes(operation.amount)[status])
  const allowed: readonly TransactionStatus[] = transitions[row.status]
  expect([row.status, ...allowed]).toContain(change.status)
  operation.status = status
  row.status = change.status
  if (row.intent_outcome === 'pending') row.intent_outcome = change.intentOutcome ?? 'pending'
  row.amount += change.amount
  row.authorized_amount += change.authorized
  row.captured_amount += change.captured
  row.refunded_amount += change.refunded
  row.capture_reserved += change.captureReserved
  row.refund_reserved += change.refundReserved
  row.capture_closed = change.captureClosed ?? row.capture_closed
  if (row.active_operation_id === operation.id && status !== 'unknown') row.active_operation_id = null
  if (operation.kind === 'cancel' && status === 'approved' && payment) payment.status = 'failed'
}

function expectAmountsHold({ row }: Ledger): void {
  const amounts = [
    row.amount,
    row.authorized_amount,
    row.captured_amount,
    row.refunded_amount,
    row.capture_reserved,
    row.refund_reserved,
  ]
  expect(Math.min(...amounts)).toBeGreaterThanOrEqual(0)
  expect(row.captured_amount + row.capture_reserved).toBeLessThanOrEqual(row.authorized_amount + ALLOWANCE)
  expect(row.refunded_amount + row.refund_reserved).toBeLessThanOrEqual(row.captured_amount)
}

/** While nothing is captured and a capture is open, the status says so. */
function expectPendingCapturesShown({ row, operations }: Ledger): void {
  const hasOpenCapture = operations.some(
    ({ kind, status }) => kind === 'capture' && (status === 'pending' || status === 'unknown'),
  )
  if (hasOpenCapture && row.captured_amount === 0) expect(row.status).toBe('capture_pending')
}

/**
 * The status that a payment must have once no operation is open (semantics §3.2), computed from its
 * operations alone.
 */
function statusOf({ operations }: Ledger): TransactionStatus {
  const approved = (kind: OperationRow['kind']) =>
    operations.some((operation) => operation.kind === kind && operation.status === 'approved')
  if (approved('capture') || approved('sale')) return 'capture_succeeded'
  if (approved('void')) return 'authorization_voided'
  return approved('authorize') ? 'authorization_succeeded' : 'authorization_failed'
}

const step = fc.record({
  kind: fc.constantFrom<OperationKind>('capture', 'void', 'cancel', 'increment', 'refund'),
  intends: fc.boolean(),
  which: fc.nat(20),
  amount: fc.integer({ min: 1, max: AMOUNT + ALLOWANCE }),
  final: fc.boolean(),
  outcome: fc.constantFrom<Outcome['status']>(
    'approved',
    'approved',
    'pending',
    'declined',
    'failed',
    'unknown',
  ),
})

/** A payment's history: intents and outcomes in any order, then a final outcome for every open operation. */
const history = fc
  .record({
    kind: fc.constantFrom('authorize' as const, 'sale' as const),
    steps: fc.array(step, { maxLength: 40, size: 'max' }),
    last: fc.array(finalOutcome, { minLength: 41 }),
  })
  .map(({ kind, steps, last }) => {
    const ledger = openLedger(kind, kind === 'sale' ? 'capture' : 'authorize')
    for (const { kind, intends, which, amount, final, outcome } of steps) {
      const candidates = ledger.operations.filter((operation) => isOpen(operation.status))
      const chosen = candidates[which % Math.max(candidates.length, 1)]
      if (intends || !chosen) intend(ledger, kind, amount, final)
      else recordOutcome(ledger, chosen, outcome)
      expectAmountsHold(ledger)
      expectPendingCapturesShown(ledger)
    }
    for (const [index, operation] of ledger.operations.entries()) {
      recordOutcome(ledger, operation, last[index] ?? 'failed')
      // a payment service does not approve the cancellation of a payment with a final outcome
      if (isOpen(operation.status)) recordOutcome(ledger, operation, 'declined')
      expectAmountsHold(ledger)
    }
    return ledger
  })

test('in any order of events the amounts hold, every change of status is a legal one, and nothing stays reserved', () => {
  fc.assert(
    fc.property(history, (ledger) => {
      const { row } = ledger
      expect([row.capture_reserved, row.refund_reserved, row.active_operation_id]).toEqual([0, 0, null])
      expect(row.status).toBe(statusOf(ledger))
    }),
    { numRuns: 2000 },
  )
})

test('only a successful final capture or void closes an authorization', () => {
  fc.assert(
    fc.property(history, ({ row, operations }) => {
      fc.pre(operations[0]?.kind === 'authorize')
      const closes = ({ kind, status, input }: OperationRow) =>
        status === 'approved' && (kind === 'void' || (kind === 'capture' && input.final === true))
      expect(row.capture_closed).toBe(operations.some(closes))
    }),
    { numRuns: 1000 },
  )
})

test('the amounts are the sums of the approved operations', () => {
  fc.assert(
    fc.property(history, ({ row, operations }) => {
      const sum = (...kinds: OperationRow['kind'][]) =>
        operations
          .filter(({ kind, status }) => status === 'approved' && kinds.includes(kind))
          .reduce((total, { amount }) => total + amount, 0)
      expect(row.authorized_amount).toBe(sum('authorize', 'sale', 'increment'))
      expect(row.captured_amount).toBe(sum('sale', 'capture'))
      expect(row.refunded_amount).toBe(sum('refund'))
      expect(row.amount).toBe(AMOUNT + sum('increment'))
    }),
    { numRuns: 1000 },
  )
})

test('an unknown outcome never moves money', () => {
  fc.assert(
    fc.property(history, ({ row, operations }) => {
      for (const operation of operations) {
        const change = project({ ...row }, operation, { status: 'unknown', reason: 'lost' })
        expect([
          change.amount,
          change.authorized,
          change.captured,
          change.refunded,
          change.captureReserved,
          change.refundReserved,
        ]).toEqual([0, 0, 0, 0, 0, 0])
        expect(change.intentOutcome).toBeNull()
      }
    }),
    { numRuns: 200 },
  )
})
