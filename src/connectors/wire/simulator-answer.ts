import type { Call } from '../contract/call.ts'
import type { CredentialCheck } from '../contract/connector.ts'
import { type ErrorCode, errorCodes, isErrorCode } from '../contract/error-codes.ts'
import type { Outcome, References, ResponseDetails, StoredCardDetails } from '../contract/outcome.ts'
import {
  absent,
  type BookFinding,
  failedOutcome,
  found,
  markUnprocessed,
  unknownOutcome,
  unsure,
} from '../contract/outcome.ts'
import type { HttpAnswer } from './http-message.ts'
import { lostOutcome } from './provider-answer.ts'
import { text } from './provider-text.ts'

/**
 * HTTP statuses with which the provider refused before it did anything. After a 5xx or an unlisted status
 * money may have moved; after a 409 another request came under our key, or is still in progress, and only the
 * books have its outcome.
 */
const refusals: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_service_request',
  401: 'invalid_service_credentials',
  404: 'unknown_service_resource',
  410: 'service_error',
  429: 'service_rate_limit',
}

/** The statuses after which the provider has stored nothing under the request's key. */
const unprocessedStatuses: readonly number[] = [401, 429]

/** The outcome in a simulator's answer. */
export function toOutcome(call: Call, answer: HttpAnswer): Outcome {
  if (answer.lost) return lostOutcome(answer)
  const code = refusals[answer.status]
  if (code)
    return markUnprocessed(
      failedOutcome(code, { raw_response_code: text(answer.body['code']) }),
      answer.status,
      unprocessedStatuses,
    )
  if (answer.status !== 200 && answer.status !== 201) return unknownOutcome(`HTTP ${answer.status}`)
  return readResult(call, answer.body)
}

/** The simulator's answer about the account that the credentials belong to. */
export function readAccount(answer: HttpAnswer): CredentialCheck {
  if (answer.lost || answer.status >= 500) return 'no answer'
  return answer.status === 200 ? 'accepted' : 'refused'
}

const isOpeningPayment = (kind: Call['operation']['kind']): boolean =>
  kind === 'authorize' || kind === 'sale' || kind === 'payout'

/** Reads a result. One of another operation (a cached or crossed answer) says nothing of ours. */
export function readResult({ operation, payment }: Call, body: Record<string, unknown>): Outcome {
  if (body['key'] !== operation.id) return unknownOutcome('the answer belongs to another request')
  if (
    !isOpeningPayment(operation.kind) &&
    operation.paymentReference !== null &&
    body['payment_id'] !== operation.paymentReference
  )
    return unknownOutcome('the answer is about another payment')
  const facts: ResponseDetails = {
    raw_response_code: text(body['raw_response_code']),
    raw_response_description: text(body['raw_response_description']),
    auth_response_code: text(body['auth_response_code']),
    iso_response_code: text(body['iso_response_code']),
    avs_response_code: text(body['avs_response_code']),
    cvv_response_code: text(body['cvv_response_code']),
    scheme_transaction_id: text(body['scheme_transaction_id']),
    transaction_link_id: text(body['transaction_link_id']),
    merchant_advice_code: text(body['merchant_advice_code']),
  }
  const references: References = {
    ...(typeof body['id'] === 'string' && { operation: body['id'] }),
    ...(typeof body['payment_id'] === 'string' && { transaction: body['payment_id'] }),
  }
  const { amount, code, status } = body
  if (status === 'approved' && typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0)
    return { status, amount, facts, references, ...(payment?.storesInstrument && storedIn(body)) }
  if (status === 'pending') return { status, facts, references }
  if (status === 'declined' || status === 'failed') {
    const errorCode = isErrorCode(code) ? code : 'unknown_error'
    const isDecline = status === 'declined' || errorCodes[errorCode].group === 'decline'
    return isDecline
      ? { status: 'declined', code: errorCode, facts, references }
      : { status: 'failed', code: errorCode, facts, references }
  }
  return unknownOutcome('the answer could not be read')
}

/** The card that the simulator stored with a payment, in the outcome's members. */
function storedIn({ stored_card: stored }: Record<string, unknown>) {
  const read = typeof stored === 'object' && stored !== null ? readStoredCard({ ...stored }) : undefined
  return read && { storedToken: read.token, storedCard: read.card }
}

/** A card that the simulator stores; undefined: the text has no token. */
function readStoredCard({
  token,
  scheme,
  bin,
  last4,
  expiration_date: expiry,
}: Record<string, unknown>): { token: string; card: StoredCardDetails } | undefined {
  if (typeof token !== 'string' || token === '') return undefined
  return {
    token,
    card: { scheme: text(scheme), bin: text(bin), last4: text(last4), expirationDate: text(expiry) },
  }
}

/**
 * Reads a simulator's answer about the operation with this id. A closed operation never takes effect; only a
 * request that closes it may not get 404.
 */
export function simulatorFinding<Result extends { status: string }>(
  answer: HttpAnswer,
  { id, closes }: { id: string; closes: boolean },
  read: (body: Record<string, unknown>) => Result,
): BookFinding<Result> {
  if (answer.lost) return unsure
  if (answer.status === 404) return closes ? unsure : absent
  if (answer.status !== 200) return unsure
  if (answer.body['status'] === 'closed' && answer.body['key'] === id) return absent
  const outcome = read(answer.body)
  return outcome.status === 'unknown' ? unsure : found(outcome)
}
