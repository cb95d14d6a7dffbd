import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { PASSWORD, person } from '../../support/people.ts'
import { openDesk } from './dashboard-desk.ts'
import { see } from './see.ts'

const desk = await openDesk()

test('the next person at a browser sees nothing that was loaded for the one before', async () => {
  const { id } = await desk.shop.authorized(7_77)
  const page = await desk.open('payments')
  const payment = page.locator(`[data-row="${id}"]`)
  await payment.waitFor()
  // the session ends without a sign-out
  await page.context().clearCookies()
  await page.getByRole('link', { name: 'Refunds' }).click()
  await see(page, 'Your session has ended')
  // the server has not said yet what this person may see
  await page.route('**/transactions?*', () => undefined)
  const next = await person(desk.railyard, { roles: ['analyst'] })
  await page.getByLabel('Email address').fill(next.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
  expect(await payment.count()).toBe(0)
})

test('an address with a server in place of the merchant account leads to no other server', async () => {
  const page = await desk.open()
  for (const account of ['%2Fshop.example', '%5Cshop.example']) {
    await page.goto(`${desk.railyard.url}/dashboard/${account}/payments`)
    await see(page, 'There is no such page')
    expect(await hostsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Go to the start page' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  }
})

/** The other servers to which links of a page lead. */
const hostsOf = (page: Page) =>
  page.evaluate(
    `[...document.querySelectorAll('a')].map(({ host }) => host).filter((host) => host !== location.host)`,
  )

test('a private key is gone from memory once its dialog is closed', async () => {
  const page = await desk.open('api-keys')
  await page.getByRole('button', { name: 'Create a key pair' }).click()
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Shop backend')
  await page.getByRole('dialog').getByLabel('Processing only').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await see(page, 'Store the private key now')
  const key = (await page.getByRole('dialog').locator('pre').textContent())?.split('\n')[1] ?? ''
  expect(key).toHaveLength(64)
  expect(await memoryHas(page, key)).toBe(true)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('link', { name: 'Shop backend' }).click()
  await page.getByRole('heading', { level: 1, name: 'Shop backend' }).waitFor()
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
  await expect.poll(() => memoryHas(page, key)).toBe(false)
})

/** Whether a text is in the memory of a page's scripts. */
async function memoryHas(page: Page, text: string): Promise<boolean> {
  const session = await page.context().newCDPSession(page)
  let snapshot = ''
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
    snapshot += chunk
  })
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot')
  await session.detach()
  return snapshot.includes(text)
}
