import { reconciliationId } from '../../api/values/reconciliation-id.ts'
import type { TransactionBuyer } from '../../buyers/buyer.schema.ts'
import { showCartItem } from '../../checkout/cart-item.ts'
import { timestamp, timestampOrNull } from '../../database/timestamp.ts'
import type { Redemption } from '../../gift-cards/redemptions/redemption.ts'
import { shownBin } from '../../vault/cards/card.ts'
import { shownFingerprint } from '../../vault/cards/card-fingerprint.ts'
import type { BuyerSnapshot, PaymentMethodSnapshot, TransactionRow } from '../transaction.row.ts'
import type { Transaction, TransactionPaymentMethod, TransactionSummary } from '../transaction.schema.ts'

/** The form of a transaction in lists (semantics §3.13). */
export function transactionSummary(row: TransactionRow): TransactionSummary {
  return {
    type: 'transaction',
    id: row.id,
    reconciliation_id: reconciliationId(row.id),
    merchant_account_id: row.merchant_account_id,
    currency: row.currency,
    amount: row.amount,
    status: row.status,
    authorized_amount: row.authorized_amount,
    captured_amount: row.captured_amount,
    refunded_amount: row.refunded_amount,
    settled_currency: row.settled_currency,
    settled_amount: row.settled_amount,
    settled: row.settled,
    country: row.country,
    external_identifier: row.external_identifier,
    intent: row.intent,
    payment_method: row.payment_method && showPaymentMethod(row.payment_method, row),
    method: row.method,
    instrument_type: row.instrument_type,
    error_code: row.error_code,
    payment_service:
      row.payment_service && row.payment_service_id
        ? { type: 'payment-service', id: row.payment_service_id, ...row.payment_service }
        : null,
    pending_review: row.pending_review,
    buyer: row.buyer && showBuyer(row.buyer),
    raw_response_code: row.facts.raw_response_code ?? null,
    raw_response_description: row.facts.raw_response_description ?? null,
    shipping_details: row.shipping_details && {
      type: 'shipping-details',
      id: row.shipping_details.id ?? null,
      buyer_id: row.shipping_details.buyer_id ?? null,
      first_name: row.shipping_details.first_name ?? null,
      last_name: row.shipping_details.last_name ?? null,
      email_address: row.shipping_details.email_address ?? null,
      phone_number: row.shipping_details.phone_number ?? null,
      address: row.shipping_details.address ?? null,
    },
    checkout_session_id: row.checkout_session_id,
    gift_card_redemptions: row.gift_cards?.redemptions.map(showRedemption) ?? [],
    gift_card_service: row.gift_cards && { type: 'gift-card-service', ...row.gift_cards.service },
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    disputed: row.disputed,
    reauthorized_from_transaction_id: row.reauthorized_from_transaction_id,
  }
}

/**
 * The payment method of a payment or a payout as it was when that was created, with the page where the buyer
 * approves, if there is one.
 */
export function showPaymentMethod(
  method: PaymentMethodSnapshot,
  { approval = null, status }: Partial<Pick<TransactionRow, 'approval' | 'status'>> = {},
): TransactionPaymentMethod {
  return {
    type: 'payment-method',
    // a method that is to be stored exists once the payment has succeeded
    id: method.provisional ? null : (method.id ?? null),
    method: method.method,
    mode: method.mode ?? (method.method === 'card' ? 'card' : approval ? 'redirect' : null),
    scheme: (method.scheme ?? null) as TransactionPaymentMethod['scheme'],
    label: method.label ?? null,
    expiration_date: method.expiration_date ?? null,
    fingerprint: shownFingerprint(method.fingerprint),
    details: method.bin
      ? {
          bin: shownBin(method.bin),
          card_type: (method.card_type ?? null) as 'credit' | 'debit' | 'prepaid' | null,
          card_issuer_name: method.card_issuer_name ?? null,
        }
      : null,
    country: method.country ?? null,
    currency: method.currency ?? null,
    external_identifier: method.external_identifier ?? null,
    // after the approval the page is of no use any more
    approval_url: status === 'buyer_approval_pending' ? (approval?.url ?? null) : null,
    approval_target: status === 'buyer_approval_pending' && approval?.url ? 'any' : null,
    last_replaced_at: null,
    payment_account_reference: null,
  }
}

/** The buyer as the payment stored them. */
export function showBuyer(snapshot: BuyerSnapshot): TransactionBuyer {
  return {
    type: 'buyer',
    id: snapshot.id ?? null,
    reconciliation_id: snapshot.id ? reconciliationId(snapshot.id) : null,
    display_name: snapshot.display_name ?? null,
    external_identifier: snapshot.external_identifier ?? null,
    billing_details: snapshot.billing_details ?? null,
    account_number: snapshot.account_number ?? null,
  }
}

/** The whole transaction, as its own endpoints answer it. */
export function showTransaction(row: TransactionRow): Transaction {
  const { facts, details } = row
  return {
    ...transactionSummary(row),
    disputed_amount: row.disputed_amount ?? 0,
    airline: details.airline ?? null,
    auth_response_code: facts.auth_response_code ?? null,
    avs_response_code: (facts.avs_response_code ?? null) as Transaction['avs_response_code'],
    cvv_response_code: (facts.cvv_response_code ?? null) as Transaction['cvv_response_code'],
    anti_fraud_decision: row.anti_fraud?.decision ?? null,
    payment_source: row.payment_source,
    merchant_initiated: row.merchant_initiated,
    is_subsequent_payment: row.is_subsequent_payment,
    cart_items: details.cart_items?.map(showCartItem) ?? null,
    statement_descriptor: details.statement_descriptor ?? null,
    scheme_transaction_id: facts.scheme_transaction_id ?? null,
    transaction_link_id: facts.transaction_link_id ?? null,
    three_d_secure: row.three_d_secure,
    payment_service_transaction_id: row.payment_service_transaction_id,
    additional_identifiers:
      row.identifiers ??
      (row.payment_service_transaction_id
        ? { payment_service_authorization_id: row.payment_service_transaction_id }
        : {}),
    metadata: row.metadata,
    authorized_at: timestampOrNull(row.authorized_at),
    captured_at: timestampOrNull(row.captured_at),
    voided_at: timestampOrNull(row.voided_at),
    canceled_at: timestampOrNull(row.canceled_at),
    approval_expires_at: timestampOrNull(row.approval_expires_at),
    buyer_approval_timedout_at: timestampOrNull(row.buyer_approval_timedout_at),
    intent_outcome: row.intent_outcome,
    multi_tender: (row.payment_method ? 1 : 0) + (row.gift_cards?.redemptions.length ?? 0) > 1,
    account_funding_transaction: details.account_funding_transaction ?? false,
    recipient: details.recipient ?? null,
    merchant_advice_code: facts.merchant_advice_code ?? null,
    installment_count: details.installment_count ?? null,
    session_token: row.status === 'buyer_approval_pending' ? (row.approval?.session_token ?? null) : null,
    tax_amount: details.tax_amount ?? null,
    merchant_tax_id: details.merchant_tax_id ?? null,
    purchase_order_number: details.purchase_order_number ?? null,
    customer_reference_number: details.customer_reference_number ?? null,
    amount_includes_tax: details.amount_includes_tax ?? null,
    supplier_order_number: details.supplier_order_number ?? null,
    duty_amount: details.duty_amount ?? null,
    shipping_amount: details.shipping_amount ?? null,
    iso_response_code: facts.iso_response_code ?? null,
    delegated_payment: showDelegatedPayment(details),
    agent_evidence: details.agent_evidence ?? null,
  }
}

function showDelegatedPayment({
  delegated_payment: delegated,
}: TransactionRow['details']): Transaction['delegated_payment'] {
  if (!delegated) return null
  const { row: _row, ...shown } = delegated
  return shown
}

const showRedemption = ({
  id,
  status,
  amount,
  refunded,
  reference,
  gift_card,
  error_code,
  raw_error_code,
  raw_error_message,
}: Redemption) => ({
  type: 'gift-card-redemption' as const,
  id,
  status,
  amount,
  refunded_amount: refunded,
  gift_card_service_redemption_id: reference,
  error_code,
  raw_error_code,
  raw_error_message,
  gift_card: { type: 'gift-card' as const, ...gift_card },
})
