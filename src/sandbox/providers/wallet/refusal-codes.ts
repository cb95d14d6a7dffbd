import type { OperationKind } from '../../core/operation.ts'
import type { ErrorStatus } from './errors.ts'

/**
 * The wallet's form of a failed operation. A `refusal` is an error and leaves nothing in its books. A
 * `denial` is in its books, with the processor's code if there is one.
 */
export type RefusalForm = { refusal: ErrorStatus; issue?: string } | { denial: string | null }

const refusal = (issue: string, status: ErrorStatus = 422): RefusalForm => ({ refusal: status, issue })
const denial = (code: string | null): RefusalForm => ({ denial: code })

/**
 * Authorizations and sales. Codes that the wallet cannot express get the nearest one (see the expectations in
 * connectors/wallet-wallet/amounts.test.ts).
 */
const payments: Readonly<Record<string, RefusalForm>> = {
  canceled_payment_method: denial('5140'),
  cancelled_buyer_approval: refusal('ORDER_NOT_APPROVED'),
  disputed_transaction: refusal('PREVIOUS_TRANSACTION_REFERENCE_HAS_CHARGEBACK'),
  duplicate_transaction: refusal('DUPLICATE_INVOICE_ID'),
  expired_authorization: denial('1384'),
  expired_payment_method: denial('5400'),
  incorrect_billing_address: denial('5170'),
  incorrect_country: refusal('DOMESTIC_TRANSACTION_REQUIRED'),
  incorrect_currency: denial('1320'),
  incorrect_cvv: denial('5110'),
  incorrect_expiry_date: denial('1380'),
  insufficient_funds: denial('5120'),
  insufficient_service_permissions: refusal('PERMISSION_DENIED', 403),
  internal_error: denial('8000'),
  invalid_amount: denial('1310'),
  invalid_billing_address: refusal('INVALID_PARAMETER_VALUE', 400),
  invalid_operation: denial('5210'),
  invalid_payment_method: refusal('TOKEN_ID_NOT_FOUND'),
  invalid_request_parameters: refusal('INVALID_PARAMETER_VALUE', 400),
  invalid_service_configuration: denial('8020'),
  invalid_service_credentials: { refusal: 401 },
  invalid_service_request: refusal('INVALID_PARAMETER_SYNTAX', 400),
  invalid_service_response: denial('9600'),
  invalid_shipping_address: refusal('SHIPPING_ADDRESS_INVALID'),
  invalid_tax_identifier: refusal('INVALID_PARAMETER_VALUE', 400),
  issuer_decline: refusal('PAYER_CANNOT_PAY'),
  missing_billing_address: refusal('MISSING_REQUIRED_PARAMETER', 400),
  missing_cvv: denial('00N7'),
  missing_shipping_address: refusal('MISSING_REQUIRED_PARAMETER', 400),
  missing_tax_identifier: refusal('MISSING_REQUIRED_PARAMETER', 400),
  other_decline: denial('5100'),
  refund_period_expired: denial('1390'),
  refused_transaction: refusal('TRANSACTION_REFUSED'),
  requires_buyer_authentication: refusal('PAYER_ACTION_REQUIRED'),
  service_decline: refusal('PAYEE_BLOCKED_TRANSACTION'),
  service_error: denial('0960'),
  service_network_error: denial('8110'),
  service_rate_limit: refusal('MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED'),
  service_resource_conflict: refusal('DECLINED_DUE_TO_RELATED_TXN'),
  suspected_fraud: denial('9500'),
  unavailable_payment_method: denial('5910'),
  unexpected_state: denial('1390'),
  unknown_error: denial('1393'),
  unknown_payment_method: denial('0390'),
  unknown_service_resource: refusal('INVALID_RESOURCE_ID', 404),
  unrecognised_country: refusal('INVALID_PARAMETER_VALUE', 400),
  unrecognised_currency: refusal('AUTHORIZATION_CURRENCY_MISMATCH'),
  unrecognised_payment_method: denial('1330'),
  unrecognised_scheme: denial('7800'),
  unsupported_country: refusal('INVALID_PARAMETER_VALUE', 400),
  unsupported_currency: refusal('AUTHORIZATION_CURRENCY_MISMATCH'),
  unsupported_payment_method: refusal('PAYMENT_SOURCE_MISMATCH'),
  unsupported_scheme: refusal('CARD_BRAND_NOT_SUPPORTED'),
  unsupported_transaction: denial('8030'),
}

/** Sales, whose codes differ in part from those of authorizations. */
const sales: Readonly<Record<string, RefusalForm>> = {
  ...payments,
  issuer_decline: refusal('INSTRUMENT_DECLINED'),
  unrecognised_currency: refusal('CURRENCY_NOT_SUPPORTED_FOR_BANK'),
  unsupported_currency: refusal('CURRENCY_NOT_SUPPORTED_FOR_BANK'),
}

const voids: Readonly<Record<string, RefusalForm>> = {
  issuer_decline: refusal('CANNOT_BE_VOIDED'),
  service_network_error: { refusal: 400 },
  unexpected_state: refusal('PREVIOUSLY_VOIDED'),
}

const refusalsByKind: Readonly<Record<OperationKind, Readonly<Record<string, RefusalForm>>>> = {
  authorize: payments,
  sale: sales,
  capture: {
    expired_authorization: refusal('AUTHORIZATION_EXPIRED'),
    invalid_amount: refusal('MAX_CAPTURE_AMOUNT_EXCEEDED'),
    refused_transaction: refusal('TRANSACTION_REFUSED'),
    service_network_error: denial('8110'),
    unexpected_state: refusal('AUTHORIZATION_ALREADY_CAPTURED'),
  },
  void: voids,
  cancel: voids,
  increment: {},
  payout: {},
  refund: {
    disputed_transaction: refusal('TRANSACTION_DISPUTED'),
    invalid_amount: refusal('REFUND_AMOUNT_EXCEEDED'),
    issuer_decline: refusal('PAYER_ACCOUNT_LOCKED_OR_CLOSED'),
    refund_already_satisfied: refusal('CAPTURE_FULLY_REFUNDED'),
    service_error: denial(null),
    unexpected_state: refusal('PENDING_CAPTURE'),
  },
}

/** The wallet's form of an error code; an unknown code is a plain refusal. */
export const refusalFormFor = (kind: OperationKind, code: string): RefusalForm =>
  refusalsByKind[kind][code] ?? refusal('TRANSACTION_REFUSED')

/**
 * The error codes with a denial: an operation that the wallet accepted stays in its books, so it cannot be
 * refused as if it had never existed.
 */
export const codesDeniedLater = (kind: OperationKind): readonly string[] =>
  kind === 'void' || kind === 'cancel'
    ? []
    : Object.entries(refusalsByKind[kind]).flatMap(([code, word]) => ('denial' in word ? code : []))
