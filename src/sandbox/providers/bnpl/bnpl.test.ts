import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../../../../test/contracts/contract.ts'
import { frozenClock } from '../../core/simulator-client.fixture.ts'
import { startSimulator } from '../../simulator.ts'

const credentials = `Basic ${btoa('K123:secret')}`
const { request: checkRequest, response: checkResponse } = contract('bnpl')

interface Answered {
  status: number
  headers: Headers
  body: Record<string, unknown>
  text: string
}

/** The provider as a merchant's server sees it; every answer is checked against the contract. */
function merchant(url: string, service: string) {
  const base = `${url}/bnpl/${service}`
  async function raw(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> {
    const answer = await fetch(`${base}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return {
      status: answer.status,
      headers: answer.headers,
      body: text.startsWith('{') ? JSON.parse(text) : {},
      text,
    }
  }
  async function call(
    method: string,
    path: string,
    body?: unknown,
    key: string = randomUUID(),
  ): Promise<Answered> {
    const headers = { authorization: credentials, 'klarna-idempotency-key': key }
    const answer = await raw(method, path, body, headers)
    const asked = {
      method,
      path,
      ...(body !== undefined && { body, headers: { ...headers, 'content-type': 'application/json' } }),
    }
    expect(checkRequest(asked)).toEqual([])
    expect(
      checkResponse({
        method,
        path,
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: answer.text,
      }),
    ).toEqual([])
    return answer
  }
  const at = (id: unknown) => `/ordermanagement/v1/orders/${id}`
  return {
    base,
    raw,
    call,
    session: (body: object = basket()) => call('POST', '/payments/v1/sessions', body),
    async page(session: unknown, merchant_urls: Record<string, string> = {}) {
      return call('POST', '/hpp/v1/sessions', {
        payment_session_url: `${base}/payments/v1/sessions/${session}`,
        merchant_urls,
      })
    },
    async token(body: object = basket()) {
      const { client_token } = (await call('POST', '/payments/v1/sessions', body)).body
      return (await raw('POST', `/sdk/sessions/${client_token}/authorize`, { approved: true })).body[
        'authorization_token'
      ]
    },
    order: (token: unknown, body: object = basket(), key?: string) =>
      call('POST', `/payments/v1/authorizations/${token}/order`, body, key),
    read: (id: unknown) => call('GET', at(id)),
    capture: (id: unknown, captured_amount: number, key?: string) =>
      call('POST', `${at(id)}/captures`, { captured_amount }, key),
    refund: (id: unknown, refunded_amount: number, key?: string) =>
      call('POST', `${at(id)}/refunds`, { refunded_amount }, key),
    post: (id: unknown, what: string, key?: string) => call('POST', `${at(id)}/${what}`, undefined, key),
  }
}

const basket = (order_amount = 100_00, more: object = {}) => ({
  purchase_country: 'DE',
  purchase_currency: 'EUR',
  order_amount,
  order_lines: [{ name: 'Shirt', quantity: 1, unit_price: order_amount, total_amount: order_amount }],
  ...more,
})

async function open(options: Partial<Parameters<typeof startSimulator>[0]> = {}) {
  const clock = frozenClock()
  const simulator = await startSimulator({ clock, ...options })
  onTestFinished(() => simulator.close())
  return { clock, simulator, ...merchant(simulator.url, randomUUID()) }
}

test('a token places one order, and a repeated key returns the same order', async () => {
  const provider = await open()
  const [token, key] = [await provider.token(), randomUUID()]
  const first = await provider.order(token, basket(), key)
  expect(first.body).toMatchObject({ fraud_status: 'ACCEPTED' })
  expect((await provider.order(token, basket(), key)).body).toEqual(first.body)
  expect(await provider.order(token)).toMatchObject({
    status: 403,
    body: { error_messages: ['Authorization token already consumed'] },
  })
})

test('a hundred concurrent orders with one token place one order', async () => {
  const provider = await open()
  const token = await provider.token()
  const answers = await Promise.all(Array.from({ length: 100 }, () => provider.order(token)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a token expires after an hour, a session after two days', async () => {
  const provider = await open()
  const { session_id } = (await provider.session()).body
  const [early, late] = [await provider.token(), await provider.token()]
  provider.clock.forward(3_600_000 - 1)
  expect((await provider.order(early)).status).toBe(200)
  provider.clock.forward(1)
  expect(await provider.order(late)).toMatchObject({
    status: 403,
    body: { error_messages: ['Authorization token expired'] },
  })
  expect((await provider.call('GET', `/payments/v1/sessions/${session_id}`)).body['status']).toBe(
    'incomplete',
  )
  provider.clock.forward(48 * 3_600_000)
  expect((await provider.call('GET', `/payments/v1/sessions/${session_id}`)).status).toBe(404)
})

test('an order must match what the buyer approved', async () => {
  const provider = await open()
  const token = await provider.token()
  for (const other of [
    basket(99_00),
    basket(100_00, { purchase_currency: 'USD' }),
    basket(100_00, { purchase_country: 'AT' }),
  ]) {
    expect(await provider.order(token, other)).toMatchObject({
      status: 409,
      body: { error_code: 'BAD_VALUE' },
    })
  }
  expect((await provider.order(token)).status).toBe(200)
})

test('a cancelled or unknown authorization places no order', async () => {
  const provider = await open()
  const token = await provider.token()
  expect((await provider.call('DELETE', `/payments/v1/authorizations/${token}`)).status).toBe(204)
  expect((await provider.order(token)).status).toBe(404)
  expect((await provider.order('unknown')).status).toBe(404)
})

test('declines a buyer with the test e-mail address', async () => {
  const provider = await open()
  const body = basket(100_00, { billing_address: { email: 'customer+de+denied@example.com' } })
  expect(await provider.order(await provider.token(body), body)).toMatchObject({
    status: 403,
    body: { error_code: 'REJECTED' },
  })
})

test('refuses lines that do not add up, and wrong credentials', async () => {
  const provider = await open()
  expect((await provider.session(basket(100_00, { order_amount: 1 }))).status).toBe(400)
  for (const authorization of ['', `Basic ${btoa('K123:invalid')}`, 'Bearer token']) {
    expect((await provider.raw('POST', '/payments/v1/sessions', basket(), { authorization })).status).toBe(
      401,
    )
  }
})

test('an order is captured in parts, refunded, and its rest released', async () => {
  const provider = await open()
  const { order_id } = (await provider.order(await provider.token())).body
  const capture = await provider.capture(order_id, 60_00)
  expect(capture).toMatchObject({ status: 201, text: '' })
  const id = capture.headers.get('capture-id')
  expect(capture.headers.get('location')).toBe(`/ordermanagement/v1/orders/${order_id}/captures/${id}`)
  expect(
    (await provider.call('GET', `/ordermanagement/v1/orders/${order_id}/captures/${id}`)).body,
  ).toMatchObject({ captured_amount: 60_00 })
  expect((await provider.read(order_id)).body).toMatchObject({
    status: 'PART_CAPTURED',
    remaining_authorized_amount: 40_00,
  })
  expect((await provider.capture(order_id, 40_01)).body['error_code']).toBe('CAPTURE_NOT_ALLOWED')
  expect((await provider.post(order_id, 'cancel')).body['error_code']).toBe('CANCEL_NOT_ALLOWED')
  expect((await provider.post(order_id, 'release-remaining-authorization')).status).toBe(204)
  expect((await provider.capture(order_id, 1)).status).toBe(403)
  expect((await provider.refund(order_id, 60_01)).body['error_code']).toBe('REFUND_NOT_ALLOWED')
  const refund = await provider.refund(order_id, 60_00)
  expect(
    (
      await provider.call(
        'GET',
        `/ordermanagement/v1/orders/${order_id}/refunds/${refund.headers.get('refund-id')}`,
      )
    ).status,
  ).toBe(200)
  expect((await provider.read(order_id)).body).toMatchObject({
    status: 'CAPTURED',
    refunded_amount: 60_00,
    remaining_authorized_amount: 0,
  })
})

test('a repeated key captures once, and another amount under it is a conflict', async () => {
  const provider = await open()
  const { order_id } = (await provider.order(await provider.token())).body
  const key = randomUUID()
  const [first, second] = [
    await provider.capture(order_id, 60_00, key),
    await provider.capture(order_id, 60_00, key),
  ]
  expect(second.headers.get('capture-id')).toBe(first.headers.get('capture-id'))
  expect(second.headers.get('klarna-idempotency-key')).toBe(key)
  expect((await provider.capture(order_id, 1, key)).status).toBe(409)
  expect((await provider.read(order_id)).body['captured_amount']).toBe(60_00)
})

test('an order expires after 28 days unless its time is extended', async () => {
  const provider = await open()
  const [lapsed, extended] = await Promise.all(
    [0, 1].map(async () => (await provider.order(await provider.token())).body['order_id']),
  )
  expect((await provider.post(extended, 'extend-authorization-time')).status).toBe(204)
  provider.clock.forward(29 * 24 * 3_600_000)
  expect((await provider.read(lapsed)).body['status']).toBe('EXPIRED')
  expect((await provider.capture(lapsed, 1)).body['reason']).toBe('AUTHORIZATION_EXPIRED')
  expect((await provider.capture(extended, 1)).status).toBe(201)
})

test('another payment service’s orders, sessions and tokens are not found', async () => {
  const provider = await open()
  const other = merchant(provider.simulator.url, randomUUID())
  const token = await provider.token()
  expect((await other.order(token)).status).toBe(404)
  const { order_id } = (await provider.order(token)).body
  expect((await other.read(order_id)).status).toBe(404)
  expect((await other.capture(order_id, 1)).status).toBe(404)
})

/** A merchant's server for callbacks. It answers the first `refusals` calls with 500. */
async function listener(refusals = 0) {
  const heard: { path: string; body: Record<string, unknown> }[] = []
  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      heard.push({ path: incoming.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) })
      answer.writeHead(heard.length <= refusals ? 500 : 204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))
  const address = server.address()
  return { heard, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` }
}

test('notifies the merchant of an approval and of the page’s status, and fills the placeholders of the return URL', async () => {
  const provider = await open()
  const { url, heard } = await listener()
  const { session_id } = (
    await provider.session(basket(100_00, { merchant_urls: { authorization: `${url}/approved` } }))
  ).body
  const success = 'https://shop.example/?token={{authorization_token}}&session={{session_id}}'
  const page = (await provider.page(session_id, { success, status_update: `${url}/page` })).body
  const approved = await provider.raw('POST', `/checkout/${page['session_id']}/approve`, undefined, {
    accept: 'text/html',
  })
  const { authorization_token } = (await provider.call('GET', `/hpp/v1/sessions/${page['session_id']}`)).body
  expect(approved.status).toBe(303)
  expect(approved.headers.get('location')).toBe(
    `https://shop.example/?token=${authorization_token}&session=${page['session_id']}`,
  )
  await expect.poll(() => heard).toHaveLength(2)
  const told = Object.fromEntries(heard.map(({ path, body }) => [path, body]))
  expect(told['/approved']).toEqual({ authorization_token, session_id })
  expect(told['/page']).toMatchObject({
    session: { session_id: page['session_id'], status: 'COMPLETED', authorization_token },
  })
  expect(contract('bnpl').schema('authorization_callback', told['/approved'])).toEqual([])
  expect(contract('bnpl').schema('hpp_status_callback', told['/page'])).toEqual([])
})

test('a callback is tried three times', async () => {
  const provider = await open()
  const { url, heard } = await listener(2)
  await provider.token(basket(100_00, { merchant_urls: { authorization: url } }))
  await expect.poll(() => heard).toHaveLength(3)
})

test('a buyer decides once: a second decision leads where the first one did', async () => {
  const provider = await open()
  const page = (
    await provider.page((await provider.session()).body['session_id'], {
      success: 'https://a/',
      cancel: 'https://c/',
      failure: 'https://f/',
    })
  ).body
  const decide = (action: string) => provider.raw('POST', `/checkout/${page['session_id']}/${action}`)
  expect((await decide('decline')).body).toEqual({ redirect_to: 'https://f/' })
  expect((await decide('approve')).body).toEqual({ redirect_to: 'https://f/' })
  expect((await decide('anything')).status).toBe(404)
  expect((await provider.call('GET', `/hpp/v1/sessions/${page['session_id']}`)).body['status']).toBe('FAILED')
})

test('a page that the merchant closed cannot be approved', async () => {
  const provider = await open()
  const page = (await provider.page((await provider.session()).body['session_id'])).body
  expect((await provider.call('DELETE', `/hpp/v1/sessions/${page['session_id']}`)).status).toBe(204)
  expect((await provider.raw('POST', `/checkout/${page['session_id']}/approve`)).status).toBe(403)
  expect((await provider.raw('GET', `/checkout/${page['session_id']}`)).body['status']).toBe('DISABLED')
})

test('the page shows the order with its text escaped', async () => {
  const provider = await open()
  const name = `<script>alert("1")</script> & 'Co'`
  const order_lines = [{ name, quantity: 1, unit_price: 12_34, total_amount: 12_34 }]
  const page = (
    await provider.page((await provider.session(basket(12_34, { order_lines }))).body['session_id'])
  ).body
  const html = await provider.raw('GET', `/checkout/${page['session_id']}`, undefined, {
    accept: 'text/html',
  })
  expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(html.text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Co&#39;')
  expect(html.text).not.toContain('<script')
  expect(html.text).toContain('€12.34')
  expect(html.text).toContain(`action="${provider.base}/checkout/${page['session_id']}/approve"`)
})

test('the buyer’s script may send requests from any origin', async () => {
  const provider = await open()
  const preflight = await provider.raw('OPTIONS', '/sdk/express')
  expect(preflight.status).toBe(204)
  for (const { headers } of [preflight, await provider.raw('POST', '/sdk/express', {})]) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-headers')).toContain('content-type')
  }
})

test('a restart keeps sessions, tokens and orders', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-bnpl-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [booksFile, service] = [join(folder, 'books.jsonl'), randomUUID()]
  const clock = frozenClock()
  const during = async <T>(timeline: (provider: ReturnType<typeof merchant>) => Promise<T>) => {
    const simulator = await startSimulator({ clock, booksFile })
    try {
      return await timeline(merchant(simulator.url, service))
    } finally {
      await simulator.close()
    }
  }
  const key = randomUUID()
  const before = await during(async (provider) => {
    const [token, unused] = [await provider.token(), await provider.token()]
    const { order_id } = (await provider.order(token, basket(), key)).body
    await provider.capture(order_id, 60_00)
    return { token, unused, order: (await provider.read(order_id)).body }
  })
  await during(async (provider) => {
    expect((await provider.read(before.order['order_id'])).body).toEqual(before.order)
    expect((await provider.order(before.token, basket(), key)).body['order_id']).toBe(
      before.order['order_id'],
    )
    expect((await provider.order(before.token)).status).toBe(403)
    expect((await provider.order(before.unused)).status).toBe(200)
  })
})
