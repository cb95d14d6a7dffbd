import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { requiredHeaders } from '../../../test/support/checks/required-headers.ts'
import {
  bodies,
  bodyless,
  choices,
  forPages,
  idIsCredential,
  ofPeople,
  queries,
  shared,
  unscoped,
  withoutBearer,
} from '../../../test/support/checks/tenancy-requests.ts'
import { createEveryResource } from '../../../test/support/checks/tenancy-resources.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { withNetworkTokens } from '../../../test/support/domains/network-tokens.ts'
import { payoutOf } from '../../../test/support/domains/payouts.ts'
import { card } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

type Operation = { id: string; method: string; path: string; scopes: string[]; parameters: string[] }

const railyard = await startRailyardForFile()
const { body: document } = await railyard.send('GET', '/openapi.json')
const operations: Operation[] = Object.entries<Record<string, { operationId: string; 'x-scopes': string[] }>>(
  document.paths,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    scopes: operation['x-scopes'],
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  })),
)
const scopes = [...new Set(operations.flatMap((operation) => operation.scopes))]
/** Sends the requests. */
const a = await railyard.merchant()
/** Owns the resources. */
const b = await railyard.merchant({ settings: withNetworkTokens() })
/** Ids of B's resources, by the name of the path parameter. */
const owned = await createEveryResource(railyard, b)

const withBearer = ({ id }: Operation) => !withoutBearer.has(id)

/** A request of the right shape, with these ids in its path. */
function requestOf({ id, method, path, parameters }: Operation, ids: Record<string, string>) {
  const values = { ...choices, ...ids }
  const missing = parameters.filter((name) => !(name in values))
  if (missing.length > 0)
    throw new Error(`${id}: give ${missing.join(', ')} a fixture in tenancy-resources.ts`)
  const takesBody = method !== 'GET' && !bodyless.has(id)
  if (takesBody && !(id in bodies)) throw new Error(`${id}: give it a body in tenancy-requests.ts`)
  const at = parameters.reduce((url, name) => url.replace(`{${name}}`, values[name] ?? ''), path)
  return { at: `${at}${queries[id]?.(owned) ?? ''}`, ...(takesBody && { body: JSON.stringify(bodies[id]) }) }
}

const sendAs = (
  token: string | undefined,
  operation: Operation,
  ids: Record<string, string>,
  headers: Record<string, string> = {},
) => {
  const { at, body } = requestOf(operation, ids)
  const authorization = token === undefined ? undefined : `Bearer ${token}`
  return railyard.send(operation.method, at, {
    headers: {
      ...requiredHeaders(at),
      ...headers,
      ...(authorization && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
}

/** Requests that have their connections to the database within its patience, also on a busy machine. */
const AT_ONCE = 16

/** The answers of the chosen operations, by id, so that a failure names all that are wrong. */
async function everyOperation(
  isChosen: (operation: Operation) => boolean,
  send: (operation: Operation) => Promise<unknown>,
) {
  const chosen = operations.filter(isChosen)
  expect(chosen.length).toBeGreaterThan(0)
  const answers: Record<string, unknown> = {}
  const left = chosen.values()
  const sendLeft = async () => {
    for (const operation of left) answers[operation.id] = await send(operation)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendLeft))
  return answers
}

const all = () => true
const expected = (isChosen: (operation: Operation) => boolean, answer: unknown) =>
  Object.fromEntries(operations.filter(isChosen).map(({ id }) => [id, answer]))

/** Ids of resources that do not exist. */
const unknownIds = () => ({
  ...Object.fromEntries(Object.keys(owned).map((name) => [name, randomUUID()])),
  merchant_account_id: 'nobody',
  flow: 'card-transaction',
  payment_service_definition_id: 'mock-card',
})
const ownIds = () => ({ ...unknownIds(), merchant_account_id: a.account })

describe('every operation of the API document', () => {
  test('has an id, scopes, and fixtures in this file', async () => {
    expect(operations.length).toBeGreaterThan(35)
    expect(
      operations.filter(({ id, scopes }) => !id || (scopes.length === 0) !== withoutBearer.has(id)),
    ).toEqual([])
    for (const operation of operations) requestOf(operation, unknownIds())
  })

  test('refuses a request without a token with 401', async () => {
    const answers = await everyOperation(all, async (operation) => {
      const { status, body } = await sendAs(undefined, operation, unknownIds())
      return [status, body.code]
    })
    expect(answers).toEqual({
      ...expected(all, [401, 'unauthorized']),
      ...expected(({ id }) => idIsCredential.has(id), [404, 'not_found']),
      ...expected(({ id }) => forPages.has(id), [400, 'bad_request']),
    })
  })

  test('refuses a token with every scope but its own with 403', async () => {
    const answers = await everyOperation(withBearer, async (operation) => {
      const others = scopes.filter((scope) => !operation.scopes.includes(scope))
      const { token } = await railyard.client({
        account: a.account,
        merchantAccountIds: [a.account],
        scopes: others,
      })
      const { status, body } = await sendAs(token, operation, unknownIds())
      return [status, body.code]
    })
    expect(answers).toEqual(expected(withBearer, [403, 'forbidden']))
  })

  test('answers methods that its path does not know with 405, and lists the others in Allow', async () => {
    for (const path of new Set(operations.map((operation) => operation.path))) {
      const methods = operations.filter((operation) => operation.path === path).map(({ method }) => method)
      // a GET that takes a body, or moves money, has no HEAD
      const allowed =
        methods.includes('GET') && !/\/(session|complete)$/.test(path) ? ['HEAD', ...methods] : methods
      const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (method) => !allowed.includes(method),
      )
      for (const method of others) {
        const answer = await railyard.send(
          method,
          path.replaceAll(/\{\w+\}/g, randomUUID()),
          method === 'PATCH' ? { body: '{' } : {},
        )
        const allow = (answer.headers.get('allow') ?? '').split(', ').sort()
        expect({ path, method, status: answer.status, allow }).toEqual({
          path,
          method,
          status: 405,
          allow: allowed.toSorted(),
        })
        if (method !== 'HEAD')
          expect(answer.body).toMatchObject({
            type: 'error',
            code: 'method_not_allowed',
            status: 405,
            details: [],
          })
      }
    }
  })
})

describe('with the token of merchant A', () => {
  // flows have the same names for every merchant, and people's own resources are closed to key pairs
  const belongsToOne = (operation: Operation) =>
    !ofPeople.has(operation.id) &&
    operation.parameters.some((name) => name !== 'flow' && !(name in choices)) &&
    !shared.has(operation.id) &&
    withBearer(operation)

  test('nothing of merchant B is found, and it looks exactly as if it did not exist', async () => {
    const before = await b.get(`/transactions/${owned['transaction_id']}`)
    const answers = await everyOperation(belongsToOne, async (operation) => {
      const hidden = await sendAs(a.token, operation, owned)
      const absent = await sendAs(a.token, operation, unknownIds())
      expect({ [operation.id]: hidden.body }).toEqual({ [operation.id]: absent.body })
      return [hidden.status, absent.status, hidden.body.code]
    })
    expect(answers).toEqual(expected(belongsToOne, [404, 404, 'not_found']))
    expect((await b.get(`/transactions/${owned['transaction_id']}`)).body).toEqual(before.body)
    expect((await b.get(`/payment-services/${b.paymentServiceId}`)).body).toMatchObject({
      display_name: 'Mock card',
      is_deleted: false,
    })
    expect((await b.get(`/transactions/${owned['transaction_id']}/refunds`)).body.items).toHaveLength(1)
    expect((await b.get(`/buyers/${owned['buyer_id']}`)).body).toMatchObject({ display_name: null })
    expect((await b.get(`/buyers/${owned['buyer_id']}/shipping-details`)).body.items).toMatchObject([
      { first_name: null },
    ])
  })

  test('no operation can be pointed at the account of B by the header', async () => {
    const isScoped = (operation: Operation) => !unscoped.has(operation.id) && withBearer(operation)
    const answers = await everyOperation(isScoped, async (operation) => {
      const { status, body } = await sendAs(a.token, operation, owned, {
        'x-svc-merchant-account-id': b.account,
      })
      return [status, body.code]
    })
    expect(answers).toEqual(expected(isScoped, [403, 'forbidden']))
  })

  test('no list shows anything of B', async () => {
    const isList = ({ id, method, parameters }: Operation) =>
      method === 'GET' && parameters.length === 0 && !ofPeople.has(id)
    const answers = await everyOperation(isList, async (operation) => {
      const { status, body } = await sendAs(a.token, operation, ownIds(), {
        'x-svc-merchant-account-id': a.account,
      })
      const text = JSON.stringify(body)
      return [status, Object.values(owned).filter((id) => text.includes(id))]
    })
    expect(answers).toEqual({
      ...expected(isList, [200, []]),
      // there is none until the merchant makes it
      ...expected(({ id }) => id === 'get_agentic_seller', [404, []]),
    })
    for (const query of [
      `id=${owned['transaction_id']}`,
      `payment_service_id=${b.paymentServiceId}`,
      `search=${owned['transaction_id']}`,
    ])
      expect((await a.get(`/transactions?${query}`)).body.items).toEqual([])
  })

  test('the payment service of B takes no payment of A, and its credentials cannot be verified', async () => {
    const payment = {
      amount: 1_00,
      currency: 'USD',
      payment_method: card,
      payment_service_id: b.paymentServiceId,
    }
    const answer = await a.post('/transactions', payment)
    expect([answer.status, answer.body.payment_service?.id]).not.toEqual([201, b.paymentServiceId])
    const verify = {
      payment_service_definition_id: 'mock-card',
      payment_service_id: b.paymentServiceId,
      fields: [],
    }
    expect(await a.post('/payment-services/verify', verify)).toMatchObject({
      status: 400,
      body: { code: 'bad_request' },
    })
  })

  test('a body that refers to a resource of B is refused exactly as one that refers to an unknown id', async () => {
    await addGiftCardService(railyard, a)
    const ownBuyer = (await a.post('/buyers', {})).body.id
    const payment = (more: object) => ({
      path: '/transactions',
      body: { amount: 2_00, currency: 'USD', payment_method: card, ...more },
    })
    const references: [name: string, requestFor: (id: string) => { path: string; body: object }][] = [
      ['payment_method_id', (id) => payment({ payment_method: { method: 'id', id } })],
      ['session_id', (id) => payment({ payment_method: { method: 'checkout-session', id } })],
      ['session_id', (id) => ({ path: '/payment-methods', body: { method: 'checkout-session', id } })],
      ['gift_card_id', (id) => payment({ gift_cards: [{ id, amount: 1_00 }] })],
      ['gift_card_id', (id) => ({ path: '/gift-cards/balances', body: { items: [{ id }] } })],
      ['buyer_id', (id) => payment({ buyer_id: id })],
      [
        'buyer_id',
        (id) => ({
          path: '/payment-methods',
          body: { number: card.number, expiration_date: card.expiration_date, buyer_id: id },
        }),
      ],
      ['buyer_id', (id) => ({ path: '/gift-cards', body: { ...newGiftCard(), buyer_id: id } })],
      ['shipping_details_id', (id) => payment({ buyer_id: ownBuyer, shipping_details_id: id })],
      ['payment_service_id', (id) => payment({ payment_service_id: id })],
      ['payment_service_id', (id) => ({ path: '/payouts', body: payoutOf(id) })],
      [
        'payment_method_id',
        (id) => ({ path: '/payouts', body: payoutOf(a.paymentServiceId, { payment_method: { id } }) }),
      ],
      [
        'buyer_id',
        (id) => ({ path: '/payouts', body: payoutOf(a.paymentServiceId, { buyer: null, buyer_id: id }) }),
      ],
    ]
    const before = await a.get('/transactions')
    for (const [name, requestFor] of references) {
      const [hidden, absent] = [owned[name] ?? '', randomUUID()]
      const send = async (id: string) => {
        const { path, body } = requestFor(id)
        const answer = await a.post(path, body)
        return {
          path,
          name,
          status: answer.status,
          text: JSON.stringify(answer.body).replaceAll(id, 'the id'),
        }
      }
      const [ofB, ofNone] = [await send(hidden), await send(absent)]
      expect(ofB).toEqual(ofNone)
      expect(ofB.text).not.toContain('"status":"authorization_succeeded"')
      expect({ path: ofB.path, name, refused: ofB.status === 400 || ofB.status === 404 }).toMatchObject({
        refused: true,
      })
    }
    expect((await a.get('/transactions')).body).toEqual(before.body)
  })

  test('an idempotency key that B has used is a new one', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const payment = { amount: 1_00, currency: 'USD', payment_method: card }
    const [first, second] = [
      await b.post('/transactions', payment, key),
      await a.post('/transactions', payment, key),
    ]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.id).not.toBe(first.body.id)
    expect((await a.post('/transactions', { ...payment, amount: 2_00 }, key)).body.resource_id).toBe(
      second.body.id,
    )
  })
})
