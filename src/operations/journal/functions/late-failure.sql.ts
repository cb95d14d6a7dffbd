import { ofPayment } from '../../../database/partitions/payment-partitions.ts'
import { insertRow } from '../../../database/rows/insert-row.ts'
import { sqlFunction } from '../../../database/sql-function.ts'
import { operationTarget, transactionTarget } from './event-target.sql.ts'
import { eventVariables, insertEvents, insertTimeline, timelineTypes } from './journal-steps.sql.ts'

/**
 * Takes an operation's success back, once: on the operation, its transaction and the timeline, with the events
 * and a row of the journal that explains the amounts. It returns `already recorded` where another process has
 * done so. As for an outcome, a transaction that has left what the change was computed from violates
 * `transactions_status_known`; one whose captured money has been refunded violates `refunded_within_capture`.
 */
export const recordLateFailure = sqlFunction({
  name: 'record_late_failure',
  parameters: {
    account: 'text',
    operationId: 'uuid',
    transactionId: 'uuid',
    now: 'timestamptz',
    lateFailure: 'jsonb',
    /** The row of the journal, as JSON. */
    journalRow: 'jsonb',
    fromStatus: 'text',
    toStatus: 'text',
    fromCaptured: 'bigint',
    fromCaptureReserved: 'bigint',
    fromDisputed: 'bigint',
    intentOutcome: 'text',
    authorized: 'bigint',
    captured: 'bigint',
    refunded: 'bigint',
    captureClosed: 'boolean',
    /** What becomes of gift card redemptions, as the function `redemptions_after` takes it; null: nothing. */
    redemptions: 'jsonb',
    /** The transaction's error code from now on; null: as it is. */
    errorCode: 'text',
    /** Likewise its response details. */
    facts: 'jsonb',
    ...timelineTypes,
    events: 'jsonb',
    transactionEvents: 'int',
    operationEvents: 'int',
  },
  returns: 'text',
  body: (p) => `
declare
  failed operations;
  changed transactions;
  journal_row operations;${eventVariables}
begin
  update ${ofPayment('operations', p.transactionId)}
     set late_failure = ${p.lateFailure},
         event_count = event_count + ${p.operationEvents},
         check_at = null,
         updated_at = ${p.now}
   where merchant_account_id = ${p.account}
     and id = ${p.operationId}
     and transaction_id = ${p.transactionId}
     and status = 'approved'
     and late_failure is null
  returning * into failed;
  if not found then return 'already recorded'; end if;
  update ${ofPayment('transactions', p.transactionId, 't')}
     set status = case when t.status = ${p.fromStatus}
                        and (t.captured_amount, t.capture_reserved, coalesce(t.disputed_amount, 0))
                            = (${p.fromCaptured}, ${p.fromCaptureReserved}, ${p.fromDisputed})
                       then ${p.toStatus} else 'changed meanwhile' end,
         intent_outcome = coalesce(${p.intentOutcome}, t.intent_outcome),
         authorized_amount = t.authorized_amount + ${p.authorized},
         captured_amount = t.captured_amount + ${p.captured},
         refunded_amount = t.refunded_amount + ${p.refunded},
         capture_closed = coalesce(${p.captureClosed}, t.capture_closed),
         gift_cards = case when ${p.redemptions} is null then t.gift_cards else redemptions_after(t.gift_cards, ${p.redemptions}) end,
         error_code = coalesce(${p.errorCode}, t.error_code),
         facts = coalesce(${p.facts}, t.facts),
         event_count = t.event_count + ${p.transactionEvents},
         updated_at = ${p.now}
   where t.merchant_account_id = ${p.account}
     and t.id = ${p.transactionId}
  returning * into changed;
  journal_row := jsonb_populate_record(null::operations, ${p.journalRow} || jsonb_build_object('journal_position', event_position()));
  ${insertRow('operations', 'journal_row')}${insertTimeline(p, p.account, p.transactionId)}${insertEvents({
    account: p.account,
    events: p.events,
    targetId: `case event.target when 'transaction' then changed.id else failed.id end`,
    sequence: `event.ordinal + case event.target when 'transaction' then changed.event_count - ${p.transactionEvents}
                                               else failed.event_count - ${p.operationEvents} end`,
    target: `case event.target when 'transaction' then ${transactionTarget('changed', p.now)} else ${operationTarget('failed', p.now)} end`,
    createdAt: p.now,
  })}
  return 'recorded';
end`,
})
