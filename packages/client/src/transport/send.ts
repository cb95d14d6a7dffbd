import { ConnectionError, RailyardError } from '../errors/railyard-error.ts'
import { readError } from '../errors/read-error.ts'
import type { RailyardOptions } from '../options.ts'
import { watchAttempt } from '../telemetry.ts'
import type { TokenSource } from '../token/token-source.ts'
import { type OperationCall, urlOf } from './operation-call.ts'
import { mayRepeat, retryDelay, sleep } from './retry.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_RETRIES = 3

/** What became of an attempt. */
type Attempt = { body: unknown } | { error: RailyardError }

/** Sends a request, again where that is safe, and answers its JSON. Throws a `RailyardError`. */
export async function send(
  options: RailyardOptions,
  tokens: TokenSource,
  call: OperationCall,
): Promise<unknown> {
  const retries = call.options.retries ?? options.retries ?? DEFAULT_RETRIES
  // the same for all attempts, so that they are one request
  const key = call.options.idempotencyKey ?? (call.verb === 'POST' ? crypto.randomUUID() : undefined)
  let mayBeDone = false
  for (let attempt = 0; ; attempt++) {
    call.options.signal?.throwIfAborted()
    const headers = headersOf(options, call, key, await tokens.token())
    const result = await tryOnce(options, call, headers, attempt)
    if ('body' in result) return result.body
    const { error } = result
    // an earlier attempt has deleted it, and its answer was lost
    if (mayBeDone && call.verb === 'DELETE' && error.status === 404) return undefined
    mayBeDone ||= error.status === 0 || error.status === 504
    error.retryable = mayRepeat(call, error)
    error.idempotencyKey = key
    const delay = retryDelay(error, attempt, retries)
    if (delay === undefined) throw error
    await sleep(delay, call.options.signal)
  }
}

function headersOf(
  { merchantAccount }: RailyardOptions,
  { body, options }: OperationCall,
  key: string | undefined,
  token: string | undefined,
): Record<string, string> {
  const account = options.merchantAccount ?? merchantAccount
  return {
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(account !== undefined && { 'x-svc-merchant-account-id': account }),
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(options.prefer !== undefined && { prefer: options.prefer }),
  }
}

async function tryOnce(
  options: RailyardOptions,
  call: OperationCall,
  headers: Record<string, string>,
  attempt: number,
): Promise<Attempt> {
  const { name: operation, verb, path } = call
  const end = watchAttempt(options.telemetry, { operation, verb, path, attempt, headers })
  let status = 0
  let requestId: string | undefined
  try {
    const answer = await fetchWithin(options, call, headers)
    status = answer.status
    requestId = answer.headers.get('x-request-id') ?? undefined
    const result = readAnswer(answer)
    end({ status, requestId, error: 'error' in result ? result.error : undefined })
    return result
  } catch (error) {
    end({ status, requestId, error })
    if (error instanceof RailyardError) return { error }
    throw error
  }
}

interface Answer {
  status: number
  ok: boolean
  headers: Headers
  text: string
}

/** Sends one attempt and reads its answer, both within the timeout. */
async function fetchWithin(
  { baseUrl, fetch = globalThis.fetch, timeout }: RailyardOptions,
  call: OperationCall,
  headers: Record<string, string>,
): Promise<Answer> {
  const { verb, body, options } = call
  const limit = options.timeout ?? timeout ?? DEFAULT_TIMEOUT_MS
  const controller = new AbortController()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    controller.abort()
  }, limit)
  const abort = () => controller.abort(options.signal?.reason)
  options.signal?.addEventListener('abort', abort, { once: true })
  // it may have been aborted while the token was signed
  if (options.signal?.aborted) abort()
  try {
    const response = await fetch(urlOf(baseUrl, call), {
      method: verb,
      headers,
      // the body may hold a card number, which another server must not get
      redirect: 'manual',
      signal: controller.signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return {
      status: response.status,
      ok: response.ok,
      headers: response.headers,
      text: await response.text(),
    }
  } catch (cause) {
    options.signal?.throwIfAborted()
    throw new ConnectionError(
      isLate
        ? { message: `There was no answer within ${limit} ms`, status: 0, code: 'timeout', cause }
        : { message: 'The connection failed', status: 0, code: 'connection_failed', cause },
    )
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', abort)
  }
}

function readAnswer({ status, ok, headers, text }: Answer): Attempt {
  const json = parse(text)
  if (!ok) return { error: readError(status, headers, json) }
  if (json === UNREADABLE)
    return {
      error: new RailyardError({
        message: `The answer is not JSON: is ${status} the answer of Railyard?`,
        status,
        code: 'unreadable_answer',
        requestId: headers.get('x-request-id') ?? undefined,
      }),
    }
  return { body: json }
}

const UNREADABLE = Symbol('unreadable')

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return UNREADABLE
  }
}
