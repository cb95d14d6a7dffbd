import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import type { World } from '../../world.ts'
import { entriesOf, type StoredTimeline, type TimelineEntry } from './journal.ts'

const selectTimeline = `
select entries,
       packed
  from ${ofPayment('transaction_events', '$2')}
 where merchant_account_id = $1
   and transaction_id = $2
 order by id`

/** The stored lines of a transaction's timeline, in the order of their commits. */
export async function readTimelineEntries(
  { run }: Pick<World, 'run'>,
  account: string,
  transaction: string,
): Promise<TimelineEntry[]> {
  const rows = await run<StoredTimeline & Record<string, unknown>>(selectTimeline, [account, transaction])
  return rows.flatMap(entriesOf)
}
