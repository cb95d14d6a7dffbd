/**
 * The values of `error_code` (semantics §3.10). A decline is a refusal by the issuer or the payment service;
 * a failure is technical. After a retriable code the payment may be tried at the next payment service: no
 * money has moved, and another service may approve.
 */
export const errorCodes = {
  canceled_payment_method: { group: 'decline', retriable: false },
  expired_authorization: { group: 'decline', retriable: false },
  expired_payment_method: { group: 'decline', retriable: false },
  incorrect_billing_address: { group: 'decline', retriable: false },
  incorrect_country: { group: 'decline', retriable: true },
  incorrect_currency: { group: 'decline', retriable: true },
  incorrect_cvv: { group: 'decline', retriable: false },
  incorrect_expiry_date: { group: 'decline', retriable: false },
  insufficient_funds: { group: 'decline', retriable: false },
  issuer_decline: { group: 'decline', retriable: true },
  other_decline: { group: 'decline', retriable: true },
  refused_transaction: { group: 'decline', retriable: false },
  service_decline: { group: 'decline', retriable: true },
  suspected_fraud: { group: 'decline', retriable: false },
  disputed_transaction: { group: 'failure', retriable: false },
  duplicate_transaction: { group: 'failure', retriable: false },
  requires_buyer_authentication: { group: 'failure', retriable: false },
  unavailable_payment_method: { group: 'failure', retriable: false },
  unknown_payment_method: { group: 'failure', retriable: true },
  unsupported_transaction: { group: 'failure', retriable: false },
  unsupported_payment_method: { group: 'failure', retriable: false },
  cancelled_buyer_approval: { group: 'failure', retriable: false },
  insufficient_service_permissions: { group: 'failure', retriable: true },
  invalid_amount: { group: 'failure', retriable: true },
  invalid_payment_method: { group: 'failure', retriable: true },
  invalid_service_configuration: { group: 'failure', retriable: false },
  invalid_service_credentials: { group: 'failure', retriable: true },
  invalid_service_response: { group: 'failure', retriable: true },
  invalid_tax_identifier: { group: 'failure', retriable: false },
  missing_billing_address: { group: 'failure', retriable: true },
  missing_cvv: { group: 'failure', retriable: true },
  missing_shipping_address: { group: 'failure', retriable: true },
  missing_tax_identifier: { group: 'failure', retriable: true },
  refund_period_expired: { group: 'failure', retriable: false },
  service_error: { group: 'failure', retriable: true },
  service_network_error: { group: 'failure', retriable: true },
  service_rate_limit: { group: 'failure', retriable: true },
  internal_error: { group: 'failure', retriable: false },
  invalid_billing_address: { group: 'failure', retriable: false },
  invalid_operation: { group: 'failure', retriable: true },
  invalid_request_parameters: { group: 'failure', retriable: false },
  invalid_service_request: { group: 'failure', retriable: true },
  invalid_shipping_address: { group: 'failure', retriable: false },
  service_resource_conflict: { group: 'failure', retriable: true },
  unexpected_state: { group: 'failure', retriable: false },
  unknown_error: { group: 'failure', retriable: false },
  unknown_service_resource: { group: 'failure', retriable: true },
  unsupported_country: { group: 'failure', retriable: true },
  unsupported_currency: { group: 'failure', retriable: true },
  unrecognised_country: { group: 'failure', retriable: false },
  unrecognised_currency: { group: 'failure', retriable: false },
  unrecognised_payment_method: { group: 'failure', retriable: false },
  unrecognised_scheme: { group: 'failure', retriable: false },
  unsupported_scheme: { group: 'failure', retriable: false },
  refund_already_satisfied: { group: 'failure', retriable: false },
  canceled: { group: 'failure', retriable: false },
  incomplete_buyer_approval: { group: 'failure', retriable: false },
  failed_buyer_approval: { group: 'failure', retriable: false },
  missing_redirect_url: { group: 'failure', retriable: false },
  flow_decline: { group: 'decline', retriable: false },
  all_attempts_skipped: { group: 'failure', retriable: false },
} as const satisfies Record<string, { group: 'decline' | 'failure'; retriable: boolean }>

export type ErrorCode = keyof typeof errorCodes

export const isErrorCode = (text: unknown): text is ErrorCode =>
  typeof text === 'string' && Object.hasOwn(errorCodes, text)

/** The codes after which another payment service may still approve (semantics §3.10). */
export const retriableCodes: readonly ErrorCode[] = Object.keys(errorCodes)
  .filter(isErrorCode)
  .filter((code) => errorCodes[code].retriable)
