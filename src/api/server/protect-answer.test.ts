import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

const protection = async (
  method: string,
  path: string,
  init: { body?: string; headers?: Record<string, string> } = {},
) => {
  const { status, headers } = await railyard.send(method, path, init)
  return { status, cache: headers.get('cache-control'), type: headers.get('x-content-type-options') }
}
const json = () => ({ authorization: `Bearer ${railyard.admin.token}`, 'content-type': 'application/json' })

test.each([
  ['a list', 'GET', '/transactions', undefined, 200],
  ['a resource that is made', 'POST', '/buyers', '{}', 201],
  ['a broken rule', 'POST', '/payment-links', '{"amount":100,"currency":"XXQ","country":"DE"}', 400],
  ['a wrong shape', 'POST', '/transactions', '{}', 422],
  ['an unknown resource', 'GET', '/transactions/00000000-0000-0000-0000-000000000000', undefined, 404],
  ['an unknown path', 'GET', '/nothing', undefined, 404],
  ['a path that cannot be decoded', 'GET', '/%ff', undefined, 404],
  ['a method that a path lacks', 'PATCH', '/transactions', undefined, 405],
  ['a body that is no JSON', 'POST', '/transactions', '{', 400],
  ['the API document', 'GET', '/openapi.json', undefined, 200],
  ['health', 'GET', '/health/ready', undefined, 200],
])('%s is kept by no cache and taken for nothing but JSON', async (_, method, path, body, status) => {
  const answer = await protection(method, path, { headers: json(), ...(body !== undefined && { body }) })
  expect(answer).toEqual({ status, cache: 'no-store', type: 'nosniff' })
})

test('a refused token is kept by no cache', async () => {
  expect(await protection('GET', '/transactions')).toEqual({
    status: 401,
    cache: 'no-store',
    type: 'nosniff',
  })
})

test('the answer to a request that Node refuses by itself is kept by no cache', async () => {
  expect(await protection('GET', '/transactions', { headers: { x: 'x'.repeat(40_000) } })).toEqual({
    status: 431,
    cache: 'no-store',
    type: 'nosniff',
  })
})

test('the icons of card schemes keep their own cache-control header', async () => {
  const { items } = (await railyard.admin.get('/card-scheme-definitions')).body
  const { pathname } = new URL(items[0].icon_url)
  expect(await protection('GET', pathname)).toMatchObject({
    status: 200,
    cache: expect.stringContaining('max-age'),
    type: 'nosniff',
  })
})

test('the API reference runs its own script and asks no other server', async () => {
  const { headers, body } = await railyard.send('GET', '/docs')
  const policy = headers.get('content-security-policy') ?? ''
  expect(body).toContain('<script')
  expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[A-Za-z0-9+/]{43}='; /)
  expect(policy).toContain("connect-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
})
