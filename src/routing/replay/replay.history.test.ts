import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addService } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const services = [
  shop.paymentServiceId,
  await addService(railyard, shop),
  await addService(railyard, shop, { accepted_currencies: ['USD', 'EUR'] }),
]

const tiers = ['gold', 'silver']
const buyers = ['ada', 'grace', 'edsger']

const leaf = fc.oneof(
  fc.record({
    field: fc.constant('amount'),
    operator: fc.constantFrom('gte', 'lt'),
    value: fc.constantFrom(1_000, 5_000, 300_000),
    currency: fc.constant('EUR'),
  }),
  fc.record({
    field: fc.constant('currency'),
    operator: fc.constant('is'),
    value: fc.constantFrom('EUR', 'USD', 'GBP'),
  }),
  fc.record({
    field: fc.constant('scheme'),
    operator: fc.constant('in'),
    value: fc.constantFrom(['visa'], ['mastercard'], ['visa', 'mastercard']),
  }),
  fc.record({
    field: fc.constant('bin'),
    operator: fc.constant('starts_with'),
    value: fc.constantFrom(['4'], ['555']),
  }),
  fc.record({
    field: fc.constant('metadata.tier'),
    operator: fc.constant('is'),
    value: fc.constantFrom(...tiers),
  }),
  fc.record({
    field: fc.constant('buyer_external_identifier'),
    operator: fc.constant('is'),
    value: fc.constantFrom(...buyers),
  }),
  fc.record({ field: fc.constant('merchant_initiated'), operator: fc.constant('is'), value: fc.boolean() }),
  fc.record({ field: fc.constant('country'), operator: fc.constant('is_null'), value: fc.boolean() }),
  fc.record({
    field: fc.constant('previous_decline'),
    operator: fc.constant('is_null'),
    value: fc.boolean(),
  }),
)
const condition = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 1, arbitrary: fc.record({ not: leaf }) },
  { weight: 1, arbitrary: fc.record({ all: fc.array(leaf, { maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ any: fc.array(leaf, { minLength: 1, maxLength: 2 }) }) },
)
/** By their indexes in `services`. */
const order = fc.shuffledSubarray([0, 1, 2], { minLength: 1 })
const instrument = fc.constantFrom(null, null, 'pan', 'network_token')
const attempts = fc
  .tuple(order, instrument)
  .map(([places, first]) => places.map((place, index) => ({ place, instrument: index === 0 ? first : null })))
const outcome = fc.oneof(
  fc.record({ attempts }),
  fc.record({ attempts, retries: fc.record({ maximum: fc.nat({ max: 2 }) }) }),
  fc.tuple(attempts, attempts, fc.integer({ min: 1, max: 99 })).map(([one, other, percent]) => ({
    split: [
      { percent, attempts: one },
      { percent: 100 - percent, attempts: other },
    ],
  })),
)
const rule = fc.oneof(
  { weight: 4, arbitrary: fc.record({ action: fc.constant('route-transaction'), condition, outcome }) },
  {
    weight: 1,
    arbitrary: fc.record({
      action: fc.constant('decline-early'),
      condition: leaf,
      outcome: fc.constantFrom({}, { error_code: 'flow_too_risky' }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ action: fc.constant('skip-3ds'), condition, outcome: fc.constant({}) }),
  },
)
const payment = fc.record({
  // some payments are refused, and some of those by all payment services
  amount: fc.constantFrom(500, 1_000, 7_500, 300_013, 100_005),
  currency: fc.constantFrom('EUR', 'USD', 'GBP', 'CHF'),
  card: fc.constantFrom('4111111111111111', '5555555555554444'),
  tier: fc.option(fc.constantFrom(...tiers)),
  buyer: fc.option(fc.constantFrom(...buyers)),
  country: fc.option(fc.constantFrom('DE', 'US')),
  merchant_initiated: fc.boolean(),
  named: fc.integer({ min: 0, max: 9 }).map((odds) => odds === 0),
})

const resolved = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, inner) =>
    key === '' || typeof inner !== 'object' || inner === null || !('place' in inner)
      ? inner
      : { payment_service_id: services[inner.place], instrument: inner.instrument },
  )

test('a replay of the live rules over the payments that they decided finds no change', async () => {
  let seen = 0
  let declined = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(rule, { maxLength: 6 }),
      fc.array(payment, { minLength: 1, maxLength: 6 }),
      async (rules, payments) => {
        railyard.clock.advance(1_000)
        const from = new Date(railyard.clock.now()).toISOString()
        const items = rules.map((each, index) => ({
          display_name: `Rule ${index}`,
          ...each,
          outcome: resolved(each.outcome),
        }))
        expect(await shop.put('/flows/card-transaction/rules', { items })).toMatchObject({ status: 200 })
        expect((await shop.post('/flows/card-transaction/rules/publish', {})).status).toBeLessThan(300)
        for (const { amount, currency, card, tier, buyer, country, merchant_initiated, named } of payments) {
          const { status, body } = await shop.pay(amount, {
            currency,
            country,
            payment_method: { method: 'card', number: card, expiration_date: '12/35' },
            ...(tier && { metadata: { tier } }),
            ...(buyer && { buyer: { external_identifier: buyer } }),
            ...(merchant_initiated && {
              merchant_initiated,
              payment_source: 'card_on_file',
              is_subsequent_payment: true,
            }),
            ...(named && currency === 'EUR' && { payment_service_id: services[0], country: null }),
          })
          expect({ status, body }).toMatchObject({ status: 201 })
          if (body.error_code?.startsWith('flow_')) declined++
        }
        const { status, body } = await shop.post('/flows/card-transaction/rules/replay', {
          state: 'live',
          from,
        })
        expect({ status, body }).toMatchObject({
          status: 200,
          body: { rules: { state: 'live' }, examples: [] },
        })
        const { transactions, decisions, approval, payment_services } = body
        expect(transactions.replayed + transactions.left_out.named).toBe(payments.length)
        expect(decisions.unchanged).toBe(transactions.replayed)
        expect(
          decisions.rules.filter((use: { before: number; after: number }) => use.before !== use.after),
        ).toEqual([])
        for (const { before, after } of payment_services) expect(after).toEqual(before)
        expect(approval.after).toEqual(approval.before)
        if (approval.change) expect(approval.change).toEqual({ value: 0, interval: { low: 0, high: 0 } })
        seen += transactions.replayed
      },
    ),
    { numRuns: 25, seed: 7 },
  )
  // the payments have decisions, some of them early declines
  expect(seen).toBeGreaterThan(30)
  expect(declined).toBeGreaterThan(0)
})
