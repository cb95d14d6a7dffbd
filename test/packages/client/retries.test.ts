import { ConnectionError, createRailyard, type RailyardError, type TelemetryRequest } from '@railyard/client'
import { expect, test, vi } from 'vitest'
import { startRailyardForFile } from '../../support/start-railyard.ts'
import { payment, startClient } from './start-client.ts'

const railyard = await startRailyardForFile()

type Fetch = typeof fetch

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ type: 'error', code, status, message: code, details: [] }), {
    status,
    headers,
  })

const broken = () => Promise.reject(new TypeError('fetch failed'))

/** A client whose requests get these answers, one after the other, and what it has sent. */
function clientOf(...answers: (() => Response | Promise<Response>)[]) {
  const sent: { method: string; url: string; headers: Headers; body: unknown }[] = []
  const fetch: Fetch = async (input, { method = 'GET', headers, body } = {}) => {
    sent.push({ method, url: String(input), headers: new Headers(headers), body })
    const answer = answers[sent.length - 1]
    if (!answer) throw new Error('one request too many')
    return answer()
  }
  return { client: createRailyard({ baseUrl: 'https://railyard.example', token: 't', fetch }), sent }
}

const ok = () => Response.json({ id: 'x' })

/** Runs a call whose waits take no time. */
async function withoutWaiting<T>(call: () => Promise<T>): Promise<T> {
  vi.useFakeTimers()
  try {
    const result = call()
    result.catch(() => undefined)
    await vi.runAllTimersAsync()
    return await result
  } finally {
    vi.useRealTimers()
  }
}

const keysOf = (sent: readonly { headers: Headers }[]) =>
  new Set(sent.map(({ headers }) => headers.get('idempotency-key')))

test('a payment whose answer was lost is sent again under its key, and is made once', async () => {
  let lost = 0
  const client = await startClient(railyard, {
    fetch: async (...request) => {
      const answer = await fetch(...request)
      if (lost++ === 0 && request[1]?.method === 'POST') {
        await answer.text()
        throw new TypeError('terminated')
      }
      return answer
    },
  })
  const created = await client.transactions.create(payment)
  expect(lost).toBe(2)
  const ids = []
  for await (const { id } of client.transactions.list()) ids.push(id)
  expect(ids).toEqual([created.id])
})

test.each([
  ['425', () => problem(425, 'too_early')],
  ['429', () => problem(429, 'too_many_requests')],
  ['503', () => problem(503, 'service_unavailable')],
  ['504', () => problem(504, 'gateway_timeout')],
  ['a 409 with Retry-After', () => problem(409, 'concurrent_request', { 'retry-after': '1' })],
  ['a broken connection', broken],
])('after %s a payment is sent again under the same key', async (_, answer) => {
  const { client, sent } = clientOf(answer, answer, ok)
  expect(await withoutWaiting(() => client.transactions.create(payment))).toEqual({ id: 'x' })
  expect(sent).toHaveLength(3)
  expect(keysOf(sent).size).toBe(1)
  expect([...keysOf(sent)][0]).toMatch(/^[0-9a-f-]{36}$/)
})

test.each([
  ['400', () => problem(400, 'bad_request')],
  ['401', () => problem(401, 'unauthorized')],
  ['a 409 without Retry-After', () => problem(409, 'concurrent_request')],
  ['500', () => problem(500, 'server_error')],
  ['502', () => problem(502, 'bad_gateway')],
])('after %s a payment is not sent again', async (_, answer) => {
  const { client, sent } = clientOf(answer)
  await expect(client.transactions.create(payment)).rejects.toMatchObject({ retryable: false })
  expect(sent).toHaveLength(1)
})

test('a POST whose keys are not kept is sent again only if it was not carried out', async () => {
  const buyer = { display_name: 'Ada' }
  const lost = clientOf(broken)
  await expect(lost.client.buyers.create(buyer)).rejects.toBeInstanceOf(ConnectionError)
  const late = clientOf(() => problem(504, 'gateway_timeout'))
  await expect(late.client.buyers.create(buyer)).rejects.toMatchObject({ status: 504, retryable: false })
  const busy = clientOf(() => problem(503, 'service_unavailable'), ok)
  await withoutWaiting(() => busy.client.buyers.create(buyer))
  expect(busy.sent).toHaveLength(2)
})

test('a GET is sent again after 500 and 502, too', async () => {
  const { client, sent } = clientOf(
    () => problem(500, 'server_error'),
    () => problem(502, 'bad_gateway'),
    ok,
  )
  await withoutWaiting(() => client.buyers.get('a'))
  expect(sent).toHaveLength(3)
  expect(keysOf(sent)).toEqual(new Set([null]))
})

test('a DELETE whose answer was lost and that finds nothing the second time has succeeded', async () => {
  const { client } = clientOf(broken, () => problem(404, 'not_found'))
  expect(await withoutWaiting(() => client.buyers.delete('a'))).toBeUndefined()
  const other = clientOf(() => problem(404, 'not_found'))
  await expect(other.client.buyers.delete('a')).rejects.toMatchObject({ status: 404 })
})

test('the last error is thrown when the retries are used up; it has the key to go on with', async () => {
  const answer = () => problem(503, 'service_unavailable')
  const { client, sent } = clientOf(answer, answer, answer, answer)
  const error: RailyardError = await withoutWaiting(() =>
    client.transactions.create(payment, { idempotencyKey: 'order-1' }).catch((thrown) => thrown),
  )
  expect(error).toMatchObject({ status: 503, retryable: true, idempotencyKey: 'order-1' })
  expect(sent).toHaveLength(4)
  const once = clientOf(answer)
  await expect(once.client.buyers.get('a', { retries: 0 })).rejects.toMatchObject({ retryable: true })
})

test('Retry-After is waited for; one of more than a minute is the caller’s', async () => {
  vi.useFakeTimers()
  const { client, sent } = clientOf(() => problem(429, 'too_many_requests', { 'retry-after': '20' }), ok)
  const result = client.buyers.get('a')
  await vi.advanceTimersByTimeAsync(19_900)
  expect(sent).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(200)
  expect(await result).toEqual({ id: 'x' })
  vi.useRealTimers()
  const long = clientOf(() => problem(503, 'service_unavailable', { 'retry-after': '3600' }))
  await expect(long.client.buyers.get('a')).rejects.toMatchObject({ retryAfterMs: 3_600_000 })
})

/** Answers never, and ends when it is aborted. */
const hanging: Fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    const end = () => reject(init?.signal?.reason)
    init?.signal?.addEventListener('abort', end)
    if (init?.signal?.aborted) end()
  })

test('an attempt ends at its timeout', async () => {
  const client = createRailyard({
    baseUrl: 'https://railyard.example',
    fetch: hanging,
    timeout: 20,
    retries: 0,
  })
  await expect(client.buyers.get('a')).rejects.toMatchObject({ code: 'timeout', status: 0, retryable: true })
})

test('an abort signal ends a request, and the wait for the next attempt', async () => {
  const client = createRailyard({ baseUrl: 'https://railyard.example', fetch: hanging })
  const controller = new AbortController()
  const result = client.buyers.get('a', { signal: controller.signal })
  controller.abort(new Error('the buyer left'))
  await expect(result).rejects.toThrow('the buyer left')

  const waiting = clientOf(() => problem(503, 'service_unavailable', { 'retry-after': '30' }))
  const other = new AbortController()
  const second = waiting.client.buyers.get('a', { signal: other.signal })
  setTimeout(() => other.abort(new Error('enough')), 20)
  await expect(second).rejects.toThrow('enough')
})

test('an answer that is not JSON, and a redirect, are errors that are not repeated', async () => {
  const page = clientOf(() => new Response('<html>', { status: 200 }))
  await expect(page.client.buyers.get('a')).rejects.toMatchObject({ code: 'unreadable_answer' })
  const moved = clientOf(
    () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } }),
  )
  await expect(moved.client.transactions.create(payment)).rejects.toMatchObject({ status: 307 })
  expect(moved.sent).toHaveLength(1)
})

test('telemetry sees each attempt and may add headers; its own defects change nothing', async () => {
  const seen: unknown[] = []
  const { sent, client: plain } = clientOf(() => problem(503, 'service_unavailable'), ok)
  expect(plain).toBeDefined()
  const fetch: Fetch = async (input, { method = 'GET', headers } = {}) => {
    sent.push({ method, url: String(input), headers: new Headers(headers), body: undefined })
    return sent.length === 1 ? problem(503, 'service_unavailable', { 'x-request-id': 'r1' }) : ok()
  }
  const telemetry = ({ operation, path, attempt, headers }: TelemetryRequest) => {
    headers['traceparent'] = `trace-${attempt}`
    return ({ status, requestId }: { status: number; requestId: string | undefined }) => {
      seen.push([operation, path, attempt, status, requestId])
      throw new Error('a defect')
    }
  }
  const client = createRailyard({ baseUrl: 'https://railyard.example', fetch, telemetry })
  await withoutWaiting(() => client.buyers.get('a'))
  expect(seen).toEqual([
    ['buyers.get', '/buyers/{}', 0, 503, 'r1'],
    ['buyers.get', '/buyers/{}', 1, 200, undefined],
  ])
  expect(sent.map(({ headers }) => headers.get('traceparent'))).toEqual(['trace-0', 'trace-1'])
})
