import { describe, expect, test } from 'vitest'
import type { HttpAnswer } from '../../../src/connectors/wire/http-message.ts'
import { authorizedPayment, type Bench, type Fault, openBench } from './harness.ts'

const answered = (status: number, body: Record<string, unknown> = {}, headers = {}): HttpAnswer => ({
  lost: false,
  status,
  headers,
  body,
})

const unclear: [string, Fault][] = [
  ['a time-out', 'lost before'],
  ['a broken connection', 'lost after'],
  ['HTTP 500', answered(500)],
  ['HTTP 502', answered(502, { errorCode: '905', errorType: 'configuration' })],
  ['a conflict over the key', answered(409)],
  ['the first request in progress', answered(422, { errorCode: '704', errorType: 'validation' })],
  ['a failed idempotency store', answered(500, { errorCode: '701', errorType: 'internal' })],
  ['a transient error', answered(422, { errorCode: '130' }, { 'transient-error': 'true' })],
  ['an empty answer', answered(200)],
  [
    'an answer about another payment',
    answered(200, { resultCode: 'Authorised', merchantReference: 'other' }),
  ],
  ['an approval without an id', answered(200, { resultCode: 'Authorised' })],
  ['the result Error', answered(200, { resultCode: 'Error', pspReference: 'P' })],
  ['an unknown result', answered(200, { resultCode: 'Sideways', pspReference: 'P' })],
]

describe('after a request was sent', () => {
  test.each(unclear)('%s leaves an authorization unknown', async (_, fault) => {
    const bench = openBench()
    bench.faults.push(fault)
    expect(await bench.run('authorize', { id: bench.nextId() })).toMatchObject({ status: 'unknown' })
  })

  test.each(unclear)('%s leaves a capture unknown, and sending it again captures once', async (_, fault) => {
    const bench = openBench()
    const payment = await authorizedPayment(bench)
    const operation = { ...payment, id: bench.nextId(), kind: 'capture' as const }
    bench.faults.push(fault)
    expect(await bench.run('capture', operation)).toMatchObject({ status: 'unknown' })
    const found = await bench.find(operation)
    expect(found).toEqual({ status: 'absent' })
    expect(await bench.run('capture', operation)).toMatchObject({ status: 'pending' })
    await bench.deliver()
    expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
    expect(bench.fake.effects().filter(({ kind }) => kind === 'capture')).toHaveLength(1)
  })
})

test.each<[string, Fault, string]>([
  ['a refused connection', 'unsent', 'service_network_error'],
  ['refused credentials', answered(401, { errorCode: '000' }), 'invalid_service_credentials'],
  ['too many requests', answered(429), 'service_rate_limit'],
])('%s is a failure that left nothing behind', async (_, fault, code) => {
  const bench = openBench()
  bench.faults.push(fault)
  expect(await bench.run('authorize')).toMatchObject({ status: 'failed', code, unprocessed: true })
})

test('a modification that was sent a week ago is not sent again', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const operation = { ...payment, id: bench.nextId(), kind: 'refund' as const }
  bench.fake.advance(7 * 24 * 3_600_000)
  expect(await bench.find(operation)).toEqual({ status: 'unsure' })
})

/** As recovery does: until it knows, at most this often. */
async function closeUntilDecided(bench: Bench, operation: object) {
  for (let round = 0; round < 10; round += 1) {
    const finding = await bench.close(operation)
    if (finding.status !== 'unsure') return finding
    await bench.deliver()
    bench.fake.advance(5 * 60_000)
  }
  return undefined
}

describe('an authorization whose answer was lost', () => {
  test('that took effect is approved by its webhook, and not cancelled', async () => {
    const bench = openBench()
    const operation = { id: bench.nextId(), kind: 'authorize' as const }
    bench.faults.push('lost after')
    await bench.run('authorize', operation)
    await bench.deliver()
    expect(await bench.close(operation)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
    expect(bench.marks).toEqual([])
  })

  test('that took effect, and whose webhook is late, is cancelled', async () => {
    const bench = openBench()
    const operation = { id: bench.nextId(), kind: 'authorize' as const }
    bench.faults.push('lost after')
    await bench.run('authorize', operation)
    const late = bench.fake.takeNotifications()
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    expect(bench.marks).toEqual(['closing'])
    // the approval arrives first, and must not be believed: the cancellation is under way
    const cancelled = bench.fake.takeNotifications()
    await bench.deliver(late)
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    expect(await bench.find(operation)).toEqual({ status: 'unsure' })
    await bench.deliver(cancelled)
    expect(await bench.close(operation)).toMatchObject({ outcome: { status: 'failed', code: 'canceled' } })
    expect(bench.fake.effects().map(({ kind }) => kind)).toEqual(['authorize', 'cancel'])
  })

  test('that never arrived is absent a quarter of an hour after its cancellation', async () => {
    const bench = openBench()
    const operation = { id: bench.nextId(), kind: 'authorize' as const }
    bench.faults.push('lost before')
    await bench.run('authorize', operation)
    const started = bench.fake.now()
    expect(await closeUntilDecided(bench, operation)).toEqual({ status: 'absent' })
    expect(bench.fake.now() - started).toBeGreaterThan(15 * 60_000)
    expect(bench.fake.effects()).toEqual([])
  })

  test('that arrives after its cancellation is approved as long as it is open', async () => {
    const bench = openBench()
    const operation = { id: bench.nextId(), kind: 'sale' as const }
    bench.faults.push('lost before')
    await bench.run('sale', operation)
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    await bench.deliver()
    // the request was on its way all the time
    await bench.run('sale', operation)
    await bench.deliver()
    expect(await bench.close(operation)).toMatchObject({ outcome: { status: 'approved' } })
  })

  test('that was refused is declined', async () => {
    const bench = openBench()
    const operation = { id: bench.nextId(), kind: 'authorize' as const }
    bench.faults.push('lost after')
    await bench.run('authorize', operation, {
      options: { additionalData: { RequestedTestAcquirerResponseCode: '12' } },
    })
    await bench.deliver()
    expect(await bench.close(operation)).toMatchObject({
      outcome: { status: 'declined', code: 'insufficient_funds' },
    })
  })
})

describe('a process that dies while it closes', () => {
  test('before the commit has sent nothing', async () => {
    const bench = openBench()
    const operation = { id: bench.nextId(), kind: 'authorize' as const }
    bench.faults.push('lost after')
    await bench.run('authorize', operation)
    const call = bench.call(operation)
    const dying = { ...call, commitMark: () => Promise.reject(new Error('the process died')) }
    await expect(bench.connector.close?.(dying)).rejects.toThrow('died')
    expect(bench.fake.requests.filter(({ path }) => path === '/cancels')).toEqual([])
    await bench.deliver()
    expect(await bench.close(operation)).toMatchObject({ outcome: { status: 'approved' } })
  })

  test('after the commit cancels again under the same key, and believes no approval before', async () => {
    const bench = openBench()
    const operation = { id: bench.nextId(), kind: 'authorize' as const }
    bench.faults.push('lost after', 'lost before')
    await bench.run('authorize', operation)
    const late = bench.fake.takeNotifications()
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    await bench.deliver(late)
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    await bench.deliver()
    expect(await bench.close(operation)).toMatchObject({ outcome: { status: 'failed', code: 'canceled' } })
    const keys = bench.fake.requests.filter(({ path }) => path === '/cancels').map(({ key }) => key)
    expect(new Set(keys)).toEqual(new Set([`${operation.id}-close`]))
  })
})
