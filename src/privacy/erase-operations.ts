import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { OperationRow } from '../operations/operation.ts'
import { erasedOperation } from './erased-rows.ts'

/**
 * Erases the requests and answers of decided operations, and the merchant's notes. True: at least one
 * operation has changed.
 */
export async function eraseOperations(
  db: Kysely<Tables>,
  account: string,
  operations: readonly OperationRow[],
): Promise<boolean> {
  const erased = operations.flatMap(({ id, input, exchanges, packed_exchanges = null }) => {
    const before = { input, exchanges, packed_exchanges }
    const changed = erasedOperation(before)
    return JSON.stringify(changed) === JSON.stringify(before) ? [] : [{ id, ...changed }]
  })
  if (erased.length === 0) return false
  await sql`
    update operations o
       set input = erased.input,
           exchanges = erased.exchanges,
           packed_exchanges = null
      from json_to_recordset(${JSON.stringify(erased)}::json) erased (id uuid, input jsonb, exchanges json)
     where o.merchant_account_id = ${account}
       and o.id = erased.id`.execute(db)
  return true
}
