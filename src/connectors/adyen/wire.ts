import type { Call, ServiceForCall } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import {
  failedOutcome,
  markUnprocessed,
  type Outcome,
  type ResponseDetails,
  refusedOutcome,
  unknownOutcome,
  unprocessedOutcome,
} from '../contract/outcome.ts'
import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import {
  type Answered,
  codesByStatus,
  lostOutcome,
  unprocessedStatuses,
  writtenAt,
} from '../wire/provider-answer.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { errors } from './declines.ts'
import { type AdyenOptions, type Api, urlOf } from './environment.ts'

/** A call of a payment service or of a gift card service. */
export type AdyenCall = Pick<Call, 'http'> & { service: Pick<ServiceForCall, 'fields'> }

export interface AdyenRequest {
  api: Api
  method?: HttpRequest['method']
  path: string
  body?: Readonly<Record<string, unknown>>
  /** At most 64 characters. */
  idempotencyKey?: string
}

/** The answer; or null: the service is not configured for this API, and nothing was sent. */
export async function send(
  options: AdyenOptions,
  { http, service }: AdyenCall,
  { api, method = 'POST', path, body, idempotencyKey }: AdyenRequest,
): Promise<HttpAnswer | null> {
  const url = urlOf(options, service, api)
  if (url === undefined) return null
  return http({
    method,
    url: `${url}${path}`,
    headers: {
      'x-api-key': service.fields['api_key'] ?? '',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body }),
  })
}

/** Sends a payment request under the operation's id, for this service's merchant account. */
export const sendPayment = (
  options: AdyenOptions,
  call: Call,
  path: string,
  body: Readonly<Record<string, unknown>>,
  idempotencyKey: string = call.operation.id,
): Promise<HttpAnswer | null> =>
  send(options, call, {
    api: 'checkout',
    path,
    body: { merchantAccount: merchantAccountOf(call), ...body },
    idempotencyKey,
  })

export const merchantAccountOf = ({ service }: Pick<AdyenCall, 'service'>): string =>
  service.fields['merchant_account'] ?? ''

/** The idempotency store failed, or the first request under this key is still in progress. */
const keyConflicts = new Set(['701', '704'])

/** Refusals of a request before its processing that the provider sends with HTTP 500. */
const refusedWith500 = new Set(['702', '905'])
const typesOfRefusal = new Set(['validation', 'configuration'])

const isClearRefusal = (status: number, code: string, type: string | null): boolean =>
  status < 500 || (status === 500 && refusedWith500.has(code) && typesOfRefusal.has(type ?? ''))

/** The outcome of an answer without a result; the answer itself, if it has one. */
export function refusalIn(answer: HttpAnswer | null): { refusal: Outcome } | { answer: Answered } {
  if (answer === null) return { refusal: notConfigured() }
  if (answer.lost) return { refusal: lostOutcome(answer) }
  const { status, headers, body } = answer
  if (status >= 200 && status < 300) return { answer }
  const errorCode = nonEmptyText(body['errorCode']) ?? ''
  const fallback = codesByStatus[status] ?? 'service_error'
  const isOpen =
    status === 409 ||
    headers['transient-error'] === 'true' ||
    keyConflicts.has(errorCode) ||
    !isClearRefusal(status, errorCode, nonEmptyText(body['errorType'])) ||
    (codesByStatus[status] === undefined && status !== 500)
  if (isOpen) return { refusal: unknownOutcome(`HTTP ${status} ${errorCode}`.trimEnd()) }
  // HTTP 401 has the code of an unknown error
  const code = (status === 401 ? undefined : errors[errorCode]) ?? fallback
  const facts: ResponseDetails = {
    raw_response_code: errorCode || `${status}`,
    raw_response_description: nonEmptyText(body['message']),
  }
  return { refusal: markUnprocessed(refusedOutcome(code, facts), status, unprocessedStatuses) }
}

/** Nothing is sent for a service that is not configured for its environment. */
export const notConfigured = (description?: string): Outcome => ({
  ...failedOutcome('invalid_service_configuration', {
    ...(description && { raw_response_description: description }),
  }),
  unprocessed: true,
})

/** A request that cannot be made; nothing is sent. */
export const unsendable = (code: ErrorCode, description: string): Outcome =>
  unprocessedOutcome(code, { raw_response_description: description })

/** The provider remembers keys for at least seven days; a day of that is our margin. */
const KEY_LIFE_MS = 6 * 24 * 3_600_000

/** Whether the provider surely remembers the operation's idempotency key, if it ever got it. */
export const isKeyRemembered = (
  { clock }: AdyenOptions,
  { operation }: { operation: Pick<Call['operation'], 'id'> },
): boolean => clock.now() - writtenAt(operation.id) < KEY_LIFE_MS
