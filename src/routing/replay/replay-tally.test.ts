import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateApproval } from './replay-estimate.ts'
import { toReplayReport } from './replay-result.ts'
import {
  decisionChanges,
  newTally,
  type ReplayDecision,
  type ReplayedPayment,
  tallyPayment,
} from './replay-tally.ts'

const services = ['a', 'b', 'c']
const step = fc.record({
  payment_service_id: fc.constantFrom(...services),
  instrument: fc.constantFrom(null, 'pan' as const),
})
const decided: fc.Arbitrary<ReplayDecision> = fc
  .record({
    declined: fc.option(fc.constantFrom('flow_decline', 'flow_risk'), { freq: 4 }),
    skipsThreeDSecure: fc.boolean(),
    steps: fc.oneof(
      { weight: 5, arbitrary: fc.array(step, { maxLength: 2 }) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    rules: fc.constantFrom(
      {},
      { 'route-transaction': 'one' },
      { 'route-transaction': 'other', 'skip-3ds': 'one' },
    ),
  })
  .map((decision) =>
    decision.declined === null ? decision : { ...decision, skipsThreeDSecure: false, steps: [] },
  )
const payment: fc.Arbitrary<ReplayedPayment> = fc.record({
  id: fc.uuid(),
  segment: fc.record({
    scheme: fc.constantFrom('visa', 'mastercard'),
    method: fc.constant(null),
    currency: fc.constantFrom('EUR', 'USD'),
    merchant_initiated: fc.boolean(),
  }),
  before: decided,
  after: decided,
  attempt: fc.option(fc.record({ payment_service_id: fc.constantFrom(...services), approved: fc.boolean() })),
})
const names = { services: new Map(), rules: new Map() }

function tallied(payments: readonly ReplayedPayment[]) {
  const tally = newTally()
  for (const each of payments) tallyPayment(tally, each)
  return tally
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

test('counts every payment once, with shares of the total and a rate within its bounds', () => {
  fc.assert(
    fc.property(fc.array(payment, { maxLength: 60 }), (payments) => {
      const { decisions, payment_services, approval, examples } = toReplayReport(tallied(payments), names)
      expect(decisions.total).toBe(payments.length)
      expect(decisions.unchanged + sum(decisionChanges.map((change) => decisions[change]))).toBe(
        payments.length,
      )
      expect(examples.length).toBe(Math.min(20, payments.length - decisions.unchanged))
      for (const side of ['before', 'after'] as const) {
        const { attempts, estimable, rate, bounds, not_estimable, thin } = approval[side]
        expect(estimable + not_estimable.transactions).toBe(attempts)
        expect(thin.transactions).toBeLessThanOrEqual(estimable)
        expect(sum(payment_services.map((service) => service[side].attempts))).toBeLessThanOrEqual(attempts)
        const shares = sum(payment_services.map((service) => service[side].share))
        expect(shares === 0 || Math.abs(shares - 1) < 1e-9).toBe(true)
        expect(rate === null).toBe(estimable === 0)
        if (rate) {
          expect(rate.interval.low).toBeLessThanOrEqual(rate.value)
          expect(rate.interval.high).toBeGreaterThanOrEqual(rate.value)
        }
        if (bounds) expect(0 <= bounds.low && bounds.low <= bounds.high && bounds.high <= 1 + 1e-9).toBe(true)
      }
    }),
  )
})

test('expects exactly the same rate from rules that decide as before', () => {
  fc.assert(
    fc.property(fc.array(payment, { minLength: 1, maxLength: 60 }), (payments) => {
      const { before, after, change } = estimateApproval(
        tallied(payments.map((each) => ({ ...each, after: each.before }))),
      )
      expect(after).toEqual(before)
      expect(
        change === null || (change.value === 0 && change.interval.low === 0 && change.interval.high === 0),
      ).toBe(true)
    }),
  )
})

test('the rate before equals the observed rate if every attempt has an outcome', () => {
  const attempted = fc.tuple(payment, fc.constantFrom(...services), fc.boolean()).map(
    ([each, payment_service_id, approved]): ReplayedPayment => ({
      ...each,
      before: {
        declined: null,
        skipsThreeDSecure: false,
        steps: [{ payment_service_id, instrument: null }],
        rules: {},
      },
      attempt: { payment_service_id, approved },
    }),
  )
  fc.assert(
    fc.property(fc.array(attempted, { minLength: 1, maxLength: 60 }), (payments) => {
      const approved = payments.filter(({ attempt }) => attempt?.approved).length
      expect(estimateApproval(tallied(payments)).before.rate?.value).toBeCloseTo(
        approved / payments.length,
        10,
      )
    }),
  )
})
