import type { ErrorCode } from '../contract/error-codes.ts'
import type { Outcome } from '../contract/outcome.ts'
import { markUnprocessed, refusedOutcome, unknownOutcome } from '../contract/outcome.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import type { Answered } from './wire.ts'

/** The provider's error codes. */
export const byErrorCode: Readonly<Record<string, ErrorCode>> = {
  BAD_REQUEST: 'invalid_service_request',
  BAD_VALUE: 'invalid_request_parameters',
  UNAUTHORIZED: 'invalid_service_credentials',
  REJECTED: 'issuer_decline',
  INVALID_OPERATION: 'invalid_operation',
  MERCHANT_INACTIVE: 'invalid_service_configuration',
  NOT_ALLOWED: 'insufficient_service_permissions',
  CAPTURE_NOT_ALLOWED: 'unexpected_state',
  CANCEL_NOT_ALLOWED: 'unexpected_state',
  REFUND_NOT_ALLOWED: 'invalid_amount',
  NOT_FOUND: 'unknown_service_resource',
  NO_SUCH_ORDER: 'unknown_service_resource',
  NO_SUCH_CAPTURE: 'unknown_service_resource',
  SESSION_COMPLETED: 'unexpected_state',
  CONFLICT: 'service_resource_conflict',
  INVALID_ADDRESS: 'incorrect_billing_address',
  UNPROCESSABLE_ENTITY: 'invalid_request_parameters',
  TOO_MANY_REQUESTS: 'service_rate_limit',
}

/** The provider's contract defines `reason` as free text; one of these is more exact than the error code. */
export const byReason: Readonly<Record<string, ErrorCode>> = {
  AGREEMENT_CANCELLED: 'canceled_payment_method',
  AUTHORIZATION_EXPIRED: 'expired_authorization',
  FUNDING_SOURCE_EXPIRED: 'expired_payment_method',
  BILLING_ADDRESS_MISMATCH: 'incorrect_billing_address',
  COUNTRY_MISMATCH: 'incorrect_country',
  CURRENCY_MISMATCH: 'incorrect_currency',
  SECURITY_CODE_MISMATCH: 'incorrect_cvv',
  EXPIRY_DATE_MISMATCH: 'incorrect_expiry_date',
  CREDIT_LIMIT_EXCEEDED: 'insufficient_funds',
  FUNDING_SOURCE_DECLINED: 'issuer_decline',
  OTHER: 'other_decline',
  PURCHASE_REFUSED: 'refused_transaction',
  POLICY: 'service_decline',
  FRAUD: 'suspected_fraud',
  DISPUTED: 'disputed_transaction',
  DUPLICATE: 'duplicate_transaction',
  BUYER_AUTHENTICATION_REQUIRED: 'requires_buyer_authentication',
  PAYMENT_METHOD_UNAVAILABLE: 'unavailable_payment_method',
  PAYMENT_METHOD_UNKNOWN: 'unknown_payment_method',
  PURCHASE_UNSUPPORTED: 'unsupported_transaction',
  PAYMENT_METHOD_UNSUPPORTED: 'unsupported_payment_method',
  CANCELLED_BY_BUYER: 'cancelled_buyer_approval',
  PERMISSION_MISSING: 'insufficient_service_permissions',
  AMOUNT_INVALID: 'invalid_amount',
  PAYMENT_METHOD_INVALID: 'invalid_payment_method',
  MERCHANT_CONFIGURATION: 'invalid_service_configuration',
  CREDENTIALS_INVALID: 'invalid_service_credentials',
  PARTNER_RESPONSE_INVALID: 'invalid_service_response',
  TAX_ID_INVALID: 'invalid_tax_identifier',
  BILLING_ADDRESS_MISSING: 'missing_billing_address',
  SECURITY_CODE_MISSING: 'missing_cvv',
  SHIPPING_ADDRESS_MISSING: 'missing_shipping_address',
  TAX_ID_MISSING: 'missing_tax_identifier',
  REFUND_PERIOD_EXPIRED: 'refund_period_expired',
  TEMPORARY_ERROR: 'service_error',
  PARTNER_UNREACHABLE: 'service_network_error',
  RATE_LIMITED: 'service_rate_limit',
  INTERNAL: 'internal_error',
  BILLING_ADDRESS_INVALID: 'invalid_billing_address',
  OPERATION_INVALID: 'invalid_operation',
  PARAMETERS_INVALID: 'invalid_request_parameters',
  REQUEST_INVALID: 'invalid_service_request',
  SHIPPING_ADDRESS_INVALID: 'invalid_shipping_address',
  RESOURCE_CONFLICT: 'service_resource_conflict',
  STATE_INVALID: 'unexpected_state',
  UNKNOWN: 'unknown_error',
  RESOURCE_UNKNOWN: 'unknown_service_resource',
  COUNTRY_UNSUPPORTED: 'unsupported_country',
  CURRENCY_UNSUPPORTED: 'unsupported_currency',
  COUNTRY_UNRECOGNISED: 'unrecognised_country',
  CURRENCY_UNRECOGNISED: 'unrecognised_currency',
  PAYMENT_METHOD_UNRECOGNISED: 'unrecognised_payment_method',
  SCHEME_UNRECOGNISED: 'unrecognised_scheme',
  SCHEME_UNSUPPORTED: 'unsupported_scheme',
  ALREADY_REFUNDED: 'refund_already_satisfied',
}

/**
 * The meaning of a status without a known word in the body. Other statuses do not prove that nothing
 * happened.
 */
const byStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_service_request',
  401: 'invalid_service_credentials',
  403: 'service_decline',
  404: 'unknown_service_resource',
  422: 'invalid_request_parameters',
  429: 'service_rate_limit',
}

/**
 * The statuses after which the provider has stored nothing under the request's key, unless the body has a
 * reason.
 */
const unprocessedStatuses: readonly number[] = [401, 429]

const lookUpCode = (
  table: Readonly<Record<string, ErrorCode>>,
  word: string | null,
): ErrorCode | undefined => (word !== null && Object.hasOwn(table, word) ? table[word] : undefined)

/** The provider's own message in a refusal. */
export const messageOf = ({ body }: Pick<Answered, 'body'>): string | null => {
  const { error_messages: messages, reason } = body
  return Array.isArray(messages) && messages.length > 0 ? messages.join('; ') : nonEmptyText(reason)
}

/** The outcome of a refusal whose code is known without the tables. */
export function refusedWith(code: ErrorCode, answer: Answered): Outcome {
  const facts = {
    raw_response_code: nonEmptyText(answer.body['error_code']),
    raw_response_description: messageOf(answer),
  }
  return refusedOutcome(code, facts)
}

/**
 * The outcome of a refusal. It is unknown after everything that may have moved money: a 5xx, or a conflict
 * with a request in progress.
 */
export function refusal(answer: Answered): Outcome {
  const { status, body } = answer
  const exact = lookUpCode(byReason, nonEmptyText(body['reason']))
  const fallback = byStatus[status]
  if (!fallback && !(status === 409 && exact)) return unknownOutcome(`HTTP ${status}`)
  if (exact) return refusedWith(exact, answer)
  if (body['error_code'] === 'REJECTED' && body['fraud_status'] === 'REJECTED')
    return refusedWith('suspected_fraud', answer)
  const outcome = refusedWith(
    lookUpCode(byErrorCode, nonEmptyText(body['error_code'])) ?? fallback ?? 'unknown_error',
    answer,
  )
  return markUnprocessed(outcome, status, unprocessedStatuses)
}
