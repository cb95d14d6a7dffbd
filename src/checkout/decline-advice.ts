import { type ErrorCode, isErrorCode } from '../connectors/contract/error-codes.ts'

export const adviceNames = ['details', 'card', 'bank', 'unconfirmed', 'other', 'later'] as const

/** What a page advises the buyer to do after a refused payment. */
export type DeclineAdvice = (typeof adviceNames)[number]

/**
 * The advice for each error code. Pages do not show the code itself: it would help a thief who tries stolen
 * cards.
 */
export const adviceByErrorCode: Readonly<Partial<Record<ErrorCode, DeclineAdvice>>> = {
  incorrect_billing_address: 'details',
  incorrect_cvv: 'details',
  incorrect_expiry_date: 'details',
  invalid_billing_address: 'details',
  missing_cvv: 'details',
  canceled_payment_method: 'card',
  expired_payment_method: 'card',
  invalid_payment_method: 'card',
  unavailable_payment_method: 'card',
  unknown_payment_method: 'card',
  unrecognised_payment_method: 'card',
  unrecognised_scheme: 'card',
  unsupported_payment_method: 'card',
  unsupported_scheme: 'card',
  incorrect_country: 'card',
  unsupported_country: 'card',
  insufficient_funds: 'bank',
  issuer_decline: 'bank',
  other_decline: 'bank',
  refused_transaction: 'bank',
  suspected_fraud: 'bank',
  requires_buyer_authentication: 'bank',
  service_decline: 'other',
  flow_decline: 'other',
  cancelled_buyer_approval: 'unconfirmed',
  canceled: 'unconfirmed',
  failed_buyer_approval: 'unconfirmed',
  incomplete_buyer_approval: 'unconfirmed',
}

/**
 * The page's advice after a payment was refused with this code; flow rules have codes of their own
 * (`flow_…`). Null: there is no code.
 */
export function declineAdviceOn(code: string | null): DeclineAdvice {
  if (isErrorCode(code)) return adviceByErrorCode[code] ?? 'later'
  return code?.startsWith('flow_') ? 'other' : 'later'
}
