/**
 * The values of a gift card's `error_code` and `balance_error_code` (semantics §2, §10). A decline refuses
 * this card or this amount; a failure is of the service or its configuration.
 */
export const giftCardErrorCodes = {
  invalid_gift_card: 'decline',
  expired_card: 'decline',
  inactive_card: 'decline',
  invalid_service_credentials: 'failure',
  invalid_amount: 'decline',
  incorrect_currency: 'decline',
  insufficient_funds: 'decline',
  invalid_service_configuration: 'failure',
  operation_canceled: 'decline',
  service_error: 'failure',
  service_network_error: 'failure',
  unknown_error: 'failure',
  max_gift_cards_reached: 'decline',
  suspected_fraud: 'decline',
  canceled_payment_method: 'decline',
  duplicate_transaction: 'decline',
  unexpected_state: 'failure',
} as const satisfies Record<string, 'decline' | 'failure'>

export type GiftCardErrorCode = keyof typeof giftCardErrorCodes

export const isGiftCardErrorCode = (text: unknown): text is GiftCardErrorCode =>
  typeof text === 'string' && Object.hasOwn(giftCardErrorCodes, text)
