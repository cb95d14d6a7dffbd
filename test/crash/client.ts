import { setTimeout as wait } from 'node:timers/promises'
import { Agent } from 'undici'

export type Action = 'create' | 'capture' | 'void' | 'increment' | 'refund' | 'refund-all' | 'payout'

export interface Answer {
  status: number
  retryAfter: string | undefined
  /** The raw text: replays are compared by the byte. */
  text: string
  // whatever the API answered
  // biome-ignore lint/suspicious/noExplicitAny: read by checks that assert what they read
  body: any
}

/** A request of the merchant with its result. */
export interface Sent {
  action: Action
  path: string
  body: Record<string, unknown>
  key: string | undefined
  /** Its external identifier; voids and increments have none. */
  mark: string
  /** The transaction that it acts on; absent on a creation. */
  transactionId: string | undefined
  tries: number
  /** The first answer with an outcome. */
  answer: Answer | undefined
}

/**
 * The merchant's client: it sends requests and records them with their answers. It survives the service's
 * crashes.
 */
export interface Client {
  log: Sent[]
  /** Requests without an answer, as text. */
  failures: string[]
  /** The number of requests in flight. */
  inFlight: Set<Sent>
  /** Sends a request, or repeats it under its key; true once it is answered. */
  send(sent: Sent): Promise<boolean>
  /** Reads, and reads again while the service is too busy. */
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, key?: string): Promise<Answer>
  put(path: string, body: unknown): Promise<Answer>
  /** Sets the service's URL and token from now on. */
  reach(url: string, token: string): void
  close(): Promise<void>
}

const ANSWER_WITHIN_MS = 30_000

/** Has captures and voids answered with their own resource. */
const asOperation = 'resource=transaction-capture, resource=transaction-void'

/**
 * Whether an answer has no outcome, so that the request may be repeated under its key. A 503 that does not say
 * when is an answer like any other, which the comparison reports.
 */
const tellsNothing = (answer: Answer) =>
  comesBack(answer) || (answer.status === 409 && answer.body?.code === 'concurrent_request')

type Told = Pick<Answer, 'status' | 'retryAfter'>
const comesBack = ({ status, retryAfter }: Told) => status === 503 && retryAfter !== undefined

/** Asks, and asks again when the answer of a busy service says, for half a minute. Answers the last answer. */
export async function askPatiently<T extends Told>(ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + ANSWER_WITHIN_MS
  for (;;) {
    const answer = await ask()
    if (!comesBack(answer) || performance.now() > until) return answer
    await wait(Number(answer.retryAfter) * 1_000)
  }
}

export function createClient(): Client {
  const agent = new Agent({
    connections: 512,
    headersTimeout: ANSWER_WITHIN_MS,
    bodyTimeout: ANSWER_WITHIN_MS,
    keepAliveTimeout: 60_000,
  })
  const inFlight = new Set<Sent>()
  let base = ''
  let authorization = ''
  const request = async (
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Answer> => {
    const answer = await agent.request({
      origin: base,
      path,
      method,
      headers: {
        authorization,
        prefer: asOperation,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    return {
      status: answer.statusCode,
      retryAfter: answer.headers['retry-after']?.toString(),
      text,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }
  return {
    log: [],
    failures: [],
    inFlight,
    async send(sent) {
      if (sent.tries === 0) this.log.push(sent)
      sent.tries += 1
      inFlight.add(sent)
      try {
        const answer = await request('POST', sent.path, sent.body, sent.key)
        if (tellsNothing(answer)) {
          this.failures.push(`${sent.action} was answered ${answer.status} ${answer.text}`)
          return false
        }
        sent.answer = answer
        return true
      } catch (error) {
        this.failures.push(`${sent.action} got no answer: ${error}`)
        return false
      } finally {
        inFlight.delete(sent)
      }
    },
    get: (path) => askPatiently(() => request('GET', path)),
    post: (path, body, key) => request('POST', path, body, key),
    put: (path, body) => request('PUT', path, body),
    reach(url, token) {
      base = url
      authorization = `Bearer ${token}`
    },
    close: () => agent.destroy(),
  }
}

/** 2xx: the effect is acknowledged. */
export const isAcknowledged = (sent: Sent): sent is Sent & { answer: Answer } =>
  sent.answer !== undefined && sent.answer.status < 300

/** 4xx: the request had no effect. */
export const isRefused = (sent: Sent): sent is Sent & { answer: Answer } =>
  sent.answer !== undefined && sent.answer.status >= 400 && sent.answer.status < 500
