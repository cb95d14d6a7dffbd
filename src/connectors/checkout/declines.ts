import { type ErrorCode, isErrorCode } from '../contract/error-codes.ts'

/** The response codes of an approval. */
const approvals = new Set([
  ...['10000', '10008', '10010', '10011', '10076', '10077', '10081', '10100', '10200'],
])

/** The `response_code`s of a refusal, by our error code for them. */
const refusalCodes = {
  canceled_payment_method: [
    ...['20004', '20062', '20067', '2009G', '200R1', '200R3', '30004', '30007', '30036', '30041', '30043'],
    ...['30046'],
  ],
  cancelled_buyer_approval: [...['20017']],
  disputed_transaction: [...['20018']],
  duplicate_transaction: [...['20026', '20094', '50490']],
  expired_payment_method: [...['20054', '30033']],
  failed_buyer_approval: [...['20151']],
  incomplete_buyer_approval: [...['20152']],
  incorrect_cvv: [...['20087', '200N7']],
  incorrect_expiry_date: [...['20100']],
  insufficient_funds: [...['20051', '20061', '20065', '200P1', '200P9', '30021', '30022', '50003', '50280']],
  insufficient_service_permissions: [...['200E0']],
  invalid_amount: [...['20013', '20042', '30020', '30401', '50511', '50513']],
  invalid_operation: [...['30402', '30403']],
  invalid_payment_method: [
    ...['20014', '20016', '20025', '20039', '20044', '20052', '20053', '20056', '20072', '20078', '20083'],
    ...['20101', '20108', '20114', '20179', '30015', '50466', '50402'],
  ],
  invalid_service_configuration: [
    ...['20003', '20060', '20102', '20112', '20120', '20157', '20197', '30404'],
  ],
  invalid_service_request: [...['20033', '200T2', '20113', '20115', '20116', '20117', '30045', '30405']],
  issuer_decline: [
    ...['20001', '20002', '20005', '20019', '20038', '20046', '20055', '20063', '20064', '2006P', '20070'],
    ...['20075', '20082', '200N0', '200T5', '20182', '20199', '30035', '30038'],
  ],
  missing_billing_address: [...['20107', '20123']],
  missing_cvv: [...['20124']],
  other_decline: [...['20099']],
  refund_period_expired: [...['20158']],
  refused_transaction: [...['20093', '30044', '50002']],
  requires_buyer_authentication: [...['20150', '20153', '20154', '20155', '20159', '43401']],
  service_decline: [...['20104', '20105', '50001', '50499']],
  service_error: [
    ...['20006', '20020', '20022', '20023', '20024', '20027', '20028', '20029', '20030', '20032', '20068'],
    ...['20084', '20085', '20086', '20088', '20089', '20090', '20091', '20092', '20095', '20096', '20097'],
    ...['20098', '200A4', '200A5', '200A6', '200E2', '200E3', '200S4', '20118', '20119'],
  ],
  service_rate_limit: [...['20121']],
  service_resource_conflict: [...['20009']],
  suspected_fraud: [
    ...['20059', '20066', '20183', '30034', '30037', '41101', '41201', '41202', '41203', '41204', '41205'],
    ...['41206', '41301', '42101', '42201', '42202', '42203', '42204', '42205', '42206', '42301', '43101'],
    ...['43102', '43201', '43202', '43203', '43204', '43205', '43206', '43301'],
  ],
  unexpected_state: [...['20021', '20109', '20110', '20111']],
  unknown_error: [...['50599']],
  unsupported_country: [...['20193']],
  unsupported_currency: [...['20106']],
  unsupported_payment_method: [...['20031', '200T3', '20103']],
  unsupported_transaction: [
    ...['20012', '20015', '20040', '20045', '20057', '20058', '2005C', '20081', '20122', '20156', '30016'],
    ...['30017', '30018', '30019'],
  ],
} as const satisfies Partial<Record<ErrorCode, readonly string[]>>

/** Our error code for each `response_code` of a refusal. */
export const refusals: ReadonlyMap<string, ErrorCode> = new Map(
  Object.entries(refusalCodes).flatMap(([error, codes]) =>
    isErrorCode(error) ? codes.map((code) => [code, error] as const) : [],
  ),
)

/** Hard declines of the card whose code would permit an attempt at another payment service. */
const hardDeclines: ReadonlySet<string> = new Set(['30015', '30035', '30038', '50466'])

/** Checkout.com's `recommendation_code`: do not retry. */
const NO_FURTHER_ATTEMPT = '03'

/** Whether a refusal says that the card must not be tried again. */
export const isHardDecline = (code: string | null, recommendation: string | null | undefined): boolean =>
  recommendation === NO_FURTHER_ATTEMPT || hardDeclines.has(code ?? '')

/** Our error code for a code that is not in the table, by the range that it is in. */
const ranges: readonly [prefix: string, code: ErrorCode][] = [
  ['20', 'other_decline'],
  ['30', 'refused_transaction'],
  ['4', 'suspected_fraud'],
  ['50', 'service_decline'],
]

/** Our error code for the `response_code` of a refusal. */
export const refusalCode = (code: string): ErrorCode =>
  refusals.get(code) ?? ranges.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'other_decline'

export const isApproval = (code: string): boolean => approvals.has(code) || /^10\w{3}$/.test(code)

/** Our error code for each of the `error_codes` of a request that Checkout.com refuses. */
export const errors: Readonly<Record<string, ErrorCode>> = {
  amount_invalid: 'invalid_amount',
  amount_required: 'invalid_amount',
  capture_value_greater_than_authorized: 'invalid_amount',
  capture_value_greater_than_remaining_authorized: 'invalid_amount',
  card_expired: 'expired_payment_method',
  card_expiry_month_invalid: 'incorrect_expiry_date',
  card_expiry_year_invalid: 'incorrect_expiry_date',
  card_number_invalid: 'invalid_payment_method',
  currency_invalid: 'unsupported_currency',
  cvv_invalid: 'incorrect_cvv',
  idempotency_key_too_long: 'invalid_service_request',
  payment_expired: 'expired_authorization',
  processing_channel_id_required: 'invalid_service_configuration',
  refund_amount_exceeds_balance: 'invalid_amount',
  source_id_unknown: 'unknown_payment_method',
  token_expired: 'invalid_payment_method',
  token_invalid: 'invalid_payment_method',
  voids_disabled: 'insufficient_service_permissions',
}
