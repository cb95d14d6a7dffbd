import { expect, test } from 'vitest'
import { authorizedPayment, type Bench, lastBody, openBench } from './harness.ts'

/** A payment with a capture, for refunds. */
async function capturedPayment(bench: Bench) {
  const payment = await authorizedPayment(bench)
  await bench.run('capture', { ...payment, id: bench.nextId() })
  await bench.deliver()
  return payment
}

test.each([
  ['capture', 'captures', 4_00],
  ['refund', 'refunds', 4_00],
  ['void', 'voids', 10_00],
] as const)('a %s is pending until the books have its result', async (kind, part, amount) => {
  const bench = openBench()
  const payment = await (kind === 'refund' ? capturedPayment : authorizedPayment)(bench)
  const operation = { ...payment, id: bench.nextId(), kind, amount }
  expect(await bench.run(kind, operation)).toMatchObject({
    status: 'pending',
    references: { operation: expect.stringMatching(/^act_/) },
  })
  expect(bench.fake.requests.at(-1)?.path).toBe(`/payments/${payment.paymentReference}/${part}`)
  expect(await bench.deliver()).toEqual([
    { about: 'operation', operation: operation.id, ...(kind === 'capture' && { late: 'approval' }) },
    { about: 'payment', payment: payment.paymentReference },
  ])
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount } })
  expect(bench.fake.effects().at(-1)).toMatchObject({ key: operation.id, kind, amount })
})

test('two captures of one payment, the second one final, then nothing more', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const captures = [
    { final: false, amount: 6_00 },
    { final: true, amount: 3_00 },
  ].map((capture) => ({ ...payment, ...capture, id: bench.nextId(), kind: 'capture' as const }))
  for (const capture of captures) {
    await bench.run('capture', capture)
    expect(lastBody(bench)).toMatchObject({ capture_type: capture.final ? 'Final' : 'NonFinal' })
    expect(await bench.find(capture)).toMatchObject({ outcome: { amount: capture.amount } })
  }
  expect(await bench.run('capture', { ...payment, id: bench.nextId(), amount: 1_00 })).toMatchObject({
    status: 'failed',
    code: 'invalid_operation',
  })
})

test('a void after a part was captured releases the rest', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  await bench.run('capture', { ...payment, id: bench.nextId(), amount: 4_00, final: false })
  const operation = { ...payment, id: bench.nextId(), kind: 'void' as const }
  await bench.run('void', operation)
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 6_00 } })
})

test.each([
  ['capture', '20005', 'declined', 'issuer_decline'],
  ['void', '20012', 'failed', 'unsupported_transaction'],
  ['refund', '50003', 'declined', 'insufficient_funds'],
] as const)('a %s that is declined later is found so', async (kind, code, status, error) => {
  const bench = openBench()
  const payment = await (kind === 'refund' ? capturedPayment : authorizedPayment)(bench)
  bench.fake.answerNextStep(code)
  const operation = { ...payment, id: bench.nextId(), kind }
  expect(await bench.run(kind, operation)).toMatchObject({ status: 'pending' })
  expect(await bench.find(operation)).toMatchObject({ outcome: { status, code: error } })
})

test('an increment adds to the authorization', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const operation = { ...payment, id: bench.nextId(), kind: 'increment' as const, amount: 5_00 }
  expect(await bench.run('increment', operation)).toMatchObject({ status: 'approved', amount: 5_00 })
  expect(bench.fake.requests.at(-1)?.path).toBe(`/payments/${payment.paymentReference}/authorizations`)
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 5_00 } })
  expect(await bench.run('capture', { ...payment, id: bench.nextId(), amount: 15_00 })).toMatchObject({
    status: 'pending',
  })
})

test('an increment that the issuer declines changes nothing', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  bench.fake.answerNextStep('20051')
  expect(await bench.run('increment', { ...payment, id: bench.nextId(), amount: 5_00 })).toMatchObject({
    status: 'declined',
    code: 'insufficient_funds',
  })
})

test('an increment by 0 sends nothing: Checkout.com would extend the authorization', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const sent = bench.fake.requests.length
  const operation = { ...payment, id: bench.nextId(), kind: 'increment' as const, amount: 0 }
  expect(await bench.run('increment', operation)).toMatchObject({ status: 'approved', amount: 0 })
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 0 } })
  expect(bench.fake.requests).toHaveLength(sent)
})

test('a final authorization cannot be raised', async () => {
  const bench = openBench()
  bench.fields['authorization_type'] = 'final'
  const payment = await authorizedPayment(bench)
  expect(await bench.run('increment', { ...payment, id: bench.nextId(), amount: 5_00 })).toMatchObject({
    status: 'failed',
    code: 'invalid_operation',
  })
})
