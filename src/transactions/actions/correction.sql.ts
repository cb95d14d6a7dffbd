import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { insertRow } from '../../database/rows/insert-row.ts'
import { type ArgumentsOf, sqlFunction } from '../../database/sql-function.ts'
import { settleDelegation } from '../../operations/journal/functions/delegated-payment.sql.ts'
import { transactionTarget } from '../../operations/journal/functions/event-target.sql.ts'
import {
  insertAuditEntries,
  insertTimeline,
  timelineTypes,
} from '../../operations/journal/functions/journal-steps.sql.ts'
import { insertLinkEvent, moveLink } from '../../operations/journal/functions/payment-link.sql.ts'
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
 * is open. It returns the transaction; null: it changed since it was read, or an operation is open.
 */
export const correctionFunction = sqlFunction({
  name: 'correct_transaction',
  parameters: {
    account: 'text',
    transaction: 'uuid',
    status: 'text',
    amount: 'bigint',
    authorizedAmount: 'bigint',
    capturedAmount: 'bigint',
    setsServiceTransactionId: 'boolean',
    serviceTransactionId: 'text',
    setsExternalIdentifier: 'boolean',
    externalIdentifier: 'text',
    setsMetadata: 'boolean',
    metadata: 'jsonb',
    setsConnectionOptions: 'boolean',
    connectionOptions: 'jsonb',
    now: 'timestamptz',
    updatedAtWhenRead: 'timestamptz',
    operation: 'jsonb',
    ...timelineTypes,
    eventId: 'uuid',
    auditEntry: 'jsonb',
    linkEventId: 'uuid',
    moneyChanges: 'jsonb',
  },
  returns: 'json',
  body: (p) => `
declare
  corrected transactions;
  journal_row operations;
  delegation delegated_payments;
  link payment_links;
  link_sequence int;
  event_target json;
  entry record;
begin
  update ${ofPayment('transactions', p.transaction)}
     set status = coalesce(${p.status}, status),
         amount = coalesce(${p.amount}, amount),
         authorized_amount = coalesce(${p.authorizedAmount}, authorized_amount),
         captured_amount = coalesce(${p.capturedAmount}, captured_amount),
         intent_outcome = case
           when ${p.status} in ('authorization_failed', 'authorization_declined') then 'failed'
           when ${p.status} = 'capture_succeeded' or (${p.status} = 'authorization_succeeded' and intent = 'authorize') then 'succeeded'
           else intent_outcome
         end,
         error_code = case when ${p.status} in ('authorization_succeeded', 'capture_succeeded') then null else error_code end,
         authorized_at = case
           when ${p.status} in ('authorization_succeeded', 'capture_succeeded') then coalesce(authorized_at, ${p.now})
           else authorized_at
         end,
         captured_at = case when ${p.status} = 'capture_succeeded' then coalesce(captured_at, ${p.now}) else captured_at end,
         voided_at = case when ${p.status} = 'authorization_voided' then coalesce(voided_at, ${p.now}) else voided_at end,
         payment_service_transaction_id = case
           when ${p.setsServiceTransactionId} then ${p.serviceTransactionId}
           else payment_service_transaction_id
         end,
         external_identifier = case when ${p.setsExternalIdentifier} then ${p.externalIdentifier} else external_identifier end,
         metadata = case when ${p.setsMetadata} then ${p.metadata} else metadata end,
         details = case
           when ${p.setsConnectionOptions} then details || jsonb_build_object('connection_options', ${p.connectionOptions})
           else details
         end,
         event_count = event_count + 1,
         updated_at = ${p.now}
   where merchant_account_id = ${p.account}
     and id = ${p.transaction}
     and active_operation_id is null
     and updated_at = ${p.updatedAtWhenRead}
     and not (${p.moneyChanges} is not null and ${hasOpenOperation(p.account, p.transaction)})
  returning * into corrected;
  if not found then return null; end if;
  journal_row := jsonb_populate_record(null::operations, ${p.operation} || jsonb_build_object('journal_position', event_position()));
  ${insertRow('operations', 'journal_row')}${insertTimeline(p, p.account, p.transaction)}
  event_target := ${transactionTarget('corrected', 'corrected.updated_at')};
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  values (${p.account}, ${p.eventId}, 'transaction.modified', corrected.id, corrected.event_count, event_target, corrected.updated_at);${insertAuditEntries(
    p.account,
    p.auditEntry,
    'corrected.external_identifier',
    p.moneyChanges,
  )}${settleDelegation({ account: p.account, transaction: 'corrected', delegation: 'delegation', now: p.now })}${moveLink(
    { account: p.account, transaction: 'corrected', link: 'link', now: p.now },
  )}
  if found then${insertLinkEvent({ link: 'link', sequence: 'link_sequence', event: p.linkEventId })}
  end if;
  return row_to_json(corrected);
end`,
})

export type CorrectionParameters = ArgumentsOf<typeof correctionFunction>
