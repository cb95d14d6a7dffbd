import type { TransactionStatus } from './transaction.schema.ts'

/**
 * Every legal change of a transaction's status (SEMANTICS §3.2). `moveTo` is the only code that allows one; a person's correction
 * (PUT, SEMANTICS §3.9) is outside it, and has rules of its own in corrected.ts. `authorization_declined` is never reached (SEMANTICS §0.1).
 */
export const transitions = {
  processing: ['buyer_approval_pending', 'authorization_succeeded', 'authorization_failed', 'capture_pending', 'capture_succeeded'],
  // once the buyer has approved, the money step is on its way: its outcome is not known yet
  buyer_approval_pending: ['processing', 'authorization_succeeded', 'authorization_failed', 'capture_pending', 'capture_succeeded'],
  authorization_succeeded: ['capture_pending', 'capture_succeeded', 'authorization_void_pending', 'authorization_voided'],
  authorization_void_pending: ['authorization_voided', 'authorization_succeeded'],
  capture_pending: ['capture_succeeded', 'authorization_succeeded', 'authorization_failed'],
  capture_succeeded: [],
  authorization_voided: [],
  authorization_failed: [],
  authorization_declined: [],
} as const satisfies Record<TransactionStatus, readonly TransactionStatus[]>

/**
 * The status to go to. Only a person's correction brings a transaction where the table knows no way on: what that person decided then stands,
 * while the operation is settled and its amounts count.
 */
export function moveTo(from: TransactionStatus, to: TransactionStatus): TransactionStatus {
  const allowed: readonly TransactionStatus[] = transitions[from]
  return allowed.includes(to) ? to : from
}
