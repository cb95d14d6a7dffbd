import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { growth } from '../../test/support/growth.ts'
import { card } from '../../test/support/railyard.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { validatorCompiler } from './server/validation.ts'

const railyard = await startRailyardForFile()

const json = (more = {}) => ({
  authorization: `Bearer ${railyard.admin.token}`,
  'content-type': 'application/json',
  ...more,
})
const post = (body: string, headers = {}) =>
  railyard.send('POST', '/transactions', { body, headers: json(headers) })
const payment = { amount: 10_00, currency: 'USD', payment_method: card }
const error = (status: number, code: string) => ({
  status,
  body: { type: 'error', code, status, message: expect.any(String), details: [] },
})
const problem = (loc: string[], type: string) => ({
  loc,
  type,
  msg: expect.any(String),
  input: null,
  ctx: expect.any(Object),
})

const notSmallestUnit = "must be a whole number of the currency's smallest unit, such as 1299 for USD 12.99"

describe('the answer to an error', () => {
  test('in a rule is a 400 in the envelope that names the member', async () => {
    expect(await railyard.admin.post('/transactions', { ...payment, currency: 'XXQ' })).toMatchObject({
      status: 400,
      body: {
        type: 'error',
        code: 'bad_request',
        status: 400,
        message: 'Request failed validation',
        details: [
          { location: 'body', pointer: '/currency', message: 'is not an ISO 4217 code', type: 'value_error' },
        ],
      },
    })
  })

  test('in the shape is a 422 without the envelope that names each place', async () => {
    const answer = await railyard.admin.post('/transactions', { ...payment, amount: 'lots', colour: 'red' })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body)).toEqual(['detail'])
    expect(answer.body.detail).toEqual([
      problem(['body', 'colour'], 'additionalProperties'),
      { ...problem(['body', 'amount'], 'type'), input: 'lots', msg: 'must be integer' },
    ])
  })

  test.each([
    [
      { currency: 'eur' },
      'currency',
      'must be a currency code of three capital letters (ISO 4217), such as EUR',
    ],
    [{ country: 'de' }, 'country', 'must be a country code of two capital letters (ISO 3166-1), such as DE'],
    [
      { payment_method: { ...card, expiration_date: '12-35' } },
      'payment_method.expiration_date',
      'must be month and year as MM/YY, such as 09/28',
    ],
    [{ buyer_id: '7' }, 'buyer_id', 'must be a UUID, such as 8f83187d-a7fb-4e58-aece-b4bdfd622c7c'],
    [
      { approval_expires_at: 'tomorrow' },
      'approval_expires_at',
      'must be a time with its offset from UTC (ISO 8601), such as 2026-11-23T14:30:00Z',
    ],
    [{ payment_method: { ...card, number: '4111 1111' } }, 'payment_method.number', 'must be digits only'],
    [{ amount: 12.99 }, 'amount', notSmallestUnit],
    [{ tax_amount: 1.5 }, 'tax_amount', notSmallestUnit],
  ])('in the shape of %j says in words what is expected', async (more, at, msg) => {
    const { status, body } = await railyard.admin.post('/transactions', { ...payment, ...more })
    expect(status).toBe(422)
    const messages = body.detail
      .filter(({ loc }: { loc: string[] }) => loc.slice(1).join('.') === at)
      .map(({ msg: text }: { msg: string }) => text)
    expect(messages).toContain(msg)
  })

  test.each([
    ['GET', '/transactions?limit=0', ['query', 'limit'], 'minimum'],
    ['GET', '/transactions?limit=101', ['query', 'limit'], 'maximum'],
    ['GET', '/transactions?limit=', ['query', 'limit'], 'type'],
    ['GET', '/merchant-accounts?limit=1e400', ['query', 'limit'], 'number'],
    ['GET', '/transactions?amount_eq=Infinity', ['query', 'amount_eq'], 'number'],
    ['GET', '/transactions?colour=red', ['query', 'colour'], 'additionalProperties'],
    ['GET', '/transactions?created_at_gte=2024-02-30T00:00:00Z', ['query', 'created_at_gte'], 'format'],
    ['GET', '/transactions?created_at_gte=0000-01-01T00:00:00Z', ['query', 'created_at_gte'], 'format'],
    [
      'GET',
      '/transactions?created_at_gte=2024-01-01T00:00:00%2B16:00',
      ['query', 'created_at_gte'],
      'format',
    ],
    ['GET', '/transactions?created_at_gte=2024-01-01', ['query', 'created_at_gte'], 'format'],
    ['GET', '/transactions?created_at_gte=2024-01-01T00:00:00 16:00', ['query', 'created_at_gte'], 'format'],
    ['GET', '/transactions/not-a-uuid', ['path', 'transaction_id'], 'format'],
    ['GET', '/transactions?search=%00', ['query', 'search'], 'string'],
    ['GET', '/merchant-accounts/%00', ['path', 'merchant_account_id'], 'string'],
  ])('in %s %s names %j', async (method, path, loc, type) => {
    const answer = await railyard.send(method, path, { headers: json() })
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toEqual([expect.objectContaining({ loc, type })])
  })

  test.each([
    '/nope',
    '/',
    '//transactions',
    '/Transactions',
    '/transactions/x/y/z',
    '/%zz',
    '/transactions/%E0%A4%A',
    `/transactions/${'a'.repeat(600)}`,
  ])('in an unknown path (%s) is 404 in the envelope', async (path) => {
    const answer = await railyard.send('GET', path, { headers: json({ 'x-request-id': 'mine' }) })
    expect(answer).toMatchObject(error(404, 'not_found'))
    expect(answer.headers.get('x-request-id')).toBe('mine')
  })

  test('distinguishes an unknown path from an unknown resource', async () => {
    const messageOf = async (path: string) => (await railyard.admin.get(path)).body.message
    expect(await messageOf('/nope')).toMatch(/^There is no such path/)
    expect(await messageOf(`/transactions/${crypto.randomUUID()}`)).toBe('The resource could not be found')
  })
})

test('a timestamp in a query whose + arrived as a blank is read with its offset', async () => {
  await railyard.admin.post('/transactions', payment)
  const listed = async (from: string, to: string) => {
    const answer = await railyard.admin.get(`/transactions?created_at_gte=${from}&created_at_lte=${to}`)
    expect(answer.status).toBe(200)
    return answer.body.items.length > 0
  }
  const at = (offsetHours: number, minutes: number) =>
    new Date(Date.now() + offsetHours * 3_600_000 + minutes * 60_000).toISOString().slice(0, 19)
  expect(await listed(`${at(2, -5)}+02:00`, `${at(2, 5)} 02:00`)).toBe(true)
  expect(await listed(`${at(0, -5)}.123+00:00`, `${at(0, 5)} 0000`)).toBe(true)
  expect(await listed(`${at(0, 5)} 00:00`, `${at(0, 10)}+00:00`)).toBe(false)
})

describe('a value that fits none of several shapes', () => {
  const problemsOf = async (payment_method: unknown) =>
    (await railyard.admin.post('/transactions', { ...payment, payment_method })).body.detail.map(
      (detail: { loc: string[] }) => detail.loc.slice(1).join('.'),
    )

  test('gets the problems of the shape that the client meant, and no others', async () => {
    const { number, ...numberless } = card
    expect(await problemsOf(numberless)).toEqual(['payment_method.number'])
    expect(await problemsOf({ ...card, number: '4111' })).toEqual(['payment_method.number'])
    expect(await problemsOf({ ...card, token: 7 })).toEqual(['payment_method.token'])
    expect(await problemsOf({ method: 'googlepay', token: 7 })).toEqual(['payment_method.token'])
    expect(await problemsOf({ method: 'network-token', token: 't' })).toEqual([
      'payment_method.expiration_date',
    ])
    expect((await problemsOf({ method: 'ideal' })).sort()).toEqual([
      'payment_method.country',
      'payment_method.currency',
      'payment_method.redirect_url',
    ])
    expect(await problemsOf({ method: 'id', id: 'x' })).toEqual(['payment_method.id'])
    expect(await problemsOf('card')).toEqual(['payment_method'])
  })

  test('gets its own problems as an entry of a list', async () => {
    const gift_cards = [
      { number: '4111111111111111', pin: 7, amount: 1 },
      { id: 'x', amount: 1 },
    ]
    const answer = await railyard.admin.post('/transactions', { ...payment, gift_cards })
    expect(answer.body.detail.map(({ loc }: { loc: string[] }) => loc.join('.')).sort()).toEqual([
      'body.gift_cards.0.pin',
      'body.gift_cards.1.id',
    ])
  })
})

describe('what an error repeats of the request', () => {
  const pan = '4111111111111111'
  test.each([
    ['in its field', { ...payment, payment_method: { ...card, number: `${pan}x` } }],
    ['in another field', { ...payment, amount: pan }],
    ['as a number', { ...payment, description: Number(pan) }],
    ['with spaces', { ...payment, currency: '4111 1111 1111 1111' }],
    ['as a name', { ...payment, [pan]: 1 }],
    ['as a name within', { ...payment, payment_method: { ...card, [`card ${pan}`]: 1 } }],
    ['as a name of something too deep', { ...payment, connection_options: { [pan]: '\u0000' } }],
    ['as a buyer', { ...payment, buyer_id: pan }],
  ])('is no card number: %s', async (_where, body) => {
    const answer = await railyard.admin.post('/transactions', body)
    expect(answer.status).toBe(422)
    expect(JSON.stringify(answer.body).replaceAll(/\D/g, '')).not.toContain(pan)
  })

  test('is no security code, and nothing long', async () => {
    const code = await railyard.admin.post('/transactions', {
      ...payment,
      payment_method: { ...card, security_code: '98765' },
    })
    expect(code.status).toBe(422)
    expect(JSON.stringify(code.body)).not.toContain('98765')
    const long = await railyard.admin.post('/transactions', { ...payment, currency: 'x'.repeat(100_000) })
    expect(JSON.stringify(long.body).length).toBeLessThan(1_000)
  })

  test('is little for a megabyte of mistakes, and answered soon', async () => {
    for (const body of [
      { gift_cards: Array(10_000).fill(0) },
      { cart_items: Array(400_000).fill(0) },
      { gift_cards: Array(400_000).fill(0) },
    ]) {
      const started = performance.now()
      const answer = await railyard.admin.post('/transactions', { ...payment, ...body })
      expect(answer.status).toBe(422)
      expect(answer.body.detail.length).toBeLessThanOrEqual(100)
      expect(performance.now() - started).toBeLessThan(10_000)
    }
  })
})

describe('a request body', () => {
  test.each([
    '{',
    '{"amount":1,}',
    "{'amount':1}",
    'amount=1',
    '[1',
    'undefined',
    'NaN',
    '{"a":1}{"a":1}',
    '\ufeff\ufeff{}',
    '{"a":"\t"}',
  ])('that is not JSON (%j) is 400 incorrect_json', async (body) =>
    expect(await post(body)).toMatchObject(error(400, 'incorrect_json')),
  )

  test.each([
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"metadata":{"__proto__":{"a":"b"}}}',
    '{"\\u005f_proto__":{}}',
  ])('with a key of a prototype (%s) is refused', async (body) => {
    expect(await post(body)).toMatchObject(error(400, 'incorrect_json'))
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  test.each(['', 'null', '[]', '7', '"text"', 'true'])('that is not an object (%s) is 422', async (body) => {
    expect(await post(body)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'] }] } })
  })

  test.each(['\u0000', 'a\u0000b', '\ud800', '\udc00\ud800', 'a\ud83d'])(
    'with text that cannot be stored (%j) is 422',
    async (text) => {
      const value = await railyard.admin.post('/transactions', { ...payment, description: text })
      expect(value).toMatchObject({
        status: 422,
        body: { detail: [problem(['body', 'description'], 'string')] },
      })
      expect(
        (await railyard.admin.post('/transactions', { ...payment, metadata: { [text]: 'x' } })).status,
      ).toBe(422)
    },
  )

  test.each([33, 10_000, 150_000])('of depth %i is 422', async (depth) => {
    expect(await post(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'depth' }] },
    })
  })

  test.each(['1e400', '-1', '1.5', '-1e400', '1e20', '"100"', 'true', 'null', '[100]'])(
    'with the amount %s is 422',
    async (amount) => {
      const body = JSON.stringify(payment).replace('1000', amount)
      expect(await post(body)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'amount'] }] } })
    },
  )

  test('that names a member twice, on any level and however it is spelled, is 400', async () => {
    const text = JSON.stringify({ ...payment, metadata: { colour: 'red' } })
    for (const twice of [
      text.replace('{', '{"amount":1,'),
      text.replace('{', '{"\\u0061mount":1000,'),
      text.replace('{"colour"', '{"colour":"blue","colour"'),
    ]) {
      expect(await post(twice)).toMatchObject({
        ...error(400, 'incorrect_json'),
        body: { message: 'An object of the body names a member twice' },
      })
    }
    expect((await post(text)).status).toBe(201)
  })

  test('of more than 1 MiB is 413, and of exactly that is read', async () => {
    const sized = (bytes: number) => JSON.stringify({ description: 'x'.repeat(bytes - 18) })
    expect(sized(1_048_576)).toHaveLength(1_048_576)
    expect((await post(sized(1_048_576))).status).toBe(422)
    expect(await post(sized(1_048_577))).toMatchObject(error(413, 'payload_too_large'))
  })

  test('of more than 128 KiB is 413 on a public operation', async () => {
    const publicPath = '/transactions/00000000-0000-0000-0000-000000000000/session'
    const sized = (bytes: number) => JSON.stringify({ payload: { x: 'x'.repeat(bytes - 20) } })
    const headers = { 'content-type': 'application/json' }
    expect(await railyard.send('POST', publicPath, { headers, body: sized(131_073) })).toMatchObject({
      ...error(413, 'payload_too_large'),
      body: { message: 'The body may not exceed 128 KiB' },
    })
    expect((await railyard.send('POST', publicPath, { headers, body: sized(131_072) })).status).not.toBe(413)
  })

  test('to an unknown path is 404 before it is read', async () => {
    for (const body of ['{', 'x'.repeat(2_000_000)])
      expect(
        await railyard.send('POST', '/nothing', { headers: { 'content-type': 'application/json' }, body }),
      ).toMatchObject(error(404, 'not_found'))
  })

  test.each([
    ['zeros', (size: number) => `[${'0,'.repeat(size / 2)}0]`],
    ['braces', (size: number) => `[${'{},'.repeat(size / 3)}{}]`],
  ])('of too many %s is refused in the same time, however many there are', async (_, textOf) => {
    const check = validatorCompiler({ schema: Type.Object({}), httpPart: 'body', method: 'POST', url: '/' })
    const bodies = new Map<string, unknown>()
    const refuse = (text: string) => {
      const body = bodies.get(text) ?? JSON.parse(text)
      bodies.set(text, body)
      check(body)
    }
    expect(await growth(textOf, 200_000, refuse)).toBeLessThan(4)
  })

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'nonsense',
    'text/json',
  ])('of the type %s is 415', async (type) =>
    expect(await post('{}', { 'content-type': type })).toMatchObject(error(415, 'unsupported_media_type')),
  )

  test.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])(
    'of the type %s is read',
    async (type) => {
      expect((await post('{}', { 'content-type': type })).status).toBe(422)
    },
  )
})
