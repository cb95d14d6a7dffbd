import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'

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

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const dateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/
const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/

/** A lone surrogate or a NUL cannot be stored as text: they are refused at the door rather than by the database. */
export const storable = (text: string) => !text.includes('\u0000') && text.isWellFormed()

const formats = {
  uuid,
  date: (text: string) => date.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text: string) => dateTime.test(text) && !Number.isNaN(Date.parse(text)),
}

/** Bodies are taken as they are; what arrives as text (query, path, headers) is read as the type it stands for. */
const strict = new Ajv2020({ allErrors: true, useDefaults: false, coerceTypes: false, allowUnionTypes: true, verbose: true, formats })
const fromText = new Ajv2020({ allErrors: true, useDefaults: true, coerceTypes: 'array', allowUnionTypes: true, verbose: true, formats })

type Part = 'body' | 'query' | 'path' | 'header'
const parts: Record<string, Part> = { body: 'body', querystring: 'query', params: 'path', headers: 'header' }

/** Compiles at the first use of each schema: most processes never see most operations, and starting is felt by everybody. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const part = parts[httpPart ?? 'body'] ?? 'body'
  const ajv = part === 'body' ? strict : fromText
  let validate: ReturnType<typeof ajv.compile> | undefined
  return (value: unknown) => {
    validate ??= ajv.compile(schema)
    if (!validate(value)) return { error: new InvalidShape(describe(part, validate.errors ?? [])) }
    const unstorable = firstUnstorable(value, [part])
    return unstorable ? { error: new InvalidShape([unstorable]) } : { value }
  }
}

/** No resource nests deeper; what does would overflow a stack somewhere. */
const DEEPEST = 32

function firstUnstorable(value: unknown, loc: (string | number)[]): ShapeError | undefined {
  if (loc.length > DEEPEST) return { loc, msg: `is nested deeper than ${DEEPEST} levels`, type: 'depth', input: null, ctx: {} }
  if (typeof value === 'string')
    return storable(value) ? undefined : { loc, msg: 'holds a character that cannot be stored', type: 'string', input: null, ctx: {} }
  if (value === null || typeof value !== 'object') return undefined
  for (const [key, inner] of Object.entries(value)) {
    const found = storable(key)
      ? firstUnstorable(inner, [...loc, key])
      : { loc, msg: 'has a key that cannot be stored', type: 'string', input: null, ctx: {} }
    if (found) return found
  }
  return undefined
}

/** Names whose values are never repeated in an answer: an error body ends up in logs. */
const confidential = /number|security_code|token|cryptogram|pin|password|secret|private|value|cavv/i

function describe(part: Part, errors: ErrorObject[]): ShapeError[] {
  return closestBranches(errors).map((error) => {
    const named =
      error.keyword === 'required'
        ? [error.params['missingProperty']]
        : error.keyword === 'additionalProperties'
          ? [error.params['additionalProperty']]
          : []
    const loc = [part, ...error.instancePath.split('/').slice(1).map(fromPointer), ...named]
    const simple = error.data === null || typeof error.data !== 'object'
    const hidden = loc.some((step) => confidential.test(String(step)))
    return { loc, msg: error.message ?? 'is invalid', type: error.keyword, input: simple && !hidden ? error.data : null, ctx: error.params }
  })
}

const fromPointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~')

/**
 * Where a value fits none of several shapes, a validator reports what each of them lacks. Only the shape that the caller meant helps:
 * the one whose fixed words (`method: "card"`) fit, and of those the one with the fewest problems.
 */
function closestBranches(errors: ErrorObject[]): ErrorObject[] {
  const choice = errors.find((error) => error.keyword === 'anyOf')
  if (!choice) return errors
  const prefix = `${choice.schemaPath}/`
  const branches = Map.groupBy(
    errors.filter((error) => error.schemaPath.startsWith(prefix)),
    (error) => error.schemaPath.slice(prefix.length).split('/')[0],
  )
  const badness = (branch: ErrorObject[]) => {
    const wrongKind = branch.some((error) => error.instancePath === choice.instancePath && error.keyword === 'type')
    const wrongWord = branch.some((error) => ['const', 'enum'].includes(error.keyword) && error.instancePath.endsWith('/method'))
    return (wrongKind ? 1_000_000 : 0) + (wrongWord ? 1_000 : 0) + branch.length
  }
  const [closest = []] = [...branches.values()].sort((a, b) => badness(a) - badness(b))
  const others = errors.filter((error) => error !== choice && !error.schemaPath.startsWith(prefix))
  return [...closestBranches(others), ...closestBranches(closest)]
}
