import { auditEntrySql } from '../../database/logs/audit-log.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { insertClaim, storeAnswer } from './journal-ctes.sql.ts'
import { appendedBytes, appendedJson, isFinal } from './record-outcome.sql.ts'
import { checkSpending, countSpending, releaseSpending } from './spending.sql.ts'

const intendParameters = [
  'payout',
  'operation',
  'idempotencyScope',
  'idempotencyKey',
  'fingerprint',
  'representation',
  'auditEntry',
] as const
type IntendParameters = Readonly<Record<(typeof intendParameters)[number], string>>

interface IntendParts {
  first?: string
  guard?: string
  also?: string
  answers: string
}

const intendSql = (p: IntendParameters, { first = '', guard = '', also = '', answers }: IntendParts) => `
with ${first}created as (
  insert into payouts
  select row.*
    from jsonb_populate_record(null::payouts, ${p.payout}::jsonb) row
   ${guard}
  returning *
), intended as (
  insert into operations
  select row.*
    from created,
         jsonb_populate_record(null::operations, ${p.operation}::jsonb) row
), claimed as (${insertClaim(p, { from: 'created' })}
), audited as (${auditEntrySql('created', p.auditEntry, { name: 'created.external_identifier' })}
)${also}
${answers}`

/**
 * A payout with its operation and the claim on the idempotency key, in one commit. A key that is taken
 * violates `idempotency_keys_pkey` and nothing is written.
 */
export const intendPayout = namedStatement(intendParameters, (p) =>
  intendSql(p, { answers: 'select 1 as one\n  from created' }),
)

/** The same for a caller with a spending limit. A row back: it would be exceeded, and nothing was written. */
export const intendLimitedPayout = namedStatement([...intendParameters, 'account', 'spending'], (p) =>
  intendSql(p, {
    first: `candidate as (
  select 1 as one
), ${checkSpending('candidate', p)}, `,
    guard: 'where not exists (select from exceeded)',
    also: `, ${countSpending('created')}`,
    answers: 'select row_to_json(exceeded) as exceeded\n  from exceeded',
  }),
)

const recordParameters = [
  'account',
  'operationId',
  'payoutId',
  'now',
  'fromStatuses',
  'status',
  'effectiveAmount',
  'serviceOperationId',
  'errorCode',
  'facts',
  'exchanges',
  'packedExchanges',
  'checkAt',
  'payoutStatus',
  /** Null: no event. */
  'eventId',
  'eventTarget',
] as const
type RecordParameters = Readonly<Record<(typeof recordParameters)[number], string>>

const recordSql = (p: RecordParameters, also = '') => `
with recorded as (
  update ${ofPayment('operations', p.payoutId)}
     set status = ${p.status},
         effective_amount = ${p.effectiveAmount}::bigint,
         payment_service_operation_id = coalesce(${p.serviceOperationId}, payment_service_operation_id),
         error_code = ${p.errorCode},
         facts = jsonb_strip_nulls(facts || ${p.facts}::jsonb),
         exchanges = ${appendedJson('exchanges', `${p.exchanges}::json`)},
         packed_exchanges = ${appendedBytes('packed_exchanges', `${p.packedExchanges}::bytea`)},
         check_at = ${p.checkAt}::timestamptz,
         updated_at = ${p.now}::timestamptz,
         settled_at = case when ${isFinal(p.status)} then ${p.now}::timestamptz end,
         journal_position = case when ${isFinal(p.status)} then event_position() end
   where merchant_account_id = ${p.account}
     and id = ${p.operationId}
     and transaction_id = ${p.payoutId}::uuid
     and kind = 'payout'
     and status = any(${p.fromStatuses}::text[])
  returning *
), changed as (
  update payouts p
     set status = ${p.payoutStatus},
         payment_service_payout_id = r.payment_service_operation_id,
         updated_at = ${p.now}::timestamptz,
         event_count = p.event_count + case when ${p.eventId}::uuid is null then 0 else 1 end
    from recorded r
   where p.merchant_account_id = r.merchant_account_id
     and p.id = r.transaction_id
  returning p.*
), outbox as (
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select merchant_account_id,
         ${p.eventId}::uuid,
         'payout.' || status,
         id,
         event_count,
         ${p.eventTarget}::json,
         ${p.now}::timestamptz
    from changed
   where ${p.eventId}::uuid is not null
), answered as (${storeAnswer(`json_build_object('payout', row_to_json(c))`)}
)${also}
select row_to_json(c) as payout,
       row_to_json(r) as operation,
       r.idempotency_key is not null and not exists (select from answered) as answered_before
  from changed c, recorded r`

/**
 * Records an outcome on the operation and on its payout, with the event and the stored answer, in one commit.
 * A second process finds the operation in none of `fromStatuses`, and writes nothing.
 */
export const recordPayoutOutcome = namedStatement(recordParameters, (p) => recordSql(p))

/** The refusal of a payout that has reserved part of a spending limit, which it gives back. */
export const recordReleasingPayoutOutcome = namedStatement([...recordParameters, 'releasedSpending'], (p) =>
  recordSql(p, `, ${releaseSpending('recorded', p)}`),
)
