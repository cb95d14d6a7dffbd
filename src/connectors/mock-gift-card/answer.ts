import type {
  GiftCardBalance,
  GiftCardLookup,
  GiftCardOutcome,
  GiftCardRefusal,
  GiftCardState,
} from '../contract/gift-card-connector.ts'
import {
  type GiftCardErrorCode,
  giftCardErrorCodes,
  isGiftCardErrorCode,
} from '../contract/gift-card-error-codes.ts'
import { unknownOutcome } from '../contract/outcome.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { text } from '../wire/provider-text.ts'

type Body = Record<string, unknown>

const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/**
 * HTTP statuses with which the service refused before it did anything. After a 5xx or an unlisted status
 * money may have moved; after a 409 another request came under our key, or is still in progress.
 */
const refusals: Partial<Record<number, GiftCardErrorCode>> = {
  400: 'unknown_error',
  401: 'invalid_service_credentials',
  404: 'unexpected_state',
  410: 'operation_canceled',
}

/** With this status the service has stored nothing under the request's key. */
const UNPROCESSED_STATUS = 401

/**
 * The outcome in the service's answer. A refusal that the service has booked counts whatever its HTTP status.
 */
export function toOutcome(call: GiftCardLookup, answer: HttpAnswer): GiftCardOutcome {
  if (answer.lost)
    return answer.sent
      ? unknownOutcome(answer.reason)
      : {
          status: 'failed',
          code: 'service_network_error',
          rawCode: null,
          rawMessage: answer.reason,
          unprocessed: true,
        }
  const result = readResult(call, answer.body)
  const refusal = refusals[answer.status]
  if (result.status !== 'unknown' || !refusal) return result
  const outcome = refused(refusal, answer.body)
  return outcome.status === 'failed' && answer.status === UNPROCESSED_STATUS
    ? { ...outcome, unprocessed: true }
    : outcome
}

/** Reads a result. One of another operation (a cached or crossed answer) says nothing of ours. */
export function readResult({ operation }: GiftCardLookup, body: Body): GiftCardOutcome {
  if (body['key'] !== operation.id) return unknownOutcome('the answer belongs to another request')
  const { status, amount, id, url } = body
  if (status === 'approved' && isAmount(amount) && typeof id === 'string')
    return { status, amount, reference: id, card: readState(body['card']), url: text(url) }
  if (status === 'refused')
    return refused(isGiftCardErrorCode(body['code']) ? body['code'] : 'unknown_error', body)
  return unknownOutcome('the answer could not be read')
}

function refused(code: GiftCardErrorCode, body: Body): GiftCardOutcome {
  const refusal = refusalOf(code, body)
  return giftCardErrorCodes[code] === 'decline'
    ? { status: 'declined', ...refusal }
    : { status: 'failed', ...refusal }
}

const refusalOf = (code: GiftCardErrorCode, body: Body): GiftCardRefusal => ({
  code,
  rawCode: text(body['code']),
  rawMessage: text(body['message']),
})

export function toBalance(answer: HttpAnswer): GiftCardBalance {
  if (answer.lost) return { status: 'lost', reason: answer.reason }
  const { body } = answer
  const state = answer.status === 200 ? readState(body['card']) : null
  if (state) return { status: 'known', ...state }
  if (body['status'] === 'refused' && isGiftCardErrorCode(body['code']))
    return { status: 'refused', ...refusalOf(body['code'], body) }
  if (answer.status === 401) return { status: 'refused', ...refusalOf('invalid_service_credentials', body) }
  return { status: 'lost', reason: `HTTP ${answer.status}` }
}

function readState(card: unknown): GiftCardState | null {
  if (typeof card !== 'object' || card === null || !('balance' in card) || !isAmount(card.balance))
    return null
  const { currency = null, expiration_date = null }: Body = { ...card }
  return {
    balance: card.balance,
    currency: currencyCode.test(text(currency) ?? '') ? text(currency) : null,
    expirationDate: utcTime(expiration_date),
  }
}

const currencyCode = /^[A-Z]{3}$/

/** The time as ISO 8601 in UTC; null if it cannot be read. */
function utcTime(value: unknown): string | null {
  const time = Date.parse(text(value) ?? '')
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
