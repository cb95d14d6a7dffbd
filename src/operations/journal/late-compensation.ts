import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { insertRow } from '../../database/rows/insert-row.ts'
import { sqlFunction } from '../../database/sql-function.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'
import type { TimelineEntry } from '../timeline-entry.ts'
import { insertTimeline, timelineTypes } from './functions/journal-steps.sql.ts'
import { retryJournalWrite, traceCommit, withTimeline } from './journal.ts'

/**
 * Intends the compensation of an operation that moved money after it had failed, once: `compensated_by` is
 * taken by the function that inserts it, and a second process waits for that commit and then finds it taken.
 */
const intendCompensation = sqlFunction({
  name: 'intend_late_compensation',
  parameters: {
    account: 'text',
    late: 'uuid',
    transactionId: 'uuid',
    operation: 'jsonb',
    compensation: 'uuid',
    ...timelineTypes,
  },
  returns: 'text',
  body: (p) => `
declare
  intended operations := jsonb_populate_record(null::operations, ${p.operation});
begin
  update ${ofPayment('operations', p.transactionId)}
     set compensated_by = ${p.compensation},
         check_at = null
   where merchant_account_id = ${p.account}
     and id = ${p.late}
     and transaction_id = ${p.transactionId}
     and status in ('declined', 'failed')
     and compensated_by is null;
  if not found then return 'already intended'; end if;
  ${insertRow('operations', 'intended')}${insertTimeline(p, p.account, p.transactionId)}
  return 'intended';
end`,
})

/** False: another process has intended it. */
export async function intendLateCompensation(
  world: World,
  late: OperationRow,
  compensation: OperationRow,
  timeline: TimelineEntry[],
): Promise<boolean> {
  const intended = withTimeline(world, compensation, timeline)
  const parameters = {
    account: late.merchant_account_id,
    late: late.id,
    transactionId: late.transaction_id,
    operation: JSON.stringify(intended.operation),
    compensation: compensation.id,
    timelineId: world.ids.next(),
    ...intended.timeline,
  }
  const intend = () => intendCompensation.call<'intended' | 'already intended'>(world, parameters)
  const result = await traceCommit(world, 'intend', compensation, () => retryJournalWrite(intend))
  return result === 'intended'
}
