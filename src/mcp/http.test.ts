import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test, vi } from 'vitest'
import { callerOf, connect } from '../../test/support/domains/mcp.ts'
import { injectFaults } from '../../test/support/provider.ts'
import { type Answer, startTestRailyard } from '../../test/support/railyard.ts'
import { openShop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()

const post = (body: unknown, headers: Record<string, string>): Promise<Answer> =>
  railyard.send('POST', '/mcp', {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  })
const bearer = { authorization: `Bearer ${merchant.token}`, 'x-svc-merchant-account-id': merchant.account }
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

test.each([
  ['no token', {}],
  ['a token that is none', { authorization: 'Bearer nonsense' }],
  ['a cookie alone', { cookie: 'session=nonsense' }],
])('a request with %s is refused with the challenge of the specification', async (_, headers) => {
  const { status, headers: answered, body } = await post(listTools, headers)
  expect({ status, challenge: answered.get('www-authenticate'), code: body.code }).toEqual({
    status: 401,
    challenge: 'Bearer',
    code: 'unauthorized',
  })
})

test('a browser’s token opens no tool', async () => {
  const browser = await railyard.client({
    account: merchant.account,
    scopes: ['embed'],
    embed: { amount: 1299, currency: 'EUR' },
  })
  expect(await post(listTools, { authorization: `Bearer ${browser.token}` })).toMatchObject({ status: 403 })
})

test('a page of another origin is refused, also with a token', async () => {
  expect(await post(listTools, { ...bearer, origin: 'https://evil.example' })).toMatchObject({ status: 403 })
  expect(await post(listTools, { ...bearer, origin: new URL(railyard.url).origin })).toMatchObject({
    status: 200,
  })
})

test('there are no sessions to keep: GET and DELETE are no methods, and no answer has a session', async () => {
  for (const method of ['GET', 'DELETE'])
    expect(await railyard.send(method, '/mcp', { headers: bearer })).toMatchObject({ status: 405 })
  const { headers } = await post(listTools, bearer)
  expect(headers.get('mcp-session-id')).toBeNull()
})

test('a stream of changes is refused: the lists never change', async () => {
  const client = await connect(railyard, merchant)
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow()
  await client.close()
})

test.each([
  ['larger than 128 KiB', `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(140_000)}"}`, 413],
  ['no JSON', '{', 400],
  ['with a member twice', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"tools/list"}', 400],
  ['no message of JSON-RPC', '{"hello":1}', 400],
])('a body that is %s is refused', async (_, body, status) => {
  expect(await post(body, bearer)).toMatchObject({ status })
})

test('a token that is revoked opens nothing from the next call on', async () => {
  const { keyId, ...key } = await railyard.client({ account: merchant.account })
  const callTool = callerOf(await connect(railyard, key))
  expect(await callTool('check_health')).toMatchObject({ isError: false })
  await railyard.admin.delete(`/api-key-pairs/${keyId}`)
  await expect(callTool('check_health')).rejects.toThrow()
})

test('the requests of a tool are the caller’s in the audit log', async () => {
  const { keyId, ...key } = await railyard.client({ account: merchant.account })
  const callTool = callerOf(await connect(railyard, key))
  const link = { amount: 1299, currency: 'EUR', country: 'DE', intent: 'capture' }
  const { body } = await callTool('create_payment_link', {
    ...link,
    reason: 'to pay again',
    request_id: 'request-audited',
  })
  const entries = (await merchant.get('/audit-logs?limit=5')).body.items
  expect(entries).toContainEqual(
    expect.objectContaining({
      action: 'created',
      resource: expect.objectContaining({ id: body.result.id }),
      user: expect.objectContaining({ id: keyId }),
    }),
  )
})

test('a transport without a token cannot connect', async () => {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', railyard.url))
  await transport.start()
  await expect(transport.send({ ...listTools, jsonrpc: '2.0' })).rejects.toThrow()
  await transport.close()
})

test('a tool that has moved money when the process is stopped answers with what it did', async () => {
  const stopping = await startTestRailyard()
  const shop = await openShop(stopping)
  const payment = await shop.sold(12_99)
  const client = await connect(stopping, shop)
  await injectFaults(stopping, { operation: 'refund', kind: 'delay', delay_ms: 1_000 })
  const refunded = callerOf(client)('refund_payment', {
    payment_id: payment.id,
    reason: 'returned',
    request_id: 'refund-0001',
  })
  await vi.waitFor(async () => expect(await payment.refunds()).toHaveLength(1), { timeout: 10_000 })
  const stopped = stopping.close()
  expect(await refunded).toMatchObject({
    isError: false,
    body: { state: 'done', payment: { refunded_amount: 12_99 } },
  })
  await client.close()
  await stopped
})
