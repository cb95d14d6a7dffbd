import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { AMOUNT_KEYWORD, HIGHEST_CEILING } from './values/amount-ceiling.ts'

/** An object with these properties and no others. Its name is what the API document calls it. */
export const Closed = <P extends TProperties>(name: string, properties: P): TObject<P> =>
  Type.Object(properties, { title: name, additionalProperties: false })

/** Any JSON object: what comes from, or goes to, somebody else. */
export const Open = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

/** `null` as a second type where the schema has one type: validators and serializers handle that faster than a union. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: words } = schema as { type?: unknown; enum?: unknown[] }
  const nullable =
    typeof type === 'string' ? { ...schema, type: [type, 'null'], ...(words && { enum: [...words, null] }) } : { anyOf: [schema, { type: 'null' }] }
  return Type.Unsafe<Static<T> | null>(nullable)
}

/** One of these words. */
export const Words = <const W extends readonly string[]>(...words: W) => Type.Unsafe<W[number]>({ type: 'string', enum: words })

/** With what the API document says of it. */
export const Described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })

/**
 * How a value tells of a person (docs/privacy.md), as the API document shows it. `restricted`: who a buyer is and how to reach them; callers without the scope
 * `buyers.billing-details.read` are shown null in its place. `erasable`: what a merchant may call or note a person by, such as metadata; every reader of the resource
 * is shown it. An erasure takes out both.
 */
export const PERSONAL = 'x-personal'
export type PersonalMark = 'restricted' | 'erasable'

const marked =
  (mark: PersonalMark) =>
  <T extends TSchema>(schema: T): T => ({ ...schema, [PERSONAL]: mark })

/** Who a buyer is, or how to reach them. */
export const Personal = marked('restricted')

/** What may tell of a person and is shown to every reader of the resource. */
export const Erasable = marked('erasable')

export const Uuid = Type.String({ format: 'uuid' })

/** ISO 8601 with offset, answered with microseconds (SEMANTICS §1.1). */
export const Timestamp = Type.String({ format: 'date-time' })

export const CalendarDate = Type.String({ format: 'date' })

/** ISO 4217, three capital letters. That the code exists is checked by the operation that uses it. */
export const Currency = Type.String({ pattern: '^[A-Z]{3}$' })

/** ISO 3166-1 alpha-2. */
export const Country = Type.String({ pattern: '^[A-Z]{2}$' })

/** Smallest currency unit, 0..99999999 (SPEC §8), or more where the currency's unit is small (`ceilingOf`). */
export const Amount = Type.Integer({ minimum: 0, maximum: HIGHEST_CEILING, [AMOUNT_KEYWORD]: true })

/** An amount that a list is filtered by. */
export const FilterAmount = Type.Integer({ minimum: 0, maximum: HIGHEST_CEILING })

/** `MM/YY`. */
export const CardExpiry = Type.String({ pattern: '^\\d{2}/\\d{2}$', minLength: 5, maxLength: 5 })

/** E.164. */
export const PhoneNumber = Type.String({ pattern: '^\\+[1-9]\\d{1,14}$' })

/** An absolute http(s) URL, or a `data:application/json;base64,` value (SEMANTICS §1.7). */
export const RedirectUrl = Type.String({ maxLength: 8192 })

export const Text = (minLength: number, maxLength: number) => Type.String({ minLength, maxLength })

export const MapOf = <T extends TSchema>(value: T) => Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value })

const cursor = (description: string) => Nullable(Described(Text(1, 1000), description))

/** The envelope of a list (SPEC §2.12). */
export const Page = <T extends TSchema>(name: string, item: T) =>
  Closed(name, {
    items: Type.Array(item),
    limit: Type.Integer({ minimum: 1, maximum: 100, description: 'The most items that this page could have' }),
    next_cursor: cursor('Asks for the page after this one; null on the last'),
    previous_cursor: cursor('Asks for the page before this one; null on the first'),
  })

/** The query parameters of a list; `fallback` is its default page size (SEMANTICS §1.11). */
export const pageQuery = (fallback = 20) => ({
  cursor: Type.Optional(cursor('`next_cursor` or `previous_cursor` of another page, with the same filters; absent: the first page')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: fallback, description: 'How many items a page has at most' })),
})
