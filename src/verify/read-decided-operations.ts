import type { OperationKind } from '../connectors/contract/call.ts'
import { namedStatement } from '../database/named-statement.ts'
import type { Statements } from '../database/statements.ts'
import type { OperationRow } from '../operations/operation.ts'
import type { PayoutRow } from '../payouts/payout.row.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import { finalStatusesInSql } from './finding.ts'

/** A decided operation with the rows that contain its ids at the payment service. */
export interface DecidedOperation {
  operation: OperationRow
  /** Null: the operation is a payout's, or its payment is gone. */
  transaction: TransactionRow | null
  payout: PayoutRow | null
  /** The kinds of the other approved operations of the same payment at this payment service. */
  approved_besides: OperationKind[]
  /** The status of the compensation, if it moved money after it had failed; null: none was needed. */
  compensation: OperationRow['status'] | null
}

/** Small, because the rows contain their exchanges. */
const BATCH = 100

const selectBatch = namedStatement(
  ['account', 'after', 'since'],
  (p) => `
select row_to_json(o) as operation,
       row_to_json(t) as transaction,
       row_to_json(p) as payout,
       (select coalesce(json_agg(distinct other.kind), '[]')
          from operations other
         where other.merchant_account_id = o.merchant_account_id
           and other.transaction_id = o.transaction_id
           and other.payment_service_id = o.payment_service_id
           and other.id <> o.id
           and other.status = 'approved') as approved_besides,
       (select c.status
          from operations c
         where c.merchant_account_id = o.merchant_account_id
           and c.id = o.compensated_by) as compensation
  from operations o
  left join transactions t on o.kind <> 'payout' and t.merchant_account_id = o.merchant_account_id and t.id = o.transaction_id
  left join payouts p on o.kind = 'payout' and p.merchant_account_id = o.merchant_account_id and p.id = o.transaction_id
 where (o.merchant_account_id, o.id) > (${p.account}, ${p.after}::uuid)
   and o.status in ${finalStatusesInSql}
   and o.kind in ('authorize', 'sale', 'capture', 'void', 'cancel', 'increment', 'refund', 'payout')
   and o.settled_at >= ${p.since}::timestamptz
 order by o.merchant_account_id, o.id
 limit ${BATCH}`,
)

/** Reads the operations at payment services that were decided since then, a batch at a time. */
export async function* readDecidedOperations(run: Statements, since: Date): AsyncGenerator<DecidedOperation> {
  let last = { merchant_account_id: '', id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const parameters = { account: last.merchant_account_id, after: last.id, since: since.toISOString() }
    const rows = await selectBatch.run<DecidedOperation & Record<string, unknown>>({ run }, parameters)
    yield* rows
    const end = rows.at(-1)
    if (!end || rows.length < BATCH) return
    last = end.operation
  }
}
