import type { Call, ServiceCall } from '../contract/call.ts'
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
import { type BackOfficeAnswer, readBackOfficeAnswer } from '../wire/back-office-answer.ts'
import type { HttpAnswer, HttpRequest, Part } from '../wire/http-message.ts'
import { type Answered, codesByStatus, lostOutcome, unprocessedStatuses } from '../wire/provider-answer.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { errors } from './declines.ts'
import { type CheckoutOptions, urlOf } from './environment.ts'

export interface CheckoutRequest {
  method?: HttpRequest['method']
  path: string
  body?: Readonly<Record<string, unknown>>
  parts?: readonly Part[]
  /** At most 50 characters. */
  idempotencyKey?: string
  /** The answer is a JSON list. */
  isList?: boolean
}

/** The answer; or null: the service is not configured for its environment, and nothing was sent. */
export async function send(
  options: CheckoutOptions,
  { http, service }: ServiceCall,
  { method = 'POST', path, body, parts, idempotencyKey, isList = false }: CheckoutRequest,
): Promise<HttpAnswer | null> {
  const url = urlOf(options, service)
  if (url === undefined) return null
  return http({
    method,
    url: `${url}${path}`,
    headers: {
      authorization: authorizationOf({ service }),
      ...(idempotencyKey !== undefined && { 'cko-idempotency-key': idempotencyKey }),
    },
    ...(body && { body }),
    ...(parts && { parts }),
    ...(isList && { list: true }),
  })
}

export const authorizationOf = ({ service }: Pick<ServiceCall, 'service'>): string =>
  `Bearer ${service.fields['secret_key'] ?? ''}`

/** Sends a request about a dispute or a workflow. */
export const sendBackOffice = async (
  options: CheckoutOptions,
  call: ServiceCall,
  request: CheckoutRequest,
): Promise<BackOfficeAnswer> =>
  readBackOfficeAnswer(await send(options, call, request), (body) => nonEmptyText(body['error_type']))

/** Sends an operation under its id. */
export const sendOperation = (
  options: CheckoutOptions,
  call: Call,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<HttpAnswer | null> => send(options, call, { path, body, idempotencyKey: call.operation.id })

/**
 * The outcome of an answer without a result; the answer itself, if it has one. A conflict (409) is with a
 * request under the same key, and a server error may come after the money has moved: both are unknown.
 */
export function refusalIn(answer: HttpAnswer | null): { refusal: Outcome } | { answer: Answered } {
  if (answer === null) return { refusal: notConfigured }
  if (answer.lost) return { refusal: lostOutcome(answer) }
  const { status, body } = answer
  if (status >= 200 && status < 300) return { answer }
  const fallback = codesByStatus[status]
  if (fallback === undefined) return { refusal: unknownOutcome(`HTTP ${status}`) }
  const codes = errorCodesIn(body)
  const code = codes.map((each) => errors[each]).find((each) => each !== undefined) ?? fallback
  const type = nonEmptyText(body['error_type'])
  const facts: ResponseDetails = {
    raw_response_code: codes[0] ?? type ?? `${status}`,
    ...(type && { raw_response_description: [type, ...codes].join(' ') }),
  }
  return { refusal: markUnprocessed(refusedOutcome(code, facts), status, unprocessedStatuses) }
}

const errorCodesIn = ({ error_codes: codes }: Readonly<Record<string, unknown>>): string[] =>
  Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []

/** A request that cannot be made; nothing is sent. */
export const unsendable = (code: ErrorCode, description: string): Outcome =>
  unprocessedOutcome(code, { raw_response_description: description })

const notConfigured: Outcome = {
  ...failedOutcome('invalid_service_configuration', {
    raw_response_description: 'the service is not configured for this environment',
  }),
  unprocessed: true,
}

/** The path of a payment, or of what belongs to it. */
export const paymentPath = (payment: string, part = ''): string =>
  `/payments/${encodeURIComponent(payment)}${part && `/${part}`}`
