import type { Statements } from '../../src/database/statements.ts'

/** So many payments share a commit, as with so many connections. */
const AT_A_TIME = 8

/** The days over which copies are spread, so that they are of one month. */
const SPREAD_DAYS = 28

/** An id of the time at which the copy was made. `seed`: SQL of a text of its own. */
const uuid = (seed: string) =>
  `(lpad(to_hex((extract(epoch from made) * 1000)::bigint), 12, '0') || '70008000' || substr(md5(${seed}), 1, 12))::uuid`

const ACCOUNT = '(select merchant_account_id from transactions where id = $1::uuid)'

/**
 * Copies of the payment $1, numbered $2 to $3: its row, its operation, its entry of the audit log and its events, each
 * under ids of its own. All $5 of them are made over 28 days from $4 on. The events and entries of the payment are not
 * beyond the position $6: they have no index by payment.
 */
const copies = `
with number as (
  select n, made, ${uuid(`'transaction' || n`)} as transaction, ${uuid(`'operation' || n`)} as operation
    from generate_series($2::int, $3::int) n,
         lateral (select $4::timestamptz + (n - 1) / $5::float8 * interval '${SPREAD_DAYS} days' as made) as at
), paid as (
  insert into transactions
  select (jsonb_populate_record(t, jsonb_build_object('id', transaction, 'payment_service_transaction_id', 'pay_' || n,
            'authorized_at', made, 'created_at', made, 'updated_at', made))).*
    from number, transactions t
   where t.id = $1::uuid
), journaled as (
  insert into operations
  select (jsonb_populate_record(o, jsonb_build_object('id', operation, 'transaction_id', transaction, 'payment_service_operation_id', 'aut_' || n,
            'payment_service_transaction_id', 'pay_' || n, 'journal_position', event_position(),
            'created_at', made, 'updated_at', made, 'settled_at', made))).*
    from number, operations o
   where o.transaction_id = $1::uuid
), audited as (
  insert into audit_entries
  select (jsonb_populate_record(a, jsonb_build_object('id', ${uuid(`'entry' || n || a.id`)}, 'resource_id', transaction, 'position', event_position(),
            'created_at', made))).*
    from number, audit_entries a
   where a.merchant_account_id = ${ACCOUNT}
     and a.position <= $6::bigint
     and a.resource_id = $1::text
)
insert into events
select (jsonb_populate_record(e, jsonb_build_object('id', ${uuid(`'event' || n || e.id`)}, 'target_id', transaction, 'position', event_position(),
          'created_at', made))).*
  from number, events e
 where e.merchant_account_id = ${ACCOUNT}
   and e.position <= $6::bigint
   and e.target_id = $1::uuid`

const lastPosition = `
select greatest(
  (select max(position) from events where target_id = $1::uuid),
  (select max(position) from audit_entries where resource_id = $1::text)) as position`

/**
 * Copies a payment. `made`: when the first copy was made, in milliseconds since 1970; the last
 * one is made 28 days later. `together`: how many copies share a commit.
 */
export async function copyPayment(
  run: Statements,
  id: string,
  count: number,
  { made = Date.now() - SPREAD_DAYS * 86_400_000, together = AT_A_TIME } = {},
): Promise<void> {
  const from = new Date(made).toISOString()
  const [last] = await run<{ position: number }>(lastPosition, [id])
  for (let first = 1; first <= count; first += together)
    await run(copies, [id, first, Math.min(first + together - 1, count), from, count, last?.position])
  await run('analyze transactions', [])
  await run('analyze operations', [])
  await run('analyze events', [])
  await run('analyze audit_entries', [])
}
