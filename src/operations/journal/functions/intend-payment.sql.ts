import { insertRow } from '../../../database/rows/insert-row.ts'
import { sqlFunction } from '../../../database/sql-function.ts'
import { withSharedCommit } from '../../../database/statements.ts'
import { lockCheckout, lockDelegation } from './delegated-payment.sql.ts'
import { transactionTarget } from './event-target.sql.ts'
import {
  claimTypes,
  eventVariables,
  insertAuditEntries,
  insertClaim,
  insertEvents,
  insertRows,
  insertTimeline,
  timelineTypes,
} from './journal-steps.sql.ts'
import { insertLinkEvent } from './payment-link.sql.ts'

/**
 * A payment: the transaction, its first operation, the claim on the idempotency key, the timeline, the outbox
 * and the audit log, in one commit. A key that is taken violates `idempotency_keys_pkey`, and nothing is
 * written. It returns an `IntendPaymentResult`; anything but `created` has written nothing.
 *
 * What the payment takes for itself is locked before it is created, so that a link, a delegated payment and an
 * agentic checkout have one payment each, however many requests try at once. A payment that fails before a
 * payment service is asked leaves them as they are.
 */
export const intendPayment = sqlFunction({
  name: 'intend_payment',
  parameters: {
    account: 'text',
    transaction: 'jsonb',
    /** Its first operation in a list; an empty one where no payment service is asked. */
    operations: 'jsonb',
    ...timelineTypes,
    ...claimTypes,
    /** Outbox events, numbered. */
    events: 'jsonb',
    auditEntry: 'jsonb',
    // from here on each is null if the payment has none
    linkId: 'uuid',
    linkEventId: 'uuid',
    delegatedPaymentId: 'uuid',
    checkoutSession: 'text',
    /** The agentic checkout that a delegated payment completes. */
    checkoutId: 'uuid',
    checkoutRevision: 'int',
    /** Its use is counted. */
    storedMethodId: 'uuid',
    /** A payment method that is stored provisionally, until the payment succeeds. */
    methodToStore: 'jsonb',
    /** A wallet's token is used up: another payment's violates `used_wallet_tokens_pkey`. */
    walletToken: 'jsonb',
  },
  returns: 'text',
  body: (p) => `
declare
  created transactions := jsonb_populate_record(null::transactions, ${p.transaction});
  operation operations;
  stored payment_methods;
  link payment_links;
  link_sequence int;${eventVariables}
  entry record;
begin
  if ${p.linkId} is not null then
    perform from payment_links
      where merchant_account_id = ${p.account}
        and id = ${p.linkId}
        and status = 'active'
        and expires_at > created.created_at
        for update;
    if not found then return 'link closed'; end if;
  end if;
  if ${p.delegatedPaymentId} is not null then${lockDelegation(p)}
    if not found then return 'delegation closed'; end if;
    if ${p.checkoutId} is not null then${lockCheckout(p)}
      if not found then return 'delegation closed'; end if;
    end if;
  end if;
  if ${p.storedMethodId} is not null then
    update payment_methods
       set usage_count = usage_count + 1,
           last_used_at = created.created_at,
           cit_usage_count = cit_usage_count + case when created.merchant_initiated then 0 else 1 end,
           cit_last_used_at = case when created.merchant_initiated then cit_last_used_at else created.created_at end
     where merchant_account_id = ${p.account}
       and id = ${p.storedMethodId}
       and not provisional;
    if not found then return 'method gone'; end if;
  end if;
  if ${p.methodToStore} is not null then
    stored := jsonb_populate_record(null::payment_methods, ${p.methodToStore});
    ${insertRow('payment_methods', 'stored')}
  end if;
  ${insertRow('transactions', 'created')}${insertRows('operations', 'operation', p.operations)}${insertClaim(
    p,
    {
      account: p.account,
      resourceId: 'created.id',
      answer: `case when jsonb_array_length(${p.operations}) = 0 then json_build_object('transaction', row_to_json(created)) end`,
      createdAt: 'created.created_at',
    },
  )}${insertTimeline(p, p.account, 'created.id')}${insertEvents({
    account: p.account,
    events: p.events,
    targetId: 'created.id',
    sequence: 'event.ordinal',
    target: transactionTarget('created', 'created.created_at'),
    createdAt: 'created.created_at',
  })}${insertAuditEntries(p.account, p.auditEntry, 'created.external_identifier')}
  if ${p.walletToken} is not null then
    insert into used_wallet_tokens (merchant_account_id, source, token, usable_until)
    values (${p.account}, ${p.walletToken}->>'source', decode(${p.walletToken}->>'hash', 'hex'), (${p.walletToken}->>'usable_until')::timestamptz);
  end if;
  if created.status = 'processing' then
    if ${p.delegatedPaymentId} is not null then
      update delegated_payments
         set transaction_id = created.id,
             reserved_amount = created.amount,
             updated_at = created.created_at
       where merchant_account_id = ${p.account}
         and id = ${p.delegatedPaymentId};
    end if;
    if ${p.checkoutId} is not null then
      update agentic_checkouts
         set status = 'completing',
             transaction_id = created.id,
             error_code = null,
             updated_at = created.created_at
       where merchant_account_id = ${p.account}
         and id = ${p.checkoutId};
    end if;
  end if;
  if ${p.linkId} is not null then
    update payment_links
       set transaction_id = created.id,
           status = case when created.status = 'processing' then 'processing' else status end,
           updated_at = case when created.status = 'processing' then created.created_at else updated_at end
     where merchant_account_id = ${p.account}
       and id = ${p.linkId}
    returning * into link;
    if link.status = 'processing' then${insertLinkEvent({ link: 'link', sequence: 'link_sequence', event: p.linkEventId })}
    end if;
  end if;
  return 'created';
end`,
})
withSharedCommit(intendPayment.text)
