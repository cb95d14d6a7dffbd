import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { card } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

const json = () => ({ authorization: `Bearer ${railyard.admin.token}`, 'content-type': 'application/json' })
const envelope = (status: number, code: string) => ({
  type: 'error',
  code,
  status,
  message: expect.any(String),
  details: [],
})

/** Sends these bytes as they are, which `fetch` cannot. */
const raw = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(railyard.url).port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))

describe('HTTP', () => {
  test.each([
    `x: ${'a'.repeat(40_000)}`,
    `${'x: y\r\n'.repeat(8_000)}x: y`,
    `authorization: Bearer ${'a'.repeat(33_000)}`,
  ])('headers beyond 32 KiB are 431 in the envelope', async (header) => {
    const answer = await raw(`GET /transactions HTTP/1.1\r\nhost: x\r\n${header}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(bodyOf(answer)).toMatchObject(envelope(431, 'headers_too_large'))
  })

  test.each([
    'GET / HTTP/9.9\r\nhost: x\r\n\r\n',
    'NONSENSE / HTTP/1.1\r\nhost: x\r\n\r\n',
    'POST /transactions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
    'POST /transactions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
    'POST /transactions HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n',
    'GET /transactions HTTP/1.1\r\nhost: x\r\nx\u0000y: z\r\n\r\n',
    'GET /transactions HTTP/1.1\r\nhost: x\r\n folded: z\r\n\r\n',
  ])('bytes that are not an HTTP request are 400 in the envelope: %j', async (text) => {
    const answer = await raw(text)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(bodyOf(answer)).toMatchObject(envelope(400, 'bad_request'))
  })

  test('a method that only the preface of HTTP/2 has is 404 in the envelope', async () => {
    const answer = await raw('PRI *0\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  })

  test('an expectation that HTTP does not know is 417 in the envelope', async () => {
    const answer = await raw(
      'GET /transactions HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\nconnection: close\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 417 /)
    expect(bodyOf(answer)).toMatchObject(envelope(417, 'expectation_failed'))
  })

  test('a request without a host is 400 in the envelope, and HTTP/1.0 may do without', async () => {
    const answer = await raw('GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(bodyOf(answer)).toMatchObject(envelope(400, 'bad_request'))
    expect(await raw('GET /health/live HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test.each(['/no-such-path', `/transactions/${'x'.repeat(600)}`])(
    'OPTIONS of an unknown path is 404, with a token and without',
    async (path) => {
      for (const headers of [{}, { authorization: `Bearer ${railyard.admin.token}` }])
        expect(await railyard.send('OPTIONS', path, { headers })).toMatchObject({
          status: 404,
          body: envelope(404, 'not_found'),
        })
    },
  )

  test('a content type that is sent twice counts once', async () => {
    const head = `POST /transactions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${railyard.admin.token}\r\ncontent-type: application/json\r\n`
    const twice = await raw(
      `${head}content-type: text/plain\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
    )
    expect(twice).toMatch(/^HTTP\/1\.1 422 /)
  })

  test('a browser’s token with a whole cart fits into the headers', async () => {
    const cart = Array.from({ length: 100 }, (_, index) => ({
      name: `Item number ${index}`,
      quantity: 1,
      unit_amount: 1000,
      sku: `sku-${index}`,
    }))
    const { token } = await railyard.client({
      account: 'default',
      scopes: ['embed'],
      embed: { amount: 1000, currency: 'USD', cart_items: cart },
    })
    expect(token.length).toBeGreaterThan(10_000)
    const payment = JSON.stringify({ amount: 1000, currency: 'USD', payment_method: card })
    const cookie = 'x'.repeat(8_000)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', cookie }
    expect((await railyard.send('POST', '/transactions', { headers, body: payment })).status).toBe(201)
  })

  test('HEAD is answered as GET is, without the body', async () => {
    const [head, got] = [
      await railyard.send('HEAD', '/transactions', { headers: json() }),
      await railyard.admin.get('/transactions'),
    ]
    expect([head.status, head.body, head.headers.get('content-type')]).toEqual([
      200,
      undefined,
      got.headers.get('content-type'),
    ])
    expect(await railyard.send('HEAD', '/transactions')).toMatchObject({ status: 401, body: undefined })
  })

  test('a path with a slash at the end is the same path', async () => {
    expect(await railyard.admin.get('/transactions/')).toMatchObject({
      status: 200,
      body: { items: expect.any(Array) },
    })
  })
})

describe('a request id', () => {
  const idFor = async (id: string) =>
    (await railyard.send('GET', '/health/live', { headers: { 'x-request-id': id } })).headers.get(
      'x-request-id',
    )
  const generated = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

  test('of the client is answered; without one the server makes one, also for an error', async () => {
    expect(await idFor('order-17_b.2')).toBe('order-17_b.2')
    for (const path of ['/health/live', '/nope', '/transactions', '/%zz'])
      expect((await railyard.send('GET', path)).headers.get('x-request-id')).toMatch(generated)
  })

  test.each([
    '',
    ' ',
    'a b',
    'x'.repeat(101),
    '<script>',
    '$\u007bjndi:ldap://x}',
    'a\tb',
    'é',
    '{"a":1}',
    "';--",
    '../../etc',
  ])('that is hostile (%j) is replaced by one that the server makes', async (id) =>
    expect(await idFor(id)).toMatch(generated),
  )
})

describe('a client without a bearer', () => {
  test('gets the health of the service', async () => {
    expect(await railyard.send('GET', '/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await railyard.send('GET', '/health/ready')).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  test('can read the API document and the reference pages', async () => {
    expect(await railyard.send('GET', '/openapi.json')).toMatchObject({
      status: 200,
      body: { openapi: '3.1.0' },
    })
    for (const path of ['/docs', '/docs/', '/docs/js/scalar.js'])
      expect((await railyard.send('GET', path)).status).toBe(200)
    expect(await raw('GET /docs/ HTTP/1.1\r\nhost: [\r\nconnection: close\r\n\r\n')).not.toMatch(
      /^HTTP\/1\.1 5/,
    )
  })
})
