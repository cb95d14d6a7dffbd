import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { PERSONAL } from '../schema.ts'
import { amountKeyword, ceilingMessage, ceilingOf } from '../values/amount-ceiling.ts'
import { unescapePointerStep } from '../values/json-pointer.ts'
import { canonicalId, isUuid } from '../values/uuid.ts'
import { expectationMessage } from './expectation-messages.ts'

/** One problem of a request's shape, answered as 422 (API §7.2). */
export interface ShapeError {
  loc: (string | number)[]
  msg: string
  type: string
  input: unknown
  ctx: Record<string, unknown>
}

/**
 * Thrown for a request whose shape does not fit its schema; `error-handler.ts` answers it as 422 (API §7.2).
 */
export class InvalidShape extends Error {
  readonly detail: ShapeError[]
  constructor(detail: ShapeError[]) {
    super('The request does not have the shape that the operation takes')
    this.detail = detail
  }
}

/**
 * Throws 422 for an amount above the ceiling of a currency that the request itself does not name, so that the
 * schema cannot check it.
 */
export function refuseBeyondCeiling(
  field: string,
  amount: number | null | undefined,
  currency: string,
): void {
  const limit = ceilingOf(currency)
  if (!amount || amount <= limit) return
  throw new InvalidShape([
    {
      loc: ['body', field],
      msg: ceilingMessage(limit, currency),
      type: 'maximum',
      input: amount,
      ctx: { comparison: '<=', limit },
    },
  ])
}

const date = /^\d{4}-\d{2}-\d{2}$/
/** PostgreSQL accepts no offset of 16 hours or more. */
const dateTime =
  /^(?<day>\d{4}-\d{2}-\d{2})[Tt ](?<time>(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?<fraction>\.\d{1,9})?(?:[Zz]|(?<hours>[+-](?:0\d|1[0-5])):?(?<minutes>[0-5]\d))$/
/** In UTC a year has four digits (semantics §1.1). `FIRST_TIME` is included, `END_TIME` is not. */
const [FIRST_TIME, END_TIME] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('+010000-01-01T00:00:00Z')]

/**
 * Whether this is a day of the calendar. JavaScript reads 31 February as a day in March, and there is no year
 * 0: the database refuses both.
 */
export function isCalendarDay(text: string): boolean {
  const time = date.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && !text.startsWith('0000') && new Date(time).toISOString().startsWith(text)
}

/** The database rounds to microseconds, which may lead to the next year. */
function isStorableTime(text: string): boolean {
  const { day = '', time, fraction = '', hours = '+00', minutes = '00' } = dateTime.exec(text)?.groups ?? {}
  if (!isCalendarDay(day)) return false
  const isNextSecond = Math.round(Number(`0${fraction}`) * 1e6) === 1e6
  const second = Date.parse(`${day}T${time}${hours}:${minutes}`) + (isNextSecond ? 1_000 : 0)
  return second >= FIRST_TIME && second < END_TIME
}

/** Whether the database can store this text: not with a lone surrogate or a NUL character. */
export const isStorable = (text: string) => !text.includes('\u0000') && text.isWellFormed()

const formats = {
  uuid: isUuid,
  date: isCalendarDay,
  'date-time': isStorableTime,
}

/** Whether this is a time with its offset from UTC that the database accepts. */
export const isTimestamp = formats['date-time']

/**
 * `x-nul` marks a shape in whose lists a single NUL character stands for null (semantics §16.7). The mark of
 * personal data does not affect validation.
 */
const keywords = ['x-nul', PERSONAL, amountKeyword]

const common = {
  keywords,
  allowUnionTypes: true,
  formats,
  // the schemas are Railyard's own, and a test checks them: here, JSON Schema's own schema would be compiled
  // for the first request
  validateSchema: false,
  meta: false,
} as const

/** For bodies, without coercion. */
const strict = new Ajv2020({
  ...common,
  allErrors: true,
  useDefaults: false,
  coerceTypes: false,
  verbose: true,
})
/** As `strict`, without collecting all problems, in half the time: most bodies fit. */
const quick = new Ajv2020({ ...common, useDefaults: false, coerceTypes: false, messages: false })
/** For query, path and headers, which arrive as text: values are coerced to the type of their schema. */
const fromText = new Ajv2020({
  ...common,
  allErrors: true,
  useDefaults: true,
  coerceTypes: 'array',
  verbose: true,
})

type Part = 'body' | 'query' | 'path' | 'header'
const parts: Record<string, Part> = { body: 'body', querystring: 'query', params: 'path', headers: 'header' }

/** In a query `+` means a blank: a timestamp with an unescaped offset arrives with a blank in its place. */
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

/**
 * Writes the UUIDs of a path or query in lower case, as they are stored: idempotency scopes, cursors and
 * look-ups in memory compare them as text.
 */
function canonicalUuids(schema: TSchema): (values: unknown) => void {
  const { properties = {} } = schema as { properties?: Record<string, UuidSchema> }
  const names = Object.keys(properties).filter((name) => holdsUuids(properties[name] ?? {}))
  const canonical = (value: unknown): unknown =>
    typeof value === 'string' && isUuid(value)
      ? canonicalId(value)
      : Array.isArray(value)
        ? value.map(canonical)
        : value
  return (values) => {
    if (typeof values !== 'object' || values === null) return
    for (const name of names)
      if (Object.hasOwn(values, name)) Reflect.set(values, name, canonical(Reflect.get(values, name)))
  }
}

/**
 * Compiles each schema at its first use: most processes never run most operations, and compiling all would
 * slow down every start.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const part = parts[httpPart ?? 'body'] ?? 'body'
  const [fitsQuickly, explained] =
    part === 'body'
      ? [compiledOnce(quick, schema), compiledOnce(strict, schema)]
      : [undefined, compiledOnce(fromText, schema)]
  const canonicalize = part === 'path' || part === 'query' ? canonicalUuids(schema) : () => undefined
  return (value: unknown) => {
    if (part === 'query') restoreOffsets(schema, value)
    const misfits = () => {
      if (fitsQuickly?.()(value)) return undefined
      const fits = explained()
      return fits(value) ? undefined : describe(part, fits.errors ?? [])
    }
    // a body is bounded before the schema is checked; values that arrived as text have their types only
    // afterwards
    const unstorable = () => storageProblems(part, value, 'x-nul' in schema)
    const problems = part === 'body' ? (unstorable() ?? misfits()) : (misfits() ?? unstorable())
    if (problems) return { error: new InvalidShape(problems) }
    canonicalize(value)
    return { value }
  }
}

/** Compiles the schema at the first call; every call returns the same validator. */
export function compiledOnce<T = unknown>(ajv: Ajv2020, schema: TSchema): () => ValidateFunction<T> {
  let validate: ValidateFunction<T> | undefined
  return () => {
    validate ??= ajv.compile<T>(schema)
    return validate
  }
}

/** No resource nests deeper. A deeper value would overflow a stack somewhere. */
const MAX_DEPTH = 32

/**
 * A cart of 249 items with 100 categories each has 30,000. A megabyte of zeros has 500,000, and as many
 * problems to describe.
 */
const MAX_VALUES = 50_000

/**
 * Problems that no schema describes: too many values, too deep, not storable. For a body this runs before the
 * schema is checked, since such a body costs the validator more than it costs the client.
 */
function storageProblems(part: Part, body: unknown, takesNul: boolean): ShapeError[] | undefined {
  let values = 0
  // the position of the current value, as a stack: a list for each value would be most of the work
  const loc: string[] = []
  const refused = (msg: string, type: string) => ({ loc: [...loc], msg, type, input: null, ctx: {} })
  const tooMany = (): ShapeError => ({ ...refused(`holds more than ${MAX_VALUES} values`, 'size'), loc: [] })
  const look = (value: unknown, isListed = false): ShapeError | undefined => {
    if (++values > MAX_VALUES) return tooMany()
    if (loc.length >= MAX_DEPTH) return refused(`is nested deeper than ${MAX_DEPTH} levels`, 'depth')
    // JSON, and a validator that reads a query, accept `1e400`: it becomes infinity
    if (typeof value === 'number')
      return Number.isFinite(value) ? undefined : refused('is beyond all numbers', 'number')
    if (typeof value === 'string')
      return isStorable(value) || (takesNul && isListed && value === '\u0000')
        ? undefined
        : refused('holds a character that cannot be stored', 'string')
    if (value === null || typeof value !== 'object') return undefined
    // keys alone: a list of all pairs of a megabyte of zeros costs more than the rest of this function
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
    for (const key of keys) {
      if (typeof key === 'string' && !isStorable(key))
        return refused('has a key that cannot be stored', 'string')
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

/** Members with such a name are never repeated in an answer: clients log error bodies. */
const confidential = /number|security_code|token|cryptogram|pin|password|secret|private|value|cavv/i

/**
 * Digits that could be a card number, anywhere in a text. Wider than that of logged URLs (`redact-url.ts`):
 * an answer can do without any value.
 */
const cardLike = /(?:\d[ -]?){12}/

const MAX_ECHO_LENGTH = 100

/** A name or value that the client sent, as an answer may repeat it. */
const safeToRepeat = (text: string | number) =>
  cardLike.test(String(text)) || String(text).length > MAX_ECHO_LENGTH ? '***' : text

/** The problems that an answer lists at most. */
const MAX_PROBLEMS = 100

function describe(part: Part, errors: ErrorObject[]): ShapeError[] {
  // problems of alternatives count until the closest alternative is chosen, hence the factor
  return closestBranches(errors.slice(0, 10 * MAX_PROBLEMS))
    .slice(0, MAX_PROBLEMS)
    .map((error) => {
      const { missingProperty, additionalProperty } = error.params
      const extra =
        typeof additionalProperty === 'string' ? { additionalProperty: safeToRepeat(additionalProperty) } : {}
      const loc = [
        part,
        ...error.instancePath.split('/').slice(1).map(unescapePointerStep),
        ...[missingProperty ?? additionalProperty ?? []].flat(),
      ]
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

const echo = (data: unknown) =>
  typeof data === 'string' || typeof data === 'number'
    ? safeToRepeat(data)
    : typeof data === 'boolean'
      ? data
      : null

/** The members whose fixed words choose one of several shapes. */
const discriminators = ['method', 'kind', 'event'] as const

/**
 * If a value fits none of several shapes, a validator reports the problems with each of them. This keeps
 * those of the shape that the client most likely meant: the one whose fixed words (`method: "card"`) fit, and
 * of several the one with the fewest problems. The validator reports a choice within a choice first, so it is
 * decided first.
 */
function closestBranches(errors: ErrorObject[]): ErrorObject[] {
  const choice = errors.find((error) => error.keyword === 'anyOf')
  if (!choice) return errors
  const prefix = `${choice.schemaPath}/`
  const within = ({ schemaPath, instancePath }: ErrorObject) =>
    schemaPath.startsWith(prefix) && `${instancePath}/`.startsWith(`${choice.instancePath}/`)
  const branches = Map.groupBy(
    errors.filter(within),
    (error) => error.schemaPath.slice(prefix.length).split('/')[0],
  )
  const badness = (branch: ErrorObject[]) => {
    const wrongKind = branch.some(
      (error) => error.instancePath === choice.instancePath && error.keyword === 'type',
    )
    const wrongWord = branch.some(
      ({ keyword, instancePath }) =>
        ['const', 'enum'].includes(keyword) &&
        discriminators.some((word) => instancePath.endsWith(`/${word}`)),
    )
    return (wrongKind ? 1_000_000 : 0) + (wrongWord ? 1_000 : 0) + branch.length
  }
  const [closest = []] = [...branches.values()].sort((one, other) => badness(one) - badness(other))
  const all = [...branches.values()]
  const mismatch = wordMismatch(all, choice.instancePath) ?? typeMismatch(all, choice.instancePath)
  return closestBranches([
    ...errors.filter((error) => error !== choice && !within(error)),
    ...(mismatch ? [mismatch] : closest),
  ])
}

/** If the value's type is that of no shape: one problem that names the types of all of them. */
function typeMismatch(branches: ErrorObject[][], at: string): ErrorObject | undefined {
  const ofType = branches.flatMap(
    (branch) => branch.find(({ keyword, instancePath }) => keyword === 'type' && instancePath === at) ?? [],
  )
  const [first] = ofType
  if (!first || ofType.length < branches.length) return undefined
  const types = [...new Set(ofType.flatMap(({ params }) => params['type'] as string | string[]))]
  return { ...first, params: { type: types }, message: `must be ${types.join(' or ')}` }
}

/**
 * If the word that chooses the shape is that of no shape: one problem that names the words of all of them.
 */
function wordMismatch(branches: ErrorObject[][], at: string): ErrorObject | undefined {
  const ofWord = branches.map((branch) =>
    branch.find(
      ({ keyword, instancePath }) =>
        ['const', 'enum'].includes(keyword) &&
        discriminators.some((word) => instancePath === `${at}/${word}`),
    ),
  )
  const [first] = ofWord
  if (!first || ofWord.some((error) => error?.instancePath !== first.instancePath)) return undefined
  const allowedValues = ofWord.flatMap(
    (error) => error?.params['allowedValues'] ?? [error?.params['allowedValue']],
  )
  return {
    ...first,
    keyword: 'enum',
    params: { allowedValues: [...new Set(allowedValues)] },
    message: 'must be equal to one of the allowed values',
  }
}
