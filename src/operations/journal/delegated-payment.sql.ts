import { paysLink } from './payment-link.sql.ts'

/**
 * The delegated payment that this payment may reserve, locked: nothing if it was used, is reserved, has
 * expired, or allows less. `given` holds the transaction's account, time, amount and currency.
 */
export const openDelegation = (p: {
  delegatedPaymentId: string
  checkoutSession: string
}) => `open_delegation as (
  select d.id
    from delegated_payments d, given
   where d.merchant_account_id = given.account
     and d.id = ${p.delegatedPaymentId}::uuid
     and d.checkout_session_id = ${p.checkoutSession}
     and d.currency = given.currency
     and d.max_amount >= given.amount
     and d.expires_at > given.created_at
     and d.transaction_id is null
     and d.sealed is not null
     for update of d)`

/**
 * The agentic checkout that this payment may complete, locked: nothing if the checkout is not open, has
 * expired, or was given another price than the one that this payment pays. It comes after `open_delegation`, so
 * that all payments lock both in one order.
 */
export const openCheckout = (p: { checkoutId: string; checkoutRevision: string }) => `open_checkout as (
  select c.id
    from agentic_checkouts c, given, open_delegation
   where c.merchant_account_id = given.account
     and c.id = ${p.checkoutId}::uuid
     and c.status = 'open'
     and c.ready
     and c."order" is not null
     and c.revision = ${p.checkoutRevision}::int
     and c.amount = given.amount
     and c.currency = given.currency
     and c.expires_at > given.created_at
     for update of c)`

/** Whether this payment has come to nothing: no money was held or taken. */
const hasNoEffect = (t: string) =>
  `(${t}.status in ('authorization_failed', 'authorization_declined') or (${t}.status = 'authorization_voided' and ${t}.authorized_at is null))`

/**
 * What these payments make of the delegated payments that they have reserved: one that has an effect uses it
 * up, and its card is erased; one that comes to nothing gives it back. While the outcome is unknown, it stays
 * reserved. The agentic checkout that a payment completes is completed, or open again.
 */
export const updateDelegation = (payments: string, now: string) => `delegation_moved as (
  update delegated_payments d
     set transaction_id = case when ${hasNoEffect('t')} then null else d.transaction_id end,
         reserved_amount = case when ${hasNoEffect('t')} then null else d.reserved_amount end,
         used_at = case when ${paysLink('t')} then ${now} end,
         key_id = case when ${paysLink('t')} then null else d.key_id end,
         data_key = case when ${paysLink('t')} then null else d.data_key end,
         sealed = case when ${paysLink('t')} then null else d.sealed end,
         risk_signals = case when ${paysLink('t')} then '[]' else d.risk_signals end,
         metadata = case when ${paysLink('t')} then '{}' else d.metadata end,
         updated_at = ${now}
    from ${payments} t
   where d.merchant_account_id = t.merchant_account_id
     and d.id = (t.details #>> '{delegated_payment,row}')::uuid
     and d.transaction_id = t.id
     and d.used_at is null
     and (${hasNoEffect('t')} or ${paysLink('t')})
  returning d.*
), delegated_code_erased as (
  delete from security_codes c
   using delegation_moved d
   where c.merchant_account_id = d.merchant_account_id
     and c.id = d.id
     and d.used_at is not null
), checkout_moved as (
  update agentic_checkouts c
     set status = case when ${hasNoEffect('t')} then 'open' else 'completed' end,
         transaction_id = case when ${hasNoEffect('t')} then null else c.transaction_id end,
         error_code = case when ${hasNoEffect('t')} then coalesce(t.error_code, 'unknown_error') end,
         updated_at = ${now}
    from ${payments} t
   where c.merchant_account_id = t.merchant_account_id
     and c.transaction_id = t.id
     and c.status = 'completing'
     and (${hasNoEffect('t')} or ${paysLink('t')})
)`
