import { describe, expect, test } from 'vitest'
import { operationKinds } from '../connector-kit/capabilities.ts'
import {
  approved,
  declined,
  failed,
  operationOf,
  pending,
  unknown,
} from '../transactions/split-tender/gift-card-rows.fixture.ts'
import { packJson } from './journal/packed-json.ts'
import {
  bookkeepingKinds,
  checkKinds,
  errorCodeOf,
  exchangesOf,
  giftCardKinds,
  isBookkeepingKind,
  isBuyerStep,
  isCheckKind,
  isCompensation,
  isGiftCardKind,
  isLateCompensation,
  isLateFailureKind,
  isOpen,
  isPaymentKind,
  isRefund,
  newOperation,
  type OperationRow,
  operationDetails,
  operationEntriesOf,
  operationLogFields,
  operationStatuses,
  referencesOf,
  rejectedUnprocessed,
  responseDetailsOf,
  shownStatus,
  spendingOf,
} from './operation.ts'

const kinds = [...checkKinds, ...operationKinds, ...giftCardKinds, ...bookkeepingKinds]
const kindsThat = (are: (kind: OperationRow['kind']) => boolean) => kinds.filter(are)

test('operations are open until they have an outcome', () => {
  expect(operationStatuses.filter(isOpen)).toEqual(['queued', 'sent', 'unknown', 'pending'])
})

test('each group of kinds has its kinds', () => {
  expect(kindsThat(isGiftCardKind)).toEqual(['redeem', 'reverse', 'gift-card-refund'])
  expect(kindsThat((kind) => isBuyerStep({ kind }))).toEqual(['authentication', 'approval'])
  expect(kindsThat(isCheckKind)).toEqual(['screening', 'authentication'])
  expect(kindsThat(isBookkeepingKind)).toEqual(['correction', 'late-failure'])
  expect(kindsThat(isLateFailureKind)).toEqual(['sale', 'capture', 'refund', 'reverse', 'gift-card-refund'])
  expect(kindsThat(isPaymentKind)).toEqual(['authorize', 'sale'])
  expect(kindsThat((kind) => isRefund({ kind, input: {} }))).toEqual(['refund', 'gift-card-refund'])
})

describe('a compensation', () => {
  test('is a reversal, and what a rejection or another operation makes necessary', () => {
    expect(kindsThat((kind) => isCompensation({ kind, input: {} }))).toEqual(['reverse'])
    expect(isCompensation({ kind: 'void', input: { rejected: true } })).toBe(true)
    expect(isCompensation({ kind: 'refund', input: { undoes: true } })).toBe(true)
  })

  test('of a late approval undoes an operation by its id, and is no refund', () => {
    expect(kindsThat((kind) => isLateCompensation({ kind, input: { undoes: 'o' } }))).toEqual([
      'void',
      'refund',
    ])
    expect(isLateCompensation({ kind: 'void', input: { undoes: true } })).toBe(false)
    expect(isRefund({ kind: 'refund', input: { undoes: 'o' } })).toBe(false)
    expect(isRefund({ kind: 'refund', input: { undoes: true } })).toBe(true)
  })
})

test('an outcome tells what it is made of', () => {
  const facts = { raw_response_code: '51', avs_response_code: 'match' as const }
  const references = { operation: 'theirs' }
  expect([approved(1), pending, declined, failed, unknown].map(errorCodeOf)).toEqual([
    null,
    null,
    'insufficient_funds',
    'service_error',
    null,
  ])
  expect([failed, { ...failed, unprocessed: true as const }, declined].map(rejectedUnprocessed)).toEqual([
    false,
    true,
    false,
  ])
  expect(responseDetailsOf({ ...approved(1), facts } as typeof declined)).toEqual(facts)
  expect(responseDetailsOf(unknown)).toEqual({})
  expect(referencesOf(approved(1, 'theirs'))).toEqual(references)
  expect(referencesOf(unknown)).toEqual({})
  expect(operationDetails({ ...facts, raw_response_description: 'funds', iso_response_code: '51' })).toEqual({
    raw_response_code: '51',
    raw_response_description: 'funds',
    iso_response_code: '51',
  })
})

test('what has failed later is shown as failed', () => {
  const failure = { code: 'service_error' } as NonNullable<OperationRow['late_failure']>
  expect(shownStatus({ status: 'approved', late_failure: failure })).toBe('failed')
  expect(shownStatus({ status: 'approved', late_failure: null })).toBe('approved')
})

test('what it has reserved of a spending limit is its own, or that of the capture that follows', () => {
  const spending = { limit: 'l' } as unknown as NonNullable<ReturnType<typeof spendingOf>>
  expect(spendingOf({ input: { spending } })).toBe(spending)
  expect(
    spendingOf({ input: { then_capture: { input: { spending } } } } as Pick<OperationRow, 'input'>),
  ).toBe(spending)
  expect(spendingOf({ input: {} })).toBeUndefined()
})

test('a line of the log names the payment, or the payout', () => {
  expect(operationLogFields(operationOf('capture', 1))).toEqual({ transaction: 't', operation: 'o' })
  expect(operationLogFields(operationOf('payout', 1))).toEqual({ payout: 't', operation: 'o' })
})

test('a new operation is sent, and has no outcome', () => {
  const required = {
    merchant_account_id: 'm',
    id: 'o',
    transaction_id: 't',
    kind: 'capture',
    amount: 100,
    currency: 'EUR',
    payment_service_id: 'p',
    check_at: null,
    created_at: '2030-01-01T00:00:00.000Z',
  } as const
  expect(newOperation(required)).toEqual({
    ...required,
    status: 'sent',
    effective_amount: null,
    payment_service_operation_id: null,
    input: {},
    error_code: null,
    facts: {},
    exchanges: [],
    idempotency_scope: null,
    idempotency_key: null,
    checks: 0,
    event_count: 0,
    updated_at: required.created_at,
    settled_at: null,
  })
  expect(newOperation(required, { status: 'queued' }).status).toBe('queued')
})

test('its records are in the order of their ids, wherever they are stored, and told apart', () => {
  const [first, third] = [{ id: '1' }, { id: '3' }] as unknown as OperationRow['exchanges']
  const [second, fourth] = [
    { id: '2', context: {} },
    { id: '4', context: {} },
  ]
  const lists = {
    exchanges: [third],
    packed_exchanges: packJson([second, fourth, first]),
  } as unknown as Parameters<typeof exchangesOf>[0]
  expect(exchangesOf(lists)).toEqual([first, third])
  expect(operationEntriesOf(lists)).toEqual([second, fourth])
})
