import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ApiDocument,
  type Operation,
  operationsOf,
  type Schema,
} from '../../test/support/checks/schema-values.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { goodClaims, signed } from '../../test/support/tokens.ts'
import {
  browserOperations,
  type MemberRule,
  type MemberRules,
  paymentMethodVariant,
} from './browser-members.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()
const buyer: string = (await merchant.post('/buyers', {})).body.id
const document: ApiDocument = (await railyard.send('GET', '/openapi.json')).body
const ids = Object.values(document.paths).flatMap((item) =>
  Object.values(item as Record<string, { operationId: string; 'x-scopes'?: string[] }>).flatMap(
    (operation) => (operation['x-scopes']?.includes('embed') ? [operation.operationId] : []),
  ),
)
const opened = operationsOf(document).filter(({ id }) => ids.includes(id))

/**
 * The shapes that a browser may send as a whole, with the members that were reviewed. Before you add a new
 * member here, decide whether a browser may send it.
 */
const reviewedMembers: Record<string, string[]> = {
  Address: [
    'city',
    'country',
    'postal_code',
    'state',
    'state_code',
    'house_number_or_name',
    'line1',
    'line2',
    'organization',
  ],
  BankAccountHolder: ['first_name', 'last_name', 'company_name'],
  BillingDetails: ['first_name', 'last_name', 'email_address', 'phone_number', 'address', 'tax_id'],
  BrowserInfo: [
    ...[
      'javascript_enabled',
      'java_enabled',
      'language',
      'color_depth',
      'screen_height',
      'screen_width',
      'time_zone_offset',
      'user_agent',
    ],
    ...['user_device', 'accept_header'],
  ],
  CartItem: [
    ...[
      'name',
      'quantity',
      'unit_amount',
      'discount_amount',
      'tax_amount',
      'external_identifier',
      'sku',
      'upc',
      'product_url',
      'image_url',
    ],
    ...[
      'categories',
      'product_type',
      'type',
      'seller_country',
      'tax_exempt',
      'unit_of_measure',
      'commodity_code',
      'description',
      'duty_amount',
    ],
    'shipping_amount',
  ],
  GooglePayAssuranceDetails: ['account_verified', 'card_holder_authenticated'],
  ShippingDetailsCreate: ['first_name', 'last_name', 'email_address', 'phone_number', 'address'],
  TaxId: ['value', 'kind'],
}

/** A member of a request, its rule, and a request of the right shape that has it. */
interface MemberCase {
  operation: Operation
  location: 'body' | 'query'
  pointer: string
  rule: MemberRule | undefined
  /** The pointer of a refusal: the member itself, or the method of the payment method. */
  blamed: string
  request: Record<string, unknown>
}

const named = ({ $ref }: Schema) => $ref?.slice($ref.lastIndexOf('/') + 1)
const resolved = (schema: Schema): Schema =>
  schema.$ref ? (document.components.schemas[named(schema) ?? ''] ?? {}) : schema
const isNull = ({ type }: Schema) => type === 'null'
const alternatives = (schema: Schema): Schema[] => {
  const { anyOf } = resolved(schema)
  return anyOf ? anyOf.filter((each) => !isNull(each)).flatMap(alternatives) : [resolved(schema)]
}

const fixedValues: Record<string, unknown> = {
  number: '4111111111111111',
  security_code: '123',
  expiration_date: '12/35',
  bin: '411111',
  currency: 'USD',
}

/** A value of this shape, with the members that it needs. */
function sample(schema: Schema, name = ''): unknown {
  const [of = {}] = alternatives(schema)
  if (name in fixedValues) return isNull(of) ? null : fixedValues[name]
  if ('const' in of) return of.const
  if (of.enum) return of.enum[0]
  const type = [of.type ?? 'object'].flat().find((each) => each !== 'null')
  if (type === 'array') return [sample(of.items ?? {}, name)]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return Math.max(of.minimum ?? 1, 1)
  if (type === 'string') return text(of)
  return isNull(of) ? null : needed(of)
}

function text({ format, pattern, minLength = 1, maxLength = 40 }: Schema): string {
  if (format === 'uuid') return crypto.randomUUID()
  if (format === 'date-time') return '2099-01-01T00:00:00Z'
  if (format === 'date') return '1990-01-01'
  if (!pattern) return 'x'.repeat(minLength || 1)
  const fitting = fc
    .stringMatching(new RegExp(pattern))
    .filter(({ length }) => length >= minLength && length <= maxLength)
  return fc.sample(fitting, { numRuns: 1, seed: 1 })[0] ?? ''
}

/** The required members of an object, and the word that chooses its shape. */
function needed({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  const isKind = (name: string) => name === 'method' && 'const' in (properties[name] ?? {})
  const names = Object.keys(properties).filter((name) => required.includes(name) || isKind(name))
  return Object.fromEntries(names.map((name) => [name, sample(properties[name] ?? {}, name)]))
}

type Wrap = (members: Record<string, unknown>) => Record<string, unknown>

function casesOf(operation: Operation): MemberCase[] {
  const { query, body } = browserOperations[operation.id] ?? {}
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query')
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
  const required = parameters.flatMap(({ name, required }) => (required ? [name] : []))
  const at = (location: MemberCase['location']) => ({ operation, location, pointer: '', blamed: undefined })
  return [
    ...within({ properties, required }, query, at('query'), (members) => members),
    ...(operation.body
      ? alternatives(operation.body).flatMap((shape) => within(shape, body, at('body'), (members) => members))
      : []),
  ]
}

type At = Pick<MemberCase, 'operation' | 'location' | 'pointer'> & { blamed: string | undefined }

function within(shape: Schema, rules: MemberRules | undefined, at: At, wrap: Wrap): MemberCase[] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, schema]) => {
    const rule = rules && Object.hasOwn(rules, name) ? rules[name] : undefined
    const pointer = `${at.pointer}/${name}`
    const value = sample(schema, name)
    if (value === null) return []
    const request = wrap({ ...needed(shape), [name]: value })
    return [
      { ...at, pointer, rule, blamed: at.blamed ?? pointer, request },
      ...inner(schema, rule, { ...at, pointer }, (members) => wrap({ ...needed(shape), [name]: members })),
    ]
  })
}

/** The cases of a member's own members, if its rule has rules for them. */
function inner(
  schema: Schema,
  rule: MemberRule | undefined,
  at: At,
  wrap: (value: unknown) => Record<string, unknown>,
): MemberCase[] {
  return alternatives(schema).flatMap((shape) => {
    if (shape.items)
      return inner(shape.items, rule, { ...at, pointer: `${at.pointer}/0` }, (value) => wrap([value]))
    if (typeof rule !== 'object') return []
    if ('members' in rule) return within(shape, rule.members, at, wrap)
    if (!('variants' in rule)) return []
    const name = paymentMethodVariant(needed(shape))
    const members = Object.hasOwn(rule.variants, name) ? rule.variants[name] : rule.variants['other']
    if (members !== 'merchant') return within(shape, members, at, wrap)
    return within(shape, {}, { ...at, blamed: `${at.pointer}/method` }, wrap).map((memberCase) => ({
      ...memberCase,
      rule: 'merchant' as const,
    }))
  })
}

/** The named shapes within a schema. */
function shapesWithin(schema: Schema): string[] {
  const name = named(schema)
  const of = resolved(schema)
  const parts = [...(of.anyOf ?? []), ...Object.values(of.properties ?? {}), ...(of.items ? [of.items] : [])]
  return [...(name && of.properties ? [name] : []), ...parts.flatMap(shapesWithin)]
}

/**
 * A request with the members that a payment with buyer approval needs beyond its schema (semantics §0.19).
 */
function completed(request: Record<string, unknown>): Record<string, unknown> {
  const { payment_method: method } = request
  if (typeof method !== 'object' || method === null || !('method' in method) || method.method !== 'bnpl')
    return request
  return {
    country: 'DE',
    ...request,
    payment_method: { redirect_url: 'https://shop.example/back', ...method },
  }
}

async function send({ operation, location, request: members }: MemberCase, embed?: Record<string, unknown>) {
  const request = location === 'body' && operation.id === 'create_transaction' ? completed(members) : members
  const token = await signed(merchant.signer, goodClaims({ scopes: ['embed'], ...(embed && { embed }) }))
  const query = new URLSearchParams(
    Object.entries(request).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const path = location === 'query' ? `${operation.path}?${query}` : operation.path
  const body = location === 'body' ? { body: JSON.stringify(request) } : {}
  const type = location === 'body' ? { 'content-type': 'application/json' } : {}
  return railyard.send(operation.method, path.replaceAll(/\{\w+\}/g, crypto.randomUUID()), {
    headers: { authorization: `Bearer ${token}`, ...type },
    ...body,
  })
}

const reasons =
  /a browser’s token may not send it|names none but the buyer|needs a token that pins the buyer|differs from the value/
const blamedBy = ({ body }: { body?: { details?: { pointer: string; message: string }[] } }) =>
  (body?.details ?? []).filter(({ message }) => reasons.test(message)).map(({ pointer }) => pointer)
const expectedBlame = ({ location, blamed }: MemberCase) => (location === 'query' ? blamed.slice(1) : blamed)
const nameOf = ({ operation, pointer, location }: MemberCase) => `${operation.id} ${location} ${pointer}`
const isNested = (rule: MemberRule | undefined) =>
  typeof rule === 'object' && ('members' in rule || 'variants' in rule)

describe('every member of every operation that a browser’s token opens', () => {
  test('has a rule, and every rule is of a member', () => {
    expect(opened.map(({ id }) => id).sort()).toEqual(Object.keys(browserOperations).sort())
    const cases = opened.flatMap(casesOf)
    expect(cases.filter(({ rule }) => rule === undefined).map(nameOf)).toEqual([])
    for (const { id } of opened) {
      const { body = {}, query = {} } = browserOperations[id] ?? {}
      const own = cases.filter(
        ({ operation, pointer }) => operation.id === id && !pointer.slice(1).includes('/'),
      )
      expect([...new Set(own.map(({ pointer }) => pointer.slice(1)))].sort()).toEqual(
        [...Object.keys(body), ...Object.keys(query)].sort(),
      )
    }
  })

  test('that a browser may send as a whole holds only members that were reviewed', () => {
    const open = opened.flatMap(({ id, body }) => {
      const rules = browserOperations[id]?.body ?? {}
      return alternatives(body ?? {}).flatMap(({ properties = {} }) =>
        Object.entries(properties).flatMap(([name, schema]) =>
          rules[name] === 'browser' ? shapesWithin(schema) : [],
        ),
      )
    })
    const methods = [
      'ApplePayInput',
      'BankInput',
      'CardInput',
      'CheckoutSessionInput',
      'GooglePayInput',
      'PlaidInput',
      'RedirectInput',
      'StoredMethodInput',
    ]
    const ofMethods = methods.flatMap((name) =>
      Object.values(document.components.schemas[name]?.properties ?? {}).flatMap(shapesWithin),
    )
    const ofBuyer = shapesWithin(document.components.schemas['GuestBuyer'] ?? {})
    const shapes = [...new Set([...open, ...ofMethods, ...ofBuyer])].sort()
    expect(
      Object.fromEntries(
        shapes.map((name) => [name, Object.keys(document.components.schemas[name]?.properties ?? {})]),
      ),
    ).toEqual(reviewedMembers)
  })

  test('is accepted from a browser or refused, as its rule says', async () => {
    const cases = opened.flatMap(casesOf).filter(({ rule }) => !isNested(rule))
    expect(cases.length).toBeGreaterThan(150)
    for (const memberCase of cases) {
      const { rule } = memberCase
      const member = nameOf(memberCase)
      const isAccepted =
        rule === 'browser' || rule === 'connector' || (typeof rule === 'object' && 'mustEqual' in rule)
      const answer = await send(memberCase)
      expect({ member, status: answer.status, detail: answer.body?.detail }).not.toMatchObject({
        status: 422,
      })
      expect({ member, refused: blamedBy(answer).includes(expectedBlame(memberCase)) }).toEqual({
        member,
        refused: !isAccepted,
      })
      if (!isAccepted) expect({ member, status: answer.status }).toEqual({ member, status: 400 })
    }
  })

  test('is refused if it contradicts the token, also if the member has another name than the constraint', async () => {
    const cases = opened
      .flatMap(casesOf)
      .filter(({ rule }) => typeof rule === 'object' && ('mustEqual' in rule || 'onlyConstrained' in rule))
    expect(cases.length).toBeGreaterThan(30)
    for (const memberCase of cases) {
      const isTerm = typeof memberCase.rule === 'object' && 'mustEqual' in memberCase.rule
      const terms = isTerm ? { amount: 10_00, currency: 'EUR' } : { amount: 1, currency: 'USD' }
      const blamed = blamedBy(await send(memberCase, { ...terms, buyer_id: buyer }))
      const member = nameOf(memberCase)
      expect({ member, blamed }).toEqual({
        member,
        blamed: expect.arrayContaining([expectedBlame(memberCase)]),
      })
    }
  })

  test('of a connector’s options is accepted only if the connector declares it', async () => {
    const create = opened.find(({ id }) => id === 'create_transaction') ?? expect.fail('no operation')
    const options =
      alternatives(resolved(create.body ?? {}).properties?.['connection_options'] ?? {})[0]?.properties ?? {}
    const taken: string[] = []
    const refused: string[] = []
    for (const [connector, schema] of Object.entries(options)) {
      for (const [name, member] of Object.entries(alternatives(schema)[0]?.properties ?? {})) {
        const given = { ...needed(alternatives(schema)[0] ?? {}), [name]: sample(member, name) }
        const payment = {
          amount: 1,
          currency: 'USD',
          payment_method: needed(document.components.schemas['CardInput'] ?? {}),
        }
        const pointer = `/connection_options/${connector}/${name}`
        const request = { ...payment, connection_options: { [connector]: given } }
        const answer = await send({
          operation: create,
          location: 'body',
          pointer,
          blamed: pointer,
          rule: 'connector',
          request,
        })
        expect({ pointer, status: answer.status }).not.toMatchObject({ status: 422 })
        ;(blamedBy(answer).includes(pointer) ? refused : taken).push(`${connector} ${name}`)
      }
    }
    expect(taken).toEqual(['wallet-wallet user_action', 'wallet-wallet landing_page', 'wallet-wallet locale'])
    expect(refused.length).toBeGreaterThan(20)
  })
})
