import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract, type WireRequest } from '../../../../test/contracts/contract.ts'
import type { Answer as FullAnswer } from '../../../../test/support/railyard.ts'
import { frozenClock } from '../../core/simulator-client.fixture.ts'
import type { FaultItem } from '../../faults/fault.schema.ts'
import { type SimulatorOptions, startSimulator } from '../../simulator.ts'

const contracts = [contract('wallet-oauth'), contract('wallet-orders'), contract('wallet-payments')]

const running: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of running.splice(0).reverse()) await close()
})

type Answer = Pick<FullAnswer, 'status' | 'body'>

const eur = (value: string) => ({ currency_code: 'EUR', value })
const returns = { return_url: 'https://shop.example/back?a=1', cancel_url: 'https://shop.example/gone' }
const order = (unit: object = {}, context: object = {}, more: object = {}) => ({
  intent: 'AUTHORIZE',
  purchase_units: [{ reference_id: 'default', custom_id: 'c-1', amount: eur('42.00'), ...unit }],
  payment_source: { paypal: { experience_context: { ...returns, ...context } } },
  ...more,
})

/** A simulator, and a client that checks every request and answer against the contracts. */
async function openWallet(options: Partial<SimulatorOptions> = {}) {
  const simulator = await startSimulator({ clock: frozenClock(), ...options })
  running.push(simulator.close)
  const service = 's-1'
  const send = async (request: WireRequest): Promise<Answer> => {
    const text =
      typeof request.body === 'string'
        ? request.body
        : request.body === undefined
          ? undefined
          : JSON.stringify(request.body)
    const headers = {
      ...(request.body !== undefined &&
        typeof request.body !== 'string' && { 'content-type': 'application/json' }),
      ...request.headers,
    }
    const answer = await fetch(`${simulator.url}/wallet/${service}${request.path}`, {
      method: request.method,
      headers,
      ...(text !== undefined && { body: text }),
    })
    const body: unknown = await answer.json()
    const known = contracts.find((each) => each.knows(request.method, request.path))
    const response = {
      method: request.method,
      path: request.path,
      status: answer.status,
      headers: { 'content-type': 'application/json' },
      body,
    }
    expect([
      ...(known?.request({ ...request, headers }) ?? ['no contract']),
      ...(known?.response(response) ?? []),
    ]).toEqual([])
    return { status: answer.status, body }
  }
  const grant = (secret = 'secret') =>
    send({
      method: 'POST',
      path: '/v1/oauth2/token',
      headers: {
        authorization: `Basic ${btoa(`client:${secret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
  let token = (await grant()).body.access_token
  const post = (
    path: string,
    body?: unknown,
    key: string = randomUUID(),
    more: Record<string, string> = {},
  ) =>
    send({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${token}`, 'paypal-request-id': key, ...more },
      ...(body !== undefined && { body }),
    })
  const get = (path: string) => send({ method: 'GET', path, headers: { authorization: `Bearer ${token}` } })
  const visit = (path: string, init: RequestInit = {}) =>
    fetch(`${simulator.url}/wallet/${service}/checkout/${path}`, { redirect: 'manual', ...init })
  const approve = (id: string) => visit(`${id}/approve`, { method: 'POST' })
  return {
    ...simulator,
    grant,
    post,
    get,
    visit,
    approve,
    useToken(other: string) {
      token = other
    },
    opened: async (...asked: Parameters<typeof order>): Promise<string> =>
      (await post('/v2/checkout/orders', order(...asked))).body.id,
    /** How often the first fault was applied. */
    struck: async () =>
      ((await (await fetch(`${simulator.url}/faults`)).json()) as { items: { struck: number }[] }).items[0]
        ?.struck,
    faults: (...items: FaultItem[]) =>
      fetch(`${simulator.url}/faults`, { method: 'PUT', body: JSON.stringify({ items }) }),
  }
}

describe('access tokens', () => {
  test('a wrong secret gets no token', async () => {
    const wallet = await openWallet()
    expect(await wallet.grant('invalid')).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('a token that is unknown or has expired is refused', async () => {
    const clock = frozenClock()
    const wallet = await openWallet({ clock })
    const id = await wallet.opened()
    clock.forward(9 * 3_600_000)
    expect(await wallet.get(`/v2/checkout/orders/${id}`)).toMatchObject({
      status: 401,
      body: { name: 'AUTHENTICATION_FAILURE' },
    })
    wallet.useToken('made-up')
    expect((await wallet.get(`/v2/checkout/orders/${id}`)).status).toBe(401)
  })
})

describe('an order', () => {
  test('is opened once for each request id', async () => {
    const wallet = await openWallet()
    const first = await wallet.post('/v2/checkout/orders', order(), 'k-1')
    const again = await wallet.post('/v2/checkout/orders', order(), 'k-1')
    const other = await wallet.post('/v2/checkout/orders', order(), 'k-2')
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.body.id).toBe(first.body.id)
    expect(other.body.id).not.toBe(first.body.id)
  })

  test('outlives a restart, while tokens do not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wallet-'))
    running.push(() => rm(folder, { recursive: true }))
    const booksFile = join(folder, 'books.jsonl')
    const first = await openWallet({ booksFile })
    const id = await first.opened()
    await first.approve(id)
    await first.post(`/v2/checkout/orders/${id}/authorize`, {})
    const before = await first.get(`/v2/checkout/orders/${id}`)
    await running.pop()?.()
    const second = await openWallet({ booksFile })
    expect((await second.get(`/v2/checkout/orders/${id}`)).body).toEqual({ ...before.body })
    second.useToken('of the first')
    expect((await second.get(`/v2/checkout/orders/${id}`)).status).toBe(401)
  })

  const option = (id: string, selected: boolean, value = '2.00') => ({
    id,
    label: id,
    selected,
    amount: eur(value),
  })
  const priced = {
    amount: { ...eur('42.00'), breakdown: { item_total: eur('40.00'), shipping: eur('2.00') } },
  }
  const chosen = (...options: object[]) => ({ ...priced, shipping: { options } })
  test.each([
    ['AMOUNT_MISMATCH', { amount: { ...eur('42.00'), breakdown: { item_total: eur('41.00') } } }, {}],
    ['ITEM_TOTAL_REQUIRED', { items: [{ name: 'Hat', quantity: '1', unit_amount: eur('42.00') }] }, {}],
    [
      'ITEM_TOTAL_MISMATCH',
      { ...priced, items: [{ name: 'Hat', quantity: '3', unit_amount: eur('20.00') }] },
      {},
    ],
    ['DECIMAL_PRECISION', { amount: { currency_code: 'JPY', value: '42.50' } }, {}],
    ['CANNOT_BE_ZERO_OR_NEGATIVE', { amount: eur('0.00') }, {}],
    ['SHIPPING_OPTION_NOT_SELECTED', chosen(option('a', false)), {}],
    ['MULTIPLE_SHIPPING_OPTION_SELECTED', chosen(option('a', true), option('b', true)), {}],
    ['PREFERRED_SHIPPING_OPTION_AMOUNT_MISMATCH', chosen(option('a', true, '3.00')), {}],
    ['SHIPPING_OPTIONS_NOT_SUPPORTED', chosen(option('a', true)), { shipping_preference: 'NO_SHIPPING' }],
  ])('is refused if it breaks a rule: %s', async (issue, unit, context) => {
    const wallet = await openWallet()
    expect(await wallet.post('/v2/checkout/orders', order(unit, context))).toMatchObject({
      status: 422,
      body: { details: [{ issue }] },
    })
  })

  test('is paid only once, by its intent, and after its buyer approved', async () => {
    const wallet = await openWallet()
    const id = await wallet.opened()
    const pay = (action: 'authorize' | 'capture') => wallet.post(`/v2/checkout/orders/${id}/${action}`, {})
    expect((await pay('authorize')).body.details[0].issue).toBe('ORDER_NOT_APPROVED')
    await wallet.approve(id)
    expect((await pay('capture')).body.details[0].issue).toBe('INCOMPATIBLE_PARAMETER_VALUE')
    expect(await pay('authorize')).toMatchObject({ status: 201, body: { status: 'COMPLETED' } })
    expect((await pay('authorize')).body.details[0].issue).toBe('ORDER_ALREADY_AUTHORIZED')
  })
})

describe('a payment', () => {
  const authorized = async (wallet: Awaited<ReturnType<typeof openWallet>>) => {
    const id = await wallet.opened()
    await wallet.approve(id)
    const { body } = await wallet.post(`/v2/checkout/orders/${id}/authorize`, {})
    return {
      id,
      authorization: `/v2/payments/authorizations/${body.purchase_units[0].payments.authorizations[0].id}`,
    }
  }

  test('is captured, refunded and read in the wallet’s form', async () => {
    const wallet = await openWallet()
    const { id, authorization } = await authorized(wallet)
    expect((await wallet.get(authorization)).body).toMatchObject({
      status: 'CREATED',
      supplementary_data: { related_ids: { order_id: id } },
    })
    const key = randomUUID()
    const body = { amount: eur('30.00'), invoice_id: 'i-1', final_capture: true }
    const capture = await wallet.post(`${authorization}/capture`, body, key)
    expect(capture).toMatchObject({
      status: 201,
      body: { status: 'COMPLETED', amount: eur('30.00'), invoice_id: 'i-1', final_capture: true },
    })
    expect((await wallet.post(`${authorization}/capture`, body, key)).body).toEqual(capture.body)
    expect(
      (await wallet.post(`${authorization}/capture`, { ...body, amount: eur('1.00') })).body.details[0].issue,
    ).toBe('DUPLICATE_INVOICE_ID')
    const refund = await wallet.post(`/v2/payments/captures/${capture.body.id}/refund`, {
      amount: eur('10.00'),
      invoice_id: 'i-2',
    })
    expect(refund).toMatchObject({
      status: 201,
      body: { status: 'COMPLETED', amount: eur('10.00'), invoice_id: 'i-2' },
    })
    expect((await wallet.get(`/v2/payments/captures/${capture.body.id}`)).body.status).toBe(
      'PARTIALLY_REFUNDED',
    )
    expect((await wallet.get(`/v2/payments/refunds/${refund.body.id}`)).body).toEqual(refund.body)
    expect((await wallet.get(authorization)).body.status).toBe('CAPTURED')
    expect((await wallet.get(`/v2/checkout/orders/${id}`)).body.purchase_units[0].payments).toMatchObject({
      authorizations: [{ status: 'CAPTURED' }],
      captures: [{ invoice_id: 'i-1', status: 'PARTIALLY_REFUNDED' }],
      refunds: [{ invoice_id: 'i-2' }],
    })
  })

  test('is not captured above the authorized amount', async () => {
    const wallet = await openWallet()
    const { authorization } = await authorized(wallet)
    const answer = await wallet.post(`${authorization}/capture`, { amount: eur('42.01') })
    expect(answer).toMatchObject({
      status: 422,
      body: { details: [{ issue: 'MAX_CAPTURE_AMOUNT_EXCEEDED' }] },
    })
  })

  test('cannot be captured after a void', async () => {
    const wallet = await openWallet()
    const { authorization } = await authorized(wallet)
    expect((await wallet.post(`${authorization}/void`)).body.status).toBe('VOIDED')
    expect((await wallet.post(`${authorization}/void`)).body.details[0].issue).toBe('PREVIOUSLY_VOIDED')
    expect((await wallet.post(`${authorization}/capture`, {})).status).toBe(422)
  })

  test('answers a repetition during the request as in progress', async () => {
    const wallet = await openWallet()
    const id = await wallet.opened()
    await wallet.approve(id)
    await wallet.faults({ operation: 'authorize', kind: 'delay', delay_ms: 200, times: 1 })
    const key = randomUUID()
    const first = wallet.post(`/v2/checkout/orders/${id}/authorize`, {}, key)
    await expect.poll(wallet.struck).toBe(1)
    const second = await wallet.post(`/v2/checkout/orders/${id}/authorize`, {}, key)
    expect(second).toMatchObject({
      status: 409,
      body: { details: [{ issue: 'PREVIOUS_REQUEST_IN_PROGRESS' }] },
    })
    expect((await first).status).toBe(201)
    expect((await wallet.post(`/v2/checkout/orders/${id}/authorize`, {}, key)).status).toBe(200)
  })
})

/** The issues in a schema of the contract. */
function issuesOf(file: string, schema: string): string[] {
  const text = readFileSync(
    new URL(`../../../../test/contracts/wallet-${file}.openapi.json`, import.meta.url),
    'utf8',
  )
  return JSON.parse(text).components.schemas[schema].properties.details.items.properties.issue.enum
}

describe('every issue of the contract can be rehearsed', () => {
  test.each([
    ['orders', '422', '/v2/checkout/orders', order()],
    ['orders', 'orders.authorize-422', '/v2/checkout/orders/5O190127TN364715T/authorize', {}],
    ['orders', 'orders.capture-422', '/v2/checkout/orders/5O190127TN364715T/capture', {}],
    ['orders', 'orders.authorize-403', '/v2/checkout/orders/5O190127TN364715T/authorize', {}],
    ['orders', 'orders.capture-400', '/v2/checkout/orders/5O190127TN364715T/capture', {}],
    ['payments', '422', '/v2/payments/authorizations/0AW2184448108334S/capture', {}],
    ['payments', 'authorizations.void-422', '/v2/payments/authorizations/0AW2184448108334S/void', undefined],
    ['payments', '409', '/v2/payments/authorizations/0AW2184448108334S/void', undefined],
    ['payments', 'captures.refund-422', '/v2/payments/captures/0AW2184448108334S/refund', {}],
  ])('%s %s', async (file, schema, path, body) => {
    const wallet = await openWallet()
    const issues = issuesOf(file, schema)
    expect(issues.length).toBeGreaterThan(0)
    for (const issue of issues) {
      const rehearsal = { 'paypal-mock-response': JSON.stringify({ mock_application_codes: issue }) }
      const answer = await wallet.post(path, body, randomUUID(), rehearsal)
      expect(answer.body.details).toMatchObject([{ issue }])
    }
  })
})

describe('the checkout page', () => {
  test('escapes the shop’s text', async () => {
    const wallet = await openWallet()
    const hostile = '"><script>alert(1)</script>&'
    const items = [{ name: hostile, quantity: '1', unit_amount: eur('42.00') }]
    const amount = { ...eur('42.00'), breakdown: { item_total: eur('42.00') } }
    const id = await wallet.opened({ description: hostile, items, amount }, { brand_name: hostile })
    const answer = await wallet.visit(id, { headers: { accept: 'text/html' } })
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).not.toContain('<script')
    expect(text).toContain('&lt;script&gt;')
  })

  test('redirects the browser to the shop', async () => {
    const wallet = await openWallet()
    const id = await wallet.opened()
    const browser = {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    }
    const cancelled = await wallet.visit(`${id}/cancel`, browser)
    expect([cancelled.status, cancelled.headers.get('location')]).toEqual([
      303,
      `https://shop.example/gone?token=${id}`,
    ])
    const moved = await wallet.visit(`${id}/address`, {
      ...browser,
      body: 'address_line_1=&admin_area_2=Berlin&country_code=DE',
    })
    expect([moved.status, moved.headers.get('location')]).toEqual([
      303,
      `${wallet.url}/wallet/s-1/checkout/${id}?changed=`,
    ])
    expect(await (await wallet.visit(id)).json()).toMatchObject({
      address: { admin_area_2: 'Berlin', country_code: 'DE' },
    })
    const approved = await wallet.visit(`${id}/approve`, browser)
    expect(approved.headers.get('location')).toBe(
      `https://shop.example/back?a=1&token=${id}&PayerID=QYR5Z8XDVJNXQ`,
    )
  })

  test('is not found for another payment service’s order, or an unknown one', async () => {
    const wallet = await openWallet()
    const id = await wallet.opened()
    expect((await fetch(`${wallet.url}/wallet/s-2/checkout/${id}`)).status).toBe(404)
    expect((await wallet.visit('NOSUCHORDER')).status).toBe(404)
    expect((await wallet.visit(`${id}/steal`, { method: 'POST' })).status).toBe(404)
  })
})
