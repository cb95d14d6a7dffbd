/** What rules may ask of a payment. Null: not known, or there is none; no condition but `is_null` is true of it. */
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
