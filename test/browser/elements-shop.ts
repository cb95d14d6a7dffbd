import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Frame, Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { loaderScript } from '../../src/elements/assets.ts'
import type { TestRailyard } from '../support/railyard.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'
import { startBrowserForFile, type TestBrowser } from './browser.ts'

/** A merchant's site that shows Railyard's card fields, on an origin of its own. */
export interface ElementsShop {
  railyard: TestRailyard
  shop: Shop
  browser: TestBrowser
  /** The origin of the site. */
  origin: string
  /** Opens a checkout session; answers its id. */
  session(values?: object): Promise<string>
  /** Opens the shop's page, which has loaded `@railyard/elements` as the global `railyard`. */
  open(options?: PageOptions): Promise<Page>
}

interface PageOptions extends BrowserContextOptions {
  body?: string
  /** Runs before every other script of the page. */
  script?: string
  path?: string
  /** Directives that the page's policy has beside its own, such as for the script of a provider. */
  policy?: Readonly<Record<string, string>>
}

export async function openElementsShop(env: Record<string, string> = {}): Promise<ElementsShop> {
  const railyard = await startRailyardForFile(env)
  const shop = await openShop(railyard)
  const browser = await startBrowserForFile()
  const pages = new Map<string, string>()
  const fields = new URL(railyard.url).origin
  // the three lines that a strict policy needs: the script, the frames, and nothing for connections
  const ownPolicy: Readonly<Record<string, string>> = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'frame-src': fields,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  }
  const policies = new Map<string, string>()
  const policyWith = (more: Readonly<Record<string, string>>) =>
    Object.entries({ ...more, ...ownPolicy })
      .map(([name, sources]) => `${name} ${sources} ${name in ownPolicy ? (more[name] ?? '') : ''}`)
      .join('; ')
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    const content = path === '/loader.js' ? loaderScript : pages.get(path)
    response
      .writeHead(content === undefined ? 404 : 200, {
        'content-type': path.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8',
        'content-security-policy': policies.get(path) ?? policyWith({}),
      })
      .end(content ?? 'not here')
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  afterAll(() => server.close())
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  let number = 0
  return {
    railyard,
    shop,
    browser,
    origin,
    async session(values = { amount: 12_99, currency: 'USD' }) {
      const { status, body } = await shop.post('/checkout/sessions', values)
      if (status !== 201) throw new Error(`no session: ${status}`)
      return body.id
    },
    async open({
      body = '<h1>Pay</h1><div id="card"></div>',
      script = '',
      path,
      policy = {},
      ...options
    } = {}) {
      const at = path ?? `/page-${number++}`
      policies.set(at, policyWith(policy))
      pages.set(`${at}.js`, script)
      pages.set(
        at,
        `<!doctype html><html lang="en"><title>Shop</title><main>${body}</main><script src="${at}.js"></script><script src="/loader.js"></script></html>`,
      )
      const context = await browser.newContext({ locale: 'en-US', ...options })
      const page = await context.newPage()
      await page.goto(`${origin}${at}`)
      return page
    },
  }
}

/** Mounts a card in `#card` of the page; its last change and its events are globals of the page. */
export async function mountCard(
  page: Page,
  { origin, session, options = {} }: { origin: string; session: string; options?: object },
): Promise<Frame> {
  await page.evaluate(`(async () => {
    const elements = await railyard.loadRailyard(${JSON.stringify({ origin, session })})
    const card = elements.card(${JSON.stringify(options)})
    const events = []
    Object.assign(globalThis, { elements, card, events })
    for (const name of ['ready', 'change', 'focus', 'blur', 'submit', 'error'])
      card.on(name, (event) => events.push([name, event]))
    card.mount('#card')
  })()`)
  return frameOf(page, '#card iframe')
}

/** The frame in an element, once its script has started. */
export async function frameOf(page: Page, selector: string): Promise<Frame> {
  const frame = await (await page.waitForSelector(selector)).contentFrame()
  if (!frame) throw new Error(`${selector} has no frame`)
  await frame.waitForSelector('input')
  return frame
}

/** Types as a buyer does. */
export async function typeCard(
  frame: Frame,
  { number = '4111111111111111', expiry = '1235', code = '123' } = {},
): Promise<void> {
  await frame.locator('#number').pressSequentially(number)
  await frame.locator('#expiry').pressSequentially(expiry)
  await frame.locator('#code').pressSequentially(code)
}
