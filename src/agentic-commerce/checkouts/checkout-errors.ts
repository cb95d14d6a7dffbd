import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, notFound } from '../../api/errors.ts'
import { InvalidShape } from '../../api/server/validation.ts'
import { protocolError } from '../../checkout/delegated-payments/protocol.ts'
import { CheckoutError } from './checkout.schema.ts'

/** The answers of the checkout's operations that are errors, by status: each has the protocol's form. */
export const checkoutErrors = {
  400: CheckoutError,
  401: CheckoutError,
  402: CheckoutError,
  403: CheckoutError,
  404: CheckoutError,
  405: CheckoutError,
  409: CheckoutError,
  413: CheckoutError,
  415: CheckoutError,
  422: CheckoutError,
  425: CheckoutError,
  429: CheckoutError,
  500: CheckoutError,
  502: CheckoutError,
  503: CheckoutError,
  504: CheckoutError,
} as const

interface Refusal {
  status: 402 | 404 | 405 | 409 | 422 | 502 | 503
  code: string
  message: string
  /** A JSONPath. */
  param?: string
  /** Seconds after which the platform may send the request again. */
  retryAfter?: number
}

/**
 * A request that a checkout does not take, in the words of the protocol. An `ApiError`, so that a request whose
 * key has an answer already is answered with that.
 */
export class CheckoutRefusal extends ApiError {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.status, 'bad_request', refusal.message)
    this.refusal = refusal
  }
}

const typeOf = (status: number): CheckoutError['type'] =>
  status === 503 || status === 429
    ? 'service_unavailable'
    : status >= 500
      ? 'processing_error'
      : 'invalid_request'

/**
 * Answers an error in the form of the protocol. The checkout's document knows no type for a rate limit: it is a
 * service that is not available now.
 */
export function answerCheckoutError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, body, headers } = errorAnswer(error, request)
  const reason = (error as Partial<ApiError>).reason
  if (reason !== undefined) request.log.info({ reason, code: body.code }, 'request refused')
  else if (status >= 500 && !(error instanceof CheckoutRefusal))
    request.log.error({ err: { message: error.message, stack: error.stack } }, 'request failed')
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body)
}

function errorAnswer(error: FastifyError, request: FastifyRequest) {
  if (error instanceof CheckoutRefusal) {
    const { status, code, message, param, retryAfter } = error.refusal
    const body: CheckoutError = { type: typeOf(status), code, message, ...(param !== undefined && { param }) }
    const headers: Record<string, string> = {
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      // no method is allowed on what is over but reading it
      ...(status === 405 && { allow: 'GET' }),
    }
    return { status, body, headers }
  }
  // what is no id names no session
  if (error instanceof InvalidShape && error.detail.some(({ loc: [part] }) => part === 'path'))
    return errorAnswer(notFound('There is no such checkout session') as ApiError & FastifyError, request)
  const { status, body, headers } = protocolError(error, request, 'invalid')
  return {
    status,
    body: { ...body, type: typeOf(status) } satisfies CheckoutError,
    headers: { ...headers, ...(status === 409 && { 'retry-after': '2' }) },
  }
}
