import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import type { World } from '../../world.ts'
import { type OperationRecords, operationEntriesOf } from '../operation.ts'
import type { TimelineEntry } from '../timeline-entry.ts'
import { entriesOf, type StoredTimeline } from './journal.ts'

const selectTimeline = `
select entries,
       packed
  from ${ofPayment('transaction_events', '$2')}
 where merchant_account_id = $1
   and transaction_id = $2`

/** The stored lines of the timeline of a transaction with these operations, oldest first. */
export async function readTimelineEntries(
  { run }: Pick<World, 'run'>,
  account: string,
  transaction: string,
  operations: readonly OperationRecords[],
): Promise<TimelineEntry[]> {
  const rows = await run<StoredTimeline & Record<string, unknown>>(selectTimeline, [account, transaction])
  return timelineEntries(rows, operations)
}

/** The lines of these rows and those of these operations, oldest first. */
export const timelineEntries = (
  rows: readonly StoredTimeline[],
  operations: readonly OperationRecords[],
): TimelineEntry[] =>
  [...rows.flatMap(entriesOf), ...operations.flatMap(operationEntriesOf)].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  )
