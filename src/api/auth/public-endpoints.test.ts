import { readFileSync } from 'node:fs'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { beforeEach, describe, expect, test } from 'vitest'
import { reportPath } from '../../../test/support/domains/hosted-pages.ts'
import { sendLink } from '../../../test/support/domains/payment-links.ts'
import { type Answer, type Client, card } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { buildServer } from '../../process/server.ts'
import { fileUrl } from '../../reports/executions/file-url.ts'
import { challengeUrl, returnUrl } from '../../transactions/approval/approval-links.ts'
import { sessionToken } from '../../transactions/approval/session-token.ts'

const DOCUMENT = 'docs/operations/public-endpoints.md'
const railyard = await startRailyardForFile()
const shop: Client = await railyard.merchant()
// sign-ins and invitations share a rate by address
beforeEach(() => railyard.clock.advance(61_000))

/** The routes of the document's table, each with its rate limit. */
const documented = new Map(
  [
    ...readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `([A-Z]+ [^`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm),
  ].map(([, route = '', , limit = '']) => [route, limit.trim()]),
)

/** Every public route of a server. The tracing gets the server before it has any routes, so its hook sees all of them. */
async function publicRoutes(): Promise<string[]> {
  const registered: RouteOptions[] = []
  const collect = async (app: FastifyInstance) => {
    app.addHook('onRoute', (route) => void registered.push(route))
  }
  const { world } = railyard
  const server = await buildServer(
    { ...world, tracing: { ...world.tracing, traceRequests: collect } },
    railyard.simulatorUrl,
  )
  await server.close()
  // a path answers 405 to the methods that it lacks
  const answering = registered.filter(
    ({ config, onRequest, handler }) => config?.scopes === 'public' && onRequest !== handler,
  )
  return answering.flatMap(({ method, url }) =>
    [method]
      .flat()
      .filter((each) => each !== 'HEAD')
      .map((each) => `${each} ${url.replace(/:(\w+)/g, '{$1}')}`),
  )
}

test('the table of public endpoints lists every route that needs no bearer token, and no other', async () => {
  const routes = await publicRoutes()
  expect(routes.length).toBeGreaterThan(30)
  expect(routes.filter((route) => !documented.has(route))).toEqual([])
  expect([...documented.keys()].filter((route) => !routes.includes(route))).toEqual([])
})

type Send = () => Promise<Answer>
const json = { 'content-type': 'application/json' }
const path = (url: string) => url.slice(railyard.world.publicUrl.length)
const get = (at: string): Send => {
  return () => railyard.send('GET', at, { redirect: 'manual' })
}
const sending = (method: string, at: string, body: unknown): Send => {
  return () => railyard.send(method, at, { headers: json, body: JSON.stringify(body) })
}
const newSession = async () => `/checkout/sessions/${(await shop.post('/checkout/sessions', {})).body.id}`
const newLink = async () => path((await sendLink(railyard, shop)).url)
const exchange = (method: string): Send => {
  const id = railyard.world.ids.next()
  return () =>
    railyard.send(
      method,
      `/transactions/${id}/session?token=${sessionToken(railyard.world, shop.account, id)}`,
    )
}
const returned = (step: 'approved' | 'authenticated') => {
  const id = railyard.world.ids.next()
  return path(
    step === 'approved'
      ? returnUrl(railyard.world, shop.account, id, step)
      : challengeUrl(railyard.world, shop.account, id, step),
  )
}

/** A request that the route's rate limit counts, with a credential of its own. */
const attempts: Record<string, () => Promise<Send> | Send> = {
  'POST /pay/{token}/sessions': async () => sending('POST', `${await newLink()}/sessions`, {}),
  'POST /pay/{token}/apple-pay-sessions': async () =>
    sending('POST', `${await newLink()}/apple-pay-sessions`, {
      validation_url: 'https://apple-pay-gateway.apple.com/session',
    }),
  'POST /pay/{token}/payments': async () =>
    sending('POST', `${await newLink()}/payments`, { payment_method_id: railyard.world.ids.next() }),
  'GET /pay/{token}/status': async () => get(`${await newLink()}/status`),
  'POST /pay/{token}/abandon': async () => {
    const link = await newLink()
    return () => railyard.send('POST', `${link}/abandon`)
  },
  'PUT /checkout/sessions/{session_id}/fields': async () =>
    sending('PUT', `${await newSession()}/fields`, { payment_method: card }),
  'POST /checkout/sessions/{session_id}/fields': async () =>
    sending('POST', `${await newSession()}/fields`, { payment_method: card }),
  'POST /checkout/sessions/{session_id}/card-details': async () =>
    sending('POST', `${await newSession()}/card-details`, { bin: '411111' }),
  'GET /checkout/sessions/{session_id}/acquirer': async () => get(`${await newSession()}/acquirer`),
  'POST /checkout/sessions/{session_id}/three-ds-method': async () =>
    sending('POST', `${await newSession()}/three-ds-method`, {}),
  'POST /digital-wallets/click-to-pay/session': async () => {
    const checkout_session_id = (await newSession()).split('/').at(-1)
    return sending('POST', '/digital-wallets/click-to-pay/session', { checkout_session_id })
  },
  'GET /transactions/{transaction_id}/session': () => exchange('GET'),
  'POST /transactions/{transaction_id}/session': () => exchange('POST'),
  'GET /approvals/{merchant_account_id}/{transaction_id}/{token}/{result}': () => get(returned('approved')),
  'GET /approvals/{merchant_account_id}/{transaction_id}/{token}/authenticated': () =>
    get(returned('authenticated')),
  'POST /approvals/{merchant_account_id}/{transaction_id}/{token}/authenticated': () => {
    const at = returned('authenticated')
    return () => railyard.send('POST', at, { redirect: 'manual' })
  },
  'GET /elements/card': async () => {
    const session = (await newSession()).split('/').at(-1)
    return get(`/elements/card?session=${session}&parent=http://localhost:3000`)
  },
  'GET /elements/method': async () => {
    const session = (await newSession()).split('/').at(-1)
    return get(`/elements/method?session=${session}&id=${session}&parent=http://localhost:3000`)
  },
  'GET /elements/approvals/{merchant_account_id}/{transaction_id}/{token}': () =>
    get(`/elements${returned('approved').replace(/\/approved$/, '')}`),
  'POST /elements/approvals/{merchant_account_id}/{transaction_id}/{token}/cancel': () =>
    sending('POST', `/elements${returned('approved').replace(/approved$/, 'cancel')}`, {}),
  'POST /browser-reports/{merchant_account_id}/{page}/{proof}': () =>
    sending('POST', reportPath(railyard, shop.account), []),
  'POST /sessions': () =>
    sending('POST', '/sessions', { email_address: 'nobody@example.com', password: 'not the password 1' }),
  'POST /invitations/{token}': () => () =>
    railyard.send('POST', '/invitations/guessed', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name=A',
    }),
  'POST /sessions/passkey/options': () => {
    railyard.world.publicUrl = railyard.url.replace('127.0.0.1', 'localhost')
    return () => railyard.send('POST', '/sessions/passkey/options')
  },
  'POST /sessions/passkey': () => sending('POST', '/sessions/passkey', { credential: {} }),
  'POST /sign-in/{token}': () => () =>
    railyard.send('POST', '/sign-in/guessed', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  'POST /invitations/accept': () =>
    sending('POST', '/invitations/accept', { token: 'guessed', name: 'A', password: 'a good password 1' }),
  'GET /report-executions/{report_execution_id}/file': () => {
    const expires = Math.floor(railyard.clock.now() / 1000) + 600
    return get(
      path(fileUrl(railyard.world, { account: shop.account, execution: railyard.world.ids.next(), expires })),
    )
  },
}

describe('a rate limit in the table of public endpoints', () => {
  const claims = [...documented].filter(([, limit]) => !limit.startsWith('none:'))

  test('is tested for each route that has one', () => {
    expect(claims.map(([route]) => route).sort()).toEqual(Object.keys(attempts).sort())
  })

  test.each(claims)('of %s is applied: %s', async (route, limit) => {
    const most = Number(/^(\d+) a minute/.exec(limit)?.[1])
    const send = await attempts[route]?.()
    const statuses: (number | undefined)[] = []
    for (let turn = 0; turn < most; turn++) statuses.push((await send?.())?.status)
    expect(statuses).toHaveLength(most)
    expect(statuses).not.toContain(429)
    const refused = await send?.()
    expect(refused?.status).toBe(429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    railyard.clock.advance(61_000)
    expect((await send?.())?.status).not.toBe(429)
  })
})
