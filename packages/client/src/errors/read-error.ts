import type { ErrorDetail, ErrorFacts, RailyardError } from './railyard-error.ts'
import { errorOf } from './status-errors.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null
const textOr = <T>(value: unknown, other: T): string | T => (typeof value === 'string' ? value : other)
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The error that an answer is. A 422 has a body of its own shape; a proxy's answer has any. */
export function readError(status: number, headers: Headers, body: unknown): RailyardError {
  const known = isObject(body) ? body : {}
  const common = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  }
  return errorOf(
    Array.isArray(known['detail'])
      ? { ...common, ...shapeFacts(known) }
      : { ...common, ...facts(status, known) },
  )
}

function facts(status: number, body: Json): Pick<ErrorFacts, 'message' | 'code' | 'details'> {
  return {
    message: withDetails(textOr(body['message'], `HTTP ${status}`), list(body['details']).map(detailOf)),
    code: textOr(body['code'], 'unreadable_answer'),
    details: list(body['details']).map(detailOf),
    ...(typeof body['resource_id'] === 'string' && { resourceId: body['resource_id'] }),
    ...(typeof body['next_cursor'] === 'string' && { nextCursor: body['next_cursor'] }),
  }
}

const detailOf = (detail: Json): ErrorDetail => ({
  location: textOr(detail['location'], 'unknown'),
  pointer: textOr(detail['pointer'], ''),
  message: textOr(detail['message'], ''),
  type: textOr(detail['type'], ''),
})

/** `loc` is `['body', 'payment_method', 'number']`. */
function shapeFacts(body: Json): Pick<ErrorFacts, 'message' | 'code' | 'details'> {
  const details = list(body['detail']).map(({ loc, msg, type }) => {
    const [location = 'unknown', ...path] = Array.isArray(loc) ? loc.map(String) : []
    const pointer = location === 'body' ? path.map((part) => `/${part}`).join('') : path.join('/')
    return { location, pointer, message: textOr(msg, ''), type: textOr(type, '') }
  })
  return {
    message: withDetails('The shape of the request is wrong', details),
    code: 'validation_error',
    details,
  }
}

const withDetails = (message: string, details: readonly ErrorDetail[]) =>
  details.length === 0
    ? message
    : `${message}: ${details.map((each) => `${each.pointer || each.location} ${each.message}`).join('; ')}`

/** Seconds or a date, in milliseconds from now; undefined without a readable value. */
function retryAfterMs(value: string | null): number | undefined {
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
