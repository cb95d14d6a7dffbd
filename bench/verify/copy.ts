import type { Statements } from '../../src/database/statements.ts'

/** So many payments share a commit, as with so many connections. */
const AT_A_TIME = 8

const uuid = (prefix: string) =>
  `(substr(md5('${prefix}' || n), 1, 8) || '-0000-7000-8000-' || substr(md5('${prefix}' || n), 9, 12))::uuid`

/**
 * Copies of the payment $1, numbered $2 to $3: its row, its operation, its entry of the audit log and its events, each
 * under ids of its own.
 */
const copies = `
with number as (
  select n, ${uuid('transaction')} as transaction, ${uuid('operation')} as operation from generate_series($2::int, $3::int) n
), paid as (
  insert into transactions
  select (jsonb_populate_record(t, jsonb_build_object('id', transaction, 'payment_service_transaction_id', 'pay_' || n))).*
    from number, transactions t
   where t.id = $1::uuid
), journaled as (
  insert into operations
  select (jsonb_populate_record(o, jsonb_build_object('id', operation, 'transaction_id', transaction, 'payment_service_operation_id', 'aut_' || n,
            'payment_service_transaction_id', 'pay_' || n, 'journal_position', event_position()))).*
    from number, operations o
   where o.transaction_id = $1::uuid
), audited as (
  insert into audit_entries
  select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'resource_id', transaction, 'position', event_position()))).*
    from number, audit_entries a
   where a.resource_id = $1::text
)
insert into events
select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'target_id', transaction, 'position', event_position()))).*
  from number, events e
 where e.target_id = $1::uuid`

export async function copyPayment(run: Statements, id: string, count: number): Promise<void> {
  for (let from = 1; from <= count; from += AT_A_TIME)
    await run(copies, [id, from, Math.min(from + AT_A_TIME - 1, count)])
  await run('analyze transactions', [])
  await run('analyze operations', [])
  await run('analyze events', [])
  await run('analyze audit_entries', [])
}
