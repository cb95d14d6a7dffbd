import type { ErrorCode } from '../../contract/error-codes.ts'
import type { GiftCardOutcome, GiftCardRefusal } from '../../contract/gift-card-connector.ts'
import { type GiftCardErrorCode, giftCardErrorCodes } from '../../contract/gift-card-error-codes.ts'
import { type Outcome, unknownOutcome } from '../../contract/outcome.ts'
import type { HttpAnswer } from '../../wire/http-message.ts'
import type { Answered } from '../../wire/provider-answer.ts'
import { refusalCode, refusals } from '../declines.ts'
import { refusalIn } from '../wire.ts'

/** A gift card's error code for each code of a payment (`declines.ts`). Those that are missing say nothing of it. */
const giftCardCodes: Partial<Record<ErrorCode, GiftCardErrorCode>> = {
  canceled: 'operation_canceled',
  canceled_payment_method: 'canceled_payment_method',
  cancelled_buyer_approval: 'operation_canceled',
  expired_payment_method: 'expired_card',
  incorrect_cvv: 'invalid_gift_card',
  insufficient_funds: 'insufficient_funds',
  insufficient_service_permissions: 'invalid_service_credentials',
  invalid_amount: 'invalid_amount',
  invalid_payment_method: 'invalid_gift_card',
  invalid_service_configuration: 'invalid_service_configuration',
  invalid_service_credentials: 'invalid_service_credentials',
  service_error: 'service_error',
  service_network_error: 'service_network_error',
  service_rate_limit: 'service_error',
  suspected_fraud: 'suspected_fraud',
  unexpected_state: 'unexpected_state',
  unknown_payment_method: 'invalid_gift_card',
  unknown_service_resource: 'unexpected_state',
  unsupported_currency: 'incorrect_currency',
  unsupported_payment_method: 'invalid_service_configuration',
  unsupported_transaction: 'invalid_service_configuration',
}

/** Refusals of a PIN, by their `refusalReasonCode`. A card's issuer refuses them for reasons of its own. */
const pinRefusals: readonly (keyof typeof refusals)[] = ['17', '18', '19']
const pinReasons = new Set<string>(pinRefusals.map((code) => refusals[code].reason.toLowerCase()))

/** Our code for a refusal, by the provider's code, else by its text. */
export function giftCardCode(code: string | null, reason: string | null): GiftCardErrorCode {
  const isPin = pinRefusals.some((refusal) => refusal === code) || pinReasons.has(reason?.toLowerCase() ?? '')
  return isPin ? 'invalid_gift_card' : (giftCardCodes[refusalCode(code, reason)] ?? 'unknown_error')
}

export const refused = (refusal: GiftCardRefusal): GiftCardOutcome =>
  giftCardErrorCodes[refusal.code] === 'decline'
    ? { status: 'declined', ...refusal }
    : { status: 'failed', ...refusal }

/** A request that cannot be made; nothing is sent. */
export const unsendable = (code: GiftCardErrorCode, reason: string): GiftCardOutcome => {
  const refusal = { code, rawCode: null, rawMessage: reason }
  return giftCardErrorCodes[code] === 'decline'
    ? { status: 'declined', ...refusal }
    : { status: 'failed', ...refusal, unprocessed: true }
}

/** The outcome of an answer without a result; the answer itself, if it has one. */
export function readAnswer(answer: HttpAnswer | null): { refusal: GiftCardOutcome } | { answer: Answered } {
  const read = refusalIn(answer)
  return 'answer' in read ? read : { refusal: toGiftCardOutcome(read.refusal) }
}

function toGiftCardOutcome(outcome: Outcome): GiftCardOutcome {
  if (outcome.status !== 'declined' && outcome.status !== 'failed')
    return outcome.status === 'unknown' ? outcome : unknownOutcome('an answer without a result')
  const { raw_response_code: rawCode = null, raw_response_description: rawMessage = null } = outcome.facts
  const refusal = { code: giftCardCodes[outcome.code] ?? 'unknown_error', rawCode, rawMessage }
  return outcome.status === 'failed' && outcome.unprocessed
    ? { status: 'failed', ...refusal, unprocessed: true }
    : refused(refusal)
}
