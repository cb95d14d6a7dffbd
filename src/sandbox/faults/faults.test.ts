import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { frozenClock, openSimulator, simulatorClient } from '../core/simulator-client.fixture.ts'

test('a delay holds the request, then processes and answers it', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'authorize', kind: 'delay', delay_ms: 100 })
  const start = performance.now()
  expect((await provider.pay({ amount: 100 })).body.status).toBe('approved')
  expect(performance.now() - start).toBeGreaterThan(95)
})

test('a delayed request is processed although its caller has disconnected', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'sale', kind: 'delay', delay_ms: 2_000 })
  const key = randomUUID()
  const body = {
    kind: 'sale',
    amount: 100,
    currency: 'EUR',
    card: { number: '4111111111111111', expiration_date: '12/35' },
  }
  await expect(
    fetch(`${provider.url}/card/${provider.service}/payments`, {
      method: 'POST',
      headers: { 'x-merchant-id': 'm', 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(500),
    }),
  ).rejects.toThrow()
  expect((await provider.find(key)).status).toBe(409)
  await expect.poll(async () => (await provider.find(key)).body.status).toBe('approved')
})

test('an error answers before anything is processed', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'authorize', kind: 'error' })
  const key = randomUUID()
  expect((await provider.pay({ amount: 100 }, key)).status).toBe(503)
  expect((await provider.find(key)).status).toBe(404)
  expect((await provider.books()).attempts).toEqual({})
})

test.each(['reset', 'outage'] as const)('a request with the fault %s is not processed', async (kind) => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'authorize', kind })
  const key = randomUUID()
  await expect(provider.pay({ amount: 100 }, key)).rejects.toThrow()
  expect((await provider.find(key)).status).toBe(404)
  expect((await provider.books()).payments).toEqual([])
})

test('lost: the money moved, and the caller gets no answer', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'authorize', kind: 'lost', times: 1 })
  const key = randomUUID()
  await expect(provider.pay({ amount: 100 }, key)).rejects.toThrow()
  expect((await provider.find(key)).body).toMatchObject({ key, status: 'approved' })
  expect((await provider.pay({ amount: 100 }, key)).status).toBe(200)
  expect((await provider.books()).payments).toHaveLength(1)
})

test('malformed: the answer is 200 without JSON, and the money moved', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'authorize', kind: 'malformed' })
  const key = randomUUID()
  await expect(provider.pay({ amount: 100 }, key)).rejects.toThrow(SyntaxError)
  expect((await provider.find(key)).body.status).toBe('approved')
})

test('empty: the answer is 200 without a body, and the money moved', async () => {
  const provider = await openSimulator()
  const payment = await provider.authorize(100)
  await provider.setFaults({ operation: 'void', kind: 'empty' })
  const key = randomUUID()
  expect(await provider.text('POST', `/payments/${payment}/void`, {}, key)).toEqual({ status: 200, body: '' })
  expect((await provider.find(key)).body.status).toBe('approved')
})

test('duplicate: the answer is the previous operation’s, and the money moved', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'refund', kind: 'duplicate' })
  const payment = await provider.sale(100)
  const first = randomUUID()
  const second = randomUUID()
  expect((await provider.refund(payment, 10, first)).body.kind).toBe('sale')
  expect((await provider.refund(payment, 20, second)).body).toMatchObject({ key: first, amount: 10 })
  expect((await provider.find(second)).body).toMatchObject({ key: second, amount: 20, status: 'approved' })
})

test('a duplicate waits until its payment service has an earlier answer', async () => {
  const provider = await openSimulator()
  const other = simulatorClient(provider.url)
  await provider.sale(100)
  await provider.setFaults({
    payment_service_id: other.service,
    operation: 'sale',
    kind: 'duplicate',
    times: 1,
  })
  const [first, second] = [randomUUID(), randomUUID()]
  expect((await other.pay({ kind: 'sale', amount: 1 }, first)).body.key).toBe(first)
  expect((await other.pay({ kind: 'sale', amount: 1 }, second)).body.key).toBe(first)
})

test('an outage lasts as long as its window', async () => {
  const clock = frozenClock()
  const provider = await openSimulator({ clock })
  await provider.setFaults({
    operation: '*',
    kind: 'outage',
    starts_at: '2030-01-01T00:01:00Z',
    ends_at: '2030-01-01T01:02:00+01:00',
  })
  expect((await provider.account()).status).toBe(200)
  clock.forward(60_000)
  await expect(provider.account()).rejects.toThrow()
  await expect(provider.pay({ amount: 100 })).rejects.toThrow()
  clock.forward(60_000)
  expect((await provider.account()).status).toBe(200)
})

test('a fault applies to what it names, as often as it says, and is counted', async () => {
  const provider = await openSimulator()
  const other = simulatorClient(provider.url)
  await provider.setFaults(
    { payment_service_id: provider.service, operation: 'sale', kind: 'error', times: 2 },
    { operation: 'find', kind: 'error', starts_in: 'PT1H' },
  )
  expect((await provider.pay({ amount: 1 })).status).toBe(201)
  expect((await other.pay({ kind: 'sale', amount: 1 })).status).toBe(201)
  const answers = [1, 2, 3].map(() => provider.pay({ kind: 'sale', amount: 1 }))
  expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([201, 503, 503])
  expect((await provider.find(randomUUID())).status).toBe(404)
  expect((await provider.faults()).map(({ struck }) => struck)).toEqual([2, 0])
})

test.each(['find', 'close', 'account', 'session'] as const)('faults apply to %s too', async (operation) => {
  const provider = await openSimulator()
  await provider.setFaults({ operation, kind: 'error' })
  const answers = {
    find: () => provider.find('x'),
    close: () => provider.close('x'),
    account: provider.account,
    session: () => provider.session({}),
  }
  expect((await answers[operation]()).status).toBe(503)
})

test('a new list replaces the whole old one', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: '*', kind: 'error' })
  await provider.setFaults()
  expect(await provider.faults()).toEqual([])
  expect((await provider.pay({ amount: 100 })).status).toBe(201)
})

test.each([
  [{ items: [{ operation: 'sale', kind: 'error', often: 3 }] }, 'often'],
  [{ items: [{ operation: 'sale', kind: 'explosion' }] }, '/items/0/kind'],
  [{ items: [{ operation: 'sale', kind: 'delay', delay_ms: 60_001 }] }, '/items/0/delay_ms'],
  [{ items: [{ operation: 'sale', kind: 'delay' }] }, 'delay_ms'],
  [{ items: [{ operation: 'sale', kind: 'outage', ends_at: 'tomorrow' }] }, '/items/0/ends_at'],
  [{}, 'items'],
])('a wrong list is refused with the reason: %j', async (body, named) => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'sale', kind: 'error' })
  const answer = await provider.putFaults(body)
  expect(answer.status).toBe(400)
  expect(answer.body.message).toContain(named)
  expect(await provider.faults()).toHaveLength(1)
})
