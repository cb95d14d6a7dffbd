import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'

const setMark = namedStatement(
  ['account', 'operation', 'transaction', 'mark'],
  (p) => `
update ${ofPayment('operations', p.transaction)}
   set mark = ${p.mark}
 where merchant_account_id = ${p.account}
   and id = ${p.operation}
   and transaction_id = ${p.transaction}
   and status in ('sent', 'unknown', 'pending')
returning 1 as one`,
)

/**
 * Commits what a connector notes of an operation without a final outcome for itself. Throws if another process
 * has decided the operation meanwhile: the connector sends nothing more then.
 */
export async function commitMark(
  world: World,
  { merchant_account_id: account, id: operation, transaction_id: transaction }: OperationRow,
  mark: string,
): Promise<void> {
  const rows = await setMark.run(world, { account, operation, transaction, mark })
  if (rows.length === 0) throw new Error(`operation ${operation} is decided: nothing more is sent for it`)
}
