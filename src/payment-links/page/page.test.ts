import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sendLink } from '../../../test/support/domains/payment-links.ts'
import { walletService } from '../../../test/support/domains/wallet.ts'
import { person } from '../../../test/support/people.ts'
import { type Answer, card } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { payHeaders } from './content-policy.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const pathOf = (url: string) => new URL(url).pathname
const get = (url: string, headers: Record<string, string> = {}) =>
  railyard.send('GET', pathOf(url), { headers, redirect: 'manual' })
const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  railyard.send('POST', pathOf(url), {
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Puts a card into a session of this link's page, and answers what the page then pays with. */
async function enter(url: string): Promise<{ checkout_session_id: string; proof: string; name: string }> {
  const { status, body } = await post(`${url}/sessions`, {})
  expect({ status, body }).toMatchObject({ status: 200 })
  const headers = { 'content-type': 'application/json' }
  const fields = await railyard.send('PUT', `/checkout/sessions/${body.id}/fields`, {
    headers,
    body: JSON.stringify({ payment_method: card }),
  })
  expect(fields).toMatchObject({ status: 204 })
  return { checkout_session_id: body.id, proof: body.proof, name: 'Ada Lovelace' }
}

const hashesOf = (body: string, tag: string) =>
  Array.from(
    body.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs')),
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )

describe('the page of a payment link', () => {
  test('the page runs its own script and style and nothing else, is not cached, and sends no referrer', async () => {
    const link = await sendLink(railyard, shop, {
      merchant_color: 'teal',
      merchant_banner_url: 'https://cdn.example/banner.png',
    })
    const { headers, body } = await get(link.url)
    const policy = headers.get('content-security-policy')?.split('; ')
    expect(policy).toEqual([
      "default-src 'none'",
      `script-src ${hashesOf(body, 'script').join(' ')}`,
      `style-src ${hashesOf(body, 'style').join(' ')}`,
      "connect-src 'self'",
      `frame-src ${new URL(railyard.url).origin}`,
      'img-src https://cdn.example',
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      expect.stringMatching(
        /^report-uri http:\/\/127\.0\.0\.1:\d+\/browser-reports\/[^ ]+\/payment-link\/[\w-]+$/,
      ),
    ])
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-type': 'text/html; charset=utf-8',
    })
    expect(headers.get('set-cookie')).toBeNull()
  })

  test('the page shows frames of the origin of card fields only', () => {
    const settings = { ...railyard.world.settings, elementsOrigin: 'https://fields.example' }
    const headers = payHeaders({ ...railyard.world, settings }, 'default', null)
    expect(headers['content-security-policy']?.split('; ')).toContain('frame-src https://fields.example')
  })

  test('the page loads no picture if the merchant names none', async () => {
    const { headers } = await get((await sendLink(railyard, shop)).url)
    expect(headers.get('content-security-policy')).not.toContain('img-src')
  })

  test('the page shows what the merchant wrote as text', async () => {
    const attack = '"><script>alert(1)</script>\''
    const cart_items = [{ name: attack, quantity: 1, unit_amount: 1 }]
    const { url } = await sendLink(railyard, shop, {
      merchant_name: attack,
      merchant_message: attack,
      cart_items,
    })
    const { body } = await get(url)
    expect(body).toContain('&lt;script&gt;alert(1)')
    expect(body).not.toContain('<script>alert')
  })

  test.each(['EUR', 'JPY'])(
    'the page shows amounts of %s with the decimals of the currency',
    async (currency) => {
      const { url } = await sendLink(railyard, shop, {
        amount: 1299,
        currency,
        country: currency === 'JPY' ? 'JP' : 'DE',
        locale: 'en-GB',
      })
      expect((await get(url)).body).toContain({ EUR: '€12.99', JPY: 'JP¥1,299' }[currency])
    },
  )

  test.each(['unknown', '', '%00', '%F0%9F', 'a'.repeat(600), '__proto__', '%ED%A0%80', '%zz', '%'])(
    'an unknown token gets a page that says so: %s',
    async (token) => {
      const { status, headers, body } = await railyard.send('GET', `/pay/${token}`)
      expect(status).toBe(404)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(body).toContain('There is no such payment link')
    },
  )

  test('the page offers the payment methods that the rules select, in their order, and accepts no others', async () => {
    const careful = await openShop(railyard)
    const own = { 'x-svc-merchant-account-id': careful.account }
    expect(
      await railyard.admin.post('/payment-services', walletService({ accepted_countries: ['DE'] }), own),
    ).toMatchObject({ status: 201 })
    const { url } = await sendLink(railyard, careful, { metadata: { cart: 'large' } })
    const offered = async () =>
      Array.from(
        String((await get(url)).body).matchAll(/name="option" value="([^"]+)"/g),
        ([, option]) => option,
      )
    expect(await offered()).toEqual(['card', 'wallet'])
    const condition = { field: 'metadata.cart', operator: 'is', value: 'large' }
    const items = [
      {
        display_name: 'No cards',
        action: 'select-payment-options',
        condition,
        outcome: { methods: ['wallet'] },
      },
    ]
    expect(await careful.put('/flows/checkout/rules', { items })).toMatchObject({ status: 200 })
    await careful.post('/flows/checkout/rules/publish')
    expect(await offered()).toEqual(['wallet'])
    expect(await post(`${url}/payments`, await enter(url))).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/checkout_session_id' }] },
    })
    expect(await post(`${url}/payments`, { method: 'bnpl' })).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/method' }] },
    })
    expect(await post(`${url}/payments`, { method: 'wallet' })).toMatchObject({
      status: 200,
      body: { state: 'approval' },
    })
  })
})

describe('paying on the page', () => {
  test('a link is paid once, even if several tabs pay it several times', async () => {
    const link = await sendLink(railyard, shop)
    const entered = await Promise.all([enter(link.url), enter(link.url)])
    const answers = await Promise.all(
      entered.flatMap((each, tab) =>
        [1, 2, 3].map(() => post(`${link.url}/payments`, each, { 'idempotency-key': `tab-${tab}` })),
      ),
    )
    expect(answers.filter(({ body }) => body.state === 'completed').length).toBeGreaterThanOrEqual(1)
    for (const { status, body } of answers)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { state: /^(completed|processing)$/.exec(body.state)?.[0] },
      })
    expect((await shop.get(`/transactions?payment_link_id=${link.id}`)).body.items).toHaveLength(1)
    expect((await get(`${link.url}/status`)).body).toEqual({ state: 'completed', next: null })
  })

  test('a card in a session of another link does not pay a link', async () => {
    const [link, other] = [await sendLink(railyard, shop), await sendLink(railyard, shop)]
    const entered = await enter(other.url)
    const refused = await post(`${link.url}/payments`, entered)
    expect(refused).toMatchObject({ status: 400, body: { details: [{ pointer: '/checkout_session_id' }] } })
    expect((await link.read()).status).toBe('active')
    expect(await post(`${other.url}/payments`, entered)).toMatchObject({
      status: 200,
      body: { state: 'completed' },
    })
  })

  test('a paid link opens no more sessions', async () => {
    const link = await sendLink(railyard, shop)
    await post(`${link.url}/payments`, await enter(link.url))
    expect(await post(`${link.url}/sessions`, {})).toMatchObject({ status: 400 })
  })

  test('the page shows advice after a decline, not the error code', async () => {
    const link = await sendLink(railyard, shop, { amount: 200009 })
    expect((await post(`${link.url}/payments`, await enter(link.url))).body).toEqual({
      state: 'declined',
      advice: 'details',
    })
    expect((await get(`${link.url}/status`)).body).toEqual({ state: 'declined', advice: 'details' })
  })

  test('a link allows 50 sessions a minute', async () => {
    const link = await sendLink(railyard, shop)
    const statuses = await Promise.all(
      Array.from({ length: 55 }, async () => (await post(`${link.url}/sessions`, {})).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(50)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    const another = await sendLink(railyard, shop)
    expect(await post(`${another.url}/sessions`, {})).toMatchObject({ status: 200 })
  })

  test.each([
    ['/sessions', { name: 'Ada' }],
    ['/sessions', JSON.parse('{"__proto__": {"name": "Ada"}}')],
    ...['A\u0000da', '\ud800', 'x'.repeat(201), ''].map((name): [string, object] => [
      '/payments',
      { checkout_session_id: '018f0000-0000-7000-8000-000000000000', proof: 'x', name },
    ]),
    ['/payments', { method: 'card' }],
    ['/payments', { payment_method_id: 'mine' }],
    ['/payments', { method: 'wallet', amount: 1 }],
    ['/payments', []],
    ['/payments', null],
  ])('a request of another shape is refused: %s %j', async (path, body) => {
    const { url } = await sendLink(railyard, shop)
    const { status } = await post(url + path, body)
    expect([400, 422]).toContain(status)
  })

  test.each([
    ['a form', '/payments', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['nothing', '/payments', { 'content-type': 'application/json' }, 422],
  ])('a request with %s as its body pays nothing', async (_what, path, headers, status) => {
    const { url } = await sendLink(railyard, shop)
    expect(await railyard.send('POST', pathOf(url + path), { headers, body: '' })).toMatchObject({ status })
  })
})

test('the cardholder’s name is shown only to people who may see billing details', async () => {
  const link = await sendLink(railyard, shop)
  expect(await post(`${link.url}/payments`, await enter(link.url))).toMatchObject({ status: 200 })
  const path = `/transactions?payment_link_id=${link.id}`
  const seenBy = async (...roles: string[]) =>
    (await (await person(railyard, { roles, merchantAccounts: [shop.account] })).get(path)).body.items[0]
      .buyer
  expect(JSON.stringify(await seenBy('analyst'))).not.toMatch(/Ada|Lovelace/)
  expect(await seenBy('analyst', 'pii-viewer')).toMatchObject({
    billing_details: { first_name: 'Ada', last_name: 'Lovelace' },
  })
})

test('the URL of a link is in no log and in no answer about its payment, and the card’s session is deleted after the payment', async () => {
  const link = await sendLink(railyard, shop)
  const token = link.url.split('/').at(-1) ?? ''
  await get(link.url)
  const entered = await enter(link.url)
  expect(await shop.get(`/checkout/sessions/${entered.checkout_session_id}`)).toMatchObject({
    body: { payment_method: { label: '1111' } },
  })
  await post(`${link.url}/payments`, entered)
  expect(await shop.get(`/checkout/sessions/${entered.checkout_session_id}`)).toMatchObject({ status: 404 })
  await get(`${link.url}/status`)
  await get(`${link.url}/nothing`)
  expect(railyard.logged.some((line) => line.includes('/pay/***'))).toBe(true)
  expect(railyard.logged.filter((line) => line.includes(token) || line.includes(card.number))).toEqual([])
  const [payment] = (await shop.get(`/transactions?payment_link_id=${link.id}`)).body.items
  const timeline = await shop.get(`/transactions/${payment.id}/events`)
  const metrics = await railyard.send('GET', '/metrics')
  for (const { status, body } of [timeline, await shop.get(`/transactions/${payment.id}`), metrics]) {
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toContain(token)
  }
})
