import { fingerprintColumns } from '../../api/request/request-fingerprint.ts'
import { auditEntrySql } from '../../database/logs/audit-log.ts'
import { appendedJson } from './journal.sql.ts'

/**
 * A payout with its operation and the claim on the idempotency key, in one commit. A key that is taken violates `idempotency_keys_pkey` and nothing is written.
 * $1 payout as JSON, $2 operation as JSON, $3 scope, $4 key, $5 fingerprint, $6 representation, $7 the entry of the audit log.
 */
export const intendPayout = `
with created as (
  insert into payouts select row.* from jsonb_populate_record(null::payouts, $1::jsonb) row
  returning *
), intended as (
  insert into operations select row.* from created, jsonb_populate_record(null::operations, $2::jsonb) row
), claimed as (
  insert into idempotency_keys (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, created_at)
  select merchant_account_id, $3, $4, ${fingerprintColumns('$5')}, id, $6, created_at from created where $4::text is not null
), audited as (${auditEntrySql('created', '$7', { name: 'created.external_identifier' })}
)
select 1 as one from created`

/**
 * Writes an outcome on the operation and on its payout, tells of it, and stores the answer. The operation must be in one of the statuses $4: a second settler
 * finds it in none of them and writes nothing.
 * $1 account, $2 operation, $3 now, $4 statuses that may be left, $5 the operation's status, $6 what took effect, $7 the payment service's id, $8 error code, $9 facts,
 * $10 exchanges, $11 when recovery looks again, $12 the payout's status, $13 id of the event; null: none, $14 its target.
 */
export const recordPayoutOutcome = `
with settled as (
  update operations
     set status = $5, effective_amount = $6::bigint, payment_service_operation_id = coalesce($7, payment_service_operation_id), error_code = $8,
         facts = jsonb_strip_nulls(facts || $9::jsonb), exchanges = ${appendedJson('exchanges', '$10::json')}, check_at = $11::timestamptz, updated_at = $3::timestamptz,
         settled_at = case when $5 in ('approved', 'declined', 'failed') then $3::timestamptz end,
         journal_position = case when $5 in ('approved', 'declined', 'failed') then event_position() end
   where merchant_account_id = $1 and id = $2 and kind = 'payout' and status = any($4::text[])
  returning *
), moved as (
  update payouts p
     set status = $12, payment_service_payout_id = s.payment_service_operation_id, updated_at = $3::timestamptz,
         event_count = p.event_count + case when $13::uuid is null then 0 else 1 end
    from settled s
   where p.merchant_account_id = s.merchant_account_id and p.id = s.transaction_id
  returning p.*
), told as (
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select merchant_account_id, $13::uuid, 'payout.' || status, id, event_count, $14::json, $3::timestamptz from moved where $13::uuid is not null
), answered as (
  update idempotency_keys k set answer = json_build_object('payout', row_to_json(m))
    from moved m, settled s
   where k.merchant_account_id = s.merchant_account_id and k.scope = s.idempotency_scope and k.key = s.idempotency_key and k.answer is null
  returning true
)
select row_to_json(m) as payout, row_to_json(s) as operation, s.idempotency_key is not null and not exists (select from answered) as answered_before
  from moved m, settled s`
