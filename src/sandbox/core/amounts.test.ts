import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { declinedAmounts, failedAmounts, followUpAmounts, pendingAmounts } from './amounts.ts'
import { openSimulator, type SimulatorClient } from './simulator-client.fixture.ts'

test('the tables hold every amount of the specification', () => {
  expect(declinedAmounts).toHaveLength(14)
  expect(failedAmounts).toHaveLength(40)
  const amounts = [...declinedAmounts, ...failedAmounts].map(([amount]) => amount)
  expect(new Set(amounts).size).toBe(54)
})

const outcomes = [
  ...declinedAmounts.map(([amount, code]) => [amount, 'declined', code] as const),
  ...failedAmounts.map(([amount, code]) => [amount, 'failed', code] as const),
]

test.each(outcomes)('a payment of %i is %s with %s', async (amount, status, code) => {
  const provider = await openSimulator()
  for (const kind of ['authorize', 'sale']) {
    const answer = await provider.pay({ kind, amount })
    expect(answer).toMatchObject({
      status: 201,
      body: { kind, amount, status, code, raw_response_code: code, raw_response_description: code },
    })
    expect(answer.body).toMatchObject({
      auth_response_code: null,
      iso_response_code: null,
      authorization_expires_at: null,
    })
    expect(await provider.payment(answer.body.payment_id ?? '')).toMatchObject({
      authorization: status,
      authorized: 0,
      captured: 0,
    })
  }
})

/** Opens a payment with enough money and sends it the operation. */
const operate = {
  authorize: (provider: SimulatorClient, amount: number) => provider.pay({ kind: 'authorize', amount }),
  sale: (provider: SimulatorClient, amount: number) => provider.pay({ kind: 'sale', amount }),
  capture: async (provider: SimulatorClient, amount: number) =>
    provider.capture(await provider.authorize(amount), amount),
  void: async (provider: SimulatorClient, amount: number) => provider.void(await provider.authorize(amount)),
  increment: async (provider: SimulatorClient, amount: number) =>
    provider.increment(await provider.authorize(100), amount),
  refund: async (provider: SimulatorClient, amount: number) =>
    provider.refund(await provider.sale(amount), amount),
  payout: (provider: SimulatorClient, amount: number) => provider.payout(amount),
}

test.each(followUpAmounts)('a %s of %i is %s with %s', async (kind, amount, status, code) => {
  const { status: http, body } = await operate[kind](await openSimulator(), amount)
  expect(http).toBe(201)
  expect(body).toMatchObject({
    kind,
    amount,
    status,
    code,
    raw_response_code: code,
    raw_response_description: code,
  })
})

test.each(pendingAmounts)('a %s of %i is pending', async (kind, amount) => {
  const { body } = await operate[kind](await openSimulator(), amount)
  expect(body).toMatchObject({
    kind,
    amount,
    status: 'pending',
    code: null,
    raw_response_code: null,
    auth_response_code: null,
  })
})

test.each(['authorize', 'sale', 'capture', 'void', 'increment', 'refund', 'payout'] as const)(
  'a %s of any other amount is approved',
  async (kind) => {
    const { body } = await operate[kind](await openSimulator(), 1299)
    expect(body).toMatchObject({ kind, amount: 1299, currency: 'EUR', status: 'approved', code: null })
    expect(body).toMatchObject({ raw_response_code: null, auth_response_code: '00', iso_response_code: '00' })
  },
)

test('the amounts of later operations can be authorized', async () => {
  const provider = await openSimulator()
  for (const [, amount] of followUpAmounts)
    expect((await provider.pay({ amount })).body.status).toBe('approved')
})

test('half of 560001 is approved if the caller allows a partial authorization', async () => {
  const provider = await openSimulator()
  const partial = await provider.pay({ amount: 560001, allow_partial: true })
  expect(partial.body).toMatchObject({ status: 'approved', amount: 280000 })
  expect(await provider.payment(partial.body.payment_id ?? '')).toMatchObject({ authorized: 280000 })
  expect((await provider.pay({ amount: 560001 })).body).toMatchObject({ status: 'approved', amount: 560001 })
})

test.each([
  ['A77 88', 'no_match'],
  ['8899', 'partial_match_postcode'],
  ['12399', 'partial_match_address'],
  ['10115', 'match'],
  [null, null],
])('the postal code %s checks as %s', async (billing_postal_code, expected) => {
  const { body } = await (await openSimulator()).pay({ amount: 100, billing_postal_code })
  expect(body.avs_response_code).toBe(expected)
})

test.each([
  ['222', 'not_provided'],
  ['333', 'no_match'],
  ['123', 'match'],
  [null, 'not_provided'],
])('the security code %s checks as %s', async (security_code, expected) => {
  const card = { number: '4111111111111111', expiration_date: '12/35', security_code }
  const { body } = await (await openSimulator()).pay({ amount: 100, card })
  expect(body.cvv_response_code).toBe(expected)
})

test.each([
  [null, '02'],
  ['4111111111111111', '02'],
  ['5555555555554444', null],
])('merchant advice for the account number %s is %s', async (account_number, expected) => {
  const { body } = await (await openSimulator()).pay(
    { amount: 200011, merchant_advice_code: { result: '02', account_number } },
    randomUUID(),
  )
  expect(body.merchant_advice_code).toBe(expected)
})
