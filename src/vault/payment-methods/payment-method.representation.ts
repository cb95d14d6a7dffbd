import { type BuyerRow, showBuyer } from '../../buyers/buyer.store.ts'
import type { CardScheme, Method, Mode } from '../../connectors/contract/method.schema.ts'
import { timestamp, timestampOrNull } from '../../database/timestamp.ts'
import { shownBin } from '../cards/card.ts'
import { shownFingerprint } from '../cards/card-fingerprint.ts'
import type { PaymentMethodRow } from './payment-method.row.ts'
import type { PaymentMethod, PaymentMethodStatus, PaymentMethodSummary } from './payment-method.schema.ts'

type Details = NonNullable<PaymentMethod['details']>

/** The details of the card behind a payment method; null: it is no card. */
const cardDetails = ({ bin, card_type, card_issuer_name }: PaymentMethodRow): Details | null =>
  bin === null ? null : { bin: shownBin(bin), card_type: card_type as Details['card_type'], card_issuer_name }

export const showPaymentMethodSummary = (row: PaymentMethodRow): PaymentMethodSummary => ({
  type: 'payment-method',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  method: row.method as Method,
  mode: row.mode as Mode,
  scheme: row.scheme as CardScheme | null,
  additional_schemes: row.additional_schemes as CardScheme[] | null,
  label: row.label,
  expiration_date: row.expiration_date,
  fingerprint: shownFingerprint(row.fingerprint),
  details: cardDetails(row),
  country: row.country,
  currency: row.currency,
  approval_url: row.approval_url,
  has_replacement: row.has_replacement,
  last_replaced_at: timestampOrNull(row.last_replaced_at),
  usage_count: row.usage_count,
  cit_usage_count: row.cit_usage_count,
  last_used_at: timestampOrNull(row.last_used_at),
  cit_last_used_at: timestampOrNull(row.cit_last_used_at),
  scheme_transaction_id: row.scheme_transaction_id,
  scheme_transaction_id_scheme: row.scheme_transaction_id_scheme as CardScheme | null,
  transaction_link_id: row.transaction_link_id,
})

export const showPaymentMethod = (row: PaymentMethodRow, buyer: BuyerRow | undefined): PaymentMethod => ({
  ...showPaymentMethodSummary(row),
  buyer: buyer ? showBuyer(buyer) : null,
  external_identifier: row.external_identifier,
  status: row.status as PaymentMethodStatus,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
