import { type AuditAction, auditEntry } from '../../database/logs/audit-log.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'
import type { TimelineEntry } from '../timeline-entry.ts'
import { type FollowUpKind, intendFollowUp as functions } from './functions/intend-follow-up.sql.ts'
import { type Claim, claimParameters, retryJournalWrite, traceCommit, withTimeline } from './journal.ts'
import { retryFirstUse, type SpendingRefusal } from './spending.ts'

export type { FollowUpKind } from './functions/intend-follow-up.sql.ts'

export interface FollowUp {
  operation: OperationRow & { kind: FollowUpKind }
  /** How far beyond the authorization a capture may go. */
  allowance: number
  /** The most that may count after the operation without approval; null: any amount. */
  approvedUpTo: number | null
  /** What must count before it; null: any amount. */
  countedBefore: number | null
  timeline: TimelineEntry[]
  claim: Claim | undefined
}

/**
 * What the audit log calls it. A refund is a resource of its own; everything else happens to its transaction.
 */
const actions: Record<Exclude<FollowUpKind, 'refund' | 'gift-card-refund'>, AuditAction> = {
  capture: 'captured',
  void: 'voided',
  cancel: 'canceled',
  increment: 'updated',
}

function followUpAuditEntry(
  world: World,
  { id, kind, transaction_id, input }: FollowUp['operation'],
): string | null {
  const refunded = {
    action: 'created',
    resource: { type: 'refund', id, name: input.external_identifier ?? null },
  } as const
  const forced = {
    action: 'updated',
    resource: {
      type: 'transaction',
      id: transaction_id,
      name: `refund forced: ${input.reason}${input.dispute ? ` (dispute ${input.dispute})` : ''}`,
    },
  } as const
  return kind === 'refund' || kind === 'gift-card-refund'
    ? auditEntry(world, refunded, ...(input.forced ? [forced] : []))
    : auditEntry(world, {
        action: actions[kind],
        resource: { type: 'transaction', id: transaction_id, name: null },
      })
}

/** Anything but a transaction wrote nothing. `changed meanwhile`: the money or the state is not there any more. */
export type IntendFollowUpResult<T> = { transaction: T } | { exceeded: SpendingRefusal } | 'changed meanwhile'

/** Reserves and intends an operation on an existing transaction. */
export async function intendFollowUp<T>(
  world: World,
  { operation, allowance, approvedUpTo, countedBefore, timeline, claim: idempotency }: FollowUp,
): Promise<IntendFollowUpResult<T>> {
  const { spending } = operation.input
  const intended = withTimeline(world, operation, timeline)
  const parameters = {
    account: operation.merchant_account_id,
    transactionId: operation.transaction_id,
    operationId: operation.id,
    amount: operation.amount,
    allowance,
    approvedUpTo,
    countedBefore,
    operation: JSON.stringify(intended.operation),
    timelineId: world.ids.next(),
    ...claimParameters(idempotency),
    now: operation.created_at,
    ...intended.timeline,
    auditEntry: followUpAuditEntry(world, operation),
    spending: spending ? JSON.stringify(spending) : null,
  }
  const intend = () =>
    functions[operation.kind].call<Exclude<IntendFollowUpResult<T>, string> | null>(world, parameters)
  const result = await traceCommit(world, 'intend', operation, () =>
    retryJournalWrite(() => (spending ? retryFirstUse(intend) : intend())),
  )
  return result ?? 'changed meanwhile'
}
