import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'
import { retryJournalWrite, type TimelineEntry, timelineParameters, traceCommit } from './journal.ts'
import { insertTimeline } from './journal-ctes.sql.ts'

/**
 * Intends the compensation of an operation that moved money after it had failed, once: `compensated_by` is
 * taken by the statement that inserts it, and a second process waits for that commit and then finds it taken.
 */
const intendStatement = namedStatement(
  [
    'account',
    'late',
    'transactionId',
    'operation',
    'compensation',
    'timelineId',
    'timelineEntries',
    'timelinePacked',
  ],
  (p) => `
with late as (
  update ${ofPayment('operations', p.transactionId)}
     set compensated_by = ${p.compensation}::uuid,
         check_at = null
   where merchant_account_id = ${p.account}
     and id = ${p.late}::uuid
     and transaction_id = ${p.transactionId}::uuid
     and status in ('declined', 'failed')
     and compensated_by is null
  returning merchant_account_id, transaction_id as id
), intended as (
  insert into operations
  select row.*
    from late,
         jsonb_populate_record(null::operations, ${p.operation}::jsonb) row
), timeline as (${insertTimeline('late', { id: `${p.timelineId}::uuid`, entries: `${p.timelineEntries}::json`, packed: `${p.timelinePacked}::bytea` })}
)
select 1 as one
  from late`,
)

/** False: another process has intended it. */
export async function intendLateCompensation(
  world: World,
  late: OperationRow,
  compensation: OperationRow,
  timeline: TimelineEntry[],
): Promise<boolean> {
  const parameters = {
    account: late.merchant_account_id,
    late: late.id,
    transactionId: late.transaction_id,
    operation: JSON.stringify(compensation),
    compensation: compensation.id,
    timelineId: world.ids.next(),
    ...timelineParameters(world, timeline),
  }
  const intend = () => intendStatement.run(world, parameters)
  const rows = await traceCommit(world, 'intend', compensation, () => retryJournalWrite(intend))
  return rows.length > 0
}
