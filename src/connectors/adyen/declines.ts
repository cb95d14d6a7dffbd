import type { ErrorCode } from '../contract/error-codes.ts'

/**
 * Our error code for each `refusalReasonCode`, with the text that the provider writes beside it: webhooks have
 * the text alone. Null: not a refusal.
 */
export const refusals = {
  '2': { reason: 'Refused', code: 'issuer_decline' },
  '3': { reason: 'Referral', code: 'issuer_decline' },
  '4': { reason: 'Acquirer Error', code: 'service_error' },
  '5': { reason: 'Blocked Card', code: 'canceled_payment_method' },
  '6': { reason: 'Expired Card', code: 'expired_payment_method' },
  '7': { reason: 'Invalid Amount', code: 'invalid_amount' },
  '8': { reason: 'Invalid Card Number', code: 'invalid_payment_method' },
  '9': { reason: 'Issuer Unavailable', code: 'service_error' },
  '10': { reason: 'Not supported', code: 'unsupported_transaction' },
  '11': { reason: '3D Not Authenticated', code: 'requires_buyer_authentication' },
  '12': { reason: 'Not enough balance', code: 'insufficient_funds' },
  '13': { reason: 'Pending', code: null },
  '14': { reason: 'Acquirer Fraud', code: 'suspected_fraud' },
  '15': { reason: 'Cancelled', code: 'canceled' },
  '16': { reason: 'Shopper Cancelled', code: 'cancelled_buyer_approval' },
  '17': { reason: 'Invalid Pin', code: 'issuer_decline' },
  '18': { reason: 'Pin tries exceeded', code: 'issuer_decline' },
  '19': { reason: 'Pin validation not possible', code: 'issuer_decline' },
  '20': { reason: 'FRAUD', code: 'suspected_fraud' },
  '21': { reason: 'Not Submitted', code: 'service_error' },
  '22': { reason: 'FRAUD-CANCELLED', code: 'suspected_fraud' },
  '23': { reason: 'Transaction Not Permitted', code: 'unsupported_transaction' },
  '24': { reason: 'CVC Declined', code: 'incorrect_cvv' },
  '25': { reason: 'Restricted Card', code: 'canceled_payment_method' },
  '26': { reason: 'Revocation Of Auth', code: 'canceled_payment_method' },
  '27': { reason: 'Declined Non Generic', code: 'other_decline' },
  '28': { reason: 'Withdrawal amount exceeded', code: 'insufficient_funds' },
  '29': { reason: 'Withdrawal count exceeded', code: 'insufficient_funds' },
  '30': { reason: 'Partially Approved', code: null },
  '31': { reason: 'Issuer Suspected Fraud', code: 'suspected_fraud' },
  '32': { reason: 'AVS Declined', code: 'incorrect_billing_address' },
  '33': { reason: 'Card requires online pin', code: 'issuer_decline' },
  '34': { reason: 'No checking account available on Card', code: 'issuer_decline' },
  '35': { reason: 'No savings account available on Card', code: 'issuer_decline' },
  '36': { reason: 'Mobile PIN required', code: 'issuer_decline' },
  '37': { reason: 'Contactless fallback', code: 'issuer_decline' },
  '38': { reason: 'Authentication required', code: 'requires_buyer_authentication' },
  '39': { reason: 'RReq not received from DS', code: 'requires_buyer_authentication' },
  '40': { reason: 'Current AID is in Penalty Box.', code: 'service_error' },
  '41': { reason: 'CVM Required Restart Payment', code: 'requires_buyer_authentication' },
  '42': { reason: '3DS Authentication Error', code: 'requires_buyer_authentication' },
  '46': {
    reason: 'Transaction blocked by Adyen to prevent excessive retry fees',
    code: 'refused_transaction',
  },
  '50': { reason: 'Token revoked', code: 'canceled_payment_method' },
} as const satisfies Record<string, { reason: string; code: ErrorCode | null }>

/** Our error code for each `errorCode` of a request that the provider refused before it processed it. */
export const errors: Readonly<Record<string, ErrorCode>> = {
  '000': 'service_error',
  '010': 'insufficient_service_permissions',
  '100': 'invalid_amount',
  '101': 'invalid_payment_method',
  '102': 'unsupported_payment_method',
  '103': 'incorrect_cvv',
  '104': 'invalid_billing_address',
  '128': 'invalid_payment_method',
  '129': 'incorrect_expiry_date',
  '130': 'invalid_service_request',
  '137': 'invalid_amount',
  '138': 'unsupported_currency',
  '140': 'incorrect_expiry_date',
  '141': 'incorrect_expiry_date',
  '158': 'invalid_service_configuration',
  '167': 'unknown_service_resource',
  '170': 'service_error',
  '701': 'service_resource_conflict',
  '702': 'invalid_service_request',
  '704': 'service_resource_conflict',
  '803': 'unknown_payment_method',
  '901': 'invalid_service_configuration',
  '905': 'unsupported_payment_method',
  '907': 'unsupported_country',
}

const isRefusal = (code: string): code is keyof typeof refusals => Object.hasOwn(refusals, code)

const byReason: ReadonlyMap<string, ErrorCode | null> = new Map(
  Object.values(refusals).map(({ reason, code }) => [reason.toLowerCase(), code]),
)

/** A refusal without a known code or text. */
const UNKNOWN_REFUSAL = 'refused_transaction' satisfies ErrorCode

/** Our code for a refused payment, by the provider's code, else by its text. */
export function refusalCode(code: string | null, reason: string | null): ErrorCode {
  const byCode = code !== null && isRefusal(code) ? refusals[code].code : null
  return byCode ?? byReason.get(reason?.toLowerCase() ?? '') ?? UNKNOWN_REFUSAL
}
