import type { Outcome } from '../connectors/connector.ts'
import type { OperationRow } from '../operations/operation.ts'
import { moveTo } from './status.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionIntentOutcome, TransactionStatus } from './transaction.schema.ts'

/** What an outcome changes on its transaction. Amounts are added, so that concurrent refunds never overwrite each other. */
export interface Change {
  status: TransactionStatus
  /** Null: as it is. */
  intentOutcome: TransactionIntentOutcome | null
  amount: number
  authorized: number
  captured: number
  refunded: number
  captureReserved: number
  refundReserved: number
  /** Null: as it is. */
  captureClosed: boolean | null
  stamp: 'authorized_at' | 'captured_at' | 'voided_at' | 'canceled_at' | 'buyer_approval_timedout_at' | null
}

const unchanged = (row: TransactionRow): Change => ({
  status: row.status,
  intentOutcome: null,
  amount: 0,
  authorized: 0,
  captured: 0,
  refunded: 0,
  captureReserved: 0,
  refundReserved: 0,
  captureClosed: null,
  stamp: null,
})

type Projection = (row: TransactionRow, operation: OperationRow, outcome: Outcome) => Partial<Change>

/** Where an authorized payment stands when no capture has succeeded: others may still be under way. */
const withoutCapture = (row: TransactionRow, reservedAfter: number): TransactionStatus =>
  row.captured_amount > 0 ? 'capture_succeeded' : reservedAfter > 0 ? 'capture_pending' : 'authorization_succeeded'

const refused: Partial<Change> = { status: 'authorization_failed', intentOutcome: 'failed' }

/** What the buyer chose may have changed the amount (SPEC §4.12); no money has moved yet. */
const approval: Projection = (row, _operation, outcome) => {
  switch (outcome.status) {
    case 'pending':
      return { status: 'buyer_approval_pending' }
    case 'approved':
      return { status: 'processing', amount: outcome.amount - row.amount }
    case 'unknown':
      return {}
    default:
      return { ...refused, stamp: outcome.code === 'incomplete_buyer_approval' ? 'buyer_approval_timedout_at' : null }
  }
}

const authorize: Projection = (row, _operation, outcome) => {
  if (outcome.status === 'approved') {
    // a split capture decides the intent's outcome (SEMANTICS §3.4)
    const intentOutcome = row.intent === 'capture' ? 'pending' : 'succeeded'
    return { status: 'authorization_succeeded', authorized: outcome.amount, intentOutcome, stamp: 'authorized_at' }
  }
  return outcome.status === 'declined' || outcome.status === 'failed' ? refused : {}
}

const sale: Projection = (_row, _operation, outcome) => {
  if (outcome.status === 'approved') {
    return {
      status: 'capture_succeeded',
      authorized: outcome.amount,
      captured: outcome.amount,
      captureClosed: true,
      intentOutcome: 'succeeded',
      stamp: 'captured_at',
    }
  }
  if (outcome.status === 'pending') return { status: 'capture_pending', captureClosed: true }
  return outcome.status === 'unknown' ? {} : refused
}

const capture: Projection = (row, operation, outcome) => {
  const final = operation.input.final ?? true
  const intentOutcome = row.intent === 'capture' && row.intent_outcome === 'pending' ? (outcome.status === 'approved' ? 'succeeded' : 'failed') : null
  switch (outcome.status) {
    case 'approved':
      return {
        status: 'capture_succeeded',
        captured: operation.amount,
        captureReserved: -operation.amount,
        captureClosed: final || null,
        intentOutcome,
        stamp: 'captured_at',
      }
    case 'pending':
    case 'unknown':
      return { status: row.captured_amount > 0 ? 'capture_succeeded' : 'capture_pending', captureClosed: final || null }
    default: {
      const reserved = row.capture_reserved - operation.amount
      return {
        status: withoutCapture(row, reserved),
        captureReserved: -operation.amount,
        captureClosed: final ? false : null,
        intentOutcome,
      }
    }
  }
}

const release: Projection = (_row, _operation, outcome) => {
  if (outcome.status === 'approved') return { status: 'authorization_voided', captureClosed: true, stamp: 'voided_at' }
  return { status: outcome.status === 'pending' || outcome.status === 'unknown' ? 'authorization_void_pending' : 'authorization_succeeded' }
}

const cancel: Projection = (_row, _operation, outcome) => (outcome.status === 'approved' ? { ...refused, stamp: 'canceled_at' } : {})

const increment: Projection = (_row, operation, outcome) =>
  outcome.status === 'approved' ? { authorized: operation.amount, amount: operation.amount } : {}

const refund: Projection = (_row, operation, outcome) => {
  if (outcome.status === 'approved') return { refunded: operation.amount, refundReserved: -operation.amount }
  return outcome.status === 'declined' || outcome.status === 'failed' ? { refundReserved: -operation.amount } : {}
}

const projections: Record<OperationRow['kind'], Projection> = {
  approval,
  authorize,
  sale,
  capture,
  void: release,
  cancel,
  increment,
  refund,
  correction: () => ({}),
}

/** The transaction as a function of its operations: what this outcome of this operation changes (DESIGN §5). */
export function project(row: TransactionRow, operation: OperationRow, outcome: Outcome): Change {
  const change = { ...unchanged(row), ...projections[operation.kind](row, operation, outcome) }
  return { ...change, status: moveTo(row.status, change.status) }
}
