import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Audited } from '../../../test/support/checks/audited/kit.ts'
import { auditedOperations } from '../../../test/support/checks/audited-operations.ts'
import { operationsOf } from '../../../test/support/checks/schema-values.ts'
import { type Client, card, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'

const RUNS = 4

let railyard: TestRailyard
let shop: Client
let operations: Record<string, Audited>
let keyed: string[]

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await railyard.merchant()
  operations = auditedOperations(railyard, shop)
  const { body: document } = await railyard.send('GET', '/openapi.json')
  keyed = operationsOf(document).flatMap(({ id, parameters }) =>
    parameters.some(({ name }) => name === 'idempotency-key') ? [id] : [],
  )
})
afterAll(() => railyard.close())

const send = (path: string, body: string, key: string) =>
  railyard.send('POST', path, {
    body,
    headers: {
      authorization: `Bearer ${shop.token}`,
      'api-version': '2026-04-17',
      'x-svc-merchant-account-id': shop.account,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
  })

/**
 * Texts of the same JSON value: members in any order, blanks, numbers and characters written in other ways.
 */
const spellingsOf = (value: unknown): fc.Arbitrary<string> => {
  const blank = fc.constantFrom('', ' ', '\n\t')
  const around = (text: fc.Arbitrary<string>) => fc.tuple(blank, text, blank).map((parts) => parts.join(''))
  const string = (text: string) => {
    const [first = ''] = text
    return fc.constantFrom(
      JSON.stringify(text),
      ...(/^[a-z0-9]/i.test(text) ? [`"\\u00${first.charCodeAt(0).toString(16)}${text.slice(1)}"`] : []),
    )
  }
  if (typeof value === 'string') return around(string(value))
  if (typeof value === 'number')
    return around(fc.constantFrom(`${value}`, `${value}.0`, `${value}e0`, `${value}0e-1`))
  if (Array.isArray(value)) return fc.tuple(...value.map(spellingsOf)).map((parts) => `[${parts.join()}]`)
  if (typeof value !== 'object' || value === null) return around(fc.constant(JSON.stringify(value)))
  const members = Object.entries(value).map(([name, member]) =>
    fc.tuple(string(name), spellingsOf(member)).map((parts) => parts.join(':')),
  )
  return fc
    .tuple(...members)
    .chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length }))
    .map((parts) => `{${parts.join()}}`)
}

test('one idempotency key takes effect once, however the JSON of the request is spelled, on every operation that takes a key', async () => {
  expect(keyed.length).toBeGreaterThan(8)
  for (const id of keyed)
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const request = await operations[id]?.request()
        if (request?.[1] === undefined) return
        const [path, body] = request
        const key = crypto.randomUUID()
        const first = await send(path, JSON.stringify(body), key)
        expect([200, 201], `${id}: ${JSON.stringify(first.body)}`).toContain(first.status)
        for (const spelled of fc.sample(spellingsOf(body), { numRuns: 3, seed })) {
          const { status, body: answered } = await send(path, spelled, key)
          expect({ status, body: answered }, `${id}: ${spelled}`).toEqual({
            status: first.status,
            body: first.body,
          })
        }
      }),
      { numRuns: RUNS },
    )
})

describe('an idempotency key that an earlier version has stored', () => {
  const payment = {
    amount: 12_00,
    currency: 'EUR',
    payment_method: card,
    metadata: { order: '7', shop: 'berlin' },
  }
  /** Pays, and leaves the key as the earlier version would have left it. */
  async function payByEarlierVersion(key: string) {
    const first = await send('/transactions', JSON.stringify(payment), key)
    expect(first.status).toBe(201)
    await railyard.world.run('update idempotency_keys set canonical_fingerprint = null where key = $1', [key])
    return first
  }

  test('still answers the same request, and refuses another one', async () => {
    const first = await payByEarlierVersion('stored-before')
    const again = await send('/transactions', JSON.stringify(payment, null, 2), 'stored-before')
    expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body })
    const other = await send('/transactions', JSON.stringify({ ...payment, amount: 12_01 }), 'stored-before')
    expect(other).toMatchObject({
      status: 409,
      body: { code: 'duplicate_record', resource_id: first.body.id },
    })
  })

  test('has the form that this version writes, too, so that processes of both recognize it during an upgrade', async () => {
    await send('/transactions', JSON.stringify(payment), 'stored-now')
    const [row] = await railyard.world.run<{ fingerprint: Buffer }>(
      'select fingerprint from idempotency_keys where key = $1',
      ['stored-now'],
    )
    // the earlier version compares the keyed hash of the body as it was sent
    expect(row?.fingerprint).toEqual(
      railyard.world.cipher.mac('request-fingerprint', JSON.stringify(payment)),
    )
  })
})

test.each([
  ['a value', { amount: 13_01 }],
  ['a member more', { metadata: { order: '7' } }],
  ['the order of a list', { cart_items: [line('b'), line('a')] }],
])('a body that differs in %s under the same key is a 409', async (_name, more) => {
  const payment = { amount: 13_00, currency: 'EUR', payment_method: card, cart_items: [line('a'), line('b')] }
  const key = crypto.randomUUID()
  const first = await send('/transactions', JSON.stringify(payment), key)
  expect(first.status).toBe(201)
  expect(await send('/transactions', JSON.stringify({ ...payment, ...more }), key)).toMatchObject({
    status: 409,
    body: { code: 'duplicate_record', resource_id: first.body.id },
  })
})

function line(name: string) {
  return { name, quantity: 1, unit_amount: 6_50 }
}
