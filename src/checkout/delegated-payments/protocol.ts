import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type ApiError, invalidHeader } from '../../api/errors.ts'
import { Closed, Described, Text, Timestamp, Words } from '../../api/schema.ts'
import { toApiError } from '../../api/server/error-handler.ts'
import { InvalidShape } from '../../api/server/validation.ts'

/** The versions of the Agentic Commerce Protocol that its documents name; the newest is the last. */
export const protocolVersions = ['2025-09-29', '2026-01-16', '2026-01-27', '2026-04-17'] as const
export const PROTOCOL_VERSION = '2026-04-17'

const headers = {
  'api-version': Described(
    Type.String(),
    `The version of the protocol: ${protocolVersions.join(', ')}. Railyard answers as ${PROTOCOL_VERSION}`,
  ),
  'accept-language': Type.Optional(Described(Type.String(), 'The buyer’s language, such as en-US')),
  'request-id': Type.Optional(
    Described(Text(1, 255), 'The platform’s id of the request; the answer has it, too'),
  ),
  signature: Type.Optional(
    Described(
      Text(1, 10_000),
      'The platform’s signature of `Timestamp`, `Idempotency-Key`, method and path (`POST /agentic_commerce/delegate_payment`), and the canonical JSON of the body (RFC 8785), with a full stop between them: Ed25519 or ES256, in base64url. Checked if the instance has keys of platforms (`AGENTIC_COMMERCE_KEYS`); otherwise the bearer token alone authenticates',
    ),
  ),
  timestamp: Type.Optional(
    Described(
      Timestamp,
      'When the platform sent the request: within five minutes of now. Required where signatures are checked',
    ),
  ),
}

/** The headers of a request that reads. */
export const protocolHeaders = Type.Object(headers)

/** The headers of a request that changes something. */
export const protocolWriteHeaders = Type.Object({
  ...headers,
  'idempotency-key': Described(
    Text(1, 255),
    'Names this request. A request that is sent again under the same key is done once, and gets the same answer with the header `Idempotent-Replayed`',
  ),
})

export const ProtocolError = Closed('AgenticCommerceError', {
  type: Described(
    Words('invalid_request', 'rate_limit_exceeded', 'processing_error', 'service_unavailable'),
    'What kind of error it is',
  ),
  code: Described(Type.String(), 'Which error it is'),
  message: Described(Type.String(), 'What is wrong, for a developer'),
  param: Type.Optional(Described(Type.String(), 'The member that is wrong, as a JSONPath')),
})
export type ProtocolError = Static<typeof ProtocolError>

/** The answers of an operation of the protocol that are errors, by status: each has the protocol's form. */
export const protocolErrors = {
  400: ProtocolError,
  401: ProtocolError,
  403: ProtocolError,
  409: ProtocolError,
  413: ProtocolError,
  415: ProtocolError,
  422: ProtocolError,
  425: ProtocolError,
  429: ProtocolError,
  500: ProtocolError,
  502: ProtocolError,
  503: ProtocolError,
  504: ProtocolError,
} as const

const MAX_TIME_DIFFERENCE_MS = 300_000

/** Throws 400 for a version that Railyard does not speak, or a timestamp that is too far from now. */
export function checkProtocolHeaders(
  { 'api-version': version, timestamp }: Static<typeof protocolHeaders>,
  now: number,
): void {
  if (!protocolVersions.some((known) => known === version))
    throw invalidHeader('api-version', `must be one of ${protocolVersions.join(', ')}`)
  if (timestamp !== undefined && Math.abs(Date.parse(timestamp) - now) > MAX_TIME_DIFFERENCE_MS)
    throw invalidHeader('timestamp', 'is more than five minutes from now')
}

const errorTypes: Readonly<Record<number, ProtocolError['type']>> = {
  429: 'rate_limit_exceeded',
  500: 'processing_error',
  502: 'processing_error',
  503: 'service_unavailable',
}

/** Codes of the protocol for codes of Railyard. */
const codes: Readonly<Record<string, string>> = {
  concurrent_request: 'idempotency_in_flight',
  duplicate_record: 'idempotency_conflict',
  server_error: 'internal_server_error',
}

/** `/allowance/currency` → `$.allowance.currency` */
const jsonPath = (steps: readonly (string | number)[]) =>
  steps.reduce<string>(
    (path, step) => (/^\d+$/.test(`${step}`) ? `${path}[${step}]` : `${path}.${step}`),
    '$',
  )

/**
 * An error in the shape of the protocol. `invalidCode` is the code of a request that breaks a rule: the
 * document of an endpoint has a list of codes. A shape that does not fit is a 400, and a broken rule a 422.
 */
export function protocolError(
  error: FastifyError,
  request: FastifyRequest,
  invalidCode: string,
): { status: number; body: ProtocolError; headers: Record<string, string> } {
  if (error instanceof InvalidShape) {
    const [problem] = error.detail
    const [part, ...steps] = problem?.loc ?? []
    if (part === 'header' && steps[0] === 'idempotency-key')
      return answer(
        400,
        'invalid_request',
        'idempotency_key_required',
        'The header Idempotency-Key is required',
      )
    const isMember = part === 'body' && problem?.type !== 'additionalProperties'
    const place = isMember ? jsonPath(steps) : undefined
    const named = part === 'header' ? `The header ${steps[0]} ` : 'The value '
    const text =
      part === 'body' && !isMember
        ? 'The body has a member that the protocol does not know'
        : `${named}${problem?.msg ?? 'is invalid'}`
    return answer(400, 'invalid_request', invalidCode, text, place)
  }
  const known = toApiError(error, request)
  const [detail] = known.details
  const type = errorTypes[known.status] ?? 'invalid_request'
  if (known.code === 'duplicate_record' || known.code === 'concurrent_request')
    return {
      ...answer(
        known.code === 'duplicate_record' ? 422 : 409,
        type,
        codes[known.code] ?? known.code,
        known.message,
      ),
      headers: known.headers,
    }
  if (!detail)
    return {
      ...answer(known.status, type, codes[known.code] ?? known.code, known.message),
      headers: known.headers,
    }
  if (detail.location === 'header')
    return answer(400, type, invalidCode, `The header ${detail.pointer} ${detail.message}`)
  const steps = detail.pointer.split('/').slice(1)
  return answer(422, type, invalidCode, `${steps.at(-1) ?? 'The value'} ${detail.message}`, jsonPath(steps))
}

const answer = (
  status: number,
  type: ProtocolError['type'],
  code: string,
  message: string,
  param?: string,
) => ({
  status,
  body: { type, code, message, ...(param !== undefined && { param }) },
  headers: {} as Record<string, string>,
})

/** A route's error handler that answers in the shape of the protocol. */
export const answerProtocolError =
  (invalidCode: string) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { status, body, headers } = protocolError(error, request, invalidCode)
    const reason = (error as Partial<ApiError>).reason
    if (reason !== undefined) request.log.info({ reason, code: body.code }, 'request refused')
    else if (status >= 500)
      request.log.error({ err: { message: error.message, stack: error.stack } }, 'request failed')
    return reply
      .code(status)
      .headers(headers)
      .type('application/json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(body)
  }
