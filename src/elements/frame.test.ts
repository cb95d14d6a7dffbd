import { createHash } from 'node:crypto'
import { Script } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { assets, cardScript, checkoutScript } from './assets.ts'
import { cardWords } from './words/card-words.ts'
import { checkoutWords } from './words/checkout-words.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()
const own = `/merchant-accounts/${merchant.account}/elements`

const open = async () => (await merchant.post('/checkout/sessions', {})).body.id as string
const frame = (session: string, parent: string, more = '') =>
  fetch(`${railyard.url}/elements/card?session=${session}&parent=${encodeURIComponent(parent)}${more}`)

describe('a frame with card fields', () => {
  test('is for the page that asks, if its origin is allowed: no other page may show it', async () => {
    await merchant.put(own, { allowed_origins: ['https://shop.example'] })
    const session = await open()
    const answer = await frame(session, 'https://shop.example')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')?.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "connect-src 'self'",
        "form-action 'none'",
        'frame-ancestors https://shop.example',
        "require-trusted-types-for 'script'",
      ]),
    )
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'integrity-policy': 'blocked-destinations=(script), endpoints=(railyard)',
    })
    for (const parent of [
      'https://evil.example',
      'http://shop.example',
      'https://shop.example/',
      'null',
      '*',
      "'self'",
    ])
      expect((await frame(session, parent)).status).toBe(403)
  })

  test('is shown to pages of this machine in the sandbox while the account allows none, and to Railyard’s own', async () => {
    const other = await railyard.merchant()
    const session = (await other.post('/checkout/sessions', {})).body.id
    for (const parent of ['http://localhost:3000', 'http://127.0.0.1:8000', new URL(railyard.url).origin])
      expect((await frame(session, parent)).status).toBe(200)
    expect((await frame(session, 'https://shop.example')).status).toBe(403)
    await other.put(`/merchant-accounts/${other.account}/elements`, {
      allowed_origins: ['https://shop.example'],
    })
    expect((await frame(session, 'http://localhost:3000')).status).toBe(403)
  })

  test('tells the page the public key of the provider whose fields it shows, and no other field of the service', async () => {
    await merchant.put(own, { allowed_origins: ['https://shop.example'] })
    const fields = [
      { key: 'secret_key', value: 'sk_test_secret' },
      { key: 'publishable_key', value: 'pk_test_public' },
      { key: 'webhook_secret', value: 'whsec_secret' },
    ]
    const { body: service } = await merchant.post('/payment-services', {
      display_name: 'Stripe',
      payment_service_definition_id: 'stripe-card',
      accepted_currencies: ['EUR'],
      accepted_countries: ['DE'],
      fields,
    })
    const session = (await merchant.post('/checkout/sessions', { payment_service_id: service.id })).body.id
    const page = await (await frame(session, 'https://shop.example')).text()
    expect(page).toContain('pk_test_public')
    expect(page).not.toMatch(/sk_test_secret|whsec_secret|<input/)
    const [, file, integrity] =
      /&quot;file&quot;:&quot;([^&]+)&quot;,&quot;integrity&quot;:&quot;([^&]+)&quot;/.exec(page) ?? []
    const script = await (await fetch(`${railyard.url}/elements/assets/${file}`)).text()
    expect(`sha256-${createHash('sha256').update(script).digest('base64')}`).toBe(integrity)
    await merchant.delete(`/payment-services/${service.id}`)
    expect(await (await frame(session, 'https://shop.example')).text()).toContain('<input')
  })

  test('needs a checkout session that is open', async () => {
    const session = await open()
    await merchant.delete(`/checkout/sessions/${session}`)
    expect((await frame(session, 'https://shop.example')).status).toBe(404)
    expect((await frame('no-session', 'https://shop.example')).status).toBe(422)
  })

  test('runs one script and one style, whose hashes it names, and which browsers keep', async () => {
    const page = await (await frame(await open(), 'https://shop.example')).text()
    const files = [...page.matchAll(/(?:src|href)="([^"]+)" integrity="([^"]+)"/g)]
    expect(files).toHaveLength(2)
    for (const [, url = '', integrity] of files) {
      const answer = await fetch(url)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(
        `sha256-${createHash('sha256')
          .update(await answer.text())
          .digest('base64')}`,
      ).toBe(integrity)
    }
    expect((await fetch(`${railyard.url}/elements/assets/card-0000000000000000.js`)).status).toBe(404)
    expect([...assets.keys()].every((path) => /-[0-9a-f]{16}\.(?:js|css)$/.test(path))).toBe(true)
  })

  test('shows a merchant’s text nowhere: a hostile query stays a value', async () => {
    const page = await frame(
      await open(),
      'https://shop.example',
      '&locale=%22%3E%3Cscript%3E&fields=%3Cimg%3E',
    )
    expect(await page.text()).not.toMatch(/<script>|<img/)
  })
})

describe('the page behind the page of a card’s issuer', () => {
  const returned = (parent: string, to: string) =>
    fetch(
      `${railyard.url}/elements/returned/${merchant.account}?${new URLSearchParams({ parent, to, svc_transaction_id: 'id', svc_transaction_status: 'authorization_failed' })}`,
    )

  test('leads to pages of allowed origins only, with the payment’s id and status', async () => {
    await merchant.put(own, { allowed_origins: ['https://shop.example'] })
    const answer = await returned('https://shop.example', 'https://shop.example/done?cart=7')
    expect(answer.headers.get('content-security-policy')).toContain(
      "frame-ancestors 'self' https://shop.example;",
    )
    expect(await answer.text()).toContain(
      'https://shop.example/done?cart=7&amp;svc_transaction_id=id&amp;svc_transaction_status=authorization_failed',
    )
    for (const to of [
      'https://evil.example/',
      'javascript:alert(1)',
      '//evil.example',
      'https://shop.example.evil.example/',
    ])
      expect(await (await returned('https://shop.example', to)).text()).not.toMatch(/evil|alert|<a /)
  })

  test('is shown by the dialog in an allowed page only', async () => {
    for (const parent of ['https://evil.example', '*', "https://shop.example 'self' https://evil.example"])
      expect(
        (await returned(parent, 'https://shop.example/')).headers.get('content-security-policy'),
      ).toContain("frame-ancestors 'none';")
  })
})

test('the dialog for a card’s issuer shows issuers’ pages, and only the page that asks can show it', async () => {
  await merchant.put(own, { allowed_origins: ['https://shop.example'] })
  const policyOf = async (view: string) =>
    (await frame(await open(), 'https://shop.example', `&view=${view}`)).headers.get(
      'content-security-policy',
    )
  expect(await policyOf('challenge')).toMatch(
    /frame-src https: http:; form-action https: http:; .*frame-ancestors https:\/\/shop\.example;/,
  )
  expect(await policyOf('checkout')).toMatch(/^default-src 'none'; (?!.*frame-src).*form-action 'none';/)
})

test('a checkout may look up Google Pay only if the account has registered it', async () => {
  const connections = async () =>
    (await frame(await open(), 'https://shop.example', '&view=checkout')).headers
      .get('content-security-policy')
      ?.match(/connect-src ([^;]*);/)?.[1]
  await merchant.put(own, { allowed_origins: ['https://shop.example'] })
  expect(await connections()).toBe("'self'")
  const wallet = { provider: 'google', merchant_name: 'Shop', accept_terms_and_conditions: true }
  expect((await merchant.post('/digital-wallets', wallet)).status).toBe(201)
  expect(await connections()).toBe(
    "'self' https://pay.google.com https://google.com/pay https://www.google.com/pay",
  )
})

test('allowed origins are https origins, and of this machine in the sandbox', async () => {
  const refused = [
    'https://shop.example/',
    'https://shop.example/path',
    'https://SHOP.example',
    'http://shop.example',
    'shop.example',
    '*',
    'https://*.shop.example',
    "https://shop.example; script-src 'unsafe-inline'",
    'null',
  ]
  for (const origin of refused)
    expect(await merchant.put(own, { allowed_origins: ['https://good.example', origin] })).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/allowed_origins/1' }] },
    })
  const allowed = ['https://shop.example', 'http://localhost:3000', 'https://shop.example']
  expect((await merchant.put(own, { allowed_origins: allowed })).body).toEqual({
    type: 'elements-configuration',
    merchant_account_id: merchant.account,
    allowed_origins: ['https://shop.example', 'http://localhost:3000'],
  })
  expect((await merchant.get(own)).body.allowed_origins).toHaveLength(2)
  expect((await merchant.put(own, { allowed_origins: [] })).body.allowed_origins).toEqual([])
})

test.each([
  ['card fields', cardScript],
  ['a checkout', checkoutScript],
])('the joined script of %s parses, and has no imports, no comment and no name twice', (_, script) => {
  expect(() => new Script(script)).not.toThrow()
  expect(script).not.toMatch(/^\s*(?:import|export|\/\*\*.*\*\/$)/m)
  const names = Array.from(
    script.matchAll(/^(?:async )?(?:function|const|let|class) (\w+)/gm),
    ([, name]) => name,
  )
  expect(names.length).toBeGreaterThan(20)
  expect(new Set(names).size).toBe(names.length)
})

test.each([
  ['the card form', cardWords],
  ['a checkout', checkoutWords],
])('every text of %s is translated', (_, languages) => {
  const textsOf = (node: unknown): string[] =>
    typeof node === 'object' && node !== null ? Object.values(node).flatMap(textsOf) : [String(node)]
  const [english, ...others] = languages
  for (const words of others) {
    const same = textsOf(words).filter((text, index) => text === textsOf(english)[index])
    expect({ lang: words.lang, same }).toEqual({ lang: words.lang, same: [] })
  }
})
