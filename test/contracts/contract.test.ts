import { describe, expect, test } from 'vitest'
import { type Contract, contract } from './contract.ts'
import { badAnswers, goodAnswers } from './samples/answers.ts'
import { usd } from './samples/messages.ts'
import { badRequests, goodRequests, type SampledContract } from './samples/requests.ts'

const checks = {
  'wallet-oauth': contract('wallet-oauth'),
  'wallet-orders': contract('wallet-orders'),
  'wallet-payments': contract('wallet-payments'),
  'wallet-webhooks': contract('wallet-webhooks'),
  bnpl: contract('bnpl'),
  'emv-3ds': contract('emv-3ds'),
} satisfies Record<SampledContract, Contract>

describe('a message that matches the contract passes', () => {
  test.each(goodRequests)('%s: %s', (name, _story, request) =>
    expect(checks[name].request(request)).toEqual([]),
  )
  test.each(goodAnswers)('%s answers %s', (name, _story, response) =>
    expect(checks[name].response(response)).toEqual([]),
  )
})

describe('a message that violates the contract has violations', () => {
  test.each(badRequests)('%s: %s', (name, _story, request) =>
    expect(checks[name].request(request)).not.toEqual([]),
  )
  test.each(badAnswers)('%s answers %s', (name, _story, response) =>
    expect(checks[name].response(response)).not.toEqual([]),
  )
})

test('a contract checks its own schemas by name: a shipping callback, and an answer without shipping', () => {
  const { schema } = checks['wallet-orders']
  const asked = {
    id: '5O190127TN364715T',
    shipping_address: { country_code: 'US', admin_area_1: 'CA', postal_code: '95131' },
    purchase_units: [{ reference_id: 'default', amount: usd('10.00') }],
  }
  expect(schema('order_update_callback_request', asked)).toEqual([])
  const nothing = {
    id: 'X',
    purchase_units: [{ reference_id: 'default', amount: usd('10.00'), shipping_options: [] }],
  }
  expect(schema('order_update_callback_response', nothing)).not.toEqual([])
})
