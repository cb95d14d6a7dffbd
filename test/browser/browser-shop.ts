import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { expectBooksMatch } from '../support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../support/railyard.ts'
import { chromiumPath } from './chromium.ts'
import { type ExampleShop, startExampleShop } from './example-shop.ts'

/** An instance, the example merchant's server, and buyers with a browser. */
export interface BrowserShop {
  railyard: TestRailyard
  shop: ExampleShop
  /** A buyer with a fresh browser who looks at the shop's cart. */
  buyer(options?: BrowserContextOptions): Promise<Page>
  /** The id of the payment that the shop's last page is about. */
  paymentOf(page: Page): string
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (!executablePath) throw new Error('there is no Chromium: scripts/install-chromium.sh')
  // Chromium's own sandbox cannot run as root
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

/**
 * Starts everything for one test file. After each test the provider's books must match ours, and no page may
 * have thrown or broken a rule.
 */
export function openBrowserShop(): BrowserShop {
  let town: { railyard: TestRailyard; shop: ExampleShop; browser: Browser } | undefined
  const problems: string[] = []
  const opened = () => town ?? expect.fail('the town is not open yet')
  beforeAll(async () => {
    const railyard = await startTestRailyard()
    town = { railyard, shop: await startExampleShop(railyard), browser: await launchBrowser() }
  })
  afterEach(async () => {
    for (const context of opened().browser.contexts()) await context.close()
    expect(problems.splice(0)).toEqual([])
    await expectBooksMatch(opened().railyard, opened().shop.account)
  })
  afterAll(async () => {
    await town?.browser.close()
    await town?.shop.close()
    await town?.railyard.close()
  })
  return {
    get railyard() {
      return opened().railyard
    },
    get shop() {
      return opened().shop
    },
    async buyer(options = {}) {
      const context = await opened().browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...options,
      })
      context.setDefaultTimeout(10_000)
      context.on('weberror', (error) => problems.push(error.error().message))
      context.on(
        'console',
        (message) =>
          message.type() === 'error' &&
          /Content Security Policy/.test(message.text()) &&
          problems.push(message.text()),
      )
      const page = await context.newPage()
      await page.goto(opened().shop.url)
      if (options.javaScriptEnabled !== false) await page.locator('body[data-ready]').waitFor()
      return page
    },
    paymentOf: (page) =>
      new URL(page.url()).searchParams.get('svc_transaction_id') ??
      expect.fail(`no payment in ${page.url()}`),
  }
}

/** The shop's last page about the payment. */
export async function outcome(page: Page): Promise<string> {
  await page.waitForURL(/\/return\?/)
  return page.locator('#status').innerText()
}
