import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CONNECT_TIMEOUT } from '../../database/postgres/error-text.ts'
import {
  ApiError,
  badRequest,
  incorrectJson,
  methodNotAllowed,
  noSuchPath,
  notFound,
  serverError,
  serviceUnavailable,
} from '../errors.ts'
import { InvalidShape } from './validation.ts'

/** The answers to requests that Fastify refuses by itself (semantics §0.11). */
const refusals: Record<string, (request: FastifyRequest) => ApiError> = {
  FST_ERR_CTP_INVALID_JSON_BODY: incorrectJson,
  FST_ERR_CTP_EMPTY_JSON_BODY: incorrectJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => badRequest('The content length does not match the body'),
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) =>
    new ApiError(413, 'payload_too_large', `The body may not exceed ${sizeOf(routeOptions.bodyLimit)}`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError(415, 'unsupported_media_type', 'The content type must be application/json'),
  FST_ERR_BAD_URL: () => notFound('There is no such path'),
  // a method that Node accepts and the router does not know
  FST_ERR_NOT_FOUND: () => notFound('There is no such path'),
  FST_ERR_MAX_PARAM_LENGTH: () => notFound(),
}

/**
 * The database cannot be reached, or cannot run a statement now: connections refused, lost, or none free in
 * time (PostgreSQL classes 08, 53, 57P), or their login refused, as while its password changes (28); its disk
 * full or failing (53, 58; 25006 on the embedded database, before its disk is full); locks or time that a
 * statement did not get (55P03, 57014, 25P03, 25P04); conflicts with other transactions (40001, 40P01).
 */
const databaseUnavailableCode =
  /^(?:08|28|53|57P|58)|^(?:25006|25P0[34]|40001|40P01|55P03|57014)$|^E(?:CONNREFUSED|CONNRESET|CONNABORTED|PIPE|TIMEDOUT|NOTFOUND|HOSTUNREACH|NETUNREACH)$|^EAI_AGAIN$/
/** Citus, about a worker that could not be reached, with the code of an internal error (XX000). */
const workerUnavailable = /^failure on connection marked as essential|^could not commit transaction for shard/
/** However a connection could not be made: a Unix socket is missing (ENOENT), or no descriptor is free (EMFILE). */
const isNotConnected = (error: Error): boolean => 'syscall' in error && error.syscall === 'connect'
const poolExhausted = new RegExp(
  `${CONNECT_TIMEOUT}|Connection terminated|Client has encountered a connection error`,
)

/** The answers to connections without a readable HTTP request, by Node's error code. */
const unreadableErrors: Record<string, () => ApiError> = {
  HPE_HEADER_OVERFLOW: () =>
    new ApiError(431, 'headers_too_large', 'The request line and headers may not exceed 32 KiB'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new ApiError(408, 'request_timeout', 'The request did not arrive in time'),
}

/** The headers of `protect-answer.ts`, for answers without a Fastify reply. */
const protectiveHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** Answers on the connection itself and ends it, since the beginning of a next request cannot be found. */
export function answerUnreadableRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const answer = unreadableErrors[error.code ?? '']?.() ?? badRequest('The request could not be read')
  const body = JSON.stringify(errorBody(answer))
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...Object.entries(protectiveHeaders).map(([name, value]) => `${name}: ${value}`),
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

/**
 * Answers a request with an unknown `expect` header; Node would answer it without a body. `100-continue` is
 * known and does not come here.
 */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const answer = new ApiError(417, 'expectation_failed', 'The expect header may say 100-continue only')
  const body = JSON.stringify(errorBody(answer))
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...protectiveHeaders,
  }
  response.writeHead(answer.status, headers).end(body)
}

const sizeOf = (bytes: number | undefined) =>
  bytes !== undefined && bytes < 1_048_576 ? `${bytes / 1_024} KiB` : '1 MiB'

/** An error of any origin as one of the API. */
export function toApiError(error: FastifyError, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  const refusal = refusals[error.code]
  if (refusal) return refusal(request)
  if (
    databaseUnavailableCode.test(error.code ?? '') ||
    isNotConnected(error) ||
    poolExhausted.test(error.message) ||
    workerUnavailable.test(error.message)
  )
    return serviceUnavailable()
  if (error.statusCode === 400)
    return error instanceof SyntaxError ? incorrectJson() : badRequest('The request could not be read')
  return serverError()
}

/** The body of an error (API §7.1). */
export const errorBody = ({ code, status, message, details, resourceId, nextCursor }: ApiError) => ({
  type: 'error',
  code,
  status,
  message,
  details,
  ...(resourceId !== undefined && { resource_id: resourceId }),
  ...(nextCursor !== undefined && { next_cursor: nextCursor }),
})

export function sendError(reply: FastifyReply, error: ApiError): FastifyReply {
  return reply
    .code(error.status)
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorBody(error))
}

/** Answers errors and unknown paths. Errors become bodies in this file only. */
export function handleErrors(app: FastifyInstance, processRole: Parameters<typeof noSuchPath>[0]): void {
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((_request, reply) => sendError(reply, noSuchPath(processRole)))
}

/** Answers an error; also one that Fastify throws before it has found a route (`frameworkErrors`). */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof InvalidShape)
    return reply
      .code(422)
      .serializer(JSON.stringify)
      .type('application/json; charset=utf-8')
      .send({ detail: error.detail })
  if (error instanceof ApiError) {
    const level = error.status >= 500 ? 'error' : 'info'
    if (error.reason !== undefined)
      request.log[level]({ reason: error.reason, code: error.code }, 'request refused')
    return sendError(reply, error)
  }
  const answer = toApiError(error, request)
  if (answer.status >= 500)
    request.log.error(
      { err: { code: error.code, message: error.message, stack: error.stack } },
      'request failed',
    )
  return sendError(reply, answer)
}

/** Throws 400 for a request without a host header; Node would refuse it without a body (RFC 9112 §3.2). */
export function refuseMissingHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') throw badRequest('The host header is missing')
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * Lets a known path answer 405 with `Allow` to the methods that it lacks (API §7.1). Call it before the
 * routes are added, and `refuseOtherMethods` after.
 */
export function collectAllowedMethods(app: FastifyInstance): { refuseOtherMethods(): void } {
  const allowed = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = allowed.get(url) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    allowed.set(url, methods)
  })
  return {
    refuseOtherMethods() {
      for (const [url, methods] of [...allowed]) {
        if (url.includes('*')) continue
        const otherMethods = METHODS.filter((method) => !methods.has(method))
        const allowedMethods = [...methods]
        const refuse = async (): Promise<never> => {
          throw methodNotAllowed(allowedMethods)
        }
        // before the body is read: an invalid body must not change the answer
        app.route({
          method: otherMethods,
          url,
          schema: { hide: true },
          config: { scopes: 'public' },
          onRequest: refuse,
          handler: refuse,
        })
      }
    },
  }
}
