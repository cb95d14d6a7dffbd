import type { Call, ServiceCall } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import {
  markUnprocessed,
  type Outcome,
  refusedOutcome,
  unknownOutcome,
  unprocessedOutcome,
} from '../contract/outcome.ts'
import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import { type Answered, codesByStatus, lostOutcome, unprocessedStatuses } from '../wire/provider-answer.ts'
import { problemIn } from './answer.schema.ts'
import { fieldProblems } from './declines.ts'
import { isRefusedKey, LIVE_KEY_MESSAGE, type MollieOptions, urlOf } from './environment.ts'

export interface MollieRequest {
  method?: HttpRequest['method']
  path: string
  body?: Readonly<Record<string, unknown>>
  /** At most 64 characters. */
  idempotencyKey?: string
  /** In place of the API key. */
  token?: string
  record?: HttpRequest['record']
}

/** The answer; or null: the service has a live key in a sandbox, and nothing was sent. */
export async function send(
  options: MollieOptions,
  call: ServiceCall,
  { method = 'POST', path, body, idempotencyKey, token, record }: MollieRequest,
): Promise<HttpAnswer | null> {
  if (isRefusedKey(options, call)) return null
  return call.http({
    method,
    url: urlOf(options, path),
    headers: {
      authorization: `Bearer ${token ?? call.service.fields['api_key'] ?? ''}`,
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body }),
    ...(record && { record }),
  })
}

/** Besides the usual ones: an object that is gone. */
const byStatus: typeof codesByStatus = { ...codesByStatus, 410: 'unknown_service_resource' }
/** The outcome of an answer without a result; the answer itself, if it has one. */
export function refusalIn(answer: HttpAnswer | null): { refusal: Outcome } | { answer: Answered } {
  if (answer === null) return { refusal: unsendable('invalid_service_configuration', LIVE_KEY_MESSAGE) }
  if (answer.lost) return { refusal: lostOutcome(answer) }
  const { status, body } = answer
  if (status >= 200 && status < 300) return { answer }
  const { title, detail, field } = problemIn(body)
  const fallback = byStatus[status]
  // 409: the first request under the key is in progress. 400: a request without the error of a member of it
  // has the key of another one
  if (!fallback || (status === 400 && !field))
    return { refusal: unknownOutcome(`HTTP ${status} ${title ?? ''}`.trimEnd()) }
  const refusal = refusedOutcome((field && fieldProblems[field]) || fallback, {
    raw_response_code: field ?? `${status}`,
    raw_response_description: detail ?? title,
  })
  return { refusal: markUnprocessed(refusal, status, unprocessedStatuses) }
}

/** A request that cannot be made; nothing is sent. */
export const unsendable = (code: ErrorCode, description: string): Outcome =>
  unprocessedOutcome(code, { raw_response_code: code, raw_response_description: description })

/** Later operations need the id of the payment; without it they have no object. */
export const missingPayment = (): Outcome => unsendable('unexpected_state', 'the payment has no id')

export const paymentPath = (id: string): string => `/payments/${encodeURIComponent(id)}`

/** What the provider stores with each object, by which its lists are searched. */
export const metadataOf = ({ operation }: Call): Record<string, string> => ({ operation_id: operation.id })
