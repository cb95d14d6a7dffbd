import { expect, test } from 'vitest'
import { openBrowserShop, outcome } from './browser-shop.ts'
import { barriers } from './page-checks.ts'

const town = await openBrowserShop()

test('the pay later page is accessible in every state', async () => {
  const page = await town.buyer()
  const found = await barriers(page, 'shop')
  await page.getByRole('button', { name: 'Go to pay later' }).click()
  const address = page.url()
  found.push(...(await barriers(page, 'bnpl-open')))
  await page.getByRole('button', { name: 'Buy now, pay later' }).click()
  await outcome(page)
  found.push(...(await barriers(page, 'shop-return')))
  await page.goto(address)
  found.push(...(await barriers(page, 'bnpl-approved')))
  await page.goto(`${address.slice(0, -1)}x`)
  found.push(...(await barriers(page, 'bnpl-unknown')))
  expect(found).toEqual([])
})

test.each([
  ['declined', /^Decline/, 'This payment was declined'],
  ['cancelled', /^Cancel/, 'You cancelled this payment'],
] as const)('the page of a payment that was %s is accessible', async (state, button, title) => {
  const page = await town.buyer()
  await page.getByRole('button', { name: 'Go to pay later' }).click()
  const address = page.url()
  await page.getByRole('button', { name: button }).click()
  await outcome(page)
  await page.goto(address)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(title)
  expect(await barriers(page, `bnpl-${state}`)).toEqual([])
})

test('the dialog on the shop’s page is accessible', async () => {
  const page = await town.buyer()
  await page.getByRole('button', { name: 'Pay later, on this page' }).click()
  await page.getByRole('dialog').waitFor()
  expect(await barriers(page, 'bnpl-dialog')).toEqual([])
})
