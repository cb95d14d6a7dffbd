import { expect, test } from 'vitest'
import { PASSWORD, person } from '../../support/people.ts'
import { startShop } from '../../support/start-shop.ts'
import { startBrowserForFile } from '../browser.ts'
import { barriers } from '../page-checks.ts'
import { addAuthenticator } from './authenticator.ts'

const { railyard, shop } = await startShop({ env: { SECOND_FACTOR: 'required' } })
// browsers make passkeys for host names only
const origin = railyard.url.replace('127.0.0.1', 'localhost')
railyard.world.publicUrl = origin
const browser = await startBrowserForFile()

test('a person who needs a second factor adds a passkey in place of an authenticator app, and gets in', async () => {
  const who = await person(railyard)
  const page = await (await browser.newContext({})).newPage()
  await page.goto(`${origin}/dashboard/${shop.account}/payments`)
  await addAuthenticator(page)
  await page.getByLabel('Email address').fill(who.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Use a passkey instead' }).click()
  await page.getByLabel('Name of the passkey').fill('Laptop')
  await page.getByLabel('Password').fill(PASSWORD)
  expect(await barriers(page, 'dashboard-second-factor')).toEqual([])
  await page.getByRole('button', { name: 'Add the passkey' }).click()
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
})
