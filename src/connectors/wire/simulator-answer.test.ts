import { expect, test } from 'vitest'
import type { Call } from '../contract/call.ts'
import { readResult, toOutcome } from './simulator-answer.ts'

const operation = { id: 'op-1', kind: 'capture', paymentReference: 'pay_1' }
const call = (more: object) => ({ operation: { ...operation, ...more } }) as unknown as Call
const approved = { key: 'op-1', id: 'cap_1', payment_id: 'pay_1', status: 'approved', amount: 100 }

test('reads the approval of an operation on its payment', () => {
  expect(readResult(call({}), approved)).toMatchObject({
    status: 'approved',
    amount: 100,
    references: { transaction: 'pay_1' },
  })
})

test.each([
  ['another operation', { key: 'op-2' }],
  ['another payment', { payment_id: 'pay_2' }],
  ['no payment', { payment_id: undefined }],
])('an answer about %s leaves our operation unknown', (_what, more) => {
  expect(readResult(call({}), { ...approved, ...more })).toMatchObject({ status: 'unknown' })
})

test('an opening operation is answered with the payment that it opened', () => {
  expect(readResult(call({ kind: 'authorize' }), { ...approved, payment_id: 'pay_2' })).toMatchObject({
    status: 'approved',
  })
})

test.each(['key_reused', 'in_progress'])(
  'a conflict over the key (%s) is unknown: the earlier request may have moved money',
  (code) => {
    const answer = { lost: false as const, status: 409, headers: {}, body: { code } }
    expect(toOutcome(call({}), answer)).toEqual({ status: 'unknown', reason: 'HTTP 409' })
  },
)

test.each([400, 401, 404, 410, 429])('a refusal with %i is a failure without effect', (status) => {
  expect(toOutcome(call({}), { lost: false, status, headers: {}, body: {} })).toMatchObject({
    status: 'failed',
  })
})
