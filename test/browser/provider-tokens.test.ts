import { expect, onTestFinished, test } from 'vitest'
import { type FakeName, fakeNames } from '../fakes/hosted-fake.ts'
import { startFake } from '../fakes/server.ts'
import { startBrowserForFile } from './browser.ts'

const tokens: Readonly<Record<FakeName, RegExp>> = {
  stripe: /^pm_\w+$/,
  adyen: /"encryptedCardNumber":"test_4111111111111111"/,
  checkout: /^tok_\w+$/,
  mollie: /^tkn_\w+$/,
}

const browser = await startBrowserForFile()

test.each(fakeNames)('the page in the guide for %s gets a token, under its own CSP', async (name) => {
  const fake = await startFake(name)
  onTestFinished(() => fake.close())
  const context = await browser.newContext({})
  const page = await context.newPage()
  await page.goto(fake.url)
  await page.waitForSelector('#fake-number')
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Pay' }).click()
      return page.locator('output').textContent()
    })
    .toMatch(tokens[name])
})
