import { expect, test } from 'vitest'
import type { OperationForCall } from '../../../src/connectors/contract/call.ts'
import { type Bench, openBench, openPayment } from './harness.ts'

const HOUR_MS = 3_600_000

const asRecovery = (operation: Partial<OperationForCall>) => ({ ...operation, sentBefore: true })

test.each(['unsent', 'lost before', 'lost after'] as const)('a card payment that is %s', async (fault) => {
  const bench = openBench()
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push(fault)
  const outcome = await bench.run('sale', operation)
  if (fault === 'unsent') {
    expect(outcome).toMatchObject({ status: 'failed', code: 'service_network_error', unprocessed: true })
    return
  }
  expect(outcome).toMatchObject({ status: 'unknown' })
  expect(await bench.close(asRecovery(operation))).toMatchObject(
    fault === 'lost after'
      ? { status: 'found', outcome: { status: 'approved', amount: 10_00 } }
      : { status: 'absent' },
  )
})

test('a card payment that close found absent is refused when it arrives late', async () => {
  const bench = openBench()
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost before')
  await bench.run('sale', operation)
  expect(await bench.find(operation)).toEqual({ status: 'unsure' })
  expect(await bench.close(operation)).toEqual({ status: 'absent' })
  for (const request of bench.late) expect(bench.fake.receive(request).status).toBe(400)
  expect(bench.fake.effects()).toEqual([])
  expect(await bench.close(operation)).toEqual({ status: 'absent' })
})

test('a card payment whose list is behind stays undecided, since its key is taken', async () => {
  const bench = openBench()
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost after')
  await bench.run('sale', operation)
  const empty = { status: 200, lost: false, headers: {}, body: { _embedded: { payments: [] } } } as const
  bench.faults.push(empty)
  expect(await bench.close(operation)).toEqual({ status: 'unsure' })
  expect(await bench.close(operation)).toMatchObject({ status: 'found', outcome: { status: 'approved' } })
  expect(bench.fake.effects()).toHaveLength(1)
})

test.each([1, 2, 3])('an absence is not final if the answer to step %i of close is lost', async (step) => {
  const bench = openBench('mollie-card')
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost before')
  await bench.run('sale', operation)
  bench.faults.push(...Array<undefined>(step - 1).fill(undefined), 'lost after')
  const finding = await bench.close(operation)
  expect(finding.status).toBe(step < 3 ? 'unsure' : 'absent')
  bench.faults.length = 0
  expect(await bench.close(operation)).toEqual({ status: 'absent' })
})

test('a challenged card payment whose answer was lost waits for its buyer', async () => {
  const bench = openBench()
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost after')
  await bench.run('sale', operation, { instrument: { providerToken: 'tkn_challenge' } })
  expect(await bench.close(operation)).toMatchObject({
    outcome: { status: 'pending', approval: { url: expect.stringContaining('/checkout/') } },
  })
})

test('a payment is found behind more than a page of newer ones, after its key is forgotten', async () => {
  const bench = openBench()
  const operation = { id: bench.nextId(), kind: 'authorize' as const }
  bench.faults.push('lost after')
  await bench.run('authorize', operation)
  bench.fake.advance(HOUR_MS)
  for (let count = 0; count < 210; count += 1) await openPayment(bench)
  expect(await bench.close(operation)).toMatchObject({
    outcome: { status: 'approved', references: { transaction: 'tr_0000000001' } },
  })
})

test('the list is read no further than the time of the operation', async () => {
  const bench = openBench()
  for (let count = 0; count < 210; count += 1) await openPayment(bench)
  bench.fake.advance(HOUR_MS)
  const before = bench.fake.requests.length
  expect(await bench.find({ id: bench.nextId(), kind: 'sale' })).toEqual({ status: 'unsure' })
  expect(bench.fake.requests.length - before).toBe(1)
})

test('a page whose answer was lost is opened again under its key, and is the same one', async () => {
  const bench = openBench('mollie-ideal')
  const operation = { id: bench.nextId(), kind: 'sale' as const }
  bench.faults.push('lost before')
  expect(await bench.run('sale', operation)).toMatchObject({ status: 'unknown' })
  expect(await bench.find(operation)).toEqual({ status: 'absent' })
  const outcomes = [await bench.run('sale', operation), await bench.run('sale', operation)]
  expect(outcomes[0]).toMatchObject({ status: 'pending', references: { transaction: 'tr_0000000001' } })
  expect(outcomes[1]).toEqual(outcomes[0])
  for (const request of bench.late) bench.fake.receive(request)
  expect(bench.fake.books.payments).toHaveLength(1)
})

const followUps = [
  ['capture', 'authorize', 4_00],
  ['refund', 'sale', 4_00],
  ['void', 'authorize', 10_00],
] as const

async function lose(bench: Bench, kind: (typeof followUps)[number][0], fault: 'lost before' | 'lost after') {
  const [, opening, amount] = followUps.find(([each]) => each === kind) ?? followUps[0]
  const payment = await openPayment(bench, opening)
  const operation = { ...payment, id: bench.nextId(), kind, amount }
  bench.faults.push(fault)
  expect(await bench.run(kind, operation)).toMatchObject({ status: 'unknown' })
  return operation
}

test.each(followUps)('a %s that was lost before it arrived is absent, and is sent again', async (kind) => {
  const bench = openBench()
  const operation = await lose(bench, kind, 'lost before')
  expect(await bench.find(operation)).toEqual({ status: 'absent' })
  await bench.run(kind, operation)
  for (const request of bench.late) bench.fake.receive(request)
  expect(bench.fake.effects().filter((effect) => effect.kind === kind)).toHaveLength(1)
})

test.each(followUps)('a %s whose answer was lost is found, and moves money once', async (kind) => {
  const bench = openBench()
  const operation = await lose(bench, kind, 'lost after')
  expect(await bench.find(operation)).toMatchObject({ status: 'found' })
  await bench.run(kind, operation)
  expect(bench.fake.effects().filter((effect) => effect.kind === kind)).toHaveLength(1)
})

test.each(['capture', 'refund', 'void', 'cancel', 'sale'] as const)(
  'a %s is undecided while the books cannot be read',
  async (kind) => {
    const bench = openBench()
    const payment = await openPayment(bench)
    const operation = { ...payment, id: bench.nextId(), kind }
    for (const status of [401, 404, 429, 500]) {
      bench.faults.push({ lost: false, status, headers: {}, body: {} })
      expect(await bench.find(operation)).toEqual({ status: 'unsure' })
    }
    bench.faults.push('lost after')
    expect(await bench.find(operation)).toEqual({ status: 'unsure' })
  },
)

test.each([
  [400, {}, { status: 'unknown' }],
  [400, { field: 'amount' }, { status: 'failed', code: 'invalid_amount' }],
  [401, {}, { status: 'failed', code: 'invalid_service_credentials', unprocessed: true }],
  [403, {}, { status: 'failed', code: 'insufficient_service_permissions' }],
  [409, {}, { status: 'unknown' }],
  [418, {}, { status: 'unknown' }],
  [422, { field: 'cardToken' }, { status: 'failed', code: 'invalid_payment_method' }],
  [422, {}, { status: 'failed', code: 'invalid_service_request' }],
  [429, {}, { status: 'failed', code: 'service_rate_limit', unprocessed: true }],
  [500, {}, { status: 'unknown' }],
  [503, {}, { status: 'unknown' }],
])('HTTP %i with %j', async (status, body, outcome) => {
  const bench = openBench()
  bench.faults.push({ lost: false, status, headers: {}, body })
  expect(await bench.run('sale')).toMatchObject(outcome)
})

test.each([
  ['is of another operation', { metadata: { operation_id: 'other' } }],
  ['has another amount', { amount: { currency: 'EUR', value: '9.00' } }],
  ['has another currency', { amount: { currency: 'USD', value: '10.00' } }],
  ['has no id', { id: '' }],
  ['has an unknown status', { status: 'settled' }],
])('an answer that %s is unknown', async (_what, change) => {
  const bench = openBench()
  const id = bench.nextId()
  const amount = { currency: 'EUR', value: '10.00' }
  const metadata = { operation_id: id }
  const body = { id: 'tr_1', status: 'paid', createdAt: '2026-11-23T00:00:00Z', amount, metadata, ...change }
  bench.faults.push({ lost: false, status: 201, headers: {}, body })
  expect(await bench.run('sale', { id })).toMatchObject({ status: 'unknown' })
})

test('nothing is committed before money moves: the provider charges a card token at once', async () => {
  const bench = openBench()
  await openPayment(bench)
  expect(bench.committed).toEqual([])
})
