import type { ErrorCode } from './error-codes.ts'
import type { GiftCardErrorCode } from './gift-card-error-codes.ts'

interface Meaning {
  /** What happened, in one sentence. */
  meaning: string
  /** What the merchant does about it. */
  advice: string
}

const anotherMethod = 'Offer another payment method'
const correctDetails = 'Let the buyer correct the details and pay again'
const askUs = 'Look at the timeline of the transaction; if it happens again, tell the operator'
const configuration = 'Correct the configuration of the payment service'
const laterOrElsewhere = 'Try again later, or let a flow rule retry at another payment service'

/** What each `error_code` means and what a merchant does about it; docs/reference/errors.md is made of it. */
export const errorCodeMeanings = {
  canceled_payment_method: {
    meaning: 'The issuer has canceled the card or account',
    advice: `${anotherMethod}; stop charging a stored one`,
  },
  expired_authorization: {
    meaning: 'The authorization has expired at the payment service',
    advice: 'Authorize again, then capture',
  },
  expired_payment_method: {
    meaning: 'The card has expired',
    advice: `${anotherMethod}, or ask for the new expiry date`,
  },
  incorrect_billing_address: {
    meaning: 'The billing address does not match the issuer’s records',
    advice: correctDetails,
  },
  incorrect_country: {
    meaning: 'The payment service does not accept this country for this payment',
    advice: laterOrElsewhere,
  },
  incorrect_currency: {
    meaning: 'The payment service does not accept this currency for this payment',
    advice: laterOrElsewhere,
  },
  incorrect_cvv: { meaning: 'The security code is wrong', advice: correctDetails },
  incorrect_expiry_date: { meaning: 'The expiry date is wrong', advice: correctDetails },
  insufficient_funds: {
    meaning: 'The account has too little money or credit',
    advice: `${anotherMethod}; a later attempt may succeed`,
  },
  issuer_decline: {
    meaning: 'The issuer declined and gave no reason',
    advice: `${anotherMethod}, or let the buyer ask the bank`,
  },
  other_decline: {
    meaning: 'The payment was declined for a reason that has no code of its own',
    advice: `${anotherMethod}; \`raw_response_code\` may say more`,
  },
  refused_transaction: {
    meaning: 'The payment service or the issuer refuses this payment',
    advice: anotherMethod,
  },
  service_decline: {
    meaning: 'The payment service declined before it asked the issuer',
    advice: laterOrElsewhere,
  },
  suspected_fraud: {
    meaning: 'The issuer, the payment service or your anti-fraud service suspects fraud',
    advice: 'Do not retry; do not tell the buyer the reason',
  },
  disputed_transaction: {
    meaning: 'The payment is disputed, so the operation is refused',
    advice: 'Settle the dispute with the payment service first',
  },
  duplicate_transaction: {
    meaning: 'The payment service takes this for a repetition of an earlier payment',
    advice: 'Check whether the buyer has already paid',
  },
  requires_buyer_authentication: {
    meaning: 'The issuer wants 3-D Secure',
    advice: 'Pay again with a `redirect_url` and 3-D Secure enabled',
  },
  unavailable_payment_method: {
    meaning: 'The payment method cannot be used at present',
    advice: anotherMethod,
  },
  unknown_payment_method: {
    meaning: 'The payment service does not know this card or token',
    advice: `${anotherMethod}; store a stored one again`,
  },
  unsupported_transaction: {
    meaning: 'The payment service cannot do this kind of payment',
    advice: configuration,
  },
  unsupported_payment_method: {
    meaning: 'The payment service does not take this payment method',
    advice: anotherMethod,
  },
  cancelled_buyer_approval: {
    meaning: 'The buyer canceled on the approval page',
    advice: 'Let the buyer pay again or choose another way',
  },
  insufficient_service_permissions: {
    meaning: 'Your account at the payment service may not do this',
    advice: 'Ask the payment service for the permission',
  },
  invalid_amount: {
    meaning: 'The payment service does not accept this amount',
    advice: 'Check its limits and the currency’s smallest unit',
  },
  invalid_payment_method: {
    meaning: 'The payment service takes the card or token for invalid',
    advice: correctDetails,
  },
  invalid_service_configuration: {
    meaning: 'Your account at the payment service is not set up for this',
    advice: configuration,
  },
  invalid_service_credentials: {
    meaning: 'The payment service refuses your credentials',
    advice: 'Update the credentials of the payment service',
  },
  invalid_service_response: {
    meaning: 'The payment service answered in a form that Railyard cannot read',
    advice: laterOrElsewhere,
  },
  invalid_tax_identifier: { meaning: 'The buyer’s tax number is not valid', advice: correctDetails },
  missing_billing_address: {
    meaning: 'The payment service needs the billing address',
    advice: 'Send `billing_details.address`',
  },
  missing_cvv: {
    meaning: 'The payment service needs the security code',
    advice: 'Ask the buyer for the security code',
  },
  missing_shipping_address: {
    meaning: 'The payment service needs the shipping address',
    advice: 'Send `shipping_details`',
  },
  missing_tax_identifier: {
    meaning: 'The payment service needs the buyer’s tax number',
    advice: 'Send `billing_details.tax_id`',
  },
  refund_period_expired: {
    meaning: 'The payment is too old to be refunded at the payment service',
    advice: 'Pay the buyer back another way',
  },
  service_error: { meaning: 'The payment service had an error of its own', advice: laterOrElsewhere },
  service_network_error: {
    meaning: 'The payment service could not be reached, and nothing was processed',
    advice: laterOrElsewhere,
  },
  service_rate_limit: {
    meaning: 'The payment service gets too many requests from you',
    advice: laterOrElsewhere,
  },
  internal_error: {
    meaning: 'Railyard or the payment service failed in a way that is not expected',
    advice: askUs,
  },
  invalid_billing_address: { meaning: 'The billing address has the wrong form', advice: correctDetails },
  invalid_operation: {
    meaning: 'The payment service does not allow this operation now',
    advice: 'Read the transaction again before you decide',
  },
  invalid_request_parameters: {
    meaning: 'The payment service found a member of the request invalid',
    advice: askUs,
  },
  invalid_service_request: { meaning: 'The payment service could not read the request', advice: askUs },
  invalid_shipping_address: { meaning: 'The shipping address has the wrong form', advice: correctDetails },
  service_resource_conflict: {
    meaning: 'The payment service has a conflicting operation for this payment',
    advice: 'Read the transaction again before you decide',
  },
  unexpected_state: {
    meaning: 'The payment is in another state at the payment service than the operation needs',
    advice: 'Sync the transaction, then decide',
  },
  unknown_error: {
    meaning: 'The payment service refused with a code that is not known',
    advice: '`raw_response_code` may say more',
  },
  unknown_service_resource: {
    meaning: 'The payment service does not know what the operation is about',
    advice: askUs,
  },
  unsupported_country: {
    meaning: 'The payment service does not serve this country',
    advice: `${configuration}, or route elsewhere`,
  },
  unsupported_currency: {
    meaning: 'The payment service does not serve this currency',
    advice: `${configuration}, or route elsewhere`,
  },
  unrecognised_country: {
    meaning: 'The payment service does not know this country code',
    advice: 'Check `country`',
  },
  unrecognised_currency: {
    meaning: 'The payment service does not know this currency code',
    advice: 'Check `currency`',
  },
  unrecognised_payment_method: {
    meaning: 'The payment service does not know this kind of payment method',
    advice: anotherMethod,
  },
  unrecognised_scheme: {
    meaning: 'The payment service does not know this card scheme',
    advice: anotherMethod,
  },
  unsupported_scheme: {
    meaning: 'The payment service does not take this card scheme',
    advice: anotherMethod,
  },
  refund_already_satisfied: {
    meaning: 'The payment service has already refunded this',
    advice: 'Compare with the payment service’s books; do not repeat',
  },
  canceled: {
    meaning: 'You canceled the payment before it was decided',
    advice: 'Nothing; create a new payment if the buyer comes back',
  },
  incomplete_buyer_approval: {
    meaning: 'The buyer did not approve in time',
    advice: 'Let the buyer pay again',
  },
  failed_buyer_approval: {
    meaning: 'The buyer’s approval or authentication failed',
    advice: 'Let the buyer pay again or choose another way',
  },
  missing_redirect_url: {
    meaning: 'The buyer has to approve, and the request had no `redirect_url`',
    advice: 'Send `payment_method.redirect_url`',
  },
  flow_decline: {
    meaning:
      'One of your flow rules declined the payment; a rule may give a code of its own that begins with `flow_`',
    advice: 'Read the rule that the timeline names',
  },
  all_attempts_skipped: {
    meaning:
      'No payment service was left to ask: none is configured and active for this payment, or the rule names none that can take it',
    advice: 'Read the event `payment-services-skipped` of the timeline',
  },
} as const satisfies Record<ErrorCode, Meaning>

const anotherCard = 'Offer another gift card or payment method'

/** What each error code of a gift card means and what a merchant does about it. */
export const giftCardErrorCodeMeanings = {
  invalid_gift_card: { meaning: 'The number or the PIN is wrong', advice: 'Let the buyer correct it' },
  expired_card: { meaning: 'The gift card has expired', advice: anotherCard },
  inactive_card: { meaning: 'The gift card is not active', advice: 'Activate it, or offer another' },
  invalid_service_credentials: {
    meaning: 'The gift card service refuses your credentials',
    advice: 'Update the credentials of the gift card service',
  },
  invalid_amount: {
    meaning: 'The gift card service does not accept this amount',
    advice: 'Check its limits',
  },
  incorrect_currency: { meaning: 'The gift card has another currency', advice: anotherCard },
  insufficient_funds: {
    meaning: 'The balance is too small',
    advice: 'Ask for the balance, and charge less of it',
  },
  invalid_service_configuration: {
    meaning: 'Your account at the gift card service is not set up for this',
    advice: 'Correct the configuration of the gift card service',
  },
  operation_canceled: { meaning: 'The gift card service canceled the operation', advice: 'Try again' },
  service_error: { meaning: 'The gift card service had an error of its own', advice: 'Try again later' },
  service_network_error: { meaning: 'The gift card service could not be reached', advice: 'Try again later' },
  unknown_error: {
    meaning: 'The gift card service refused with a code that is not known',
    advice: 'The raw code may say more',
  },
  max_gift_cards_reached: {
    meaning: 'The buyer has as many stored gift cards as the account allows',
    advice: 'Delete one first',
  },
  suspected_fraud: {
    meaning: 'The gift card service suspects fraud',
    advice: 'Do not retry; do not tell the buyer the reason',
  },
  canceled_payment_method: { meaning: 'The gift card was canceled', advice: anotherCard },
  duplicate_transaction: {
    meaning: 'The gift card service takes this for a repetition',
    advice: 'Check whether it was already redeemed',
  },
  unexpected_state: {
    meaning: 'The redemption is in another state than the operation needs',
    advice: 'Read the transaction again before you decide',
  },
} as const satisfies Record<GiftCardErrorCode, Meaning>
