import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bestScenario, type PaymentForScenario, type Scenario, withAllConditions } from './scenario.ts'

const name = fc.option(fc.constantFrom('Ada', 'ada', 'Bob'))
const email = fc.option(fc.constantFrom('ada@example.com', 'ADA@example.com', 'bob@example.com'))
const identifier = fc.option(fc.constantFrom('buyer-1', 'BUYER-1'))
const fingerprint = fc.option(fc.constantFrom('f1', 'f2'))
const amount = fc.constantFrom(0, 1, 12_99)

const scenarios = fc
  .array(
    fc
      .record({
        first_name: name,
        last_name: name,
        email_address: email,
        external_identifier: identifier,
        amount: fc.option(amount),
        card: fingerprint,
      })
      .filter((conditions) => Object.values(conditions).some((value) => value !== null)),
    { maxLength: 10 },
  )
  .map((all) =>
    all.map(
      ({ card, ...conditions }, index): Scenario => ({
        id: String(index),
        conditions: withAllConditions({ ...conditions, card_number: card && '411111******1111' }),
        card_fingerprint: card,
        outcome: { authentication: { transaction_status: 'Y' } },
      }),
    ),
  )

const payments = fc.record({
  amount,
  fingerprint,
  buyer: fc.option(
    fc.record({
      external_identifier: identifier,
      billing_details: fc.option(fc.record({ first_name: name, last_name: name, email_address: email })),
    }),
  ),
})

/**
 * The result of each condition, computed one by one: null if the scenario does not have the condition, else
 * whether it holds.
 */
function verdicts(
  { conditions, card_fingerprint }: Scenario,
  { amount, fingerprint, buyer }: PaymentForScenario,
): (boolean | null)[] {
  const billing = buyer?.billing_details
  return [
    conditions.amount === null ? null : conditions.amount === amount,
    conditions.card_number === null ? null : card_fingerprint === fingerprint,
    conditions.first_name === null ? null : conditions.first_name === billing?.first_name,
    conditions.last_name === null ? null : conditions.last_name === billing?.last_name,
    conditions.email_address === null
      ? null
      : conditions.email_address.toUpperCase() === billing?.email_address?.toUpperCase(),
    conditions.external_identifier === null
      ? null
      : conditions.external_identifier === buyer?.external_identifier,
  ]
}

test('a payment gets the scenario whose conditions all hold; the one with the most conditions wins, then the newest', () => {
  fc.assert(
    fc.property(scenarios, payments, (all, payment) => {
      const judged = all.map((scenario) => ({
        id: scenario.id,
        results: verdicts(scenario, payment).filter((verdict) => verdict !== null),
      }))
      const holding = judged.filter(({ results }) => !results.includes(false))
      const most = Math.max(...holding.map(({ results }) => results.length))
      expect(bestScenario(all, payment)?.id).toBe(holding.find(({ results }) => results.length === most)?.id)
    }),
    { numRuns: 3_000 },
  )
})

test('a scenario with one more condition that holds wins, also if it is the older one', () => {
  const holding = payments.chain((payment) => {
    const billing = payment.buyer?.billing_details
    const values = Object.entries({
      ...billing,
      external_identifier: payment.buyer?.external_identifier ?? null,
    }).filter(([, value]) => value !== null)
    return fc
      .subarray(values)
      .map((chosen) => ({ payment, conditions: withAllConditions(Object.fromEntries(chosen)) }))
  })
  fc.assert(
    fc.property(holding, ({ payment, conditions }) => {
      const wide: Scenario = {
        id: 'wide',
        conditions,
        card_fingerprint: null,
        outcome: { authentication: { transaction_status: 'Y' } },
      }
      const narrow = { ...wide, id: 'narrow', conditions: { ...conditions, amount: payment.amount } }
      expect(bestScenario([wide, narrow], payment)?.id).toBe('narrow')
      expect(bestScenario([wide, narrow], { ...payment, amount: payment.amount + 1 })?.id).toBe('wide')
    }),
  )
})
