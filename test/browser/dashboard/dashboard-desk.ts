import type { BrowserContextOptions, Page } from 'playwright-core'
import { PASSWORD, type Person, person } from '../../support/people.ts'
import type { TestRailyard } from '../../support/railyard.ts'
import type { Shop } from '../../support/shop.ts'
import { startShop } from '../../support/start-shop.ts'
import { startBrowserForFile } from '../browser.ts'

/** A merchant's people at work: a shop with payments, and their browsers. */
export interface Desk {
  railyard: TestRailyard
  shop: Shop
  /** A fresh browser in which a person with these roles has signed in by the page, on a page of the dashboard. */
  open(path?: string, options?: DeskOptions): Promise<Page>
  /** The address of a page of the shop's account. */
  url(path?: string): string
}

interface DeskOptions {
  /** `administrator` if it is left out. */
  roles?: string[]
  /** Who signs in; a new person with these roles if it is left out. */
  who?: Pick<Person, 'email'>
  browser?: BrowserContextOptions
}

/** No page may have thrown, or broken its Content-Security-Policy. */
export async function openDesk(): Promise<Desk> {
  const { railyard, shop } = await startShop()
  const browser = await startBrowserForFile()
  const url = (path = '') => `${railyard.url}/dashboard/${shop.account}/${path}`
  return {
    railyard,
    shop,
    url,
    async open(path = '', { roles = ['administrator'], who, browser: options = {} } = {}) {
      const { email } = who ?? (await person(railyard, { roles }))
      const page = await (await browser.newContext(options)).newPage()
      await page.goto(url(path))
      await page.getByLabel('Email address').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' })
      return page
    },
  }
}
