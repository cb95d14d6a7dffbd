import { currentTimeValues } from '../../base/account-clock.ts'
import type { World } from '../../world.ts'
import { isOpen, type OperationRow, type OperationStatus, openStatuses } from '../operation.ts'
import { operationDeadline } from '../operation-times.ts'
import {
  claimForSending as claim,
  claimDueOperations as claimDue,
  postponeRecovery as postpone,
} from './claim-operations.sql.ts'

/** Up to `limit` operations that recovery is to look at; no other process gets them for `leaseMs`. */
export async function claimDueOperations(
  world: World,
  limit: number,
  leaseMs: number,
): Promise<OperationRow[]> {
  const now = world.clock.now()
  const [onlyAccount, movedAccounts] = currentTimeValues()
  const rows = await claimDue.run<{ operation: OperationRow }>(world, {
    now: new Date(now).toISOString(),
    until: new Date(now + leaseMs).toISOString(),
    limit,
    onlyAccount,
    movedAccounts,
  })
  return rows.map((row) => row.operation)
}

const updateOpenDue = `
update operations set check_at = created_at
 where check_at is not null and status = any($1::text[])
returning row_to_json(operations) as operation`

/** Recovery looks at every open operation the next time. Answers them, oldest first. */
export async function makeOpenOperationsDue(world: World): Promise<OperationRow[]> {
  const rows = await world.run<{ operation: OperationRow }>(updateOpenDue, [openStatuses])
  return rows.map(({ operation }) => operation).sort((one, other) => (one.id < other.id ? -1 : 1))
}

const selectOperationsById = `
select row_to_json(o) as operation
  from operations o join jsonb_to_recordset($1::jsonb) this (merchant_account_id text, id uuid) using (merchant_account_id, id)`

/** Operations as they stand, in no order. */
export async function readOperationsById(
  world: World,
  these: readonly Pick<OperationRow, 'merchant_account_id' | 'id'>[],
): Promise<OperationRow[]> {
  const keys = these.map(({ merchant_account_id, id }) => ({ merchant_account_id, id }))
  const rows = await world.run<{ operation: OperationRow }>(selectOperationsById, [JSON.stringify(keys)])
  return rows.map(({ operation }) => operation)
}

/** Looks at an open operation again at `checkAt`. */
export async function postponeRecovery(
  world: World,
  operation: OperationRow,
  checkAt: string,
): Promise<void> {
  if (!isOpen(operation.status)) return
  await postpone.run(world, {
    account: operation.merchant_account_id,
    id: operation.id,
    checkAt,
    openStatuses,
  })
}

/**
 * Before a process sends an operation that another one has intended: from now on an earlier sender whose
 * request was rejected unprocessed cannot record that. One process alone gets what was queued. Undefined: the
 * operation is in none of these statuses any more.
 */
export async function claimForSending(
  world: World,
  { merchant_account_id: account, id, kind }: Pick<OperationRow, 'merchant_account_id' | 'id' | 'kind'>,
  from: readonly OperationStatus[] = openStatuses,
): Promise<OperationRow | undefined> {
  const [row] = await claim.run<{ operation: OperationRow }>(world, {
    account,
    id,
    fromStatuses: from,
    deadline: operationDeadline(world, kind),
  })
  return row?.operation
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
select row_to_json(o) as operation from operations o
 where merchant_account_id = $1 and transaction_id = $2 order by id`

/** Every operation of a transaction, oldest first. */
export async function readOperations(
  world: World,
  account: string,
  transaction: string,
): Promise<OperationRow[]> {
  const rows = await world.run<{ operation: OperationRow }>(selectOperations, [account, transaction])
  return rows.map((row) => row.operation)
}
