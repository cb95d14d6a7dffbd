import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { AMOUNT_KEYWORD, HIGHEST_CEILING } from './values/amount-ceiling.ts'

/** An object with these properties and no others. `name` is its name in the API document. */
export const Closed = <P extends TProperties>(name: string, properties: P): TObject<P> =>
  Type.Object(properties, { title: name, additionalProperties: false })

/** Any JSON object: data that comes from, or goes to, another system. */
export const Open = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/**
 * The schema, or null. If the schema has one type, null becomes a second one: validators and serializers
 * handle that faster than a union.
 */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: words } = schema as { type?: unknown; enum?: unknown[] }
  const nullable =
    typeof type === 'string'
      ? { ...schema, type: [type, 'null'], ...(words && { enum: [...words, null] }) }
      : { anyOf: [schema, { type: 'null' }] }
  return Type.Unsafe<Static<T> | null>(nullable)
}

/** One of these words. */
export const Words = <const W extends readonly string[]>(...words: W) =>
  Type.Unsafe<W[number]>({ type: 'string', enum: words })

/** The schema with a description for the API document. */
export const Described = <T extends TSchema>(schema: T, description: string): T => ({
  ...schema,
  description,
})

/** A query parameter. Null is the same as absent. */
export const Parameter = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Nullable(Described(schema, description)))

/**
 * Marks personal data (docs/guides/personal-data.md), also in the API document. `restricted`: who a buyer is
 * and how to reach them; callers without the scope `buyers.billing-details.read` get null in its place.
 * `erasable`: names and notes that a merchant may keep of a person, such as metadata; every reader of the
 * resource gets them. An erasure of personal data removes both.
 */
export const PERSONAL = 'x-personal'
export type PersonalMark = 'restricted' | 'erasable'

const marked =
  (mark: PersonalMark) =>
  <T extends TSchema>(schema: T): T => ({ ...schema, [PERSONAL]: mark })

/** Who a buyer is, or how to reach them. */
export const Personal = marked('restricted')

/** Data that may tell of a person and is answered to every reader of the resource. */
export const Erasable = marked('erasable')

export const Uuid = Type.String({ format: 'uuid' })

/** ISO 8601 with offset, answered with microseconds (semantics §1.1). */
export const Timestamp = Type.String({ format: 'date-time' })

export const CalendarDate = Type.String({ format: 'date' })

/** ISO 4217, three capital letters. The operation that uses it checks that the code exists. */
export const Currency = Type.String({ pattern: '^[A-Z]{3}$' })

/** ISO 3166-1 alpha-2. */
export const Country = Type.String({ pattern: '^[A-Z]{2}$' })

/**
 * In the smallest currency unit: 0 to 99,999,999 (API §8), or more if the currency's unit is small
 * (`ceilingOf`).
 */
export const Amount = Type.Integer({ minimum: 0, maximum: HIGHEST_CEILING, [AMOUNT_KEYWORD]: true })

/** An amount that a list is filtered by. */
export const FilterAmount = Type.Integer({ minimum: 0, maximum: HIGHEST_CEILING })

/** `MM/YY`. */
export const CardExpiry = Type.String({ pattern: '^\\d{2}/\\d{2}$', minLength: 5, maxLength: 5 })

/** E.164. */
export const PhoneNumber = Type.String({ pattern: '^\\+[1-9]\\d{1,14}$' })

/** An absolute http(s) URL, or a `data:application/json;base64,` value (semantics §1.7). */
export const RedirectUrl = Type.String({ maxLength: 8192 })

export const Text = (minLength: number, maxLength: number) => Type.String({ minLength, maxLength })

export const MapOf = <T extends TSchema>(value: T) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value })

const cursor = (description: string) => Nullable(Described(Text(1, 1000), description))

/** The envelope of a list (API §2.12). */
export const Page = <T extends TSchema>(name: string, item: T) =>
  Closed(name, {
    items: Type.Array(item),
    limit: Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'The most items that this page could have',
    }),
    next_cursor: cursor('Asks for the page after this one; null on the last'),
    previous_cursor: cursor('Asks for the page before this one; null on the first'),
  })

/** The query parameters of a list (semantics §1.11). */
export const pageQuery = (defaultLimit = 20) => ({
  cursor: Type.Optional(
    cursor(
      '`next_cursor` or `previous_cursor` of another page, with the same filters; absent: the first page',
    ),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: defaultLimit,
      description: 'How many items a page has at most',
    }),
  ),
})

/** The times by which a list is filtered. */
export const timeParameters = {
  created_at_lte: Parameter(Timestamp, 'Created then or before; ISO 8601 with offset'),
  created_at_gte: Parameter(Timestamp, 'Created then or after; ISO 8601 with offset'),
  updated_at_lte: Parameter(Timestamp, 'Changed last then or before; ISO 8601 with offset'),
  updated_at_gte: Parameter(Timestamp, 'Changed last then or after; ISO 8601 with offset'),
}
