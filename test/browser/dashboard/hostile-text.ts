import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { see } from './see.ts'

/** What a merchant, a buyer or a provider may send to harm the person who reads it: markup, and text from right to left. */
export const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202Etxet\u202C'
export const hostileUrl = 'javascript:alert(1)'
export const long = 'W'.repeat(190)

/** The page shows the text, made no elements of it, and no link of it runs script. The desk fails where script has run. */
export async function expectShownAsText(page: Page): Promise<void> {
  await see(page, '"><script>alert(1)</script><img src=x onerror=alert(1)>')
  expect(await page.locator('img[src="x"], main script').count()).toBe(0)
  const addresses = await page
    .locator('[href], [src]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? ''))
  expect(addresses.filter((address) => /^\s*(javascript|data):/i.test(address))).toEqual([])
}
