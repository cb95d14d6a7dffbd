import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Agent, type Dispatcher, errors } from 'undici'
import { whileRequestPaused } from '../../api/request/request-context.ts'
import { currentAheadMs } from '../../base/account-clock.ts'
import type { Metrics, ProviderCall, ProviderResult } from '../../base/metrics.ts'
import type { Tracing } from '../../base/tracing.ts'
import { type HttpAnswer, type HttpRequest, toBody, unreadable } from './http-message.ts'
import { multipartBody } from './multipart.ts'

/**
 * Outgoing HTTP to payment services: one pool per origin, a time limit for each phase of a call, no
 * redirects but of downloads, answers of limited size.
 */
export interface ProviderHttp {
  /** `limitMs`: the time that is left for it, if that is less than the limit of every request. */
  request(request: HttpRequest, limitMs?: number): Promise<HttpAnswer>
  /**
   * Writes the body of an answer of any size into a new file and returns null; else the reason for the
   * failure. It follows one redirect, over HTTPS, which gets none of the request's headers.
   */
  download(request: HttpRequest, file: string): Promise<string | null>
  close(): Promise<void>
}

const MAX_ANSWER = 1024 * 1024
const CONNECT_TIMEOUT_MS = 3_000
const DOWNLOAD_TIMEOUT_MS = 60_000

/**
 * Errors that occur before a byte is sent: trying elsewhere is safe. The last two are of a request that HTTP
 * cannot express, such as a credential with a line break.
 */
const unsentErrors = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_INVALID_ARG',
  'ERR_INVALID_URL',
])

/**
 * Errors that may also end a connection on which something was sent: its route is gone, or is refused from
 * now on.
 */
const ambiguousErrors = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'])

/**
 * Node tries several addresses for one name; their errors come as one AggregateError, and only from
 * connecting.
 */
const isConnectError = (error: unknown): boolean =>
  error instanceof AggregateError || (isSystemError(error) && error.syscall === 'connect')

/** Tells the simulators by how many milliseconds the account clock is ahead of the machine's time. */
export const CLOCK_OFFSET_HEADER = 'railyard-ahead-ms'

/** `simulatorUrl`: the URL of the sandbox's simulators; absent in production. */
export function providerHttp(timeoutMs: number, simulatorUrl?: string): ProviderHttp {
  const agent = new Agent({
    connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 60_000,
    connections: 128,
    maxResponseSize: MAX_ANSWER,
  })
  // a whole file may take long; each of its parts may not
  const downloads = new Agent({
    connect: { timeout: timeoutMs },
    headersTimeout: DOWNLOAD_TIMEOUT_MS,
    bodyTimeout: DOWNLOAD_TIMEOUT_MS,
    connections: 4,
  })
  const clockHeaderFor = (url: string) =>
    simulatorUrl !== undefined && currentAheadMs() > 0 && url.startsWith(simulatorUrl)
      ? { [CLOCK_OFFSET_HEADER]: String(currentAheadMs()) }
      : {}
  return {
    async request(asked, limitMs = timeoutMs) {
      const { method, url, headers, body, form, parts } = asked
      // each phase has its own limit; this one is for the whole, so that a peer that sends byte by byte
      // cannot delay a payment
      const late = new AbortController()
      const timer = setTimeout(
        () => late.abort(new DOMException('no answer in time', 'TimeoutError')),
        Math.min(limitMs, timeoutMs),
      )
      try {
        const pathAt = url.indexOf('/', 'https://'.length)
        const multipart = parts && multipartBody(parts)
        const answer = await agent.request({
          origin: url.slice(0, pathAt),
          path: url.slice(pathAt),
          method,
          headers: {
            accept: 'application/json',
            ...contentType(body, form, multipart),
            ...headers,
            ...clockHeaderFor(url),
          },
          body: multipart ? multipart.bytes : bodyText(body, form),
          // AbortSignal.timeout would leave thousands of timers, since each stays until it fires
          signal: late.signal,
        })
        return await read(answer, asked)
      } catch (error) {
        return lostAnswer(error)
      } finally {
        clearTimeout(timer)
      }
    },
    async download({ method, url, headers }, file) {
      const open = (from: string, sent: HttpRequest['headers']) => {
        const { origin } = new URL(from)
        return downloads.request({ origin, path: from.slice(origin.length), method, headers: { ...sent } })
      }
      try {
        const first = await open(url, { ...headers, ...clockHeaderFor(url) })
        const target = redirectTarget(url, first)
        if (target !== undefined) await first.body.dump()
        const answer = target === undefined ? first : await open(target, {})
        if (answer.statusCode === 200)
          await pipeline(answer.body, createWriteStream(file, { flags: 'wx', mode: 0o600 }))
        else await answer.body.dump()
        return answer.statusCode === 200 ? null : `HTTP ${answer.statusCode}`
      } catch (error) {
        const answer = lostAnswer(error)
        return answer.lost ? answer.reason : 'the connection broke'
      }
    },
    close: async () => {
      await agent.close()
      await downloads.close()
    },
  }
}

/** Where an answer sends the download: to HTTPS, or to the same origin; undefined: nowhere, or not there. */
function redirectTarget(
  url: string,
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
): string | undefined {
  const { location } = headers
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode)
  const target = isRedirect && typeof location === 'string' ? URL.parse(location, url) : null
  const isSafe = target?.protocol === 'https:' || target?.origin === new URL(url).origin
  return target && isSafe ? target.href : undefined
}

const bodyText = (body: unknown, form: HttpRequest['form']): string | null => {
  if (form) return new URLSearchParams(form).toString()
  return body === undefined ? null : JSON.stringify(body)
}

const contentType = (
  body: unknown,
  form: HttpRequest['form'],
  multipart: { type: string } | undefined,
): Record<string, string> => {
  if (multipart) return { 'content-type': multipart.type }
  if (form) return { 'content-type': 'application/x-www-form-urlencoded' }
  return body === undefined ? {} : { 'content-type': 'application/json' }
}

async function read(answer: Dispatcher.ResponseData, asked: HttpRequest): Promise<HttpAnswer> {
  const text = await answer.body.text()
  const body = asked.text ? { text } : text === '' ? {} : toBody(JSON.parse(text), asked)
  return body
    ? { lost: false, status: answer.statusCode, headers: singleValued(answer.headers), body }
    : unreadable
}

const singleValued = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? (value[0] ?? '') : (value ?? ''),
    ]),
  )

/** A request without a readable answer: whether anything was sent, and why it failed. */
export function lostAnswer(error: unknown): Extract<HttpAnswer, { lost: true }> {
  if (error instanceof SyntaxError) return { lost: true, sent: true, reason: 'the answer is not JSON' }
  const code = error instanceof errors.UndiciError || isSystemError(error) ? error.code : undefined
  const timedOut = error instanceof Error && error.name === 'TimeoutError'
  const isUnsent =
    code !== undefined && (unsentErrors.has(code) || (ambiguousErrors.has(code) && isConnectError(error)))
  return {
    lost: true,
    sent: !isUnsent,
    reason: timedOut ? 'no answer in time' : (code ?? 'the connection broke'),
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error

/**
 * An HTTP client that counts, times and traces each request of this call to a provider. A call may need
 * several requests, such as one for a token first.
 */
export function instrumentedHttp(
  { http, metrics, tracing }: { http: Pick<ProviderHttp, 'request'>; metrics: Metrics; tracing: Tracing },
  call: ProviderCall,
): Pick<ProviderHttp, 'request'> {
  const request = async (sent: HttpRequest): Promise<HttpAnswer> => {
    const started = performance.now()
    const answer = await tracing.step(
      `${call.definition} ${call.operation}`,
      { kind: 'client', attributes: () => attributesOf(call, sent) },
      async (span) => {
        const received = await whileRequestPaused(() => http.request(sent))
        if (!received.lost) span.attributes({ 'http.response.status_code': received.status })
        const result = resultOf(received)
        if (result !== 'answered') span.failed(received.lost ? result : String(received.status))
        return received
      },
    )
    metrics.providerAnswered({ ...call, result: resultOf(answer) }, (performance.now() - started) / 1_000)
    return answer
  }
  return { request }
}

/** The host but not the path, which may have a reference or a token. */
function attributesOf({ definition, operation }: ProviderCall, { method, url }: HttpRequest) {
  const address = URL.parse(url)
  return {
    'http.request.method': method,
    'server.address': address?.hostname ?? '',
    'server.port': Number(address?.port) || (address?.protocol === 'http:' ? 80 : 443),
    'railyard.definition': definition,
    'railyard.operation.kind': operation,
  }
}

function resultOf(answer: HttpAnswer): ProviderResult {
  if (answer.lost) return answer.sent ? 'lost' : 'unsent'
  return answer.status >= 500 ? 'failed' : 'answered'
}
