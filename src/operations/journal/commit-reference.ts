import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'

const setReference = namedStatement(
  ['account', 'operation', 'transaction', 'reference'],
  (p) => `
update ${ofPayment('operations', p.transaction)}
   set payment_service_transaction_id = ${p.reference}
 where merchant_account_id = ${p.account}
   and id = ${p.operation}
   and transaction_id = ${p.transaction}
   and status in ('sent', 'unknown')
returning 1 as one`,
)

/**
 * Commits the payment service's id of the payment on an operation in flight, before the payment service is asked to
 * move money. Throws if another process has decided the operation meanwhile: the connector sends nothing more then.
 */
export async function commitReference(
  world: World,
  { merchant_account_id: account, id: operation, transaction_id: transaction }: OperationRow,
  reference: string,
): Promise<void> {
  const rows = await setReference.run(world, { account, operation, transaction, reference })
  if (rows.length === 0) throw new Error(`operation ${operation} is decided: nothing more is sent for it`)
}
