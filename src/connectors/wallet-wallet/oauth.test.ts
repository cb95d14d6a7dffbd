import { describe, expect, test } from 'vitest'
import { callFor, operationFor } from '../../../test/support/domains/connector-call.ts'
import { LIVE_CREDENTIALS_MESSAGE } from '../wire/account-environment.ts'
import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import { tokenCache } from './oauth.ts'
import { openWire } from './wire.ts'

const fields = { client_id: 'client', client_secret: 'secret', environment: 'sandbox' }

const ok = (body: Record<string, unknown>, status = 200): HttpAnswer => ({
  lost: false,
  status,
  headers: {},
  body,
})

/** A provider that grants the tokens `t1`, `t2`, … and answers all other requests with `answer`. */
function provider(
  answer: (request: HttpRequest) => HttpAnswer = () => ok({}),
  token: (count: number) => HttpAnswer = granted,
) {
  const requests: HttpRequest[] = []
  let tokens = 0
  let now = 0
  const clock = { now: () => now }
  const http = async (request: HttpRequest) => {
    requests.push(request)
    await Promise.resolve()
    if (request.url.endsWith('/v1/oauth2/token')) return token(++tokens)
    return answer(request)
  }
  const call = (more: Partial<typeof fields> = {}) =>
    callFor({
      http,
      fields: { ...fields, ...more },
      operation: operationFor({ id: 'o', kind: 'capture', amount: 1 }),
    })
  const wire = openWire(undefined, tokenCache(clock), clock)
  return {
    wire,
    call,
    requests,
    bearers: () =>
      requests.filter(({ url }) => !url.endsWith('/token')).map(({ headers }) => headers?.['authorization']),
    tokens: () => tokens,
    forward: (ms: number) => {
      now += ms
    },
  }
}

const granted = (count: number) => ok({ access_token: `t${count}`, token_type: 'Bearer', expires_in: 3600 })

const get = { method: 'GET', path: '/v2/x' } as const

test('requests a token with the credentials, and sends it with each request', async () => {
  const { wire, call, requests } = provider()
  await wire.send(call(), { method: 'POST', path: '/v2/x', body: {}, key: 'o' })
  expect(requests).toMatchObject([
    {
      method: 'POST',
      url: 'https://api-m.sandbox.paypal.com/v1/oauth2/token',
      headers: { authorization: `Basic ${btoa('client:secret')}` },
      form: { grant_type: 'client_credentials' },
    },
    {
      method: 'POST',
      url: 'https://api-m.sandbox.paypal.com/v2/x',
      headers: { authorization: 'Bearer t1', 'paypal-request-id': 'o', prefer: 'return=representation' },
    },
  ])
})

test('sends no live credentials in the sandbox, also for a service that was configured before they were refused', async () => {
  const { call, requests } = provider()
  const wire = openWire('http://127.0.0.1:9', tokenCache({ now: () => 0 }), { now: () => 0 })
  const refused = { code: 'invalid_service_configuration', reason: LIVE_CREDENTIALS_MESSAGE }
  expect(await wire.send(call({ environment: 'production' }), get)).toMatchObject({ refused })
  expect(await wire.freshToken(call({ environment: 'production' }))).toEqual(refused)
  expect(requests).toEqual([])
})

describe('an access token', () => {
  test('is cached until shortly before it expires', async () => {
    const { wire, call, bearers, forward } = provider()
    await wire.send(call(), get)
    forward(3_500_000)
    await wire.send(call(), get)
    forward(50_000)
    await wire.send(call(), get)
    expect(bearers()).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2'])
  })

  test('is requested once, however many requests wait for it', async () => {
    const { wire, call, tokens } = provider()
    await Promise.all(Array.from({ length: 50 }, () => wire.send(call(), get)))
    expect(tokens()).toBe(1)
  })

  test('of other credentials, or of another environment, is another one', async () => {
    const { wire, call, bearers } = provider()
    await wire.send(call(), get)
    await wire.send(call({ client_secret: 'changed' }), get)
    await wire.send(call({ environment: 'production' }), get)
    await wire.send(call(), get)
    expect(bearers()).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3', 'Bearer t1'])
  })

  test('that is refused is dropped, and the request is sent once more', async () => {
    const { wire, call, bearers } = provider(({ headers }) =>
      ok({}, headers?.['authorization'] === 'Bearer t1' ? 401 : 200),
    )
    expect(await wire.send(call(), get)).toMatchObject({ refused: null, answer: { status: 200 } })
    await wire.send(call(), get)
    expect(bearers()).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t2'])
  })

  test('that is refused twice makes the request fail', async () => {
    const { wire, call, bearers } = provider(() => ok({}, 401))
    expect(await wire.send(call(), get)).toMatchObject({ refused: null, answer: { status: 401 } })
    expect(bearers()).toEqual(['Bearer t1', 'Bearer t2'])
  })

  test('is requested anew by a verification, even if one is cached', async () => {
    const { wire, call, tokens } = provider()
    await wire.send(call(), get)
    expect(await wire.freshToken(call())).toEqual({ token: 't2' })
    expect(tokens()).toBe(2)
  })
})

describe('without a token nothing is sent', () => {
  test.each([
    ['refused credentials', ok({ error: 'invalid_client' }, 401), 'invalid_service_credentials'],
    ['no permission', ok({}, 403), 'insufficient_service_permissions'],
    ['too many requests', ok({}, 429), 'service_rate_limit'],
    ['trouble', ok({}, 503), 'service_error'],
    ['an answer that cannot be read', ok({ token: 'x' }), 'invalid_service_response'],
    ['no answer', { lost: true, sent: true, reason: 'reset' } as const, 'service_network_error'],
  ])('%s', async (_name, answer, code) => {
    const { wire, call, bearers } = provider(undefined, () => answer)
    expect(await wire.send(call(), get)).toMatchObject({ refused: { code } })
    expect(bearers()).toEqual([])
  })

  test('and the next request tries again', async () => {
    const { wire, call, bearers } = provider(undefined, (count) =>
      count === 1 ? ok({}, 503) : granted(count),
    )
    await wire.send(call(), get)
    await wire.send(call(), get)
    expect(bearers()).toEqual(['Bearer t2'])
  })
})
