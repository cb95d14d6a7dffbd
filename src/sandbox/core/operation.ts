/** The operations at a provider; each has an idempotency key. */
export const operationKinds = [
  'authorize',
  'sale',
  'capture',
  'void',
  'cancel',
  'increment',
  'refund',
  'payout',
] as const
export type OperationKind = (typeof operationKinds)[number]

/** The operations at a gift card provider. */
export const giftCardOperationKinds = ['redeem', 'reverse', 'refund', 'activate', 'issue'] as const
export type GiftCardOperationKind = (typeof giftCardOperationKinds)[number]

/** The operations on a payment that exists already. */
export type FollowUpKind = Exclude<OperationKind, 'authorize' | 'sale' | 'payout'>

export type OperationStatus = 'approved' | 'pending' | 'declined' | 'failed'

/** The outcome of an operation; `code` is an error code of semantics §3.10. */
export type SimulatedResult =
  | { status: 'approved' | 'pending'; code: null }
  | { status: 'declined' | 'failed'; code: string }

export const approved: SimulatedResult = { status: 'approved', code: null }

/** A card that the provider stores, and its token for later payments. */
export interface StoredCard {
  token: string
  scheme: string
  bin: string
  last4: string
  /** `MM/YY`. */
  expiration_date: string
}

/** The provider's answer about an operation, which it stores in its books. It never has card data. */
export interface Result {
  /** The caller's idempotency key. */
  key: string
  kind: OperationKind
  /** The provider's own id of this operation. */
  id: string
  payment_id: string
  status: OperationStatus
  /** In the smallest currency unit. On a partial authorization: the approved amount. */
  amount: number
  currency: string
  code: string | null
  raw_response_code: string | null
  raw_response_description: string | null
  auth_response_code: string | null
  iso_response_code: string | null
  avs_response_code: string | null
  cvv_response_code: string | null
  scheme_transaction_id: string | null
  /** Mastercard payments only. */
  transaction_link_id?: string
  merchant_advice_code: string | null
  /** Only where the payment was to store its card, and has been accepted. */
  stored_card?: StoredCard
  /** Only on an authorization that holds money or may come to hold it. */
  authorization_expires_at: string | null
  processed_at: string
}

/** The response codes of an outcome (semantics §3.10, last paragraph). A pending operation has none yet. */
export function responseCodes({ status, code }: SimulatedResult) {
  const response = status === 'approved' ? '00' : null
  return {
    status,
    code,
    raw_response_code: code,
    raw_response_description: code,
    auth_response_code: response,
    iso_response_code: response,
  }
}
