import type { Call, CredentialCheck, Facts, Outcome, References } from './connector.ts'
import { errorCodes, isErrorCode } from './error-codes.ts'
import type { HttpAnswer } from './http-message.ts'

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * HTTP statuses that say the provider refused before doing anything. 5xx and what is not listed may have moved money: a 409 says that something was asked under our key before,
 * or is being done under it now, and only the books know what came of that.
 */
const refusals: Partial<Record<number, Extract<Outcome, { status: 'failed' }>['code']>> = {
  400: 'invalid_service_request',
  401: 'invalid_service_credentials',
  404: 'unknown_service_resource',
  410: 'service_error',
  429: 'service_rate_limit',
}

/** Of these, the statuses of who turns away at the door: nothing is kept under the request's key. */
const unprocessedStatuses: readonly number[] = [401, 429]

/** The provider's answer → what happened, in our words. */
export function toOutcome(call: Call, answer: HttpAnswer): Outcome {
  if (answer.lost)
    return answer.sent ? { status: 'unknown', reason: answer.reason } : { ...failed('service_network_error', answer.reason), unprocessed: true }
  const refusal = refusals[answer.status]
  if (refusal) return { ...failed(refusal, text(answer.body['code'])), ...(unprocessedStatuses.includes(answer.status) && { unprocessed: true }) }
  if (answer.status !== 200 && answer.status !== 201) return { status: 'unknown', reason: `HTTP ${answer.status}` }
  return readResult(call, answer.body)
}

const failed = (code: Extract<Outcome, { status: 'failed' }>['code'], raw: string | null): Extract<Outcome, { status: 'failed' }> => ({
  status: 'failed',
  code,
  facts: { raw_response_code: raw },
  references: {},
})

/** The provider's answer about the account that some credentials belong to. */
export function readAccount(answer: HttpAnswer): CredentialCheck {
  if (answer.lost || answer.status >= 500) return 'no answer'
  return answer.status === 200 ? 'accepted' : 'refused'
}

const isOpeningPayment = (kind: Call['operation']['kind']): boolean => kind === 'authorize' || kind === 'sale' || kind === 'payout'

/** A result that is another operation's (a cached or crossed answer) tells nothing of ours. */
export function readResult({ operation }: Call, body: Record<string, unknown>): Outcome {
  if (body['key'] !== operation.id) return { status: 'unknown', reason: 'the answer belongs to another request' }
  if (!isOpeningPayment(operation.kind) && operation.paymentReference !== null && body['payment_id'] !== operation.paymentReference)
    return { status: 'unknown', reason: 'the answer is about another payment' }
  const facts: Facts = {
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
  if (status === 'approved' && typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0) return { status, amount, facts, references }
  if (status === 'pending') return { status, facts, references }
  if (status === 'declined' || status === 'failed') {
    const known = isErrorCode(code) ? code : 'unknown_error'
    return { status: errorCodes[known].group === 'decline' ? 'declined' : status, code: known, facts, references }
  }
  return { status: 'unknown', reason: 'the answer could not be read' }
}
