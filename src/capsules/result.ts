import type { TimelineEntry } from '../operations/timeline-entry.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import type { CapsuleResult } from './capsule.schema.ts'

/** What became of the payment. */
export const resultOf = ({
  status,
  intent_outcome,
  error_code,
  amount,
  authorized_amount,
  captured_amount,
  refunded_amount,
}: TransactionRow): CapsuleResult => ({
  status,
  intent_outcome,
  error_code,
  amount,
  authorized_amount,
  captured_amount,
  refunded_amount,
})

/** What made Railyard look an operation up. In a replay that is always recovery, at the same time. */
const triggers = [
  'payment-connector-transaction-webhook-processed',
  'transaction-sync-event',
  'transaction-sync-failed-event',
]

/** The names of the entries that a replay compares, the oldest first. */
export const shownEntries = (entries: readonly TimelineEntry[]): string[] =>
  entries
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ name }) => name)
    .filter((name) => !triggers.includes(name))
