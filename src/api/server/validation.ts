import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { PERSONAL } from '../schema.ts'
import { amountKeyword, ceilingMessage, ceilingOf } from '../values/amount-ceiling.ts'
import { expectationMessage } from './expectation-messages.ts'

/** One problem of a request's shape, answered as 422 (SPEC §7.2). */
export interface ShapeError {
  loc: (string | number)[]
  msg: string
  type: string
  input: unknown
  ctx: Record<string, unknown>
}

/** A shape that does not fit; `error-handler.ts` answers it as 422 without the envelope. */
export class InvalidShape extends Error {
  readonly detail: ShapeError[]
  constructor(detail: ShapeError[]) {
    super('The request does not have the shape that the operation takes')
    this.detail = detail
  }
}

/** Throws 422 for an amount that its currency does not have, where the request does not name that currency. */
export function refuseBeyondCeiling(field: string, amount: number | null | undefined, currency: string): void {
  const limit = ceilingOf(currency)
  if (!amount || amount <= limit) return
  throw new InvalidShape([
    { loc: ['body', field], msg: ceilingMessage(limit, currency), type: 'maximum', input: amount, ctx: { comparison: '<=', limit } },
  ])
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether the database takes it for a UUID: asked of text that no schema has looked at. */
export const isUuid = (text: string): boolean => uuid.test(text)

const date = /^\d{4}-\d{2}-\d{2}$/
/** PostgreSQL knows no offset of 16 hours or more. */
const dateTime =
  /^(?<day>\d{4}-\d{2}-\d{2})[Tt ](?<time>(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?<fraction>\.\d{1,9})?(?:[Zz]|(?<hours>[+-](?:0\d|1[0-5])):?(?<minutes>[0-5]\d))$/
/** In UTC a year has four digits (SEMANTICS §1.1); the second one is out. */
const [FIRST, BEYOND] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('+010000-01-01T00:00:00Z')]

/** A day of the calendar. JavaScript takes 31 February for a day in March, and there is no year 0: the database refuses both. */
export function isCalendarDay(text: string): boolean {
  const time = date.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && !text.startsWith('0000') && new Date(time).toISOString().startsWith(text)
}

/** The database rounds to microseconds, which may come to the next year. */
function isStorableTime(text: string): boolean {
  const { day = '', time, fraction = '', hours = '+00', minutes = '00' } = dateTime.exec(text)?.groups ?? {}
  if (!isCalendarDay(day)) return false
  const isNextSecond = Math.round(Number(`0${fraction}`) * 1e6) === 1e6
  const second = Date.parse(`${day}T${time}${hours}:${minutes}`) + (isNextSecond ? 1_000 : 0)
  return second >= FIRST && second < BEYOND
}

/** A lone surrogate or a NUL cannot be stored as text: they are refused at the door rather than by the database. */
export const isStorable = (text: string) => !text.includes('\u0000') && text.isWellFormed()

const formats = {
  uuid,
  date: isCalendarDay,
  'date-time': isStorableTime,
}

/** A time with its offset from UTC, as the database takes it. */
export const isTimestamp = formats['date-time']

/** `x-nul` marks a shape in whose lists the NUL character by itself stands for null (SEMANTICS §16.7); marks of personal data say nothing of what fits. */
const keywords = ['x-nul', PERSONAL, amountKeyword]

/** Bodies are taken as they are; what arrives as text (query, path, headers) is read as the type it stands for. */
const strict = new Ajv2020({ keywords, allErrors: true, useDefaults: false, coerceTypes: false, allowUnionTypes: true, verbose: true, formats })
/** Whether a body fits, as most do: the same as `strict` without noting all that could be wrong, in half the time. */
const quick = new Ajv2020({ keywords, useDefaults: false, coerceTypes: false, allowUnionTypes: true, messages: false, formats })
const fromText = new Ajv2020({ keywords, allErrors: true, useDefaults: true, coerceTypes: 'array', allowUnionTypes: true, verbose: true, formats })

type Part = 'body' | 'query' | 'path' | 'header'
const parts: Record<string, Part> = { body: 'body', querystring: 'query', params: 'path', headers: 'header' }

/** In a query `+` means a blank: a timestamp whose offset was not escaped arrives with one in its place. */
const unescapedOffset = /^(\S{10}[T ]\S{8,18}) (\d\d:?\d\d)$/i

function restoreOffsets(schema: TSchema, query: unknown): void {
  const { properties = {} } = schema as { properties?: Record<string, { format?: string }> }
  if (typeof query !== 'object' || query === null) return
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string' && properties[name]?.format === 'date-time')
      Object.assign(query, { [name]: value.replace(unescapedOffset, '$1+$2') })
  }
}

interface UuidSchema {
  format?: string
  items?: UuidSchema
  anyOf?: UuidSchema[]
}

const holdsUuids = ({ format, items, anyOf = [] }: UuidSchema): boolean =>
  format === 'uuid' || (items !== undefined && holdsUuids(items)) || anyOf.some(holdsUuids)

/** Writes the UUIDs of a path or query in small letters, as they are stored: idempotency scopes, cursors and look-ups in memory compare them as text. */
function canonicalUuids(schema: TSchema): (values: unknown) => void {
  const { properties = {} } = schema as { properties?: Record<string, UuidSchema> }
  const names = Object.keys(properties).filter((name) => holdsUuids(properties[name] ?? {}))
  const lower = (value: unknown): unknown =>
    typeof value === 'string' && isUuid(value) ? value.toLowerCase() : Array.isArray(value) ? value.map(lower) : value
  return (values) => {
    if (typeof values !== 'object' || values === null) return
    for (const name of names) if (Object.hasOwn(values, name)) Reflect.set(values, name, lower(Reflect.get(values, name)))
  }
}

/** Compiles at the first use of each schema: most processes never see most operations, and starting is felt by everybody. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const part = parts[httpPart ?? 'body'] ?? 'body'
  const [fitsQuickly, explained] =
    part === 'body' ? [compiledOnce(quick, schema), compiledOnce(strict, schema)] : [undefined, compiledOnce(fromText, schema)]
  const canonicalize = part === 'path' || part === 'query' ? canonicalUuids(schema) : () => undefined
  return (value: unknown) => {
    if (part === 'query') restoreOffsets(schema, value)
    const misfits = () => {
      if (fitsQuickly?.()(value)) return undefined
      const fits = explained()
      return fits(value) ? undefined : describe(part, fits.errors ?? [])
    }
    // a body's size is known before its shape is looked at; what arrived as text has its types only afterwards
    const storing = () => storageProblems(part, value, 'x-nul' in schema)
    const problems = part === 'body' ? (storing() ?? misfits()) : (misfits() ?? storing())
    if (problems) return { error: new InvalidShape(problems) }
    canonicalize(value)
    return { value }
  }
}

function compiledOnce(ajv: Ajv2020, schema: TSchema) {
  let validate: ReturnType<typeof ajv.compile> | undefined
  return () => {
    validate ??= ajv.compile(schema)
    return validate
  }
}

/** No resource nests deeper; what does would overflow a stack somewhere. */
const DEEPEST = 32

/** A cart of 249 items with 100 categories each has 30,000. A megabyte of zeros has 500,000, and as many problems to describe. */
const MAX_VALUES = 50_000

/** What no schema says and no operation takes, looked for before a schema is asked: it costs the validator more than it costs the caller. */
function storageProblems(part: Part, body: unknown, takesNul: boolean): ShapeError[] | undefined {
  let values = 0
  // where we are, as a stack: a list for each value would be most of the work
  const loc: string[] = []
  const refused = (msg: string, type: string) => ({ loc: [...loc], msg, type, input: null, ctx: {} })
  const tooMany = (): ShapeError => ({ ...refused(`holds more than ${MAX_VALUES} values`, 'size'), loc: [] })
  const look = (value: unknown, isListed = false): ShapeError | undefined => {
    if (++values > MAX_VALUES) return tooMany()
    if (loc.length >= DEEPEST) return refused(`is nested deeper than ${DEEPEST} levels`, 'depth')
    // `1e400` is a number to JSON, and to a validator that reads it from a query
    if (typeof value === 'number') return Number.isFinite(value) ? undefined : refused('is beyond all numbers', 'number')
    if (typeof value === 'string')
      return isStorable(value) || (takesNul && isListed && value === '\u0000')
        ? undefined
        : refused('holds a character that cannot be stored', 'string')
    if (value === null || typeof value !== 'object') return undefined
    // keys alone: a list of all pairs of a megabyte of zeros costs more than the rest of this, and is not needed once the count is known
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
    for (const key of keys) {
      if (typeof key === 'string' && !isStorable(key)) return refused('has a key that cannot be stored', 'string')
      loc.push(String(key))
      const found = look(Reflect.get(value, key), Array.isArray(value))
      if (found) return found
      loc.pop()
    }
    return undefined
  }
  const found = look(body)
  return found && [{ ...found, loc: [part, ...found.loc.map(safeToRepeat)] }]
}

/** Names whose values are never repeated in an answer: an error body ends up in logs. */
const confidential = /number|security_code|token|cryptogram|pin|password|secret|private|value|cavv/i

/** Digits that could be a card's, wherever they were put. */
const cardLike = /(?:\d[ -]?){12}/

const MAX_ECHO_LENGTH = 100

/** What may be repeated of a name or value that the caller sent. */
const safeToRepeat = (text: string | number) => (cardLike.test(String(text)) || String(text).length > MAX_ECHO_LENGTH ? '***' : text)

/** More help nobody. */
const MAX_PROBLEMS = 100

function describe(part: Part, errors: ErrorObject[]): ShapeError[] {
  // alternatives count as problems until the closest one is chosen
  return closestBranches(errors.slice(0, 10 * MAX_PROBLEMS))
    .slice(0, MAX_PROBLEMS)
    .map((error) => {
      const { missingProperty, additionalProperty } = error.params
      const extra = typeof additionalProperty === 'string' ? { additionalProperty: safeToRepeat(additionalProperty) } : {}
      const loc = [part, ...error.instancePath.split('/').slice(1).map(fromPointer), ...[missingProperty ?? additionalProperty ?? []].flat()]
      const hidden = loc.some((step) => confidential.test(String(step)))
      return {
        loc: loc.map(safeToRepeat),
        msg: expectationMessage(error) ?? error.message ?? 'is invalid',
        type: error.keyword,
        input: hidden ? null : echo(error.data),
        ctx: { ...error.params, ...extra },
      }
    })
}

const echo = (data: unknown) => (typeof data === 'string' || typeof data === 'number' ? safeToRepeat(data) : typeof data === 'boolean' ? data : null)

const fromPointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~')

/** Members by whose fixed words one of several shapes is chosen. */
const discriminators = ['method', 'kind', 'event'] as const

/**
 * Where a value fits none of several shapes, a validator reports what each of them lacks. Only the shape that the caller meant helps:
 * the one whose fixed words (`method: "card"`) fit, and of those the one with the fewest problems. A choice within a choice is reported
 * first, so it is settled first.
 */
function closestBranches(errors: ErrorObject[]): ErrorObject[] {
  const choice = errors.find((error) => error.keyword === 'anyOf')
  if (!choice) return errors
  const prefix = `${choice.schemaPath}/`
  const within = ({ schemaPath, instancePath }: ErrorObject) =>
    schemaPath.startsWith(prefix) && `${instancePath}/`.startsWith(`${choice.instancePath}/`)
  const branches = Map.groupBy(errors.filter(within), (error) => error.schemaPath.slice(prefix.length).split('/')[0])
  const badness = (branch: ErrorObject[]) => {
    const wrongKind = branch.some((error) => error.instancePath === choice.instancePath && error.keyword === 'type')
    const wrongWord = branch.some(
      ({ keyword, instancePath }) => ['const', 'enum'].includes(keyword) && discriminators.some((word) => instancePath.endsWith(`/${word}`)),
    )
    return (wrongKind ? 1_000_000 : 0) + (wrongWord ? 1_000 : 0) + branch.length
  }
  const [closest = []] = [...branches.values()].sort((a, b) => badness(a) - badness(b))
  const ofNone = wordOfNone([...branches.values()], choice.instancePath) ?? typeOfNone([...branches.values()], choice.instancePath)
  return closestBranches([...errors.filter((error) => error !== choice && !within(error)), ...(ofNone ? [ofNone] : closest)])
}

/** Where the value is of no type that one of the shapes has: the types of all of them. */
function typeOfNone(branches: ErrorObject[][], at: string): ErrorObject | undefined {
  const ofType = branches.flatMap((branch) => branch.find(({ keyword, instancePath }) => keyword === 'type' && instancePath === at) ?? [])
  const [first] = ofType
  if (!first || ofType.length < branches.length) return undefined
  const types = [...new Set(ofType.flatMap(({ params }) => params['type'] as string | string[]))]
  return { ...first, params: { type: types }, message: `must be ${types.join(' or ')}` }
}

/** Where the word by which one chooses fits none of the shapes, no shape was meant: what helps are the words of all of them. */
function wordOfNone(branches: ErrorObject[][], at: string): ErrorObject | undefined {
  const ofWord = branches.map((branch) =>
    branch.find(
      ({ keyword, instancePath }) => ['const', 'enum'].includes(keyword) && discriminators.some((word) => instancePath === `${at}/${word}`),
    ),
  )
  const [first] = ofWord
  if (!first || ofWord.some((error) => error?.instancePath !== first.instancePath)) return undefined
  const allowedValues = ofWord.flatMap((error) => error?.params['allowedValues'] ?? [error?.params['allowedValue']])
  return { ...first, keyword: 'enum', params: { allowedValues: [...new Set(allowedValues)] }, message: 'must be equal to one of the allowed values' }
}
