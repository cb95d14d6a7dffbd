import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moveTo, transitions } from './status.ts'
import { TransactionStatus } from './transaction.schema.ts'

const statuses = (TransactionStatus as unknown as { enum: TransactionStatus[] }).enum
const anyStatus = fc.constantFrom(...statuses)
const after = (status: TransactionStatus): readonly TransactionStatus[] => transitions[status]

test('the table of transitions has every status', () => {
  expect(Object.keys(transitions).sort()).toEqual([...statuses].sort())
  expect(statuses).toHaveLength(9)
})

test('a payment moves to a status that the table allows, and stays as it is otherwise', () => {
  fc.assert(
    fc.property(anyStatus, anyStatus, (from, to) => {
      expect(moveTo(from, to)).toBe(after(from).includes(to) ? to : from)
    }),
  )
})

test('a failed, voided or captured payment has a final status', () => {
  for (const status of [
    'authorization_failed',
    'authorization_declined',
    'authorization_voided',
    'capture_succeeded',
  ] as const) {
    expect(after(status)).toEqual([])
  }
})

test('no payment becomes authorization_declined, and only a buyer’s approval leads back to processing', () => {
  for (const status of statuses) {
    expect(after(status)).not.toContain('authorization_declined')
    if (status !== 'buyer_approval_pending') expect(after(status)).not.toContain('processing')
  }
})

test('captured money is never voided, and voided money never captured', () => {
  const reachable = (
    from: TransactionStatus,
    seen = new Set<TransactionStatus>(),
  ): Set<TransactionStatus> => {
    for (const next of after(from)) if (!seen.has(next)) reachable(next, seen.add(next))
    return seen
  }
  expect(reachable('capture_succeeded')).not.toContain('authorization_voided')
  expect(reachable('authorization_voided')).not.toContain('capture_succeeded')
  expect(reachable('processing')).toContain('authorization_voided')
  expect(reachable('processing')).toContain('capture_succeeded')
})
