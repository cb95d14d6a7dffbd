import { paysLink } from './payment-link.sql.ts'

/**
 * Locks the delegated payment that the payment `created` may reserve: not found if it was used, is reserved,
 * has expired, or allows less.
 */
export const lockDelegation = (
  p: Readonly<Record<'account' | 'delegatedPaymentId' | 'checkoutSession', string>>,
) => `
    perform from delegated_payments
      where merchant_account_id = ${p.account}
        and id = ${p.delegatedPaymentId}
        and checkout_session_id = ${p.checkoutSession}
        and currency = created.currency
        and max_amount >= created.amount
        and expires_at > created.created_at
        and transaction_id is null
        and sealed is not null
        for update;`

/**
 * Locks the agentic checkout that the payment `created` may complete: not found if the checkout is not open,
 * has expired, or was given another price than the one that this payment pays. It comes after `lockDelegation`,
 * so that all payments lock both in one order.
 */
export const lockCheckout = (p: Readonly<Record<'account' | 'checkoutId' | 'checkoutRevision', string>>) => `
      perform from agentic_checkouts
        where merchant_account_id = ${p.account}
          and id = ${p.checkoutId}
          and status = 'open'
          and ready
          and "order" is not null
          and revision = ${p.checkoutRevision}
          and amount = created.amount
          and currency = created.currency
          and expires_at > created.created_at
          for update;`

/** Whether this payment has come to nothing: no money was held or taken. */
const hasNoEffect = (t: string) =>
  `(${t}.status in ('authorization_failed', 'authorization_declined') or (${t}.status = 'authorization_voided' and ${t}.authorized_at is null))`

/**
 * What a payment makes of the delegated payment that it has reserved: one that has an effect uses it up, and
 * its card is erased; one that comes to nothing gives it back. While the outcome is unknown, it stays reserved.
 * The agentic checkout that a payment completes is completed, or open again. `transaction`: the variable with
 * the payment's row; `delegation`: one that gets the row of the delegated payment.
 */
export const settleDelegation = ({
  account,
  transaction: t,
  delegation,
  now,
}: Record<'account' | 'transaction' | 'delegation' | 'now', string>) => `
    if ${hasNoEffect(t)} or ${paysLink(t)} then
      update delegated_payments d
         set transaction_id = case when ${hasNoEffect(t)} then null else d.transaction_id end,
             reserved_amount = case when ${hasNoEffect(t)} then null else d.reserved_amount end,
             used_at = case when ${paysLink(t)} then ${now} end,
             key_id = case when ${paysLink(t)} then null else d.key_id end,
             data_key = case when ${paysLink(t)} then null else d.data_key end,
             sealed = case when ${paysLink(t)} then null else d.sealed end,
             risk_signals = case when ${paysLink(t)} then '[]' else d.risk_signals end,
             metadata = case when ${paysLink(t)} then '{}' else d.metadata end,
             updated_at = ${now}
       where d.merchant_account_id = ${account}
         and d.id = (${t}.details #>> '{delegated_payment,row}')::uuid
         and d.transaction_id = ${t}.id
         and d.used_at is null
      returning d.* into ${delegation};
      if ${delegation}.used_at is not null then
        delete from security_codes where merchant_account_id = ${account} and id = ${delegation}.id;
      end if;
      update agentic_checkouts
         set status = case when ${hasNoEffect(t)} then 'open' else 'completed' end,
             transaction_id = case when ${hasNoEffect(t)} then null else transaction_id end,
             error_code = case when ${hasNoEffect(t)} then coalesce(${t}.error_code, 'unknown_error') end,
             updated_at = ${now}
       where merchant_account_id = ${account}
         and transaction_id = ${t}.id
         and status = 'completing';
    end if;`
