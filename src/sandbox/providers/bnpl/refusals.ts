import { type Answer, json } from '../../core/provider-messages.ts'

/**
 * The provider's form of each error code of semantics §3.10: status, error code, and the reason, which is
 * free text in its contract.
 */
const errorWordings = new Map<string, readonly [status: number, error_code: string, reason: string]>([
  ['canceled_payment_method', [403, 'REJECTED', 'AGREEMENT_CANCELLED']],
  ['expired_authorization', [403, 'REJECTED', 'AUTHORIZATION_EXPIRED']],
  ['expired_payment_method', [403, 'REJECTED', 'FUNDING_SOURCE_EXPIRED']],
  ['incorrect_billing_address', [403, 'REJECTED', 'BILLING_ADDRESS_MISMATCH']],
  ['incorrect_country', [403, 'REJECTED', 'COUNTRY_MISMATCH']],
  ['incorrect_currency', [403, 'REJECTED', 'CURRENCY_MISMATCH']],
  ['incorrect_cvv', [403, 'REJECTED', 'SECURITY_CODE_MISMATCH']],
  ['incorrect_expiry_date', [403, 'REJECTED', 'EXPIRY_DATE_MISMATCH']],
  ['insufficient_funds', [403, 'REJECTED', 'CREDIT_LIMIT_EXCEEDED']],
  ['issuer_decline', [403, 'REJECTED', 'FUNDING_SOURCE_DECLINED']],
  ['other_decline', [403, 'REJECTED', 'OTHER']],
  ['refused_transaction', [403, 'REJECTED', 'PURCHASE_REFUSED']],
  ['service_decline', [403, 'REJECTED', 'POLICY']],
  ['suspected_fraud', [403, 'REJECTED', 'FRAUD']],
  ['disputed_transaction', [403, 'INVALID_OPERATION', 'DISPUTED']],
  ['duplicate_transaction', [403, 'INVALID_OPERATION', 'DUPLICATE']],
  ['requires_buyer_authentication', [403, 'INVALID_OPERATION', 'BUYER_AUTHENTICATION_REQUIRED']],
  ['unavailable_payment_method', [403, 'INVALID_OPERATION', 'PAYMENT_METHOD_UNAVAILABLE']],
  ['unknown_payment_method', [404, 'NOT_FOUND', 'PAYMENT_METHOD_UNKNOWN']],
  ['unsupported_transaction', [403, 'INVALID_OPERATION', 'PURCHASE_UNSUPPORTED']],
  ['unsupported_payment_method', [403, 'INVALID_OPERATION', 'PAYMENT_METHOD_UNSUPPORTED']],
  ['cancelled_buyer_approval', [403, 'INVALID_OPERATION', 'CANCELLED_BY_BUYER']],
  ['insufficient_service_permissions', [403, 'NOT_ALLOWED', 'PERMISSION_MISSING']],
  ['invalid_amount', [400, 'BAD_VALUE', 'AMOUNT_INVALID']],
  ['invalid_payment_method', [400, 'BAD_VALUE', 'PAYMENT_METHOD_INVALID']],
  ['invalid_service_configuration', [403, 'MERCHANT_INACTIVE', 'MERCHANT_CONFIGURATION']],
  ['invalid_service_credentials', [401, 'UNAUTHORIZED', 'CREDENTIALS_INVALID']],
  ['invalid_service_response', [403, 'INVALID_OPERATION', 'PARTNER_RESPONSE_INVALID']],
  ['invalid_tax_identifier', [400, 'BAD_VALUE', 'TAX_ID_INVALID']],
  ['missing_billing_address', [400, 'BAD_VALUE', 'BILLING_ADDRESS_MISSING']],
  ['missing_cvv', [400, 'BAD_VALUE', 'SECURITY_CODE_MISSING']],
  ['missing_shipping_address', [400, 'BAD_VALUE', 'SHIPPING_ADDRESS_MISSING']],
  ['missing_tax_identifier', [400, 'BAD_VALUE', 'TAX_ID_MISSING']],
  ['refund_period_expired', [403, 'INVALID_OPERATION', 'REFUND_PERIOD_EXPIRED']],
  // a refusal in the books is never a 5xx, after which the outcome would be unknown
  ['service_error', [403, 'INVALID_OPERATION', 'TEMPORARY_ERROR']],
  ['service_network_error', [403, 'INVALID_OPERATION', 'PARTNER_UNREACHABLE']],
  ['service_rate_limit', [429, 'TOO_MANY_REQUESTS', 'RATE_LIMITED']],
  ['internal_error', [403, 'INVALID_OPERATION', 'INTERNAL']],
  ['invalid_billing_address', [400, 'BAD_VALUE', 'BILLING_ADDRESS_INVALID']],
  ['invalid_operation', [403, 'INVALID_OPERATION', 'OPERATION_INVALID']],
  ['invalid_request_parameters', [400, 'BAD_VALUE', 'PARAMETERS_INVALID']],
  ['invalid_service_request', [400, 'BAD_REQUEST', 'REQUEST_INVALID']],
  ['invalid_shipping_address', [400, 'BAD_VALUE', 'SHIPPING_ADDRESS_INVALID']],
  ['service_resource_conflict', [409, 'CONFLICT', 'RESOURCE_CONFLICT']],
  ['unexpected_state', [403, 'INVALID_OPERATION', 'STATE_INVALID']],
  ['unknown_error', [403, 'INVALID_OPERATION', 'UNKNOWN']],
  ['unknown_service_resource', [404, 'NOT_FOUND', 'RESOURCE_UNKNOWN']],
  ['unsupported_country', [400, 'BAD_VALUE', 'COUNTRY_UNSUPPORTED']],
  ['unsupported_currency', [400, 'BAD_VALUE', 'CURRENCY_UNSUPPORTED']],
  ['unrecognised_country', [400, 'BAD_VALUE', 'COUNTRY_UNRECOGNISED']],
  ['unrecognised_currency', [400, 'BAD_VALUE', 'CURRENCY_UNRECOGNISED']],
  ['unrecognised_payment_method', [400, 'BAD_VALUE', 'PAYMENT_METHOD_UNRECOGNISED']],
  ['unrecognised_scheme', [400, 'BAD_VALUE', 'SCHEME_UNRECOGNISED']],
  ['unsupported_scheme', [400, 'BAD_VALUE', 'SCHEME_UNSUPPORTED']],
  ['refund_already_satisfied', [403, 'REFUND_NOT_ALLOWED', 'ALREADY_REFUNDED']],
])

const unknownWording = [403, 'INVALID_OPERATION', 'UNKNOWN'] as const

/** An error in the provider's form. */
export const errorAnswer = (
  status: number,
  error_code: string,
  message: string,
  more: { reason?: string; fraud_status?: string } = {},
): Answer => json(status, { correlation_id: 'sandbox', error_code, error_messages: [message], ...more })

/** The answer that refuses an order. */
export function orderRefusal(code: string | null): Answer {
  const [status, error_code, reason] = errorWordings.get(code ?? '') ?? unknownWording
  return errorAnswer(status, error_code, reason, {
    reason,
    ...(code === 'suspected_fraud' && { fraud_status: 'REJECTED' }),
  })
}

/** The answer that refuses an operation on an order. */
export function changeRefusal(error_code: string, code: string | null): Answer {
  const [, , reason] = errorWordings.get(code ?? '') ?? unknownWording
  return errorAnswer(403, error_code, reason, { reason })
}

/** The form of refusals by `processOnce`. */
export const processingProblem = (status: number, _code: string, message: string): Answer =>
  status === 404 ? errorAnswer(404, 'NO_SUCH_ORDER', message) : errorAnswer(409, 'CONFLICT', message)
