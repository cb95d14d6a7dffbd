import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, expect } from 'vitest'
import { expectBooksMatch } from '../support/provider.ts'
import type { TestRailyard } from '../support/railyard.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'
import { startBrowserForFile } from './browser.ts'
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

/**
 * Starts everything for one test file. After each test the provider's books must match the journal, and no
 * page may have thrown or broken a rule.
 */
export async function openBrowserShop(): Promise<BrowserShop> {
  const railyard = await startRailyardForFile()
  const shop = await startExampleShop(railyard)
  const browser = await startBrowserForFile()
  afterEach(() => expectBooksMatch(railyard, shop.account))
  afterAll(() => shop.close())
  return {
    railyard,
    shop,
    async buyer(options = {}) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      await page.goto(shop.url)
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
