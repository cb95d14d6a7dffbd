import type { Leaf } from '@railyard/client'
import { cardSchemes } from '../../format/card-schemes.ts'
import { countryCodes, currencyCodes, nameCountry, nameCurrency, readable } from '../../format/names.ts'
import type { routingWords } from '../../words/connections/routing.ts'

/** How fields are compared. */
export type Kind = 'amount' | 'word' | 'metadata' | 'bin' | 'truth' | 'hours' | 'days' | 'instant'

type NamedField = Exclude<Leaf['field'], `metadata.${string}`>

/** The fields that a condition can be about, in the order in which they are offered. */
export const fieldKinds = {
  amount: 'amount',
  currency: 'word',
  country: 'word',
  method: 'word',
  scheme: 'word',
  card_type: 'word',
  bin: 'bin',
  issuer_country: 'word',
  payment_source: 'word',
  intent: 'word',
  merchant_initiated: 'truth',
  is_subsequent_payment: 'truth',
  previous_decline: 'word',
  buyer_id: 'word',
  buyer_external_identifier: 'word',
  time_of_day: 'hours',
  weekday: 'days',
  created_at: 'instant',
  metadata: 'metadata',
} as const satisfies Record<NamedField | 'metadata', Kind>

export type FieldName = keyof typeof fieldKinds
export const fieldNames = Object.keys(fieldKinds) as FieldName[]

/** The comparisons of each kind. `known` and `unknown` are the two values of `is_null`. */
export const kindOperators = {
  amount: ['gt', 'gte', 'lt', 'lte', 'eq', 'between'],
  word: ['is', 'in', 'unknown', 'known'],
  metadata: ['is', 'in', 'contains', 'unknown', 'known'],
  bin: ['starts_with', 'in_range', 'unknown', 'known'],
  truth: ['is'],
  hours: ['between'],
  days: ['in'],
  instant: ['before', 'after'],
} as const satisfies Record<Kind, readonly (keyof (typeof routingWords)['operators'])[]>
export type Operator = (typeof kindOperators)[Kind][number]

/** The declines after which another payment service is tried (docs/guides/routing.md). */
export const retriableCodes = [
  'issuer_decline',
  'other_decline',
  'service_decline',
  'incorrect_country',
  'incorrect_currency',
  'unknown_payment_method',
  'insufficient_service_permissions',
  'invalid_amount',
  'invalid_payment_method',
  'invalid_service_credentials',
  'invalid_service_response',
  'missing_billing_address',
  'missing_cvv',
  'missing_shipping_address',
  'missing_tax_identifier',
  'service_error',
  'service_network_error',
  'service_rate_limit',
  'invalid_operation',
  'invalid_service_request',
  'service_resource_conflict',
  'unknown_service_resource',
  'unsupported_country',
  'unsupported_currency',
] as const

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const

type Options = readonly (readonly [value: string, text: string])[]

const plain = (values: readonly string[]): Options => values.map((value) => [value, readable(value)])

/** The values that a field can have, where they are known; `methods` are those that the instance knows. */
export function choicesOf(field: FieldName, methods: readonly string[]): Options | undefined {
  switch (field) {
    case 'currency':
      return currencyCodes().map((code) => [code, nameCurrency(code)])
    case 'country':
    case 'issuer_country':
      return countryCodes().map((code) => [code, nameCountry(code)])
    case 'scheme':
      return plain(cardSchemes)
    case 'card_type':
      return plain(['credit', 'debit', 'prepaid'])
    case 'method':
      return plain(methods)
    case 'payment_source':
      return plain(['ecommerce', 'moto', 'recurring', 'installment', 'card_on_file'])
    case 'intent':
      return plain(['authorize', 'capture'])
    case 'previous_decline':
      return plain(retriableCodes)
    default:
      return undefined
  }
}
