import { apiErrorCodes } from '../api/error-codes.ts'
import { isJsonObject } from '../api/values/json-object.ts'

/** A request to Railyard's own API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT'
  /** Without the query. */
  path: string
  query?: Readonly<Record<string, QueryValue>>
  body?: unknown
  idempotencyKey?: string
  /** The resource to answer instead of the transaction (`Prefer: resource=…`). */
  prefer?: string
}

export type QueryValue = string | number | boolean | readonly string[] | undefined

export interface ApiAnswer {
  status: number
  body: unknown
}

/**
 * Sends a request to the API as the caller of the tool: with the caller's token, on the caller's merchant
 * account. Tools reach payments by it alone, so that scopes, tenant isolation, idempotency and the audit log
 * hold for them as for every client.
 */
export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>

/** The path with its query. */
export function urlOf({ path, query = {} }: ApiRequest): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) parameters.append(name, String(each))
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The headers of a request, without those that name the caller. */
export const headersOf = ({ body, idempotencyKey, prefer }: ApiRequest): Record<string, string> => ({
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  ...(prefer !== undefined && { prefer: `resource=${prefer}` }),
})

/** The API has answered with an error. */
export class ApiRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly advice: string | null
  readonly problems: readonly { member: string; message: string }[]
  /** What the request collides with; null: nothing. */
  readonly resourceId: string | null

  /** False: what has become of the request is not known, or another one with its key is under way. */
  get isWithoutEffect(): boolean {
    return this.status < 500 ? this.code !== 'concurrent_request' : this.status === 503
  }

  constructor({ status, body }: ApiAnswer) {
    const { code, message } = errorOf(body)
    super(message)
    this.status = status
    this.code = code
    this.advice = adviceOn(code)
    this.problems = problemsOf(body)
    this.resourceId =
      isJsonObject(body) && typeof body['resource_id'] === 'string' ? body['resource_id'] : null
  }
}

function errorOf(body: unknown): { code: string; message: string } {
  if (!isJsonObject(body)) return { code: 'server_error', message: 'The answer is not JSON' }
  const { code, message } = body
  if (typeof code === 'string' && typeof message === 'string') return { code, message }
  return { code: 'bad_request', message: 'The request does not have the right shape' }
}

const errorCodes: Readonly<Record<string, { advice: string }>> = apiErrorCodes
/** The key is the tool's `request_id`, and a model that takes another one might do the same thing twice. */
const DUPLICATE =
  'What this request_id has done before stands, with the values of then: `resource_id` names it. Look at it first. Take another request_id only for another action'
const adviceOn = (code: string): string | null =>
  code === 'duplicate_record'
    ? DUPLICATE
    : Object.hasOwn(errorCodes, code)
      ? (errorCodes[code]?.advice ?? null)
      : null

/** The members that the API objects to. Values that were sent are not repeated. */
function problemsOf(body: unknown): { member: string; message: string }[] {
  if (!isJsonObject(body)) return []
  const { details, detail } = body
  const named = Array.isArray(details) ? details.filter(isJsonObject) : []
  const shapes = Array.isArray(detail) ? detail.filter(isJsonObject) : []
  return [
    ...named.map(({ location, pointer, message }) => ({
      member: String(pointer),
      // the message of a policy has the name that a merchant gave it
      message: location === 'policy' ? 'an approval policy asks for it' : String(message),
    })),
    ...shapes.map(({ loc, msg }) => ({
      member: Array.isArray(loc) ? `/${loc.slice(1).join('/')}` : '/',
      message: String(msg),
    })),
  ]
}

/** What was read after an action; null if it cannot be read, which changes nothing about the action. */
export const readAfter = <T>(call: CallApi, path: string): Promise<T | null> =>
  read<T>(call, path).catch((error) => {
    if (error instanceof ApiRefusal) return null
    throw error
  })

/** The body of a 2xx. Throws `ApiRefusal` for any other answer. `T` is the type of the operation's answer. */
export async function send<T>(call: CallApi, request: ApiRequest): Promise<T> {
  const answer = await call(request)
  if (answer.status < 200 || answer.status > 299) throw new ApiRefusal(answer)
  return answer.body as T
}

export const read = <T>(call: CallApi, path: string, query?: ApiRequest['query']): Promise<T> =>
  send<T>(call, { method: 'GET', path, ...(query && { query }) })

/**
 * A part of an answer that is composed of several: null if the caller's scopes do not open it, or there is no
 * such resource; `leftOut` then says so.
 */
export async function readPart<T>(
  call: CallApi,
  leftOut: string[],
  part: string,
  ...[path, query]: [path: string, query?: ApiRequest['query']]
): Promise<T | null> {
  try {
    return await read<T>(call, path, query)
  } catch (error) {
    if (!(error instanceof ApiRefusal) || (error.status !== 403 && error.status !== 404)) throw error
    leftOut.push(error.status === 403 ? `${part}: the key lacks the scope` : `${part}: there is none`)
    return null
  }
}
