import type { TransactionStatus } from './transaction.schema.ts'

/**
 * Every change of a transaction's status that an operation may bring (semantics §3.2). `moveTo` is the only
 * reader. A merchant's correction (PUT, semantics §3.9) has rules of its own in actions/correction-rules.ts.
 * No operation leads to `authorization_declined` (semantics §0.1).
 */
export const transitions = {
  processing: [
    'buyer_approval_pending',
    'authorization_succeeded',
    'authorization_failed',
    'capture_pending',
    'capture_succeeded',
  ],
  // `processing`: the buyer has approved, and the outcome of the money step is not known yet
  buyer_approval_pending: [
    'processing',
    'authorization_succeeded',
    'authorization_failed',
    'capture_pending',
    'capture_succeeded',
  ],
  authorization_succeeded: [
    'capture_pending',
    'capture_succeeded',
    'authorization_void_pending',
    'authorization_voided',
  ],
  authorization_void_pending: ['authorization_voided', 'authorization_succeeded'],
  capture_pending: ['capture_succeeded', 'authorization_succeeded', 'authorization_failed'],
  capture_succeeded: [],
  authorization_voided: [],
  authorization_failed: [],
  authorization_declined: [],
} as const satisfies Record<TransactionStatus, readonly TransactionStatus[]>

/**
 * The status after an operation: `to` if the table allows it, else `from`. Only a merchant's correction
 * brings a transaction to a status from which an operation's outcome is no legal change. The corrected status
 * then stays; the outcome is recorded and its amounts count.
 */
export function moveTo(from: TransactionStatus, to: TransactionStatus): TransactionStatus {
  const allowed: readonly TransactionStatus[] = transitions[from]
  return allowed.includes(to) ? to : from
}
