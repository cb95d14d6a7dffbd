import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { startReceiver, subscribe } from '../../../test/support/receiver.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { MerchantUnreachable } from '../../outgoing/merchant-http.ts'
import type { WebhookAuthentication } from '../subscriptions/webhook-subscription.ts'
import { authorizationHeaders, dropCachedToken } from './webhook-authorization.ts'

const railyard = await startRailyardForFile()

type ClientCredentials = Extract<WebhookAuthentication, { kind: 'oauth_client_credentials' }>

interface TokenRequest {
  headers: IncomingHttpHeaders
  form: Record<string, string>
}

/** A token endpoint that answers `token-1`, `token-2`, … or what the test wants. */
async function tokenEndpoint(
  answer: (count: number) => [number, unknown] = (count) => [200, granted(`token-${count}`)],
) {
  const requests: TokenRequest[] = []
  const server = createServer(async (request, response) => {
    requests.push({
      headers: request.headers,
      form: Object.fromEntries(new URLSearchParams(await text(request))),
    })
    const [status, body] = answer(requests.length)
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  return {
    requests,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/token`,
  }
}

const granted = (access_token: string, more: object = { expires_in: 3600 }) => ({
  access_token,
  token_type: 'bearer',
  ...more,
})

const credentials = (
  token_url: string,
  more: { scope?: string; client_secret?: string } = {},
): ClientCredentials => ({
  kind: 'oauth_client_credentials',
  client_id: 'railyard',
  client_secret: 's3cret',
  token_url,
  scope: null,
  ...more,
})

const authorization = async (id: string, authentication: WebhookAuthentication | null) =>
  (await authorizationHeaders(railyard.world, { id, authentication })).authorization

test('a subscription without authentication sends no authorization header', async () => {
  expect(await authorizationHeaders(railyard.world, { id: randomUUID(), authentication: null })).toEqual({})
})

test('basic authentication sends the name and the password in UTF-8', async () => {
  const header = await authorization(randomUUID(), { kind: 'basic', username: 'shop', password: 'grün:10 €' })
  expect(Buffer.from(header?.replace(/^Basic /, '') ?? '', 'base64').toString()).toBe('shop:grün:10 €')
})

test('client credentials are exchanged for a token, with the scope if there is one', async () => {
  const { url, requests } = await tokenEndpoint()
  expect(
    await authorization(randomUUID(), credentials(url, { scope: 'hooks all', client_secret: 'a b:c/é' })),
  ).toBe('Bearer token-1')
  expect(requests[0]?.form).toEqual({ grant_type: 'client_credentials', scope: 'hooks all' })
  expect(requests[0]?.headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from('railyard:a+b%3Ac%2F%C3%A9').toString('base64')}`,
  })
  await authorization(randomUUID(), credentials(url))
  expect(requests[1]?.form).toEqual({ grant_type: 'client_credentials' })
})

test('a password is exchanged for a token', async () => {
  const { url, requests } = await tokenEndpoint()
  const authentication = {
    ...credentials(url),
    kind: 'oauth_password',
    username: 'ada',
    password: 'p&w',
  } as const
  expect(await authorization(randomUUID(), authentication)).toBe('Bearer token-1')
  expect(requests[0]?.form).toEqual({ grant_type: 'password', username: 'ada', password: 'p&w' })
})

test('a hundred deliveries at once request one token, and each subscription its own', async () => {
  const { url, requests } = await tokenEndpoint()
  const [one, other] = [randomUUID(), randomUUID()]
  const headers = await Promise.all(Array.from({ length: 100 }, () => authorization(one, credentials(url))))
  expect(new Set(headers)).toEqual(new Set(['Bearer token-1']))
  expect(await authorization(other, credentials(url))).toBe('Bearer token-2')
  expect(requests).toHaveLength(2)
})

test.each([
  ['an hour', { expires_in: 3600 }, 3_500_000, 80_000],
  ['an hour, written as text', { expires_in: '3600' }, 3_500_000, 80_000],
  ['ten seconds', { expires_in: 10 }, 4_000, 6_000],
  ['no stated time', {}, 200_000, 80_000],
])(
  'a token that is valid for %s is requested again shortly before it expires',
  async (_, life, before, more) => {
    const { url } = await tokenEndpoint((count) => [200, granted(`token-${count}`, life)])
    const id = randomUUID()
    expect(await authorization(id, credentials(url))).toBe('Bearer token-1')
    railyard.clock.advance(before)
    expect(await authorization(id, credentials(url))).toBe('Bearer token-1')
    railyard.clock.advance(more)
    expect(await authorization(id, credentials(url))).toBe('Bearer token-2')
  },
)

test('another token is requested after a 401 of the receiver, and with other credentials', async () => {
  const { url } = await tokenEndpoint()
  const id = randomUUID()
  expect(await authorization(id, credentials(url))).toBe('Bearer token-1')
  dropCachedToken(railyard.world, id)
  expect(await authorization(id, credentials(url))).toBe('Bearer token-2')
  expect(await authorization(id, credentials(url, { client_secret: 'another' }))).toBe('Bearer token-3')
})

test.each([
  [
    'a refusal',
    [401, { error: 'invalid_client', error_description: 's3cret is wrong' }],
    'no token: the token endpoint answered 401',
  ],
  ['a redirect', [302, ''], 'no token: the token endpoint answered 302'],
  ['no JSON', [200, '<html>s3cret'], /is no bearer token/],
  ['another type of token', [200, { ...granted('t'), token_type: 'mac' }], /is no bearer token/],
  ['a token that no header can carry', [200, granted('a\r\nx: s3cret')], /is no bearer token/],
  ['a list', [200, []], /is no bearer token/],
] as [string, [number, unknown], string | RegExp][])(
  '%s of the token endpoint gives an error without a secret, and the next delivery requests a token again',
  async (_, answer, reason) => {
    const { url } = await tokenEndpoint((count) => (count === 1 ? answer : [200, granted('better')]))
    const id = randomUUID()
    const error = await authorization(id, credentials(url)).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(MerchantUnreachable)
    expect(error.message).toMatch(reason)
    expect(error.message).not.toContain('s3cret')
    expect(await authorization(id, credentials(url))).toBe('Bearer better')
  },
)

test('a token endpoint that cannot be reached counts as a receiver that cannot be reached', async () => {
  const error = await authorization(randomUUID(), credentials('http://127.0.0.1:9/token')).catch(
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(MerchantUnreachable)
  expect(error.message).toMatch(/^no token: /)
})

test('a receiver that refuses the token gets the event again with a new token', async () => {
  const { url } = await tokenEndpoint()
  const { account, post } = await railyard.merchant()
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  receiver.answers(
    ({ headers }, reply) =>
      void reply.writeHead(headers.authorization === 'Bearer token-2' ? 204 : 401).end(),
  )
  await subscribe(railyard, account, receiver, credentials(url))
  await post('/buyers', {})
  await railyard.sender.runOnce()
  railyard.clock.advance(6_000)
  await railyard.sender.runOnce()
  expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer token-1',
    'Bearer token-2',
  ])
})
