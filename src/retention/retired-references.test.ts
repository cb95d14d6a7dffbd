import { afterAll, beforeAll, expect, test } from 'vitest'
import { cartOf, openAgentPlatform, pricingUrl } from '../../test/support/domains/agentic-commerce.ts'
import { type SentLink, sendLink } from '../../test/support/domains/payment-links.ts'
import { cutNow, DAY_MS, KEPT_MS, retire, startOldRailyard } from '../../test/support/domains/retention.ts'
import type { TestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { signToken } from '../accounts/api-keys/private-key.ts'

// What stays has the ids of retired payments, and works without them.

let railyard: TestRailyard
let shop: Shop
let paid: SentLink
let declined: SentLink
let checkout: string
let token: string

/** The platform with its own key pair, and an access token of now. */
async function platformNow() {
  const claims = { scopes: ['*.read', '*.write'], expiresIn: 3_600 }
  const authorization = `Bearer ${await signToken(shop.signer, claims, railyard.clock.now())}`
  return openAgentPlatform(railyard, {
    ...shop,
    get: (path, headers) => shop.get(path, { ...headers, authorization }),
    post: (path, body, headers) => shop.post(path, body, { ...headers, authorization }),
  })
}

beforeAll(async () => {
  railyard = await startOldRailyard()
  shop = await openShop(railyard)
  paid = await sendLink(railyard, shop, {
    merchant_name: 'Tea House',
    return_url: 'https://shop.example/thanks',
  })
  await paid.pay()
  declined = await sendLink(railyard, shop, {
    amount: 200_016,
    expires_at: new Date(railyard.clock.now() + 700 * DAY_MS).toISOString(),
  })
  expect(await declined.pay()).toMatchObject({ status: 'authorization_failed' })
  await shop.put('/agentic-seller', { pricing_url: await pricingUrl() })
  const platform = await platformNow()
  checkout = await platform.created(cartOf({}))
  token = await platform.tokenFor(checkout)
  expect(await platform.complete(checkout, token)).toMatchObject({ status: 200 })
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  expect(await retire(railyard)).toBe(5)
})
afterAll(() => railyard.close())

const page = (link: SentLink, more = '') =>
  railyard.send('GET', new URL(link.url).pathname + more, { redirect: 'manual' })

test.each(['', '?svc_transaction_id=00000000-0000-0000-0000-000000000000'])(
  'the page of a paid link says that it is paid once its payment is retired, without a receipt: %j',
  async (query) => {
    const { status, body } = await page(paid, query)
    expect(status).toBe(200)
    expect(body).toContain('Your payment to Tea House is complete.')
    expect(body).not.toMatch(/class="receipt"|12\.99/)
    expect(await page(paid, '/status')).toMatchObject({
      status: 200,
      body: { state: 'completed', next: null },
    })
  },
)

test('an active link whose declined payment is retired can be paid', async () => {
  const client = await railyard.client({ account: shop.account })
  expect(await client.get(`/payment-links/${declined.id}`)).toMatchObject({ body: { status: 'active' } })
  const { status, body } = await page(declined)
  expect(status).toBe(200)
  expect(body).toContain('value="card"')
  expect((await page(declined, '/status')).body).toEqual({ state: 'open' })
})

test('a completed checkout of an AI agent whose payment is retired is completed, without an order', async () => {
  const { status, body } = await (await platformNow()).read(checkout)
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'completed' } })
  expect(body).not.toHaveProperty('order')
})

test('a checkout whose payment is retired is not completed again', async () => {
  const platform = await platformNow()
  expect(await platform.complete(checkout, token)).toMatchObject({
    status: 405,
    body: { code: 'session_completed' },
  })
})
