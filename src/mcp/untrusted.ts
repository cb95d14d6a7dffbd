import { Type } from 'typebox'
import { isJsonObject } from '../api/values/json-object.ts'
import { isErrorCode } from '../connectors/contract/error-codes.ts'

/**
 * Text that a buyer, a merchant or a payment service has written. It may try to instruct the model that reads
 * it, so it is never shown as plain text.
 */
export interface UntrustedText {
  untrusted_text: string
  /** Present where the text was longer than `MAX_UNTRUSTED_LENGTH`. */
  truncated?: true
}

export const MAX_UNTRUSTED_LENGTH = 500

/** In the schema of an output: text of Railyard's own vocabulary, or marked text. */
export const AnyText = Type.Unsafe<string | UntrustedText>({
  anyOf: [
    { type: 'string' },
    {
      type: 'object',
      properties: { untrusted_text: { type: 'string' }, truncated: { type: 'boolean' } },
      required: ['untrusted_text'],
      additionalProperties: false,
    },
  ],
})

/**
 * Characters that are not seen, or change how others are seen: control and format characters (among them those
 * of bidirectional text, zero-width ones and tags), line and paragraph separators, private use, lone
 * surrogates, fillers, and variation selectors, which can carry hidden text.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]/gu

const escaped = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`

/** Marks a text, with invisible characters escaped. */
export function untrusted(text: string): UntrustedText {
  const characters = Array.from(text)
  const shown = characters.slice(0, MAX_UNTRUSTED_LENGTH).join('').replace(invisible, escaped)
  return characters.length > MAX_UNTRUSTED_LENGTH
    ? { untrusted_text: shown, truncated: true }
    : { untrusted_text: shown }
}

/** Values of one form, which no sentence has: ids, times, dates, currencies and countries, months. */
const formed =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?|[A-Z]{2,3}|\d{1,8}|\d{2}\/\d{2})$/

/** Members whose values are words of Railyard's own. A text of any other member is marked. */
const ownWords: ReadonlySet<string> = new Set([
  'action',
  'anti_fraud_decision',
  'approval_outcome',
  'card_type',
  'discrepancy',
  'flow',
  'instrument',
  'instrument_type',
  'intent',
  'intent_outcome',
  'kind',
  'method',
  'metric',
  'mode',
  'name_of_event',
  'operation',
  'operator',
  'outcome_by',
  'payment_service_definition_id',
  'payment_source',
  'previous_status',
  'scheme',
  'source',
  'state',
  'status',
  'target_type',
  'type',
])
const word = /^[a-z0-9][a-z0-9_.-]{0,60}$/

/** Members whose values are among Railyard's error codes; a rule's own code (`flow_…`) is marked. */
const codes: ReadonlySet<string> = new Set(['error_code', 'code'])

/** The names of members are Railyard's own, apart from these, whose members a merchant has named. */
const openMembers: ReadonlySet<string> = new Set(['metadata'])

function isOwn(member: string, text: string): boolean {
  if (formed.test(text)) return true
  if (codes.has(member)) return isErrorCode(text)
  return ownWords.has(member) && word.test(text)
}

/** What an answer of the API becomes in the answer of a tool. */
export type Marked<T> = T extends string
  ? string | UntrustedText
  : T extends readonly (infer Item)[]
    ? Marked<Item>[]
    : T extends object
      ? { [Key in keyof T]: Marked<T[Key]> }
      : T

/**
 * A copy of an answer of the API with each text marked that is not of a form, or a word, of Railyard's own.
 * What is not known is marked, so a new member of the API is safe before anybody thinks of it.
 */
export const marked = <T>(value: T): Marked<T> => markedMember('', value) as Marked<T>

function markedMember(member: string, value: unknown): unknown {
  if (typeof value === 'string') return isOwn(member, value) ? value : untrusted(value)
  if (Array.isArray(value)) return value.map((item) => markedMember(member, item))
  if (!isJsonObject(value)) return value
  if (openMembers.has(member))
    return Object.entries(value).map(([name, each]) => ({
      name: untrusted(name),
      value: markedMember('', each),
    }))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, markedMember(name, each)]))
}
