import fc from 'fast-check'

/** A JSON schema as our API document writes them. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  /** An amount: the maximum is that of currencies whose unit is small. */
  'x-amount'?: boolean
  minLength?: number
  maxLength?: number
  maxItems?: number
  /** The mark of personal data, for it and all that is in it. */
  'x-personal'?: string
}

export interface Operation {
  id: string
  method: string
  path: string
  parameters: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[]
  body: Schema | undefined
}

type Content = Record<string, { schema: Schema }>

export interface ApiDocument {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string
        parameters?: Operation['parameters']
        requestBody?: { content: Content }
        responses: Record<string, { content?: Content }>
      }
    >
  >
  components: { schemas: Record<string, Schema> }
}

export const operationsOf = (document: ApiDocument): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, parameters = [], requestBody }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody?.content['application/json']?.schema,
    })),
  )

const formats: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  'date-time': fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  date: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
}

/**
 * Values that have the shape of a schema; `known` gives what mostly stands under some names, such as a real
 * id under `transaction_id`.
 */
export function valueFor(document: ApiDocument, known: Record<string, unknown>) {
  const components = new Map<string, fc.Arbitrary<unknown>>()
  const referred = (name: string) => {
    const made = components.get(name) ?? of(document.components.schemas[name] ?? {}, name)
    components.set(name, made)
    return made
  }
  const text = ({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> =>
    pattern
      ? fc.stringMatching(new RegExp(pattern)).map((value) => value.slice(0, maxLength))
      : (formats[format ?? ''] ??
        fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) }))
  const object = ({
    properties = {},
    required = [],
    additionalProperties,
  }: Schema): fc.Arbitrary<unknown> => {
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, of(schema, name)]),
    )
    const optional = Object.keys(members).filter((name) => !required.includes(name))
    // a few of the optional members: all at once contradict each other, and nothing gets beyond the rules
    const some = fc.subarray(optional, { maxLength: Math.min(3, optional.length) })
    const whole = some.chain((chosen) =>
      fc.record(
        Object.fromEntries(
          Object.entries(members).filter(
            ([name]) => !optional.includes(name) || chosen.includes(name) || name in known,
          ),
        ),
      ),
    )
    if (Object.keys(properties).length > 0 || !additionalProperties) return whole
    return fc.dictionary(
      fc.string({ maxLength: 10 }),
      additionalProperties === true ? fc.jsonValue({ maxDepth: 2 }) : of(additionalProperties, ''),
      {
        maxKeys: 4,
      },
    )
  }
  const of = (schema: Schema, name: string): fc.Arbitrary<unknown> =>
    name in known
      ? fc.oneof({ weight: 4, arbitrary: fc.constant(known[name]) }, anyOf(schema, name))
      : anyOf(schema, name)
  function anyOf(schema: Schema, name: string): fc.Arbitrary<unknown> {
    const { $ref, items, minimum = -1_000, maximum = 200_000_000, maxItems = 4 } = schema
    if ($ref) return referred($ref.slice($ref.lastIndexOf('/') + 1))
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => anyOf(each, name)))
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if ('const' in schema) return fc.constant(schema.const)
    const kinds: Record<string, () => fc.Arbitrary<unknown>> = {
      string: () => text(schema),
      integer: () => fc.integer({ min: minimum, max: schema['x-amount'] ? 99_999_999 : maximum }),
      number: () => fc.double({ min: minimum, max: maximum, noNaN: true }),
      boolean: () => fc.boolean(),
      null: () => fc.constant(null),
      array: () => fc.array(of(items ?? {}, name), { maxLength: Math.min(maxItems, 4) }),
      object: () => object(schema),
    }
    return fc.oneof(
      ...[schema.type ?? []].flat().map((type) => kinds[type]?.() ?? fc.jsonValue()),
      ...(schema.type ? [] : [fc.jsonValue()]),
    )
  }
  return of
}

/** What breaks programs, in the place of anything. */
const hostile: unknown[] = [
  ...[null, true, 0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, 99_999_999, 100_000_000],
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202e',
    '💳'.repeat(50),
    'x'.repeat(10_000),
    '0',
    '-1',
    '1e400',
    'NaN',
    'null',
    '[]',
    '%00',
    '../..',
  ],
  ...[
    "' or 1=1 --",
    '{"a":"\\u0000"}',
    '$1',
    '{{7*7}}',
    '<script>',
    '0000-01-01T00:00:00Z',
    '2024-02-30T00:00:00Z',
    '9999-12-31T23:59:59+15:59',
    '00000000-0000-0000-0000-000000000000',
  ],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    { constructor: 1 },
    { toString: null },
    { length: -1 },
    { toJSON: 1 },
    { valueOf: 1 },
    Array(300).fill(0),
  ],
]

/**
 * One place in a value replaced, removed, or joined by a member that the schema does not have. The value itself
 * stays as it is.
 */
export function mutated(value: unknown, choices: readonly number[]): unknown {
  const [turn = 0, ...rest] = choices
  const other = hostile[turn % hostile.length]
  if (rest.length === 0 || value === null || typeof value !== 'object') return other
  const keys = Object.keys(value)
  const key = keys[(rest[0] ?? 0) % Math.max(keys.length, 1)]
  if (key === undefined) return other
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? mutated(item, rest) : item))
  const copy: Record<string, unknown> = { ...value }
  if (turn % 5 === 0) delete copy[key]
  else if (turn % 5 === 1)
    copy[['constructor', 'prototype', 'hasOwnProperty', 'x', ''][turn % 5] ?? 'x'] = other
  else copy[key] = mutated(copy[key], rest)
  return copy
}
