import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { bnplService } from '../support/domains/bnpl.ts'
import { walletService } from '../support/domains/wallet.ts'
import { expectBooksMatch } from '../support/provider.ts'
import type { TestRailyard } from '../support/railyard.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'
import { startBrowserForFile } from './browser.ts'

/** A merchant with payment links, and buyers with a browser. */
export interface LinkShop {
  railyard: TestRailyard
  /** Takes cards, the wallet and pay later. */
  shop: Shop
  /** The response of POST /payment-links. */
  link(more?: Record<string, unknown>): Promise<{ id: string; url: string }>
  /** A fresh browser that has opened the URL, with its script running. */
  open(url: string, options?: BrowserContextOptions, wallets?: BuyersWallets): Promise<Page>
  /** The payments of a link, the newest first. */
  payments(link: string): Promise<{ id: string; status: string }[]>
}

/** Stand-ins for the wallets of a buyer's browser, as scripts. */
export interface BuyersWallets {
  /** Makes `ApplePaySession`. */
  apple?: string
  /** Makes `google.payments.api`, in place of Google's script; `blocked`: the script does not load. */
  google?: string
}

const GOOGLE_SCRIPT = 'https://pay.google.com/gp/p/js/pay.js'

/** The merchant's site with its pictures. The test's browser answers its requests itself. */
export const SHOP = 'https://shop.example'
const pictures = {
  banner:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1280 320" preserveAspectRatio="xMidYMid slice"><rect width="1280" height="320" fill="#dcebdd"/><circle cx="960" cy="120" r="56" fill="#f2c14e"/><path d="M0 250Q200 110 420 220T860 190T1280 230V320H0Z" fill="#8fbf9a"/><path d="M0 290Q260 190 560 270T1280 260V320H0Z" fill="#2f6f4f"/></svg>',
  favicon:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2f6f4f"/><path d="M8 24C8 12 15 8 25 7C25 18 20 24 11 24M8 25L17 15" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>',
}

export const cart = [
  { name: 'Sencha, first flush', quantity: 2, unit_amount: 18_50 },
  { name: 'Cast-iron teapot', quantity: 1, unit_amount: 74_00, discount_amount: 7_40 },
  { name: 'Delivery', quantity: 1, unit_amount: 4_90, product_type: 'shipping_fee' },
]

const terms = { amount: 108_50, currency: 'EUR', country: 'DE', merchant_name: 'Tea House', cart_items: cart }

/**
 * After each test the provider's books must match the journal, and no page may have thrown, broken its rules,
 * or sent requests elsewhere.
 */
export async function openLinkShop(): Promise<LinkShop> {
  const railyard = await startRailyardForFile()
  const shop = await openShop(railyard)
  const own = { 'x-svc-merchant-account-id': shop.account }
  for (const service of [walletService(), bnplService()])
    expect(await railyard.admin.post('/payment-services', service, own)).toMatchObject({ status: 201 })
  const browser = await startBrowserForFile()
  afterEach(() => expectBooksMatch(railyard, shop.account))
  return {
    railyard,
    shop,
    async link(more = {}) {
      const { status, body } = await shop.post('/payment-links', { ...terms, ...more })
      expect({ status, body }).toMatchObject({ status: 201 })
      return body
    },
    async open(url, options = {}, wallets = {}) {
      const context = await browser.newContext({ locale: 'en-US', ...options })
      context.on('request', (request) => {
        const { origin } = new URL(request.url())
        if (
          origin !== railyard.url &&
          origin !== SHOP &&
          !(wallets.google && request.url() === GOOGLE_SCRIPT)
        )
          browser.problems.push(`requested ${request.url()}`)
      })
      await context.route(`${SHOP}/**`, (route) =>
        route.fulfill(
          route.request().resourceType() === 'image'
            ? {
                contentType: 'image/svg+xml',
                body: route.request().url().includes('banner') ? pictures.banner : pictures.favicon,
              }
            : { contentType: 'text/html', body: '<h1>The shop</h1>' },
        ),
      )
      const body = wallets.google
      if (body)
        await context.route(GOOGLE_SCRIPT, (route) =>
          body === 'blocked' ? route.abort() : route.fulfill({ contentType: 'text/javascript', body }),
        )
      if (wallets.apple) await context.addInitScript(wallets.apple)
      const page = await context.newPage()
      await page.goto(url)
      if (options.javaScriptEnabled !== false) {
        await isReady(page)
        if ((await page.locator('#card').count()) > 0)
          await cardFields(page).locator('#number').waitFor({ state: 'attached' })
      }
      return page
    },
    async payments(link) {
      return (await shop.get(`/transactions?payment_link_id=${link}`)).body.items
    },
  }
}

export const isReady = (page: Page) => page.locator('body[data-ready]').waitFor()

/** Enters a card as a buyer does and presses the button. */
export async function payByCard(
  page: Page,
  number = '4111 1111 1111 1111',
  more: { expiry?: string; code?: string } = {},
): Promise<void> {
  await fillCard(page, number, more)
  await page.locator('#submit').click()
}

export async function fillCard(
  page: Page,
  number: string,
  { expiry = '12/35', code = '123' } = {},
): Promise<void> {
  const card = page.locator('input[value="card"][type="radio"]')
  if ((await card.count()) > 0) await card.check()
  const fields = cardFields(page)
  await fields.locator('#number').fill(number)
  await fields.locator('#expiry').fill(expiry)
  await fields.locator('#code').fill(code)
  if ((await page.locator('#name').count()) > 0) await page.locator('#name').fill('Ada King Lovelace')
}

/** The fields of the card, in Railyard's frame. */
export const cardFields = (page: Page) => page.frameLocator('#card iframe')

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
