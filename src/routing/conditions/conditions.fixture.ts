import fc from 'fast-check'
import type { Facts } from '../facts.ts'
import type { Condition } from './condition.schema.ts'
import { conditionProblems, isCondition } from './condition-problems.ts'

/** Few values, so that conditions often match facts; some of them break careless code. */
const texts = [
  'a',
  'b',
  'gold',
  'golden',
  'DE',
  '',
  '𝟙💳',
  '\ud800',
  'constructor',
  '__proto__',
  'e\u0301',
  'x'.repeat(500),
]
const keys = ['tier', 'constructor', '__proto__', 'toString', 'a.b', '💳', 'hasOwnProperty']
const times = [
  '2026-03-29T00:59:59Z',
  '2026-03-29T01:00:00Z',
  '2026-10-25T00:30:00Z',
  '2026-12-31T23:59:59.999Z',
  '1969-07-20T20:17:00Z',
]
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
]

const oneOf = (...values: readonly string[]) => fc.constantFrom(...values)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })
const text = fc.oneof(oneOf(...texts), fc.string({ maxLength: 20, unit: 'binary' }))
const nonEmptyText = fc.oneof(
  oneOf(...texts.filter((each) => each !== '')),
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
)
const time = fc.oneof(
  oneOf(...times),
  fc
    .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
)
const bin = fc.oneof(oneOf('411111', '41111111', '555555', '37828224'), fc.stringMatching(/^\d{6,8}$/))
const money = fc.oneof(fc.constantFrom(0, 999, 1000, 1001, 99_999_999), fc.nat({ max: 99_999_999 }))
const currency = oneOf('EUR', 'USD', 'JPY')
const country = oneOf('DE', 'FR', 'US')

export const anyFacts: fc.Arbitrary<Facts> = fc.record({
  amount: maybe(money),
  currency: maybe(currency),
  country: maybe(country),
  bin: maybe(bin),
  scheme: maybe(oneOf('visa', 'mastercard', 'amex')),
  card_type: maybe(oneOf('credit', 'debit', 'prepaid')),
  issuer_country: maybe(country),
  method: maybe(oneOf('card', 'wallet', 'bnpl')),
  payment_source: maybe(oneOf('ecommerce', 'moto', 'recurring')),
  intent: maybe(oneOf('authorize', 'capture')),
  merchant_initiated: fc.boolean(),
  is_subsequent_payment: fc.boolean(),
  metadata: maybe(
    fc
      .array(fc.tuple(fc.oneof(oneOf(...keys), text), text), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  ),
  buyer_id: maybe(oneOf('018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002')),
  buyer_external_identifier: maybe(text),
  created_at: fc.oneof({ weight: 9, arbitrary: time }, { weight: 1, arbitrary: text }),
  previous_decline: maybe(oneOf('issuer_decline', 'service_error', 'suspected_fraud')),
})

const range = <T>(bound: fc.Arbitrary<T>, order: (a: T, b: T) => number) =>
  fc.tuple(bound, bound).map((bounds) => {
    const [from, to] = bounds.sort(order)
    return { from, to }
  })
const clock = fc
  .tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 }))
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))

const words = (field: string, word: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.record({ field: fc.constant(field), operator: fc.constant('is'), value: word }),
    fc.record({
      field: fc.constant(field),
      operator: fc.constant('in'),
      value: fc.array(word, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ field: fc.constant(field), operator: fc.constant('is_null'), value: fc.boolean() }),
  )
const metadataField = fc
  .oneof(
    oneOf(...keys),
    nonEmptyText.filter((key) => key.length <= 100),
  )
  .map((key) => `metadata.${key}`)

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({
    field: fc.constant('amount'),
    operator: oneOf('eq', 'gt', 'gte', 'lt', 'lte'),
    value: money,
    currency,
  }),
  fc.record({
    field: fc.constant('amount'),
    operator: fc.constant('between'),
    value: range(money, (a, b) => a - b),
    currency,
  }),
  words('currency', currency),
  words('country', country),
  words('issuer_country', country),
  words('scheme', oneOf('visa', 'mastercard', 'amex')),
  words('card_type', oneOf('credit', 'debit', 'prepaid')),
  words('method', oneOf('card', 'wallet', 'bnpl')),
  words('payment_source', oneOf('ecommerce', 'moto', 'recurring')),
  words('intent', oneOf('authorize', 'capture')),
  words('buyer_id', fc.constant('018f0000-0000-7000-8000-000000000001')),
  words('buyer_external_identifier', nonEmptyText),
  words('previous_decline', oneOf('issuer_decline', 'service_error')),
  metadataField.chain((field) => words(field, nonEmptyText)),
  fc.record({ field: metadataField, operator: fc.constant('contains'), value: nonEmptyText }),
  fc.record({
    field: fc.constant('bin'),
    operator: fc.constant('starts_with'),
    value: fc.array(fc.stringMatching(/^[345]\d{0,7}$/), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    field: fc.constant('bin'),
    operator: fc.constant('in_range'),
    value: fc.array(
      fc
        .nat({ max: 2 })
        .chain((more) =>
          range(fc.stringMatching(new RegExp(`^\\d{${6 + more}}$`)), (a, b) => (a < b ? -1 : 1)),
        ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({ field: fc.constant('bin'), operator: fc.constant('is_null'), value: fc.boolean() }),
  fc.record({
    field: oneOf('merchant_initiated', 'is_subsequent_payment'),
    operator: fc.constant('is'),
    value: fc.boolean(),
  }),
  fc.record({
    field: fc.constant('time_of_day'),
    operator: fc.constant('between'),
    value: fc
      .record({ from: clock, to: clock, time_zone: oneOf(...zones) })
      .filter(({ from, to }) => from !== to),
  }),
  fc.record({
    field: fc.constant('weekday'),
    operator: fc.constant('in'),
    value: fc.record({
      days: fc.subarray(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'], {
        minLength: 1,
      }),
      time_zone: oneOf(...zones),
    }),
  }),
  fc.record({ field: fc.constant('created_at'), operator: oneOf('before', 'after'), value: oneOf(...times) }),
)

/** Valid conditions of every field and operator, nested and empty groups included. */
export const anyCondition: fc.Arbitrary<Condition> = fc
  .letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      leaf,
      fc.record({ all: fc.array(tie('node'), { maxLength: 3 }) }),
      fc.record({ any: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('node') }),
    ),
  }))
  .node.map((condition) => {
    if (isCondition(condition)) return condition
    throw new Error(`not a condition: ${JSON.stringify([condition, conditionProblems(condition, '')])}`)
  })
