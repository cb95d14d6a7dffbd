import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRailyard, type TestRailyard } from '../support/railyard.ts'
import { launchBrowser } from './browser-shop.ts'

let railyard: TestRailyard
let browser: Browser
beforeAll(async () => {
  railyard = await startTestRailyard()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await railyard.close()
})

test('the API reference shows its operations under its policy and requests nothing from other servers', async () => {
  const page = await browser.newPage()
  const answered = new Set<string>()
  const thrown: string[] = []
  page.on('response', (response) => answered.add(new URL(response.url()).origin))
  page.on('pageerror', (error) => thrown.push(error.message))
  await page.goto(`${railyard.url}/docs`)
  await page.getByText('Create a transaction').first().waitFor()
  expect([...answered]).toEqual([railyard.url])
  expect(thrown).toEqual([])
  const links = await page
    .locator('a[href^="http"]:visible')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(links.filter((link) => !link?.startsWith(railyard.url))).toEqual([])
})
