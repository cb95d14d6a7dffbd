import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import type { World } from '../../world.ts'
import { timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import { recoverPayment } from './recover-payment.ts'

/** Nothing, once the payment was retired: no partition would take the row. */
const insertTimelineEntries = `
insert into transaction_events (merchant_account_id, transaction_id, id, entries)
select merchant_account_id,
       id,
       $3::uuid,
       $4::json
  from ${ofPayment('transactions', '$2')}
 where merchant_account_id = $1
   and id = $2::uuid`

/**
 * Asks the payment service now about everything on a transaction that is not decided, and answers the
 * transaction as it then stands.
 */
export async function syncTransaction(world: World, account: string, id: string): Promise<TransactionRow> {
  const before = await readTransaction(world, account, id)
  const open = (await readOperations(world, account, id)).filter((operation) => isLookupDue(world, operation))
  await Promise.all(open.map((operation) => recoverPayment(world, operation)))
  const after = await readTransaction(world, account, id)
  // an operation that a process left behind stays `sent` until the payment service tells
  const unanswered = (await readOperations(world, account, id)).filter(
    ({ id, status }) => (status === 'unknown' || status === 'sent') && open.some((asked) => asked.id === id),
  )
  const name = unanswered.length > 0 ? 'transaction-sync-failed-event' : 'transaction-sync-event'
  const context = {
    status: after.status,
    previous_status: before.status,
    operations: open.length,
    unanswered: unanswered.length,
  }
  await appendTimelineEntry(world, account, id, timelineEntry(world, name, context))
  return after
}

/** A line of the story that no outcome comes with. */
export const appendTimelineEntry = async (
  world: World,
  account: string,
  transaction: string,
  line: TimelineEntry,
): Promise<void> =>
  void (await world.run(insertTimelineEntries, [
    account,
    transaction,
    world.ids.next(),
    JSON.stringify([line]),
  ]))

/** What is on its way just now is left to the request that sent it. */
export function isLookupDue({ clock }: World, { status, check_at }: OperationRow): boolean {
  if (status === 'unknown' || status === 'pending') return true
  return (
    (status === 'sent' || status === 'queued') && check_at !== null && Date.parse(check_at) <= clock.now()
  )
}
