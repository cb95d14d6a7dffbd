/** The facts that rules evaluate. Null: unknown or absent; then only `is_null` can be true. */
export interface Facts {
  /** In the smallest unit of `currency`. */
  amount: number | null
  currency: string | null
  country: string | null
  /** First six to eight digits of the card. */
  bin: string | null
  scheme: string | null
  card_type: string | null
  /** ISO 3166-1 alpha-2, of the card's issuer. */
  issuer_country: string | null
  method: string | null
  payment_source: string | null
  intent: string | null
  merchant_initiated: boolean
  is_subsequent_payment: boolean
  metadata: Readonly<Record<string, string>> | null
  buyer_id: string | null
  buyer_external_identifier: string | null
  /** When the payment was created, ISO 8601. */
  created_at: string
  /** The error code of the attempt before this one; null: there was none. */
  previous_decline: string | null
}

/** The members of a payment that its facts come from: of a new payment, or of a stored one. */
export interface RoutedPayment {
  amount: number
  currency: string
  country: string | null
  method: string | null
  payment_method: {
    bin?: string | null
    scheme?: string | null
    card_type?: string | null
    issuer_country?: string | null
  } | null
  payment_source: string
  intent: string
  merchant_initiated: boolean
  is_subsequent_payment: boolean
  metadata: Readonly<Record<string, string>> | null
  buyer: { id?: string | null; external_identifier?: string | null } | null
  created_at: string
}

/** The facts of a payment before its first attempt. A retry adds `previous_decline`. */
export const factsOf = (payment: RoutedPayment): Facts => ({
  amount: payment.amount,
  currency: payment.currency,
  country: payment.country,
  bin: payment.payment_method?.bin ?? null,
  scheme: payment.payment_method?.scheme ?? null,
  card_type: payment.payment_method?.card_type ?? null,
  issuer_country: payment.payment_method?.issuer_country ?? null,
  method: payment.method,
  payment_source: payment.payment_source,
  intent: payment.intent,
  merchant_initiated: payment.merchant_initiated,
  is_subsequent_payment: payment.is_subsequent_payment,
  metadata: payment.metadata,
  buyer_id: payment.buyer?.id ?? null,
  buyer_external_identifier: payment.buyer?.external_identifier ?? null,
  created_at: payment.created_at,
  previous_decline: null,
})
