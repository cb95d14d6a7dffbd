import { afterAll, expect, test } from 'vitest'
import { startRailyardForFile } from '../support/start-railyard.ts'
import { launchBrowser } from './chromium.ts'

const railyard = await startRailyardForFile()
const browser = await launchBrowser()
afterAll(() => browser?.close())

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
