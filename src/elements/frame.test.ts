import { createHash } from 'node:crypto'
import { Script } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { assets, cardScript } from './assets.ts'
import { loaderScript } from './loader-script.js'
import { cardWords } from './words/card-words.ts'

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

test('the joined script has no imports, no comment and no name twice', () => {
  expect(cardScript).not.toMatch(/^\s*(?:import|export|\/\*\*)/m)
  const names = Array.from(
    cardScript.matchAll(/^(?:async )?(?:function|const|let|class) (\w+)/gm),
    ([, name]) => name,
  )
  expect(names.length).toBeGreaterThan(20)
  expect(new Set(names).size).toBe(names.length)
})

test('the joined scripts can be run', () => {
  for (const script of [cardScript, loaderScript]) expect(() => new Script(script)).not.toThrow()
})

test('every text of the card form is translated', () => {
  const textsOf = (node: unknown): string[] =>
    typeof node === 'object' && node !== null ? Object.values(node).flatMap(textsOf) : [String(node)]
  const [english, ...others] = cardWords
  for (const words of others) {
    const same = textsOf(words).filter((text, index) => text === textsOf(english)[index])
    expect({ lang: words.lang, same }).toEqual({ lang: words.lang, same: [] })
  }
})
