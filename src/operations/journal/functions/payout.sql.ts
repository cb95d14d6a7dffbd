import { ofPayment } from '../../../database/partitions/payment-partitions.ts'
import { insertRow } from '../../../database/rows/insert-row.ts'
import { sqlFunction } from '../../../database/sql-function.ts'
import { claimTypes, insertAuditEntries, insertClaim, storeAnswer } from './journal-steps.sql.ts'
import { outcomeTypes, setOutcome } from './record-outcome.sql.ts'
import { checkSpending, countSpending, releaseSpending, spendingVariables } from './spending.sql.ts'

/**
 * A payout with its operation and the claim on the idempotency key, in one commit. A key that is taken
 * violates `idempotency_keys_pkey` and nothing is written. Null: it was written. Otherwise the `SpendingRefusal`
 * by the caller's spending limit, and nothing was written.
 */
export const intendPayout = sqlFunction({
  name: 'intend_payout',
  parameters: {
    account: 'text',
    payout: 'jsonb',
    operation: 'jsonb',
    ...claimTypes,
    auditEntry: 'jsonb',
    /** A `SpendingReservation`; null: the caller has no spending limit. */
    spending: 'jsonb',
  },
  returns: 'json',
  body: (p) => `
declare
  created payouts := jsonb_populate_record(null::payouts, ${p.payout});
  intended operations := jsonb_populate_record(null::operations, ${p.operation});
  entry record;${spendingVariables}
begin
  if ${p.spending} is not null then${checkSpending(p)}
    if exceeded is not null then return exceeded; end if;
  end if;
  ${insertRow('payouts', 'created')}
  ${insertRow('operations', 'intended')}${insertClaim(p, {
    account: p.account,
    resourceId: 'created.id',
    createdAt: 'created.created_at',
  })}${insertAuditEntries(p.account, p.auditEntry, 'created.external_identifier')}
  if ${p.spending} is not null then${countSpending(p)}
  end if;
  return null;
end`,
})

/**
 * Records an outcome on the operation and on its payout, with the event and the stored answer, in one commit.
 * Null: a second process finds the operation in none of `fromStatuses`, and writes nothing.
 */
export const recordPayoutOutcome = sqlFunction({
  name: 'record_payout_outcome',
  parameters: {
    account: 'text',
    operationId: 'uuid',
    payoutId: 'uuid',
    now: 'timestamptz',
    fromStatuses: 'text[]',
    ...outcomeTypes,
    payoutStatus: 'text',
    /** Null: no event. */
    eventId: 'uuid',
    eventTarget: 'json',
    /** What a refused payout gives back to a spending limit; null: nothing. */
    releasedSpending: 'jsonb',
  },
  returns: 'json',
  body: (p) => `
declare
  journal_at bigint := event_position();
  recorded operations;
  changed payouts;
  released record;
  answered_before boolean := false;
begin
  update ${ofPayment('operations', p.payoutId)}
     set ${setOutcome(p)}
   where merchant_account_id = ${p.account}
     and id = ${p.operationId}
     and transaction_id = ${p.payoutId}
     and kind = 'payout'
     and status = any(${p.fromStatuses})
  returning * into recorded;
  if not found then return null; end if;
  update payouts
     set status = ${p.payoutStatus},
         payment_service_payout_id = recorded.payment_service_operation_id,
         updated_at = ${p.now},
         event_count = event_count + case when ${p.eventId} is null then 0 else 1 end
   where merchant_account_id = ${p.account}
     and id = ${p.payoutId}
  returning * into changed;
  if ${p.eventId} is not null then
    insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
    values (${p.account}, ${p.eventId}, 'payout.' || changed.status, changed.id, changed.event_count, ${p.eventTarget}, ${p.now});
  end if;${storeAnswer(p.account, 'recorded', `json_build_object('payout', row_to_json(changed))`, 'answered_before')}
  if ${p.releasedSpending} is not null then${releaseSpending(p)}
  end if;
  return json_build_object('payout', row_to_json(changed), 'operation', row_to_json(recorded), 'answered_before', answered_before);
end`,
})
