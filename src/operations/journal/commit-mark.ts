import { namedStatement } from '../../database/named-statement.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'

const setMark = namedStatement(
  ['account', 'operation', 'mark'],
  (p) => `
update operations
   set mark = ${p.mark}
 where merchant_account_id = ${p.account}
   and id = ${p.operation}
   and status in ('sent', 'unknown', 'pending')
returning 1 as one`,
)

/**
 * Commits what a connector notes of an operation without a final outcome for itself. Throws if another process
 * has decided the operation meanwhile: the connector sends nothing more then.
 */
export async function commitMark(
  world: World,
  { merchant_account_id: account, id: operation }: OperationRow,
  mark: string,
): Promise<void> {
  const rows = await setMark.run(world, { account, operation, mark })
  if (rows.length === 0) throw new Error(`operation ${operation} is decided: nothing more is sent for it`)
}
