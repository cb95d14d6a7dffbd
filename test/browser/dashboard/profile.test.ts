import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { PASSWORD, person, signIn, totpCode } from '../../support/people.ts'
import { startBrowserForFile } from '../browser.ts'
import { barriers } from '../page-checks.ts'
import { addAuthenticator } from './authenticator.ts'
import { openDesk } from './dashboard-desk.ts'
import { hostileText, ranAsMarkup } from './hostile.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard } = desk
// browsers make passkeys for host names only
const origin = railyard.url.replace('127.0.0.1', 'localhost')
railyard.world.publicUrl = origin
const browser = await startBrowserForFile()

/** A browser with an authenticator, in which a person has signed in, on the person's own page. */
async function openProfile(
  roles?: string[],
): Promise<{ page: Page; who: Awaited<ReturnType<typeof person>> }> {
  const who = await person(railyard, { ...(roles && { roles }) })
  const page = await (await browser.newContext({})).newPage()
  await page.goto(`${origin}/dashboard/${desk.shop.account}/profile`)
  await enter(page, who.email, PASSWORD)
  await addAuthenticator(page)
  return { page, who }
}

async function enter(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('a person changes the name and the password, and is told what is wrong with a new one', async () => {
  const { page, who } = await openProfile()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Change the name' }).click()
  await dialog.getByLabel('Name').fill(hostileText.slice(0, 60))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(page, '<img src=x')
  expect(await ranAsMarkup(page)).toEqual([])
  await page.getByRole('button', { name: 'Change the password' }).click()
  await dialog.getByLabel('Current password').fill(PASSWORD)
  await dialog.getByLabel('New password').fill('short')
  await dialog.getByRole('button', { name: 'Change the password' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('New password').fill('another horse battery 43')
  await dialog.getByRole('button', { name: 'Change the password' }).click()
  await see(page, 'The password was changed')
  expect((await signIn(railyard, who.email, 'another horse battery 43')).status).toBe(201)
})

test('a dialog that is opened while a change is still being read back stays open', async () => {
  const { page } = await openProfile()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Change the name' }).waitFor()
  const answers = Promise.withResolvers<void>()
  await page.route('**/sessions/current', async (route) => {
    await answers.promise
    await route.continue()
  })
  const readAgain = page.waitForResponse('**/sessions/current')
  await page.getByRole('button', { name: 'Change the name' }).click()
  await dialog.getByLabel('Name').fill('Grace')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(page, 'Grace')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await dialog.getByLabel('Current password').fill(PASSWORD)
  answers.resolve()
  await readAgain
  // the name beside the navigation comes from the session
  await expect.poll(() => page.getByText('Grace').count()).toBeGreaterThan(1)
  expect(await dialog.getByLabel('Current password').inputValue()).toBe(PASSWORD)
})

test('a person turns the authenticator app on and off by its codes', async () => {
  const { page, who } = await openProfile()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const secret =
    (await dialog.getByRole('button', { name: /Copy/ }).locator('span').first().textContent()) ?? ''
  await dialog.getByRole('img', { name: 'QR code of the key' }).waitFor()
  expect(await barriers(page, 'dashboard-authenticator')).toEqual([])
  await dialog.getByLabel('Code of the app').fill('000000')
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('Code of the app').fill(totpCode(railyard, secret))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await see(page, 'signing in with the password needs a code')
  // the page shows it while the dialog still closes
  await dialog.waitFor({ state: 'hidden' })
  expect(await page.content()).not.toContain(secret)
  expect((await signIn(railyard, who.email)).body.code).toBe('totp_required')
  railyard.clock.advance(31_000)
  await page.getByRole('button', { name: 'Remove the authenticator app?' }).click()
  await dialog.getByLabel('Code of the app').fill(totpCode(railyard, secret))
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await see(page, 'signing in needs the password alone.')
  expect((await signIn(railyard, who.email)).status).toBe(201)
})

test('a person adds a passkey, signs in with it, and removes it', async () => {
  const { page } = await openProfile()
  const dialog = page.getByRole('dialog')
  await see(page, 'You have no passkey.')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByLabel('Your password').fill('not my password 1')
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await see(dialog, 'is not your password')
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await see(page.getByRole('main'), 'Laptop', { exact: true })
  expect(await barriers(page, 'dashboard-profile')).toEqual([])
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  expect(await barriers(page, 'dashboard-sign-in')).toEqual([])
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await see(page, 'with a passkey')
  await page.getByRole('button', { name: 'Remove: Laptop' }).click()
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await see(page, 'You have no passkey.')
})

test('a browser that refuses a passkey is told from a server that does', async () => {
  const { page } = await openProfile()
  await page.evaluate(
    `navigator.credentials.create = () => Promise.reject(new DOMException('no', 'NotAllowedError'))`,
  )
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await see(dialog, 'The browser did not use a passkey.')
})

test('a person sees where they are signed in, and ends another session', async () => {
  const { page, who } = await openProfile()
  const sessions = async () => (await who.get('/users/me/sessions')).status
  expect(await sessions()).toBe(200)
  await see(page, 'this session')
  await page
    .getByRole('button', { name: /^End: / })
    .first()
    .click()
  await see(page, 'The session has ended')
  expect(await sessions()).toBe(401)
})

test.each(['customer-support', 'analyst'])('%s has the own profile', async (role) => {
  const { page } = await openProfile([role])
  await page.getByRole('button', { name: 'Change the password' }).waitFor()
})
