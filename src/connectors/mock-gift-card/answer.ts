import type { GiftCardBalance, GiftCardLookup, GiftCardOutcome, GiftCardRefusal, GiftCardState } from '../gift-card-connector.ts'
import { type GiftCardErrorCode, giftCardErrorCodes, isGiftCardErrorCode } from '../gift-card-error-codes.ts'
import type { HttpAnswer } from '../http-message.ts'

type Body = Record<string, unknown>

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/**
 * HTTP statuses that say the service refused before doing anything. 5xx and what is not listed may have moved money: a 409 says that something was asked under our key before,
 * or is being done under it now.
 */
const refusals: Partial<Record<number, GiftCardErrorCode>> = {
  400: 'unknown_error',
  401: 'invalid_service_credentials',
  404: 'unexpected_state',
  410: 'operation_canceled',
}

/** Who is turned away with this has had nothing kept under the request's key. */
const UNPROCESSED_STATUS = 401

/** The service's answer → what happened, in our words. A refusal that it has booked is read whatever its HTTP status is. */
export function toOutcome(call: GiftCardLookup, answer: HttpAnswer): GiftCardOutcome {
  if (answer.lost)
    return answer.sent
      ? { status: 'unknown', reason: answer.reason }
      : { status: 'failed', code: 'service_network_error', rawCode: null, rawMessage: answer.reason, unprocessed: true }
  const result = readResult(call, answer.body)
  const refusal = refusals[answer.status]
  if (result.status !== 'unknown' || !refusal) return result
  const outcome = refused(refusal, answer.body)
  return outcome.status === 'failed' && answer.status === UNPROCESSED_STATUS ? { ...outcome, unprocessed: true } : outcome
}

/** A result that is another operation's (a cached or crossed answer) tells nothing of ours. */
export function readResult({ operation }: GiftCardLookup, body: Body): GiftCardOutcome {
  if (body['key'] !== operation.id) return { status: 'unknown', reason: 'the answer belongs to another request' }
  const { status, amount, id, url } = body
  if (status === 'approved' && isAmount(amount) && typeof id === 'string')
    return { status, amount, reference: id, card: readState(body['card']), url: text(url) }
  if (status === 'refused') return refused(isGiftCardErrorCode(body['code']) ? body['code'] : 'unknown_error', body)
  return { status: 'unknown', reason: 'the answer could not be read' }
}

function refused(code: GiftCardErrorCode, body: Body): GiftCardOutcome {
  return { status: giftCardErrorCodes[code] === 'decline' ? 'declined' : 'failed', ...wording(code, body) }
}

const wording = (code: GiftCardErrorCode, body: Body): GiftCardRefusal => ({ code, rawCode: text(body['code']), rawMessage: text(body['message']) })

export function toBalance(answer: HttpAnswer): GiftCardBalance {
  if (answer.lost) return { status: 'lost', reason: answer.reason }
  const { body } = answer
  const state = answer.status === 200 ? readState(body['card']) : null
  if (state) return { status: 'known', ...state }
  if (body['status'] === 'refused' && isGiftCardErrorCode(body['code'])) return { status: 'refused', ...wording(body['code'], body) }
  if (answer.status === 401) return { status: 'refused', ...wording('invalid_service_credentials', body) }
  return { status: 'lost', reason: `HTTP ${answer.status}` }
}

function readState(card: unknown): GiftCardState | null {
  if (typeof card !== 'object' || card === null || !('balance' in card) || !isAmount(card.balance)) return null
  const { currency = null, expiration_date = null }: Body = { ...card }
  return { balance: card.balance, currency: currencyCode.test(text(currency) ?? '') ? text(currency) : null, expirationDate: moment(expiration_date) }
}

const currencyCode = /^[A-Z]{3}$/

/** ISO 8601 in UTC; null for what is no moment. */
function moment(value: unknown): string | null {
  const time = Date.parse(text(value) ?? '')
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
