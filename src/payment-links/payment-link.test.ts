import { beforeAll, describe, expect, test } from 'vitest'
import { minimalLink, sendLink } from '../../test/support/domains/payment-links.ts'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { findLinkByToken } from './payment-link.store.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

test('a new link has a URL and can be paid for a day', async () => {
  const { status, body } = await shop.post('/payment-links', minimalLink)
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { type: 'payment-link', ...minimalLink, status: 'active', intent: 'authorize' },
  })
  expect(body.url).toMatch(new RegExp(`^${railyard.world.publicUrl}/pay/[A-Za-z0-9_-]{43}$`))
  expect(Date.parse(body.expires_at)).toBe(Date.parse(body.created_at) + 86_400_000)
  expect((await shop.get(`/payment-links/${body.id}`)).body).toEqual(body)
})

const createLink = async (more: object = {}) =>
  (await shop.post('/payment-links', { ...minimalLink, ...more })).body

test('a link that is created again under the same idempotency key is one link', async () => {
  const key = { 'idempotency-key': 'order-8' }
  const answers = await Promise.all([1, 2, 3].map(() => shop.post('/payment-links', minimalLink, key)))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await shop.post('/payment-links', { ...minimalLink, amount: 7_00 }, key)).toMatchObject({
    status: 409,
    body: { code: 'duplicate_record', resource_id: answers[0]?.body.id },
  })
  expect((await shop.post('/payment-links', minimalLink)).body.id).not.toBe(answers[0]?.body.id)
})

test('a link shows everything that the merchant sent, apart from card numbers', async () => {
  const sent = {
    expires_at: new Date(railyard.clock.now() + 3_600_000).toISOString(),
    intent: 'capture',
    payment_source: 'moto',
    store: true,
    external_identifier: 'order-7',
    statement_descriptor: { name: 'Ada Books' },
    metadata: { shelf: '7' },
    cart_items: [{ name: 'A book', quantity: 1, unit_amount: 12_99 }],
    installment_count: 3,
    locale: 'pt-BR',
    merchant_name: 'Ada’s Books',
    merchant_url: 'https://books.example',
    merchant_banner_url: 'https://books.example/banner.png',
    merchant_color: '#0a7',
    merchant_message: 'Thank you',
    merchant_terms_and_conditions_url: 'https://books.example/terms',
    merchant_favicon_url: 'https://books.example/icon.png',
    return_url: 'https://books.example/thanks',
  }
  const connection_options = {
    'mock-card': { merchant_advice_code: { result: '01', account_number: '4111111111111111' } },
  }
  const buyer = { display_name: 'Ada', billing_details: { email_address: 'ada@example.com' } }
  const body = await createLink({
    ...sent,
    connection_options,
    buyer: { ...buyer, shipping_details: { first_name: 'Ada' } },
  })
  expect(body).toMatchObject({
    ...sent,
    expires_at: expect.any(String),
    buyer: { type: 'buyer', id: null, ...buyer },
  })
  expect(body).toMatchObject({ shipping_details: { type: 'shipping-details', first_name: 'Ada' } })
  expect(JSON.stringify(body)).not.toContain('4111111111111111')
  expect(body.connection_options['mock-card'].merchant_advice_code.result).toBe('01')
})

test.each([
  ['expires_at', '2020-01-01T00:00:00Z'],
  ['locale', 'de-AT'],
  ['merchant_color', 'expression(alert(1))'],
  ['merchant_color', '#12345'],
  ['merchant_url', 'javascript:alert(1)'],
  ['merchant_banner_url', 'data:image/png;base64,AAAA'],
  ['return_url', '/thanks'],
  ['metadata', { shelf: 7 }],
  ['metadata', { long: 'x'.repeat(501) }],
  ['currency', 'XYZ'],
  ['statement_descriptor', { name: '12345' }, '/statement_descriptor/name'],
  ['buyer_id', '01995012-1234-7123-8123-123456789012'],
])('a link that no buyer could pay is refused: %s', async (name, value, pointer = `/${name}`) => {
  const { status, body } = await shop.post('/payment-links', { ...minimalLink, [name]: value })
  expect({ status, pointers: body.details.map((detail: { pointer: string }) => detail.pointer) }).toEqual({
    status: 400,
    pointers: [pointer],
  })
})

test.each([
  '9999-12-31T23:59:59-15:00',
  '9999-12-31T23:59:59.9999999Z',
  '0001-01-01T00:00:00+00:01',
  '0000-06-01T00:00:00Z',
])('a time whose year does not have four digits in UTC is refused: %s', async (expires_at) => {
  expect(await shop.post('/payment-links', { ...minimalLink, expires_at })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'expires_at'] }] },
  })
})

test('a link may expire at the last time that can be stored', async () => {
  for (const expires_at of ['9999-12-31T23:59:59.999999Z', '9999-12-31t08:59:59.999999-1500'])
    expect(await createLink({ ...minimalLink, expires_at })).toMatchObject({
      expires_at: '9999-12-31T23:59:59.999999+00:00',
    })
})

test('an amount of 0 cannot be captured, and the answer names every broken rule', async () => {
  const { status, body } = await shop.post('/payment-links', {
    ...minimalLink,
    amount: 0,
    intent: 'capture',
    locale: 'xx',
  })
  expect({ status, pointers: body.details.map((detail: { pointer: string }) => detail.pointer) }).toEqual({
    status: 400,
    pointers: ['/amount', '/locale'],
  })
})

test('the token of a URL is not in the database or the log, and another token finds no link', async () => {
  const { url, id } = await createLink()
  const token = url.split('/').at(-1)
  const [row] = await railyard.world.run<{ row: string }>(
    'select row_to_json(l)::text as row from payment_links l where id = $1',
    [id],
  )
  const events = await railyard.world.db
    .selectFrom('events')
    .selectAll()
    .where('target_id', '=', id)
    .execute()
  expect(events).toHaveLength(1)
  for (const text of [row?.row, JSON.stringify(events), railyard.logged.join('')])
    expect(text).not.toContain(token)
  expect(await findLinkByToken(railyard.world, token)).toMatchObject({
    id,
    merchant_account_id: shop.account,
  })
  expect(await findLinkByToken(railyard.world, `${token}x`)).toBeUndefined()
  expect(await findLinkByToken(railyard.world, '')).toBeUndefined()
})

test('a link for a stored buyer shows that buyer', async () => {
  const buyer = (await shop.post('/buyers', { display_name: 'Grace', external_identifier: 'grace' })).body
  expect(await createLink({ buyer_id: buyer.id, store: true })).toMatchObject({
    buyer_id: buyer.id,
    buyer: {
      id: buyer.id,
      display_name: 'Grace',
      external_identifier: 'grace',
      reconciliation_id: buyer.reconciliation_id,
    },
  })
})

describe('the expiry of a payment link', () => {
  const soon = () => ({ expires_at: new Date(railyard.clock.now() + 60_000).toISOString() })

  test('a link expires by its time for every reader at once, and its event follows', async () => {
    const link = await sendLink(railyard, shop, soon())
    railyard.clock.advance(61_000)
    expect((await link.read()).status).toBe('expired')
    expect((await link.open()).status).toBe('expired')
    const ids = async (status: string) =>
      (await shop.get(`/payment-links?status=${status}&limit=100`)).body.items.map(
        (item: { id: string }) => item.id,
      )
    expect(await ids('expired')).toContain(link.id)
    expect(await ids('active')).not.toContain(link.id)
    await expect(link.pay()).rejects.toThrow('The payment link has expired')
    await railyard.paymentLinks.runOnce()
    expect(await link.eventStatuses()).toEqual([
      'payment-link.created active',
      'payment-link.updated expired',
    ])
    expect((await link.read()).status).toBe('expired')
    await railyard.paymentLinks.runOnce()
    expect(await link.eventStatuses()).toHaveLength(2)
  })

  test('a link expires by call, which may be repeated', async () => {
    const link = await sendLink(railyard, shop)
    expect((await link.expire()).status).toBe(204)
    expect((await link.read()).status).toBe('expired')
    expect((await link.expire()).status).toBe(204)
    expect(await link.eventStatuses()).toEqual([
      'payment-link.created active',
      'payment-link.updated expired',
    ])
    await expect(link.pay()).rejects.toThrow('The payment link has expired')
  })

  test('a paid link does not expire', async () => {
    const link = await sendLink(railyard, shop, soon())
    await link.pay()
    expect((await link.expire()).body).toMatchObject({
      status: 400,
      message: 'A payment through this link has succeeded already',
    })
    railyard.clock.advance(61_000)
    await railyard.paymentLinks.runOnce()
    expect((await link.read()).status).toBe('completed')
  })

  test('a link that is being paid does not expire until that payment fails', async () => {
    await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
    const link = await sendLink(railyard, shop, { ...soon(), amount: 2_000_11 })
    expect((await link.pay()).status).toBe('processing')
    expect((await link.expire()).body).toMatchObject({
      status: 400,
      message: 'A payment of this link is under way',
    })
    railyard.clock.advance(61_000)
    await railyard.paymentLinks.runOnce()
    expect((await link.read()).status).toBe('processing')
    await recoverFully(railyard)
    expect((await link.read()).status).toBe('expired')
  })
})

describe('the list of payment links', () => {
  let merchant: Shop
  let ids: Record<string, string>
  beforeAll(async () => {
    merchant = await openShop(railyard)
    const links = {
      cheap: { amount: 1_00 },
      ada: {
        amount: 2_00,
        buyer: {
          display_name: 'Ada',
          billing_details: { email_address: 'ada@example.com', address: { city: 'London' } },
        },
      },
      dollars: { amount: 3_00, currency: 'USD' },
      paid: { amount: 4_00 },
    }
    ids = {}
    for (const [name, more] of Object.entries(links)) {
      const link = await sendLink(railyard, merchant, more)
      if (name === 'paid') await link.pay()
      ids[name] = link.id
    }
  })
  const listNames = async (query: string) => {
    const { status, body } = await merchant.get(`/payment-links?${query}`)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.items.map((item: { id: string }) => Object.entries(ids).find(([, id]) => id === item.id)?.[0])
  }

  test.each([
    ['', ['paid', 'dollars', 'ada', 'cheap']],
    ['amount_eq=200', ['ada']],
    ['amount_gte=200&amount_lte=300', ['dollars', 'ada']],
    ['currency=USD', ['dollars']],
    ['currency=USD&currency=EUR&limit=2', ['paid', 'dollars']],
    ['status=completed', ['paid']],
    ['status=active', ['dollars', 'ada', 'cheap']],
    ['status=completed&status=active&amount_eq=400', ['paid']],
    ['status=expired&status=processing', []],
    ['buyer_search=Ada', ['ada']],
    ['buyer_search=ada@example.com&buyer_search=London', ['ada']],
    ['buyer_search=ada@example.com&buyer_search=Paris', []],
    ['buyer_search=Lon', []],
    ['created_at_gte=2020-01-01T00:00:00Z&amount_eq=100', ['cheap']],
    ['created_at_lte=2020-01-01T00:00:00Z', []],
    ['updated_at_gte=2020-01-01T00:00:00Z&amount_eq=100', ['cheap']],
    ['updated_at_lte=2020-01-01T00:00:00Z', []],
  ])('the list of payment links is filtered by %s', async (query, names) => {
    expect(await listNames(query)).toEqual(names)
  })

  test('the list has pages in both directions, and a cursor is valid for its filters only', async () => {
    const first = (await merchant.get('/payment-links?limit=2')).body
    const second = (await merchant.get(`/payment-links?limit=2&cursor=${first.next_cursor}`)).body
    const names = [first, second].flatMap(({ items }) => items.map((item: { amount: number }) => item.amount))
    expect(names).toEqual([4_00, 3_00, 2_00, 1_00])
    expect(second.next_cursor).toBeNull()
    expect(
      (await merchant.get(`/payment-links?limit=2&cursor=${second.previous_cursor}`)).body.items,
    ).toEqual(first.items)
    expect(
      (await merchant.get(`/payment-links?limit=2&currency=EUR&cursor=${first.next_cursor}`)).status,
    ).toBe(400)
  })
})
