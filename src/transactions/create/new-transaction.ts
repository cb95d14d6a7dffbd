import { redactor } from '../../connectors/wire/redact.ts'
import type { GiftCardTender } from '../../gift-cards/redemptions/redemption.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { TransactionThreeDSecureSummary } from '../../three-d-secure/three-d-secure.schema.ts'
import type { RedirectInput } from '../../vault/payment-methods/payment-method-input.schema.ts'
import type { World } from '../../world.ts'
import { sessionToken } from '../approval/session-token.ts'
import { paymentServiceSnapshot } from '../payment-service-snapshot.ts'
import { type Details, detailKeys, type TransactionRow } from '../transaction.row.ts'
import type { Draft } from './draft.ts'
import type { Payer } from './payer.ts'
import type { Tender } from './tender.ts'

/** The merchant's own 3-D Secure data as the transaction shows it: only version 1 shows the scheme. */
function responseData(
  external: NonNullable<Draft['three_d_secure_data']>,
): TransactionThreeDSecureSummary['response_data'] {
  if ('xid' in external) return external
  const { scheme, ...data } = external
  return data
}

/** What a new transaction consists of besides the request. */
export interface TransactionParts {
  id: string
  createdAt: string
  tender: Tender | undefined
  payer: Payer
  /** The stored method that pays, or that is stored (`mark`). */
  method: { id: string; mark: 'provisional' | 'being_stored' | null } | undefined
  service: ConfiguredService | undefined
  country: string | null
  giftCards: GiftCardTender | null
  checkoutSessionId: string | null
  paymentLinkId: string | null
  ipAddress: string | null
  /** The decisions of rules, and the payment services among which they chose. */
  decided: Pick<TransactionRow, 'actions' | 'eligible'>
}

/** The row of a payment before its first operation. */
export function newTransaction(
  world: World,
  account: string,
  draft: Draft,
  parts: TransactionParts,
): TransactionRow {
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
    payment_method: tender
      ? {
          ...tender.snapshot,
          ...(stored && { id: stored.id, ...(stored.mark && { [stored.mark]: true }) }),
        }
      : null,
    payment_service_id: service?.id ?? null,
    payment_service: service ? paymentServiceSnapshot(service) : null,
    payment_service_transaction_id: null,
    buyer: payer.buyer,
    shipping_details: payer.shipping,
    external_identifier: draft.external_identifier ?? null,
    metadata: draft.metadata ?? null,
    error_code: null,
    facts: {},
    details: { ...detailsOf(draft), ...(tender?.delegated && { delegated_payment: tender.delegated.shown }) },
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

/** The approval of a payment whose buyer approves it at the payment service. */
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

/**
 * The details without empty members: most payments have few, and every byte is written twice (table and
 * write-ahead log). Connection options may contain a card number (`merchant_advice_code.account_number`),
 * which is redacted.
 */
const detailsOf = (draft: Draft): Details =>
  Object.fromEntries(
    detailKeys
      .filter((key) => draft[key] !== undefined && draft[key] !== null && draft[key] !== false)
      .map((key) => [key, key === 'connection_options' ? redactCardNumbers(draft[key]) : draft[key]]),
  )

const redactCardNumbers = redactor(undefined)
