import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { claimDue, type DueRows, selectDueSql } from '../../database/rows/select-due.ts'
import type { World } from '../../world.ts'
import { isOpen, type OperationRow, type OperationStatus, openStatuses } from '../operation.ts'
import { operationDeadline } from '../operation-times.ts'

const dueOperations: DueRows = {
  table: 'operations',
  key: ['transaction_id', 'id'],
  condition: (now, saturated) =>
    `check_at <= ${now}::timestamptz and coalesce(payment_service_id::text, kind) <> all(${saturated}::text[])`,
  orderBy: 'check_at',
}

/**
 * What an operation asks, as far as one that does not answer is to delay no other: its payment service, or all
 * services of its kind.
 */
export const askedService = ({
  payment_service_id: service,
  kind,
}: Pick<OperationRow, 'payment_service_id' | 'kind'>): string => service ?? kind

/**
 * Takes operations whose time has come, each for one process alone, and gives them a new time (`until`) in
 * case that process dies, too.
 */
const claimDueStatement = namedStatement(
  ['account', 'transactions', 'ids', 'now', 'saturated', 'until', 'limit'],
  (p) => `
with due as (${selectDueSql(dueOperations, { ...p, keys: [p.transactions, p.ids], values: [p.now, p.saturated] })}
), claimed as (
  update operations o
     set check_at = ${p.until}::timestamptz,
         checks = checks + 1
    from due
   where o.merchant_account_id = ${p.account}
     and o.merchant_account_id = due.merchant_account_id
     and o.transaction_id = due.transaction_id
     and o.id = due.id
  returning o.*
)
select row_to_json(claimed) as operation
  from claimed`,
)

/**
 * Up to `limit` operations that recovery is to look at, the longest due first; no other process gets them for
 * `leaseMs`. `saturated`: the services (`askedService`) of which none is claimed.
 */
export async function claimDueOperations(
  world: World,
  limit: number,
  leaseMs: number,
  saturated: readonly string[] = [],
): Promise<OperationRow[]> {
  const at = world.clock.now()
  const now = new Date(at).toISOString()
  const until = new Date(at + leaseMs).toISOString()
  const rows = await claimDue(
    world.run,
    dueOperations,
    { values: [now, saturated], limit },
    (account, [transactions, ids], left) =>
      claimDueStatement.run<{ operation: OperationRow }>(world, {
        account,
        transactions,
        ids,
        now,
        saturated,
        until,
        limit: left,
      }),
  )
  return rows.map((row) => row.operation)
}

/**
 * An operation that is about to be sent. What was queued is on its way from then on, and recovery looks at it
 * at `deadline`.
 */
const claimForSendingStatement = namedStatement(
  ['account', 'id', 'transaction', 'fromStatuses', 'deadline'],
  (p) => `
with claimed as (
  update ${ofPayment('operations', p.transaction)}
     set checks = checks + 1,
         check_at = case when status = 'queued' then ${p.deadline}::timestamptz else check_at end,
         status = case when status = 'queued' then 'sent' else status end
   where merchant_account_id = ${p.account}
     and id = ${p.id}
     and transaction_id = ${p.transaction}
     and status = any(${p.fromStatuses}::text[])
  returning operations.*
)
select row_to_json(claimed) as operation
  from claimed`,
)

/**
 * Before a process sends an operation that another one has intended: from now on an earlier sender whose
 * request was rejected unprocessed cannot record that. One process alone gets what was queued. Undefined: the
 * operation is in none of these statuses any more.
 */
export async function claimForSending(
  world: World,
  {
    merchant_account_id: account,
    id,
    transaction_id: transaction,
    kind,
  }: Pick<OperationRow, 'merchant_account_id' | 'id' | 'transaction_id' | 'kind'>,
  from: readonly OperationStatus[] = openStatuses,
): Promise<OperationRow | undefined> {
  const [row] = await claimForSendingStatement.run<{ operation: OperationRow }>(world, {
    account,
    id,
    transaction,
    fromStatuses: from,
    deadline: operationDeadline(world, kind),
  })
  return row?.operation
}

/** Looks again later at an operation whose outcome is still open. */
const postponeStatement = namedStatement(
  ['account', 'id', 'transaction', 'checkAt', 'openStatuses'],
  (p) => `
update ${ofPayment('operations', p.transaction)}
   set check_at = ${p.checkAt}::timestamptz
 where merchant_account_id = ${p.account}
   and id = ${p.id}
   and transaction_id = ${p.transaction}
   and status = any(${p.openStatuses}::text[])`,
)

/** Looks at an open operation again at `checkAt`. */
export async function postponeRecovery(
  world: World,
  operation: OperationRow,
  checkAt: string,
): Promise<void> {
  if (!isOpen(operation.status)) return
  await postponeStatement.run(world, {
    account: operation.merchant_account_id,
    id: operation.id,
    transaction: operation.transaction_id,
    checkAt,
    openStatuses,
  })
}

const updateOpenDue = `
with due as (
  update operations
     set check_at = created_at
   where check_at is not null
     and status = any($1::text[])
  returning operations.*
)
select row_to_json(due) as operation
  from due`

/** Recovery looks at every open operation the next time. Answers them, oldest first. */
export async function makeOpenOperationsDue(world: World): Promise<OperationRow[]> {
  const rows = await world.run<{ operation: OperationRow }>(updateOpenDue, [openStatuses])
  return rows.map(({ operation }) => operation).sort((one, other) => (one.id < other.id ? -1 : 1))
}
