import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { countEvents, operationTarget, transactionTarget } from './event-target.sql.ts'
import { insertEvents } from './journal-ctes.sql.ts'

/**
 * Takes an operation's success back, once: on the operation, its transaction and the timeline, with the events
 * and a row of the journal that explains the amounts. No row: another process has done so. As for an outcome,
 * a transaction that has left what the change was computed from violates `transactions_status_known`; one whose
 * captured money has been refunded violates `refunded_within_capture`.
 */
export const lateFailureStatement = namedStatement(
  [
    'account',
    'operationId',
    'transactionId',
    'now',
    'lateFailure',
    /** The row of the journal, as JSON. */
    'journalRow',
    'fromStatus',
    'toStatus',
    'fromCaptured',
    'fromCaptureReserved',
    'fromDisputed',
    'intentOutcome',
    'authorized',
    'captured',
    'refunded',
    'captureClosed',
    /** The transaction's error code from now on; null: as it is. */
    'errorCode',
    /** Likewise its response details. */
    'facts',
    'timelineId',
    'timelineEntries',
    'events',
  ],
  (p) => `
with failed as (
  update ${ofPayment('operations', p.transactionId)}
     set late_failure = ${p.lateFailure}::jsonb,
         event_count = event_count + ${countEvents('operation', p.events)},
         check_at = null,
         updated_at = ${p.now}::timestamptz
   where merchant_account_id = ${p.account}
     and id = ${p.operationId}::uuid
     and transaction_id = ${p.transactionId}::uuid
     and status = 'approved'
     and late_failure is null
  returning *
), changed as (
  update ${ofPayment('transactions', p.transactionId, 't')}
     set status = case when t.status = ${p.fromStatus}
                        and (t.captured_amount, t.capture_reserved, coalesce(t.disputed_amount, 0))
                            = (${p.fromCaptured}::bigint, ${p.fromCaptureReserved}::bigint, ${p.fromDisputed}::bigint)
                       then ${p.toStatus} else 'changed meanwhile' end,
         intent_outcome = coalesce(${p.intentOutcome}, t.intent_outcome),
         authorized_amount = t.authorized_amount + ${p.authorized}::bigint,
         captured_amount = t.captured_amount + ${p.captured}::bigint,
         refunded_amount = t.refunded_amount + ${p.refunded}::bigint,
         capture_closed = coalesce(${p.captureClosed}::boolean, t.capture_closed),
         error_code = coalesce(${p.errorCode}, t.error_code),
         facts = coalesce(${p.facts}::jsonb, t.facts),
         event_count = t.event_count + ${countEvents('transaction', p.events)},
         updated_at = ${p.now}::timestamptz
    from failed f
   where t.merchant_account_id = f.merchant_account_id
     and t.id = ${p.transactionId}::uuid
  returning t.*
), journal as (
  insert into operations
  select row.*
    from changed,
         jsonb_populate_record(null::operations, ${p.journalRow}::jsonb || jsonb_build_object('journal_position', event_position())) row
), timeline as (
  insert into transaction_events (merchant_account_id, transaction_id, id, entries)
  select merchant_account_id, id, ${p.timelineId}::uuid, ${p.timelineEntries}::json
    from changed
), outbox as (${insertEvents({
    from: `changed c, failed f, jsonb_to_recordset(${p.events}) event (id uuid, name text, target text, ordinal int)`,
    account: 'c.merchant_account_id',
    targetId: `case event.target when 'transaction' then c.id else f.id end`,
    sequence: `event.ordinal + case event.target when 'transaction' then c.event_count - ${countEvents('transaction', p.events)}
                                           else f.event_count - ${countEvents('operation', p.events)} end`,
    target: `case event.target when 'transaction' then ${transactionTarget('c')} else ${operationTarget('f')} end`,
    createdAt: `${p.now}::timestamptz`,
  })}
)
select 1 as one
  from changed`,
)
