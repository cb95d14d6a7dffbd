/** One thing that is wrong with a request (SPEC §7.1). `pointer` is a JSON pointer for the body, the bare name otherwise. */
export interface Detail {
  location: 'body' | 'query' | 'path' | 'header'
  pointer: string
  message: string
  type: string
}

/** An answer other than success, in the envelope of SPEC §7.1. Thrown anywhere, turned into a body in `error-handler.ts` only. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Detail[]
  readonly resourceId: string | undefined
  /** Of a list that cannot go on from the caller's cursor: from where it can. */
  readonly nextCursor: string | undefined
  readonly headers: Record<string, string>
  /** Why, for the log of whoever runs this; the caller, who may be an attacker, is not told. */
  readonly reason: string | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    more: { details?: Detail[]; resourceId?: string; nextCursor?: string; headers?: Record<string, string>; reason?: string } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = more.details ?? []
    this.resourceId = more.resourceId
    this.nextCursor = more.nextCursor
    this.headers = more.headers ?? {}
    this.reason = more.reason
  }
}

/** 400: the shape is right and a rule is broken. */
export const badRequest = (message: string, details: Detail[] = []) => new ApiError(400, 'bad_request', message, { details })

/** 400 that blames fields of the body (SEMANTICS §0.2): `invalid({ '/amount': 'must be greater than 0' })`. */
export const invalid = (fields: Record<string, string>) =>
  badRequest(
    'Request failed validation',
    Object.entries(fields).map(([pointer, message]) => ({ location: 'body', pointer, message, type: 'value_error' })),
  )

/** 400 that blames a query parameter. */
export const invalidQuery = (pointer: string, message: string) =>
  badRequest('Request failed validation', [{ location: 'query', pointer, message, type: 'value_error' }])

/** 400 that blames a header. */
export const invalidHeader = (pointer: string, message: string) =>
  badRequest('Request failed validation', [{ location: 'header', pointer, message, type: 'value_error' }])

export const invalidCursor = (parameter = 'cursor') => invalidQuery(parameter, 'is not a cursor of this list')

export const incorrectJson = () => new ApiError(400, 'incorrect_json', 'The body is not valid JSON')
export const invalidCredentials = (message: string) => new ApiError(400, 'invalid_credentials', message)
/** 401; the reason goes to the log only. */
export const unauthorized = (reason: string) =>
  new ApiError(401, 'unauthorized', 'No valid API authentication found', { headers: { 'www-authenticate': 'Bearer' }, reason })

export const forbidden = (message: string) => new ApiError(403, 'forbidden', message)
export const notFound = (message = 'The resource could not be found') => new ApiError(404, 'not_found', message)
/** 404 for a path that no operation has: a typing error rather than a missing resource. A worker has no API, and no pages that list one. */
export const noSuchPath = (role: 'all' | 'api' | 'worker') =>
  notFound(
    role === 'worker'
      ? 'There is no such path: a worker has /health/live, /health/ready and /metrics, and the API is another process'
      : 'There is no such path; /docs lists those that there are',
  )
export const methodNotAllowed = (allowed: string[]) =>
  new ApiError(405, 'method_not_allowed', 'Method Not Allowed', { headers: { allow: allowed.join(', ') } })

export const duplicateRecord = (resourceId: string, message: string) => new ApiError(409, 'duplicate_record', message, { resourceId })

/** 409: another request is under way that this one must wait for, e.g. the first with this idempotency key; safe to send again. */
export const concurrentRequest = (message = 'A request with this idempotency key is still being processed') =>
  new ApiError(409, 'concurrent_request', message, { headers: { 'retry-after': '2' } })

/** 409: what the caller has seen is not what is there any more; to be read again. */
export const changedMeanwhile = (message: string) => new ApiError(409, 'concurrent_request', message)

/** 410: the database has gone back to before what this cursor follows. `nextCursor`: a place that the reader has passed and that the list still has. */
export const lostCursor = (nextCursor: string) =>
  new ApiError(
    410,
    'gone',
    'What this cursor follows is not there any more: the database was restored, or has lost its last commits. Go on from next_cursor; what you have seen already comes again under the same ids',
    { nextCursor },
  )

/** 425: a previous action on the transaction has no known outcome yet. */
export const tooEarly = () =>
  new ApiError(425, 'too_early', 'A previous action on this transaction is still executing', { headers: { 'retry-after': '1' } })

/** 503; the reason goes to the log only. */
export const serviceUnavailable = (reason?: string) =>
  new ApiError(503, 'service_unavailable', 'The service cannot be reached at the moment', {
    headers: { 'retry-after': '2' },
    ...(reason !== undefined && { reason }),
  })
/** 503: more is asked than can be answered in time; nothing was done, so the same request may be sent again. */
export const overloaded = () =>
  new ApiError(503, 'service_unavailable', 'There is more to do at the moment than can be done in time', { headers: { 'retry-after': '1' } })

/** 425: the buyer has not approved yet (SPEC §4.11, completion). */
export const notApprovedYet = () => new ApiError(425, 'too_early', 'The buyer has not approved the payment yet', { headers: { 'retry-after': '1' } })

/** 502: a part of this installation that must answer does not. */
export const badGateway = (message: string) => new ApiError(502, 'bad_gateway', message)

/** 504: what the payment service thinks cannot be found out now; safe to ask again. */
export const gatewayTimeout = () => new ApiError(504, 'gateway_timeout', 'Request could not be processed', { headers: { 'retry-after': '2' } })

export const serverError = () => new ApiError(500, 'server_error', 'Request could not be processed')
