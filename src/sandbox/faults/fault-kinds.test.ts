import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { frozenClock, openSimulator, type SimulatorClient } from '../core/simulator-client.fixture.ts'
import { logNormal, seededDraw } from './seeded-random.ts'

/** The result of a sale for a caller that waits for 200 ms. */
async function impatientSale({ url, service }: SimulatorClient, key: string): Promise<unknown> {
  const answer = await fetch(`${url}/card/${service}/payments`, {
    method: 'POST',
    headers: { 'x-merchant-id': 'm', 'idempotency-key': key },
    body: JSON.stringify({
      kind: 'sale',
      amount: 100,
      currency: 'EUR',
      card: { number: '4111111111111111', expiration_date: '12/35' },
    }),
    signal: AbortSignal.timeout(200),
  })
  return answer.text()
}

describe('faults of answers', () => {
  test.each(['timeout_after', 'truncated', 'slow_loris'] as const)(
    '%s: the caller gets no outcome, and the money moved once',
    async (kind) => {
      const provider = await openSimulator()
      await provider.setFaults({ operation: 'sale', kind, times: 1 })
      const key = randomUUID()
      await expect(impatientSale(provider, key)).rejects.toThrow()
      expect((await provider.find(key)).body).toMatchObject({ key, status: 'approved', amount: 100 })
      expect((await provider.books()).attempts).toEqual({ [key]: 1 })
    },
  )

  test('timeout: the caller gets no answer, and nothing was processed', async () => {
    const provider = await openSimulator()
    await provider.setFaults({ operation: 'sale', kind: 'timeout', times: 1 })
    const key = randomUUID()
    await expect(impatientSale(provider, key)).rejects.toThrow()
    expect((await provider.find(key)).status).toBe(404)
    expect((await provider.books()).attempts).toEqual({})
  })

  test('error_after is a 503, and the money moved', async () => {
    const provider = await openSimulator()
    await provider.setFaults({ operation: 'authorize', kind: 'error_after', times: 1 })
    const key = randomUUID()
    expect((await provider.pay({ amount: 100 }, key)).status).toBe(503)
    expect((await provider.find(key)).body.status).toBe('approved')
  })

  test('wrong_id: the answer has the ids of another operation and payment', async () => {
    const provider = await openSimulator()
    const payment = await provider.authorize(100)
    await provider.setFaults({ operation: 'capture', kind: 'wrong_id', times: 1 })
    const key = randomUUID()
    const { status, body } = await provider.capture(payment, 100, true, key)
    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'approved', amount: 100 } })
    expect([body.key, body.payment_id]).not.toContain(key)
    expect(body.payment_id).not.toBe(payment)
    expect((await provider.find(key)).body).toMatchObject({ key, payment_id: payment })
  })

  test('wrong_amount: the answer has a larger amount than was taken', async () => {
    const provider = await openSimulator()
    await provider.setFaults({ operation: 'sale', kind: 'wrong_amount', times: 1 })
    const key = randomUUID()
    expect((await provider.pay({ kind: 'sale', amount: 100 }, key)).body).toMatchObject({
      key,
      amount: 1_001,
    })
    expect((await provider.find(key)).body.amount).toBe(100)
  })

  test('decline: it is booked as a decline, and repeated as one', async () => {
    const provider = await openSimulator()
    await provider.setFaults({ operation: 'authorize', kind: 'decline', times: 1 })
    const key = randomUUID()
    const declined = { status: 'declined', code: 'issuer_decline', auth_response_code: null }
    expect((await provider.pay({ amount: 100 }, key)).body).toMatchObject(declined)
    expect((await provider.pay({ amount: 100 }, key)).body).toMatchObject(declined)
    expect((await provider.books()).payments).toMatchObject([{ authorization: 'declined', authorized: 0 }])
  })
})

describe('the requests that a fault applies to', () => {
  test('a range of BINs has its cards, their tokens and their payments’ later operations, and no others', async () => {
    const provider = await openSimulator()
    const pay = (number: string, more: object = {}) =>
      provider.pay({ amount: 100, card: { number, expiration_date: '12/35' }, ...more })
    const earlier = (await pay('4242424242424242')).body.payment_id ?? ''
    const { token } = (
      await provider.post('/tokens', {
        card: { number: '4242424242424242', expiration_date: '12/35', security_code: '123' },
      })
    ).body as { token?: string }
    await provider.setFaults({ operation: '*', kind: 'decline', bin_from: '424200', bin_to: '424299' })
    const statuses = [
      await pay('4111111111111111'),
      await pay('4242424242424242'),
      await provider.pay({ amount: 100, card: undefined, token }),
      await provider.capture(earlier, 50),
    ].map(({ body }) => body.status)
    expect(statuses).toEqual(['approved', 'declined', 'declined', 'declined'])
    expect((await provider.faults()).map(({ struck }) => struck)).toEqual([3])
  })

  test('a rate limit lets this many through in each second, and answers the others with 429 and Retry-After', async () => {
    const clock = frozenClock()
    const provider = await openSimulator({ clock })
    await provider.setFaults({ operation: 'authorize', kind: 'rate_limit', per_second: 2 })
    const statuses = async () => [
      (await provider.pay({ amount: 1 })).status,
      (await provider.pay({ amount: 1 })).status,
    ]
    expect([...(await statuses()), ...(await statuses())]).toEqual([201, 201, 429, 429])
    const key = randomUUID()
    const answer = await fetch(`${provider.url}/card/${provider.service}/payments`, {
      method: 'POST',
      headers: { 'idempotency-key': key },
    })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1'])
    clock.forward(1_000)
    expect(await statuses()).toEqual([201, 201])
  })

  test.each([
    ['seconds', 60, 120],
    ['durations of ISO 8601', 'PT1M', 'PT2M'],
  ])('a window may be relative to now, in %s', async (_form, starts_in, ends_in) => {
    const clock = frozenClock()
    const provider = await openSimulator({ clock })
    await provider.setFaults({ operation: 'account', kind: 'error', starts_in, ends_in })
    const statusAfter = async (milliseconds: number) => {
      clock.forward(milliseconds)
      return (await provider.account()).status
    }
    expect([
      await statusAfter(0),
      await statusAfter(60_000),
      await statusAfter(59_999),
      await statusAfter(1),
    ]).toEqual([200, 503, 503, 200])
  })

  test('a spread delay has the requested median and 99th percentile', () => {
    const draw = seededDraw(7, 0)
    const drawn = Array.from({ length: 20_000 }, () => logNormal(draw, { p50: 80, p99: 900 }, 60_000)).sort(
      (a, b) => a - b,
    )
    expect(drawn[10_000]).toBeGreaterThan(76)
    expect(drawn[10_000]).toBeLessThan(84)
    expect(drawn[19_800]).toBeGreaterThan(800)
    expect(drawn[19_800]).toBeLessThan(1_000)
  })

  test('the same seed applies to the same requests again; without one a seed is drawn, and can be read', async () => {
    const provider = await openSimulator()
    const items = [{ operation: 'account', kind: 'error', probability: 0.5 }]
    const run = async (seed?: number) => {
      const { body } = await provider.putFaults({ items, ...(seed !== undefined && { seed }) })
      const statuses: number[] = []
      for (let count = 0; count < 16; count++) statuses.push((await provider.account()).status)
      return { seed: (body as { seed?: number }).seed, statuses }
    }
    const first = await run()
    expect(await run(first.seed)).toEqual(first)
    expect((await run(1)).statuses).not.toEqual((await run(2)).statuses)
  })

  test.each([
    [{ kind: 'rate_limit' }, 'per_second'],
    [{ kind: 'delay', delay_ms: { p50: 10, p99: 5 } }, 'p99'],
    [{ kind: 'decline', bin_from: '42' }, 'bin_from'],
    [{ kind: 'decline', bin_to: '424242' }, 'bin_to'],
    [{ kind: 'error', starts_in: 'PT' }, 'starts_in'],
    [{ kind: 'error', starts_in: 'P1X' }, 'duration'],
    [{ kind: 'error', starts_in: 1, starts_at: '2030-01-01T00:00:00Z' }, 'starts_in'],
  ])('a wrong list is refused with the reason: %j', async (item, named) => {
    const provider = await openSimulator()
    const answer = await provider.putFaults({ items: [{ operation: 'sale', ...item }] })
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(named)
  })
})

describe('faults of notifications', () => {
  /** Has the notifications of two refunds sent, the second after the first unless the first is delayed. */
  async function toldOf(kind: string, more: object = {}) {
    const received: string[] = []
    const receiver = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text) => received.push(JSON.parse(text).key))
      request.on('end', () => response.end())
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void receiver.close())
    await vi.waitUntil(() => receiver.listening)
    const address = receiver.address()
    const notification_url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
    const provider = await openSimulator({ pendingMs: 20 })
    const { body } = await provider.pay({ kind: 'sale', amount: 2_000_000, notification_url })
    await provider.putFaults({ items: [{ operation: 'refund', kind, times: 1, ...more }] })
    const keys = [randomUUID(), randomUUID()]
    const approved = async (key: string) =>
      (await provider.books()).operations.find((operation) => operation.key === key)?.status === 'approved'
    for (const key of keys) {
      await provider.refund(body.payment_id ?? '', 520005, key)
      await vi.waitUntil(() => approved(key))
    }
    const names = () =>
      received.map((key) => (key === keys[0] ? 'first' : key === keys[1] ? 'second' : 'forged'))
    await vi.waitUntil(() => names().includes('second'))
    return names
  }

  test.each([
    ['notification_lost', {}, ['second']],
    ['notification_duplicate', {}, ['first', 'first', 'second']],
    ['notification_late', { delay_ms: 300 }, ['second', 'first']],
    ['notification_reordered', {}, ['second', 'first']],
    ['notification_forged', {}, ['forged', 'first', 'second']],
  ])('%s changes what arrives', async (kind, more, expected) => {
    const names = await toldOf(kind, more)
    await expect.poll(names).toEqual(expected)
  })
})
