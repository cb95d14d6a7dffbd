import { describe, expect, test } from 'vitest'
import { adyenMethods } from '../../../src/connectors/adyen/methods.ts'
import { purchase } from '../../support/domains/connector-call.ts'
import { type Bench, openBench } from './harness.ts'

const order = { ...purchase({ country: 'NL' }), integrationClient: 'redirect' as const }

async function opened(bench: Bench, currency = 'EUR') {
  const operation = { id: bench.nextId(), kind: 'sale' as const, currency }
  const outcome = await bench.run('sale', operation, { order })
  if (outcome.status !== 'pending' || !outcome.approval?.url) throw new Error(`it is ${outcome.status}`)
  const identifiers = outcome.references.identifiers ?? {}
  return { operation: { ...operation, identifiers }, outcome, url: outcome.approval.url }
}

const HOUR_MS = 3_600_000

/** The cancellations by our reference that the provider got. */
const cancellationsAt = ({ fake }: Bench) =>
  fake.requests
    .filter(({ path }) => path === '/cancels')
    .map(({ body: { paymentReference, reference } }) => ({ paymentReference, reference }))

const complete = (bench: Bench, operation: object, returned: Record<string, unknown>) => {
  const { completeApproval } = bench.connector
  if (!completeApproval) throw new Error('it completes nothing')
  return completeApproval(bench.call(operation, { order }), returned)
}

test.each(adyenMethods)('$id opens a page with $type alone, and the buyer pays there', async (method) => {
  const bench = openBench(method.id)
  expect(bench.connector.definition).toMatchObject({ method: method.method, approval: { movesMoney: true } })
  const { operation, url } = await opened(bench, method.currencies[0])
  expect(bench.fake.requests.at(-1)?.body).toMatchObject({
    mode: 'hosted',
    allowedPaymentMethods: [method.type],
    reference: operation.id,
    captureDelayHours: 0,
  })
  expect(bench.fake.effects()).toEqual([])
  const returned = bench.fake.visit?.(url, 'approve') ?? {}
  expect(await complete(bench, operation, returned)).toMatchObject({ status: 'approved', amount: 10_00 })
  await bench.deliver()
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  expect(bench.fake.effects()).toMatchObject([{ key: operation.id, kind: 'sale' }])
})

test('Klarna is authorized first, and captured later', async () => {
  const bench = openBench('adyen-klarna')
  const operation = { id: bench.nextId(), kind: 'authorize' as const }
  const outcome = await bench.run('authorize', operation, { order })
  if (outcome.status !== 'pending') throw new Error('it is not pending')
  const returned = bench.fake.visit?.(outcome.approval?.url ?? '', 'approve') ?? {}
  const paid = await complete(bench, operation, returned)
  if (paid.status !== 'approved') throw new Error('it is not paid')
  const capture = {
    id: bench.nextId(),
    kind: 'capture' as const,
    paymentReference: paid.references.transaction ?? null,
  }
  await bench.run('capture', capture)
  await bench.deliver()
  expect(await bench.find(capture)).toMatchObject({ outcome: { status: 'approved' } })
  expect(bench.fake.effects().map(({ kind }) => kind)).toEqual(['authorize', 'capture'])
})

describe('a buyer at the page', () => {
  test('who is refused may try again until the session ends', async () => {
    const bench = openBench('adyen-ideal')
    const { operation, url } = await opened(bench)
    bench.fake.visit?.(url, 'decline')
    await bench.deliver()
    expect(await bench.find(operation)).not.toMatchObject({ status: 'found' })
    bench.fake.visit?.(url, 'approve')
    await bench.deliver()
    expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved' } })
  })

  test('who is refused and leaves has not paid once the session has ended', async () => {
    const bench = openBench('adyen-ideal')
    const { operation, url } = await opened(bench)
    bench.fake.visit?.(url, 'decline')
    await bench.deliver()
    bench.fake.advance(3_600_001)
    expect(await bench.find(operation)).toMatchObject({
      outcome: { status: 'declined', code: 'issuer_decline' },
    })
  })

  test('who never comes has not paid a quarter of an hour after the session’s cancellation', async () => {
    const bench = openBench('adyen-ideal')
    const { operation } = await opened(bench)
    bench.fake.advance(HOUR_MS - 1)
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    expect(cancellationsAt(bench)).toEqual([])
    bench.fake.advance(2)
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    expect(cancellationsAt(bench)).toEqual([{ paymentReference: operation.id, reference: operation.id }])
    await bench.deliver()
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    bench.fake.advance(15 * 60_000 + 1)
    expect(await bench.close(operation)).toEqual({ status: 'absent' })
    expect(await bench.find(operation)).toEqual({ status: 'unsure' })
  })

  test('who pays at the last moment is believed once the cancellation has found the payment paid', async () => {
    const bench = openBench('adyen-ideal')
    const { operation, url } = await opened(bench)
    const returned = bench.fake.visit?.(url, 'approve') ?? {}
    const late = bench.fake.takeNotifications()
    bench.fake.advance(HOUR_MS + 1)
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    const cancellation = bench.fake.takeNotifications()
    await bench.deliver(late)
    expect(await bench.close(operation)).toEqual({ status: 'unsure' })
    expect(await complete(bench, operation, returned)).toMatchObject({ status: 'pending' })
    await bench.deliver(cancellation)
    expect(await bench.close(operation)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  })

  test('who brings another session’s result decides nothing', async () => {
    const bench = openBench('adyen-ideal')
    const { operation, url } = await opened(bench)
    const other = await opened(bench)
    const foreign = bench.fake.visit?.(other.url, 'approve') ?? {}
    expect(await complete(bench, operation, foreign)).toMatchObject({ status: 'pending' })
    const { identifiers: _identifiers, ...forgotten } = operation
    expect(await complete(bench, forgotten, foreign)).toMatchObject({ status: 'pending' })
    expect(await complete(bench, operation, {})).toMatchObject({ status: 'pending' })
    expect(url).not.toBe(other.url)
  })
})

test('a session whose answer was lost is the same one when it is opened again', async () => {
  const bench = openBench('adyen-ideal')
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost after')
  expect(await bench.run('sale', operation, { order })).toMatchObject({ status: 'unknown' })
  expect(await bench.find(operation, { order })).toEqual({ status: 'absent' })
  expect(await bench.run('sale', operation, { order })).toMatchObject({ status: 'pending' })
  expect(bench.fake.requests).toHaveLength(1)
})

test('a session whose answer was lost for an hour is asked for under its key, and has no second one', async () => {
  const bench = openBench('adyen-ideal')
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost after')
  await bench.run('sale', operation, { order })
  bench.fake.advance(2 * 24 * HOUR_MS)
  expect(await bench.find(operation, { order })).toEqual({ status: 'absent' })
  expect(await bench.run('sale', operation, { order })).toMatchObject({ status: 'pending' })
  expect(bench.fake.requests).toHaveLength(1)
})

test('a session that the provider never heard of is not opened after its time', async () => {
  const bench = openBench('adyen-ideal')
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost before')
  await bench.run('sale', operation, { order })
  bench.fake.advance(2 * 24 * HOUR_MS)
  expect(await bench.find(operation, { order })).toEqual({ status: 'absent' })
  expect(await bench.run('sale', operation, { order })).toMatchObject({
    status: 'failed',
    code: 'service_network_error',
    facts: { raw_response_code: '702' },
  })
})

test('a session whose key the provider may have forgotten is not asked for again', async () => {
  const bench = openBench('adyen-ideal')
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost after')
  await bench.run('sale', operation, { order })
  bench.fake.advance(7 * 24 * HOUR_MS)
  expect(await bench.find(operation, { order })).toEqual({ status: 'unsure' })
})

test('a session is not opened without a page to come back to', async () => {
  const bench = openBench('adyen-ideal')
  expect(await bench.run('sale', {})).toMatchObject({ status: 'failed', unprocessed: true })
  expect(bench.fake.requests).toEqual([])
})
