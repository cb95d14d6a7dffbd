import { type Static, type TSchema, Type } from 'typebox'
import { Amount, Country, Currency, Words } from '../../api/schema.ts'
import { CardScheme, CardType, Method } from '../../connectors/contract/method.schema.ts'

/**
 * Limits on the time that a decision takes and on the size of its explanation. An empty group counts as a
 * leaf.
 */
export const bounds = { depth: 8, leaves: 64, values: 100, rules: 100, ruleBytes: 16_384 } as const

/** A schema with the words that an error message uses for it. */
const Described = <T extends TSchema>(schema: T, description: string): T & { description: string } => ({
  ...schema,
  description,
})

const closed = { additionalProperties: false }
const list = <T extends TSchema>(item: T) => Type.Array(item, { minItems: 1, maxItems: bounds.values })
const range = <T extends TSchema>(bound: T) => Type.Object({ from: bound, to: bound }, closed)

const word = Described(Type.String({ minLength: 1, maxLength: 500 }), 'a text')
const words = Described(list(word), `a list of 1 to ${bounds.values} texts`)
const truth = Described(Type.Boolean(), 'true or false')
const amount = Described(Amount, 'an amount in the smallest unit of the currency')
const amounts = Described(range(Amount), '{ from, to }: two amounts, both included')
const prefixes = Described(
  list(Type.String({ pattern: '^\\d{1,8}$' })),
  `a list of 1 to ${bounds.values} prefixes of 1 to 8 digits`,
)
const binRanges = Described(
  list(range(Type.String({ pattern: '^\\d{6,8}$' }))),
  `a list of 1 to ${bounds.values} ranges { from, to } of 6 to 8 digits, both ends included`,
)
const timeZone = Type.String({ minLength: 1, maxLength: 64 })
const timeOfDay = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' })
const hours = Described(
  Type.Object({ from: timeOfDay, to: timeOfDay, time_zone: timeZone }, closed),
  '{ from, to, time_zone }: two times HH:MM in an IANA time zone, the first included and the second not',
)
const Weekday = Words('sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday')
const days = Described(
  Type.Object({ days: Type.Array(Weekday, { minItems: 1, maxItems: 7 }), time_zone: timeZone }, closed),
  '{ days, time_zone }: names of days, from monday to sunday, in an IANA time zone',
)
const instant = Described(
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$' }),
  'a timestamp with its offset, as in 2026-12-24T18:00:00Z',
)

/** The operators of each kind of field, and the values that they compare with. */
export const operators = {
  amount: { eq: amount, gt: amount, gte: amount, lt: amount, lte: amount, between: amounts },
  word: { is: word, in: words, is_null: truth },
  metadata: { is: word, in: words, contains: word, is_null: truth },
  bin: { starts_with: prefixes, in_range: binRanges, is_null: truth },
  truth: { is: truth },
  hours: { between: hours },
  days: { in: days },
  instant: { before: instant, after: instant },
} as const
type Kind = keyof typeof operators

/** Every field but `metadata.KEY`. */
export const fieldKinds = {
  amount: 'amount',
  currency: 'word',
  country: 'word',
  bin: 'bin',
  scheme: 'word',
  card_type: 'word',
  issuer_country: 'word',
  method: 'word',
  payment_source: 'word',
  intent: 'word',
  merchant_initiated: 'truth',
  is_subsequent_payment: 'truth',
  buyer_id: 'word',
  buyer_external_identifier: 'word',
  previous_decline: 'word',
  time_of_day: 'hours',
  weekday: 'days',
  created_at: 'instant',
} as const satisfies Record<string, Kind>
type Field = keyof typeof fieldKinds

/**
 * The possible values of a field, if they are limited: a condition on any other value could never match, so
 * it is refused.
 */
const vocabularies: Partial<Record<Field, TSchema>> = {
  currency: Currency,
  country: Country,
  issuer_country: Country,
  scheme: CardScheme,
  card_type: CardType,
  method: Method,
  payment_source: Words('ecommerce', 'moto', 'recurring', 'installment', 'card_on_file'),
  intent: Words('authorize', 'capture'),
  buyer_id: Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
}

type FieldOf<K extends Kind> = K extends 'metadata'
  ? `metadata.${string}`
  : { [F in Field]: (typeof fieldKinds)[F] extends K ? F : never }[Field]
type LeafOf<K extends Kind> = {
  [O in keyof (typeof operators)[K]]: (typeof operators)[K][O] extends TSchema
    ? { field: FieldOf<K>; operator: O; value: Static<(typeof operators)[K][O]> }
    : never
}[keyof (typeof operators)[K]]

/** A condition on one fact; `currency` beside an amount is the currency that the rule means. */
export type Leaf = { [K in Kind]: LeafOf<K> }[Kind] & { currency?: string }
export type LeafOfKind<K extends Kind> = LeafOf<K> & { currency?: string }

/**
 * The condition of a rule. An empty `all` is true. A leaf about an unknown fact is false, and `not` of it is
 * true.
 */
export type Condition =
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }
  | { not: Condition }
  | Leaf

const METADATA = 'metadata.'
/** The key of a field `metadata.KEY`; undefined for another field. */
export const metadataKey = (field: string): string | undefined =>
  field.startsWith(METADATA) ? field.slice(METADATA.length) : undefined

/** The kind of a field; undefined for an unknown field. */
export function kindOf(field: string): Kind | undefined {
  const key = metadataKey(field)
  if (key !== undefined) return key.length >= 1 && key.length <= 100 ? 'metadata' : undefined
  return isField(field) ? fieldKinds[field] : undefined
}

const isField = (field: string): field is Field => Object.hasOwn(fieldKinds, field)

/** The value that an operator compares with; undefined if the kind does not have the operator. */
export function valueShape(kind: Kind, operator: string): (TSchema & { description: string }) | undefined {
  const shapes: Readonly<Record<string, TSchema & { description: string }>> = operators[kind]
  return Object.hasOwn(shapes, operator) ? shapes[operator] : undefined
}

/** The operators that fields of this kind have. */
export const operatorsOf = (kind: Kind): string[] => Object.keys(operators[kind])

export const vocabularyOf = (field: string): TSchema | undefined =>
  isField(field) ? vocabularies[field] : undefined
