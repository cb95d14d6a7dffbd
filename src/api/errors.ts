import type { ApiErrorCode } from './error-codes.ts'

/**
 * One problem of a request (API §7.1). `pointer` is a JSON pointer into the body, the name of a parameter
 * or header, or the id of an approval policy.
 */
export interface Detail {
  location: 'body' | 'query' | 'path' | 'header' | 'policy'
  pointer: string
  message: string
  type: string
}

/**
 * An error answer (API §7.1). Any code may throw one; `server/error-handler.ts` alone turns it into a body.
 */
export class ApiError extends Error {
  readonly status: number
  readonly code: ApiErrorCode
  readonly details: Detail[]
  readonly resourceId: string | undefined
  /** For a list that cannot continue from the caller's cursor: the cursor from which it can. */
  readonly nextCursor: string | undefined
  readonly headers: Record<string, string>
  /** The reason, for the operator's log. It is not answered: the caller may be an attacker. */
  readonly reason: string | undefined

  constructor(
    status: number,
    code: ApiErrorCode,
    message: string,
    options: {
      details?: Detail[]
      resourceId?: string
      nextCursor?: string
      headers?: Record<string, string>
      reason?: string
    } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = options.details ?? []
    this.resourceId = options.resourceId
    this.nextCursor = options.nextCursor
    this.headers = options.headers ?? {}
    this.reason = options.reason
  }
}

/** 400: the request has the right shape and breaks a rule. */
export const badRequest = (message: string, details: Detail[] = []) =>
  new ApiError(400, 'bad_request', message, { details })

/**
 * 400 with a problem for each member of the body (semantics §0.2): `invalid({ '/amount': 'must be greater
 * than 0' })`.
 */
export const invalid = (fields: Record<string, string>) =>
  badRequest(
    'Request failed validation',
    Object.entries(fields).map(([pointer, message]) => ({
      location: 'body',
      pointer,
      message,
      type: 'value_error',
    })),
  )

/** 400 for a query parameter. */
export const invalidQuery = (pointer: string, message: string) =>
  badRequest('Request failed validation', [{ location: 'query', pointer, message, type: 'value_error' }])

/** 400 for a header. */
export const invalidHeader = (pointer: string, message: string) =>
  badRequest('Request failed validation', [{ location: 'header', pointer, message, type: 'value_error' }])

export const invalidCursor = (parameter = 'cursor') =>
  invalidQuery(
    parameter,
    'is not a cursor of this list with these filters: repeat the filters of the page that it came with',
  )

export const incorrectJson = () => new ApiError(400, 'incorrect_json', 'The body is not valid JSON')
/**
 * 400: programs differ in which of two values they take, so that a proxy might have checked another value
 * than the one that this server reads.
 */
export const duplicateMembers = () =>
  new ApiError(400, 'incorrect_json', 'An object of the body names a member twice')
export const invalidCredentials = (message: string) => new ApiError(400, 'invalid_credentials', message)
/** 401; the reason goes to the log only. */
export const unauthorized = (reason: string) =>
  new ApiError(401, 'unauthorized', 'No valid API authentication found', {
    headers: { 'www-authenticate': 'Bearer' },
    reason,
  })

/**
 * 401 for a token that an active key has signed and that has expired or is not valid yet. Its signer may
 * know, so the reason is answered.
 */
export const mistimedToken = (reason: string) =>
  new ApiError(401, 'unauthorized', `No valid API authentication found: ${reason}`, {
    headers: { 'www-authenticate': 'Bearer' },
    reason,
  })

export const forbidden = (message: string) => new ApiError(403, 'forbidden', message)
/**
 * 403: these policies of the account ask for the approval of other people. The message says how to propose the
 * same request.
 */
export const approvalRequired = (policies: readonly { id: string; display_name: string }[]) =>
  new ApiError(
    403,
    'approval_required',
    'This needs the approval of other people: send the same request to POST /proposals, as { method, path, body, reason }',
    {
      details: policies.map(({ id, display_name }) => ({
        location: 'policy',
        pointer: id,
        message: `is asked for by the approval policy ${display_name}`,
        type: 'approval_required',
      })),
    },
  )
export const notFound = (message = 'The resource could not be found') =>
  new ApiError(404, 'not_found', message)

/** What was looked up. Throws 404 for undefined. */
export function orNotFound<T extends object>(resource: T | undefined): T {
  if (!resource) throw notFound()
  return resource
}

/**
 * 404 for a path that no operation has: a typing error rather than a missing resource. A worker process has
 * no API, and no pages that list one.
 */
export const noSuchPath = (processRole: 'all' | 'api' | 'worker') =>
  notFound(
    processRole === 'worker'
      ? 'There is no such path: a worker has /health/live, /health/ready and /metrics, and the API is another process'
      : 'There is no such path; /docs lists those that there are',
  )
export const methodNotAllowed = (allowed: string[]) =>
  new ApiError(405, 'method_not_allowed', 'Method Not Allowed', { headers: { allow: allowed.join(', ') } })

export const duplicateRecord = (resourceId: string, message: string) =>
  new ApiError(409, 'duplicate_record', message, { resourceId })

/**
 * 409: another request that this one must wait for is in progress, such as the first with this idempotency
 * key. The client may send it again.
 */
export const concurrentRequest = (message = 'A request with this idempotency key is still being processed') =>
  new ApiError(409, 'concurrent_request', message, { headers: { 'retry-after': '2' } })

/** 409: the resource has changed since the client read it. The client reads it again and decides. */
export const changedMeanwhile = (message: string) => new ApiError(409, 'concurrent_request', message)

/**
 * 410: a restore took the database back to before this cursor. `nextCursor` is the last position before it
 * that the list still has.
 */
export const lostCursor = (nextCursor: string) =>
  new ApiError(
    410,
    'gone',
    'What this cursor follows is not there any more: the database was restored, or has lost its last commits. Go on from next_cursor; what you have seen already comes again under the same ids',
    { nextCursor },
  )

/** 425: a previous action on the transaction has no known outcome yet. */
export const tooEarly = () =>
  new ApiError(425, 'too_early', 'A previous action on this transaction is still executing', {
    headers: { 'retry-after': '1' },
  })

/**
 * 503: the database, or a service that the operation needs, cannot be reached. The reason goes to the log
 * only.
 */
export const serviceUnavailable = (reason?: string) =>
  new ApiError(
    503,
    'service_unavailable',
    'Railyard cannot reach its database, or a service that the operation needs, at the moment',
    {
      headers: { 'retry-after': '2' },
      ...(reason !== undefined && { reason }),
    },
  )
/**
 * 503: too many requests to be answered in time. Nothing was done, so the client may send the request again.
 */
export const overloaded = () =>
  new ApiError(503, 'service_unavailable', 'There is more to do at the moment than can be done in time', {
    headers: { 'retry-after': '1' },
  })

/** 503: this process, or this caller, has as many streams of events as there may be. */
export const tooManyStreams = () =>
  new ApiError(503, 'service_unavailable', 'There are too many streams of events at the moment', {
    headers: { 'retry-after': '10' },
  })

/** 425: the buyer has not approved yet (API §4.11, completion). */
export const notApprovedYet = () =>
  new ApiError(425, 'too_early', 'The buyer has not approved the payment yet', {
    headers: { 'retry-after': '1' },
  })

/** 502: another part of this installation does not answer. */
export const badGateway = (message: string) => new ApiError(502, 'bad_gateway', message)

/**
 * 504: the payment service's state of the operation cannot be looked up now. The client may send the request
 * again.
 */
export const gatewayTimeout = () =>
  new ApiError(504, 'gateway_timeout', 'Request could not be processed', { headers: { 'retry-after': '2' } })

export const serverError = () => new ApiError(500, 'server_error', 'Request could not be processed')
