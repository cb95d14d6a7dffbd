import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileRules } from './compile.ts'
import { anyCondition, anyFacts } from './conditions/conditions.fixture.ts'
import { type DecisionContext, decideDecline, decideRoute } from './decide.ts'
import type { Facts } from './facts.ts'
import type { RouteOutcome } from './rules/outcome.schema.ts'
import type { Rule } from './rules/rule.schema.ts'
import { bucketOf } from './split.ts'

const [a, b, c] = [
  'aaaaaaaa-0000-4000-8000-000000000001',
  'bbbbbbbb-0000-4000-8000-000000000002',
  'cccccccc-0000-4000-8000-000000000003',
] as const
const services = [a, b, c]
const ruleId = '018f0000-0000-7000-8000-00000000000f'
const occasion: DecisionContext = { buyer: null, transaction: 't1', at: '2026-11-21T12:00:00.000Z' }
const facts: Facts = {
  amount: 1299,
  currency: 'EUR',
  country: 'DE',
  bin: '41111111',
  scheme: 'visa',
  card_type: null,
  issuer_country: null,
  method: 'card',
  payment_source: 'ecommerce',
  intent: 'authorize',
  merchant_initiated: false,
  is_subsequent_payment: false,
  metadata: { tier: 'gold' },
  buyer_id: null,
  buyer_external_identifier: null,
  created_at: '2026-11-21T12:00:00.000Z',
  previous_decline: null,
}

const routeRule = (outcome: RouteOutcome, condition: Rule['condition'] = { all: [] }): Rule => ({
  id: ruleId,
  display_name: 'Visa to B',
  active: true,
  action: 'route-transaction',
  condition,
  outcome,
})
const rulesOf = (...rules: Rule[]) => compileRules({ flow: 'card-transaction', version: 3, rules })
const to = (...ids: string[]) => ids.map((payment_service_id) => ({ payment_service_id }))
const ids = (route: { steps: readonly { payment_service_id: string }[] }) =>
  route.steps.map(({ payment_service_id }) => payment_service_id)

test('tries the eligible payment services in their order if no rule matches', () => {
  const visaOnly = rulesOf(routeRule({ attempts: to(b) }, { field: 'scheme', operator: 'is', value: 'amex' }))
  for (const rules of [undefined, rulesOf(), visaOnly]) {
    expect(decideRoute(rules, facts, services, occasion)).toMatchObject({ action: null, retriesOn: null })
    expect(ids(decideRoute(rules, facts, services, occasion))).toEqual(services)
    expect(ids(decideRoute(rules, facts, services, occasion, [a]))).toEqual([b, c])
  }
})

test('the first rule that matches decides and explains its decision', () => {
  const gold: Rule['condition'] = {
    all: [
      { field: 'amount', operator: 'gte', value: 1000, currency: 'EUR' },
      { not: { field: 'scheme', operator: 'in', value: ['amex', 'jcb'] } },
      {
        any: [
          { field: 'metadata.tier', operator: 'is', value: 'platinum' },
          { field: 'metadata.tier', operator: 'is', value: 'gold' },
        ],
      },
    ],
  }
  const rules = rulesOf(routeRule({ attempts: to(b, a) }, gold), routeRule({ attempts: to(c) }))
  const route = decideRoute(rules, facts, [a, c], {
    ...occasion,
    ineligibilityReason: () => 'does not accept EUR',
  })
  expect(ids(route)).toEqual([a])
  expect(route.action).toEqual({
    type: 'action',
    id: 'route-transaction',
    flow: 'card-transaction',
    rule_id: ruleId,
    created_at: occasion.at,
    outcome: {
      type: 'card-routing',
      version: 2,
      result: [{ payment_service_id: a, instrument: null, transformations: [] }],
      skipped: [{ payment_service_id: b, reason: 'does not accept EUR' }],
      rule: { name: 'Visa to B', version: 3 },
      because: [
        {
          field: 'amount',
          operator: 'gte',
          value: 1000,
          currency: 'EUR',
          actual: 1299,
          actual_currency: 'EUR',
        },
        { field: 'scheme', operator: 'in', value: ['amex', 'jcb'], actual: 'visa', not: true },
        { field: 'metadata.tier', operator: 'is', value: 'gold', actual: 'gold' },
      ],
    },
  })
})

test('a rule that routes to service B only never uses service A', () => {
  fc.assert(
    fc.property(
      fc.subarray(services),
      fc.subarray(services),
      fc.subarray(services, { minLength: 1 }),
      (eligible, tried, wanted) => {
        const route = decideRoute(
          rulesOf(routeRule({ attempts: to(...wanted) })),
          facts,
          eligible,
          occasion,
          tried,
        )
        expect(ids(route)).toEqual(wanted.filter((id) => eligible.includes(id) && !tried.includes(id)))
        expect(route.action?.outcome['type']).toBe('card-routing')
      },
    ),
  )
})

test('a rule may limit the number of attempts, and the refusals after which another is made', () => {
  const rules = rulesOf(routeRule({ attempts: to(a, b, c), retries: { maximum: 1, on: ['issuer_decline'] } }))
  const after = (...tried: string[]) => {
    const route = decideRoute(rules, facts, services, occasion, tried)
    return { steps: ids(route), attemptsLeft: route.attemptsLeft }
  }
  expect(after()).toEqual({ steps: [a, b, c], attemptsLeft: 2 })
  expect(decideRoute(rules, facts, services, occasion).retriesOn).toEqual(['issuer_decline'])
  expect(after(a)).toEqual({ steps: [b, c], attemptsLeft: 1 })
  expect(after(a, b)).toEqual({ steps: [], attemptsLeft: 0 })
})

test('a rule may match the refusal of the previous attempt', () => {
  const rules = rulesOf(
    routeRule({ attempts: to(c) }, { field: 'previous_decline', operator: 'is', value: 'issuer_decline' }),
    routeRule({ attempts: to(a, b) }),
  )
  expect(ids(decideRoute(rules, facts, services, occasion))).toEqual([a, b])
  expect(
    ids(decideRoute(rules, { ...facts, previous_decline: 'issuer_decline' }, services, occasion, [a])),
  ).toEqual([c])
  expect(
    ids(decideRoute(rules, { ...facts, previous_decline: 'service_error' }, services, occasion, [a])),
  ).toEqual([b])
})

test('inactive rules and rules of another action do not decide', () => {
  const off = { ...routeRule({ attempts: to(b) }), active: false }
  const decline: Rule = {
    ...off,
    active: true,
    action: 'decline-early',
    outcome: { error_code: 'flow_too_much' },
  }
  expect(ids(decideRoute(rulesOf(off, decline), facts, services, occasion))).toEqual(services)
  expect(decideDecline(rulesOf(off, decline), facts, occasion)?.outcome).toEqual({
    error_code: 'flow_too_much',
  })
  expect(decideDecline(rulesOf(off), facts, occasion)).toBeUndefined()
})

test('a split routes its share of the buyers, and each buyer always the same way', () => {
  const rules = rulesOf(
    routeRule({
      split: [
        { percent: 12.5, attempts: to(a) },
        { percent: 87.5, attempts: to(b) },
      ],
    }),
  )
  const first = (buyer: string | null, transaction: string) =>
    ids(decideRoute(rules, facts, services, { ...occasion, buyer, transaction }))[0]
  const buyers = Array.from({ length: 20_000 }, (_, index) => `buyer ${index}`)
  const toA = buyers.filter((buyer) => first(buyer, 't') === a).length
  // four standard deviations of a binomial distribution
  expect(Math.abs(toA - 2_500)).toBeLessThan(4 * Math.sqrt(20_000 * 0.125 * 0.875))
  for (const buyer of buyers.slice(0, 200)) expect(first(buyer, 'another')).toBe(first(buyer, 't'))
  const withoutBuyer = new Set(buyers.slice(0, 200).map((transaction) => first(null, transaction)))
  expect(withoutBuyer).toEqual(new Set([a, b]))
})

test('a split of 0 % or 100 % is exact', () => {
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (buyer, isFirst) => {
      const split = [
        { percent: isFirst ? 100 : 0, attempts: to(a) },
        { percent: isFirst ? 0 : 100, attempts: to(b) },
      ]
      expect(
        ids(decideRoute(rulesOf(routeRule({ split })), facts, services, { ...occasion, buyer })),
      ).toEqual([isFirst ? a : b])
    }),
  )
})

test('the small shares of two rules have different buyers', () => {
  const buyers = Array.from({ length: 10_000 }, (_, index) => `buyer ${index}`)
  const both = buyers.filter(
    (buyer) => bucketOf('one', buyer) < 1_000 && bucketOf('two', buyer) < 1_000,
  ).length
  expect(Math.abs(both - 100)).toBeLessThan(4 * Math.sqrt(100))
})

test('the same facts and rules always give the same route', () => {
  fc.assert(
    fc.property(
      fc.array(anyCondition, { maxLength: 5 }),
      anyFacts,
      fc.subarray(services),
      (conditions, payment, eligible) => {
        const rules = conditions.map((condition, index) =>
          routeRule({ attempts: to(...services.slice(index % 3)) }, condition),
        )
        const decide = () =>
          decideRoute(
            compileRules({ flow: 'card-transaction', version: 1, rules }),
            payment,
            eligible,
            occasion,
          )
        expect(decide()).toEqual(decide())
      },
    ),
  )
})
