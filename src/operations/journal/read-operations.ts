import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'

const selectOperationsById = `
select row_to_json(o) as operation
  from operations o join jsonb_to_recordset($1::jsonb) this (merchant_account_id text, transaction_id uuid, id uuid) using (merchant_account_id, transaction_id, id)`

/** Operations as they stand, in no order. */
export async function readOperationsById(
  world: World,
  these: readonly Pick<OperationRow, 'merchant_account_id' | 'transaction_id' | 'id'>[],
): Promise<OperationRow[]> {
  const keys = these.map(({ merchant_account_id, transaction_id, id }) => ({
    merchant_account_id,
    transaction_id,
    id,
  }))
  const rows = await world.run<{ operation: OperationRow }>(selectOperationsById, [JSON.stringify(keys)])
  return rows.map(({ operation }) => operation)
}

const selectOperationAndTransaction = `
select row_to_json(t) as transaction, row_to_json(o) as operation
  from operations o join transactions t on t.merchant_account_id = o.merchant_account_id and t.id = o.transaction_id
 where o.merchant_account_id = $1 and o.id = $2`

/** An operation and its transaction as they stand. */
export async function readOperation<T>(
  world: World,
  account: string,
  id: string,
): Promise<{ transaction: T; operation: OperationRow } | undefined> {
  const [row] = await world.run<{ transaction: T; operation: OperationRow }>(selectOperationAndTransaction, [
    account,
    id,
  ])
  return row
}

const selectOperation =
  'select row_to_json(o) as operation from operations o where merchant_account_id = $1 and id = $2'

/** An operation by itself, whatever it is about. */
export async function findOperation(
  world: World,
  account: string,
  id: string,
): Promise<OperationRow | undefined> {
  const [row] = await world.run<{ operation: OperationRow }>(selectOperation, [account, id])
  return row?.operation
}

const selectOperations = `
select row_to_json(o) as operation
  from ${ofPayment('operations', '$2', 'o')}
 where merchant_account_id = $1
   and transaction_id = $2
 order by id`

/** Every operation of a transaction, oldest first. */
export async function readOperations(
  world: World,
  account: string,
  transaction: string,
): Promise<OperationRow[]> {
  const rows = await world.run<{ operation: OperationRow }>(selectOperations, [account, transaction])
  return rows.map((row) => row.operation)
}
