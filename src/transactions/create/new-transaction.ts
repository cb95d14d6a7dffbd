import { redactor } from '../../connectors/redact.ts'
import type { GiftCardTender } from '../../gift-cards/redemptions/redemption.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { TransactionThreeDSecureSummary } from '../../three-d-secure/three-d-secure.schema.ts'
import type { RedirectInput } from '../../vault/payment-methods/payment-method-input.schema.ts'
import type { World } from '../../world.ts'
import { sessionToken } from '../approval/approval-links.ts'
import { paymentServiceSnapshot } from '../payment-service-snapshot.ts'
import type { Details, TransactionRow } from '../transaction.row.ts'
import type { Draft } from './draft.ts'
import type { Payer } from './payer.ts'
import type { Tender } from './tender.ts'

/** As it is answered: version 1 with its scheme, version 2 without one. */
function responseData(given: NonNullable<Draft['three_d_secure_data']>): TransactionThreeDSecureSummary['response_data'] {
  if ('xid' in given) return given
  const { scheme, ...data } = given
  return data
}

/** What a new transaction is made of besides the request. */
export interface TransactionParts {
  id: string
  createdAt: string
  tender: Tender | undefined
  payer: Payer
  /** The stored method that it shows: the one used, or the one that is stored with it. */
  method: { id: string; provisional: boolean } | undefined
  service: ConfiguredService | undefined
  country: string | null
  giftCards: GiftCardTender | null
  checkoutSessionId: string | null
  paymentLinkId: string | null
  ipAddress: string | null
  /** What rules decided, and among which payment services. */
  decided: Pick<TransactionRow, 'actions' | 'eligible'>
}

/** The row of a payment that nothing has become of yet. */
export function newTransaction(world: World, account: string, draft: Draft, parts: TransactionParts): TransactionRow {
  const { tender, payer, service, method: stored, id, createdAt: now } = parts
  const external = draft.three_d_secure_data
  const redirect = tender?.redirect
  return {
    merchant_account_id: account,
    id,
    status: 'processing',
    intent: draft.intent,
    intent_outcome: 'pending',
    currency: draft.currency,
    country: parts.country,
    amount: draft.amount,
    authorized_amount: 0,
    captured_amount: 0,
    refunded_amount: 0,
    capture_reserved: 0,
    refund_reserved: 0,
    over_capture_allowance: 0,
    event_count: 0,
    capture_closed: false,
    active_operation_id: null,
    method: tender?.method ?? (parts.giftCards && 'gift-card'),
    instrument_type: tender?.instrumentType ?? null,
    payment_method: tender ? { ...tender.snapshot, ...(stored && { id: stored.id, ...(stored.provisional && { provisional: true }) }) } : null,
    payment_service_id: service?.id ?? null,
    payment_service: service ? paymentServiceSnapshot(service) : null,
    payment_service_transaction_id: null,
    buyer: payer.buyer,
    shipping_details: payer.shipping,
    external_identifier: draft.external_identifier ?? null,
    metadata: draft.metadata ?? null,
    error_code: null,
    facts: {},
    details: detailsOf(draft),
    three_d_secure: external
      ? {
          version: external.version,
          status: 'complete',
          method: null,
          response_data: responseData(external),
          error_data: null,
          amount: draft.three_d_secure?.amount ?? null,
        }
      : null,
    payment_source: draft.payment_source,
    merchant_initiated: draft.merchant_initiated,
    is_subsequent_payment: draft.is_subsequent_payment,
    ip_address: parts.ipAddress,
    pending_review: false,
    disputed: false,
    settled: false,
    settled_currency: null,
    settled_amount: 0,
    approval: redirect ? newBuyerApproval(world, account, id, draft, redirect) : null,
    gift_cards: parts.giftCards,
    identifiers: null,
    checkout_session_id: parts.checkoutSessionId,
    payment_link_id: parts.paymentLinkId,
    ...parts.decided,
    anti_fraud: null,
    reauthorized_from_transaction_id: null,
    approval_expires_at: null,
    buyer_approval_timedout_at: null,
    authorized_at: null,
    captured_at: null,
    voided_at: null,
    canceled_at: null,
    created_at: now,
    updated_at: now,
  }
}

function newBuyerApproval(
  world: World,
  account: string,
  id: string,
  draft: Draft,
  { redirect_url = null }: RedirectInput,
): TransactionRow['approval'] {
  const integration_client = draft.integration_client ?? 'redirect'
  const session_token = integration_client === 'redirect' ? null : sessionToken(world, account, id)
  return { integration_client, redirect_url, url: null, session_data: null, session_token }
}

const detailKeys = [
  'payment_service_id',
  'airline',
  'cart_items',
  'statement_descriptor',
  'recipient',
  'installment_count',
  'account_funding_transaction',
  'allow_partial_authorization',
  'async_capture',
  'description',
  'browser_info',
  'connection_options',
  'previous_scheme_transaction_id',
  'previous_transaction_link_id',
  'anti_fraud_fingerprint',
  'tax_amount',
  'merchant_tax_id',
  'purchase_order_number',
  'customer_reference_number',
  'amount_includes_tax',
  'supplier_order_number',
  'duty_amount',
  'shipping_amount',
] as const satisfies readonly (keyof Details)[]

/**
 * Only what was given: most payments have none of it, and every byte is written twice (row and log). Connection options may name a card
 * number (`merchant_advice_code.account_number`): what is kept of them does not.
 */
const detailsOf = (draft: Draft): Details =>
  Object.fromEntries(
    detailKeys
      .filter((key) => draft[key] !== undefined && draft[key] !== null && draft[key] !== false)
      .map((key) => [key, key === 'connection_options' ? withoutCardNumbers(draft[key]) : draft[key]]),
  )

const withoutCardNumbers = redactor(undefined)
