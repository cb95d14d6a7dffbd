import { expect, test } from 'vitest'
import { ABSENCE_MARGIN_MS } from '../../../src/connectors/checkout/absence.ts'
import type { HttpAnswer } from '../../../src/connectors/wire/http-message.ts'
import { authorizedPayment, openBench } from './harness.ts'

const answered = (status: number): HttpAnswer => ({ lost: false, status, headers: {}, body: {} })

test.each(['lost after', answered(502), answered(409), answered(200)] as const)(
  'a payment whose answer is %o is found by its reference',
  async (fault) => {
    const bench = openBench()
    const id = bench.nextId()
    bench.faults.push(fault)
    expect(await bench.run('authorize', { id })).toMatchObject({ status: 'unknown' })
    const sent = bench.fake.requests.length
    expect(await bench.close({ id }, { instrument: {} })).toMatchObject({
      outcome: { status: 'approved', amount: 10_00, facts: { raw_response_code: '10000' } },
    })
    expect(bench.fake.requests.slice(sent).every(({ method }) => method === 'GET')).toBe(true)
    expect(bench.fake.effects()).toHaveLength(1)
  },
)

test('a sale whose capture is declined after a lost answer is found refused, and one that is not captured yet approved', async () => {
  const bench = openBench()
  const id = bench.nextId()
  bench.faults.push('lost after')
  await bench.run('sale', { id }, { instrument: { providerToken: 'tok_capture_20051' } })
  const [payment] = bench.fake.books.payments.values()
  const close = () => bench.close({ id, kind: 'sale' }, { instrument: {} })
  expect(await close()).toMatchObject({
    outcome: {
      status: 'declined',
      code: 'insufficient_funds',
      facts: { raw_response_code: '20051' },
      references: { operation: payment?.id, transaction: payment?.id },
    },
  })
  const declined = payment?.actions.pop()
  expect(await close()).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  bench.faults.push(undefined, undefined, 'lost after')
  expect(await close()).toEqual({ status: 'unsure' })
  // a capture that is tried again may be approved
  if (declined) payment?.actions.push(declined, { ...declined, approved: true, response_code: '10000' })
  expect(await close()).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
})

test('a sale that counts as refused is not found approved until it is captured', async () => {
  const bench = openBench()
  const id = bench.nextId()
  bench.faults.push('lost after')
  await bench.run('sale', { id })
  const look = () => bench.find({ id, kind: 'sale', countsAsRefused: true }, { instrument: {} })
  const [payment] = bench.fake.books.payments.values()
  const capture = payment?.actions.pop()
  if (!payment || !capture) throw new Error('the sale has not arrived')
  payment.status = 'Authorized'
  expect(await look()).toEqual({ status: 'unsure' })
  payment.actions.push({ ...capture, approved: false, response_code: '20051' })
  expect(await look()).toMatchObject({ outcome: { status: 'declined', code: 'insufficient_funds' } })
  payment.actions.push(capture)
  payment.status = 'Captured'
  expect(await look()).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
})

test('a declined payment whose answer is lost is found with its code', async () => {
  const bench = openBench()
  const id = bench.nextId()
  bench.faults.push('lost after')
  await bench.run('sale', { id }, { instrument: { providerToken: 'tok_20051' } })
  expect(await bench.close({ id, kind: 'sale' }, { instrument: {} })).toMatchObject({
    outcome: { status: 'declined', code: 'insufficient_funds' },
  })
})

test('a payment that never arrived is absent only after the margin', async () => {
  const bench = openBench()
  const id = bench.nextId()
  bench.faults.push('lost before')
  await bench.run('authorize', { id })
  expect(await bench.close({ id })).toEqual({ status: 'unsure' })
  bench.fake.advance(ABSENCE_MARGIN_MS - 1)
  expect(await bench.close({ id })).toEqual({ status: 'unsure' })
  bench.fake.advance(1)
  expect(await bench.close({ id })).toEqual({ status: 'absent' })
})

test('a payment that the search finds late is not absent', async () => {
  const bench = openBench()
  const id = bench.nextId()
  bench.fake.hideFromSearchUntil(bench.fake.now() + 20_000)
  bench.faults.push('lost after')
  await bench.run('authorize', { id })
  expect(await bench.close({ id })).toEqual({ status: 'unsure' })
  bench.fake.advance(ABSENCE_MARGIN_MS)
  expect(await bench.close({ id })).toMatchObject({ outcome: { status: 'approved' } })
})

test('of two payments with one reference, the one that holds money counts', async () => {
  const bench = openBench()
  const id = bench.nextId()
  await bench.run('authorize', { id }, { instrument: { providerToken: 'tok_20005' } })
  // the answer of the first is no longer kept under the key
  bench.fake.advance(25 * 3_600_000)
  bench.faults.push('lost after')
  await bench.run('authorize', { id })
  expect(await bench.close({ id })).toMatchObject({ outcome: { status: 'approved' } })
})

test('books that cannot be read decide nothing', async () => {
  const bench = openBench()
  for (const fault of ['unsent', answered(429), answered(502), answered(200)] as const) {
    bench.faults.push(undefined, fault)
    const id = bench.nextId()
    await bench.run('authorize', { id })
    if (fault === 'unsent' || fault.lost || fault.status !== 200)
      expect(await bench.close({ id })).toEqual({ status: 'unsure' })
    bench.faults.length = 0
  }
  expect(bench.marks).toEqual([])
})

test.each(['capture', 'void', 'refund', 'increment'] as const)(
  'a %s whose answer is lost is found by its action',
  async (kind) => {
    const bench = openBench()
    const payment = await authorizedPayment(bench)
    if (kind === 'refund') await bench.run('capture', { ...payment, id: bench.nextId() })
    const operation = { ...payment, id: bench.nextId(), kind }
    bench.faults.push('lost after')
    expect(await bench.run(kind, operation)).toMatchObject({ status: 'unknown' })
    expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  },
)

test('a capture that never arrived is sent again after the margin', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const operation = { ...payment, id: bench.nextId(), kind: 'capture' as const }
  bench.faults.push('lost before')
  await bench.run('capture', operation)
  expect(await bench.find(operation)).toEqual({ status: 'unsure' })
  bench.fake.advance(ABSENCE_MARGIN_MS)
  expect(await bench.find(operation)).toEqual({ status: 'absent' })
  // the actions are read before it is sent again
  bench.faults.push(undefined, 'lost before')
  await bench.run('capture', { ...operation, sentBefore: true })
  // the second request begins the margin anew
  expect(await bench.find(operation)).toEqual({ status: 'unsure' })
  bench.fake.advance(ABSENCE_MARGIN_MS)
  expect(await bench.find(operation)).toEqual({ status: 'absent' })
  expect(await bench.run('capture', { ...operation, sentBefore: true })).toMatchObject({ status: 'pending' })
  expect(bench.fake.effects().filter(({ kind }) => kind === 'capture')).toHaveLength(1)
})

test('a refusal of a repeated capture does not hide that the first one was taken', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const operation = { ...payment, id: bench.nextId(), kind: 'capture' as const }
  // the answer of an error is not kept under the key, so that the second request runs again
  bench.faults.push('lost after')
  await bench.run('capture', operation)
  bench.fake.advance(25 * 3_600_000)
  expect(await bench.run('capture', { ...operation, sentBefore: true })).toMatchObject({ status: 'approved' })
  expect(bench.fake.effects().filter(({ kind }) => kind === 'capture')).toHaveLength(1)
})

test.each([401, 429])('HTTP %d processes nothing', async (status) => {
  const bench = openBench()
  bench.faults.push(answered(status))
  expect(await bench.run('authorize')).toMatchObject({ status: 'failed', unprocessed: true })
})

test('an expired token is refused with its code', async () => {
  const bench = openBench()
  const outcome = await bench.run('authorize', {}, { instrument: { providerToken: 'tok_expired' } })
  expect(outcome).toMatchObject({
    status: 'failed',
    code: 'invalid_payment_method',
    facts: { raw_response_code: 'token_expired' },
  })
})

test('an abandoned challenge ends when Checkout.com ends it', async () => {
  const bench = openBench()
  const id = bench.nextId()
  const outcome = await bench.run('authorize', { id }, { instrument: { providerToken: 'tok_challenged' } })
  if (outcome.status !== 'pending') throw new Error('it is not pending')
  const operation = { id, paymentReference: outcome.references.transaction ?? null }
  bench.fake.advance(3_600_000)
  expect(await bench.close(operation)).toMatchObject({
    outcome: { status: 'failed', code: 'incomplete_buyer_approval' },
  })
})
