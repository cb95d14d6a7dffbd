import { auditEntrySql } from '../../database/logs/audit-log.ts'
import { namedStatement, type ParametersOf } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { updateDelegation } from '../../operations/journal/delegated-payment.sql.ts'
import { transactionTarget } from '../../operations/journal/event-target.sql.ts'
import { updateLinkStatus, writeLinkEvent } from '../../operations/journal/payment-link.sql.ts'
import { openStatusesInSql } from '../../operations/operation.ts'

/** Whether an operation on a transaction has no final outcome yet. */
const hasOpenOperation = (account: string, id: string) => `exists (
  select from ${ofPayment('operations', id, 'o')}
   where o.merchant_account_id = ${account}
     and o.transaction_id = ${id}::uuid
     and o.status in ${openStatusesInSql})`

export const selectHasOpenOperation = namedStatement(
  ['account', 'transaction'],
  (p) => `select ${hasOpenOperation(p.account, p.transaction)} as pending`,
)

/**
 * A merchant's correction, for example of what a person did at the payment service by hand (PUT, semantics
 * §3.9). The journal gets it too, so that it still explains the amounts; the constraints on amounts hold as
 * for every other change. A new status brings its times and its intent outcome. `moneyChanges` says how
 * amounts and the status change, for the audit log; null: they do not. They cannot change while an operation
 * is open. No row: the transaction changed since it was read, or an operation is open.
 */
export const correctionStatement = namedStatement(
  [
    'account',
    'transaction',
    'status',
    'amount',
    'authorizedAmount',
    'capturedAmount',
    'setsServiceTransactionId',
    'serviceTransactionId',
    'setsExternalIdentifier',
    'externalIdentifier',
    'setsMetadata',
    'metadata',
    'setsConnectionOptions',
    'connectionOptions',
    'now',
    'updatedAtWhenRead',
    'operation',
    'timelineId',
    'timelineEntries',
    'eventId',
    'auditEntry',
    'linkEventId',
    'moneyChanges',
  ],
  (p) => `
with corrected as (
  update ${ofPayment('transactions', p.transaction, 't')}
     set status = coalesce(${p.status}, status),
         amount = coalesce(${p.amount}::bigint, amount),
         authorized_amount = coalesce(${p.authorizedAmount}::bigint, authorized_amount),
         captured_amount = coalesce(${p.capturedAmount}::bigint, captured_amount),
         intent_outcome = case
           when ${p.status} in ('authorization_failed', 'authorization_declined') then 'failed'
           when ${p.status} = 'capture_succeeded' or (${p.status} = 'authorization_succeeded' and intent = 'authorize') then 'succeeded'
           else intent_outcome
         end,
         error_code = case when ${p.status} in ('authorization_succeeded', 'capture_succeeded') then null else error_code end,
         authorized_at = case
           when ${p.status} in ('authorization_succeeded', 'capture_succeeded') then coalesce(authorized_at, ${p.now}::timestamptz)
           else authorized_at
         end,
         captured_at = case when ${p.status} = 'capture_succeeded' then coalesce(captured_at, ${p.now}::timestamptz) else captured_at end,
         voided_at = case when ${p.status} = 'authorization_voided' then coalesce(voided_at, ${p.now}::timestamptz) else voided_at end,
         payment_service_transaction_id = case
           when ${p.setsServiceTransactionId} then ${p.serviceTransactionId}
           else payment_service_transaction_id
         end,
         external_identifier = case when ${p.setsExternalIdentifier} then ${p.externalIdentifier} else external_identifier end,
         metadata = case when ${p.setsMetadata} then ${p.metadata}::jsonb else metadata end,
         details = case
           when ${p.setsConnectionOptions} then details || jsonb_build_object('connection_options', ${p.connectionOptions}::jsonb)
           else details
         end,
         event_count = event_count + 1,
         updated_at = ${p.now}::timestamptz
   where merchant_account_id = ${p.account}
     and id = ${p.transaction}
     and active_operation_id is null
     and updated_at = ${p.updatedAtWhenRead}::timestamptz
     and not (${p.moneyChanges}::jsonb is not null and ${hasOpenOperation(p.account, p.transaction)})
  returning *
), journal as (
  insert into operations
  select row.*
    from corrected,
         jsonb_populate_record(null::operations, ${p.operation}::jsonb || jsonb_build_object('journal_position', event_position())) row
), timeline as (
  insert into transaction_events (merchant_account_id, transaction_id, id, entries)
  select merchant_account_id, id, ${p.timelineId}, ${p.timelineEntries}
    from corrected
), outbox as (
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select merchant_account_id, ${p.eventId}::uuid, 'transaction.modified', id, event_count, ${transactionTarget('corrected')}, updated_at
    from corrected
), audited as (${auditEntrySql('corrected', p.auditEntry, { name: 'corrected.external_identifier', changes: `${p.moneyChanges}::jsonb` })}
), ${updateDelegation('corrected', `${p.now}::timestamptz`)}, ${updateLinkStatus('corrected', `${p.now}::timestamptz`)}, ${writeLinkEvent(`${p.linkEventId}::uuid`)}
select row_to_json(corrected) as transaction
  from corrected`,
)

export type CorrectionParameters = ParametersOf<typeof correctionStatement>
