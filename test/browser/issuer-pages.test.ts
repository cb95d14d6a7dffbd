import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { SimulatedOutcome } from '../../src/connectors/contract/three-d-secure-server.ts'
import { asked, simulate } from '../support/domains/three-d-secure.ts'
import { openBrowserShop } from './browser-shop.ts'
import { barriers } from './page-checks.ts'

const town = await openBrowserShop()

const requestor = 'http://requestor.example'
const session = 'order "4711" & more'
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

interface Visit {
  page: Page
  /** What the 3DS server knows of it. */
  result(): Promise<unknown>
  /** What came back to the merchant with the browser. */
  returned(): Promise<{ transStatus: string; session: string | null }>
}

/** A cardholder whose browser a minimal page of the merchant's sends to the issuer. */
async function visit(
  expected: SimulatedOutcome['result'],
  { amount = 12_99, ...options }: BrowserContextOptions & { amount?: number } = {},
): Promise<Visit> {
  const { http, schemes } = town.railyard.world
  const server = schemes.threeDSecureServer ?? expect.fail('there is no 3DS server')
  const request = asked({ ...simulate('C', expected), amount, notificationUrl: `${requestor}/notification` })
  const challenge = await server.authenticate(http.request, request, '2.2.0')
  if (challenge.status !== 'challenge') return expect.fail(JSON.stringify(challenge))
  const form = `<form method="post" action="${challenge.acsUrl}"><input type="hidden" name="creq" value="${challenge.creq}">
<input type="hidden" name="threeDSSessionData" value="${escaped(session)}"><button>Go to the bank</button></form>`
  const page = await town.buyer(options)
  let posted: URLSearchParams | undefined
  await page.route(`${requestor}/**`, async (route) => {
    if (route.request().method() === 'POST') posted = new URLSearchParams(route.request().postData() ?? '')
    await route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>${form}</main></html>`,
    })
  })
  await page.goto(`${requestor}/pay`)
  await page.getByRole('button', { name: 'Go to the bank' }).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  return {
    page,
    result: () => server.result(http.request, request.id),
    async returned() {
      await page.waitForURL(`${requestor}/notification`)
      const cres = Buffer.from(posted?.get('cres') ?? '', 'base64url').toString()
      return { transStatus: JSON.parse(cres).transStatus, session: posted?.get('threeDSSessionData') ?? null }
    },
  }
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()

test('a cardholder enters the code and returns with the result', async () => {
  const { page, result, returned } = await visit('Y')
  expect(await heading(page)).toBe('Confirm your payment')
  expect(await page.getByText('€12.99').count()).toBe(1)
  expect(await page.getByText('ends in 5556').count()).toBe(1)
  await page.getByLabel('One-time code').fill('000000')
  await page.getByRole('button', { name: 'Confirm' }).click()
  expect(await page.getByRole('alert').innerText()).toBe('This code is wrong. Try again.')
  await page.getByLabel('One-time code').fill('123456')
  await page.getByRole('button', { name: 'Confirm' }).click()
  expect(await returned()).toEqual({ transStatus: 'Y', session })
  expect(await result()).toMatchObject({ status: 'authenticated', proof: { authentication_response: 'Y' } })
})

test('a cardholder declines without a code', async () => {
  const { page, result, returned } = await visit('N')
  await page.getByRole('button', { name: 'Decline' }).click()
  expect(await returned()).toEqual({ transStatus: 'N', session })
  expect(await result()).toMatchObject({ status: 'refused' })
})

test('the issuer’s page works with the keyboard alone', async () => {
  const { page, returned } = await visit('Y')
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').getAttribute('name')).toBe('code')
  await page.keyboard.press('Enter')
  expect(await returned()).toMatchObject({ transStatus: 'Y' })
})

test('without scripts a button leads back to the merchant', async () => {
  const { page, result, returned } = await visit(null, { javaScriptEnabled: false })
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('button', { name: 'Return to Hat shop' }).click()
  expect(await returned()).toEqual({ transStatus: 'Y', session })
  expect(await result()).toMatchObject({ status: 'authenticated' })
})

test('a cardholder who opens the page again returns with the same result', async () => {
  const { page, returned } = await visit('Y')
  await page.getByRole('button', { name: 'Decline' }).click()
  await returned()
  await page.goto(`${requestor}/pay`)
  await page.getByRole('button', { name: 'Go to the bank' }).click()
  expect(await returned()).toMatchObject({ transStatus: 'N' })
})

test('the issuer’s page is accessible in every state', async () => {
  const { page } = await visit('Y')
  const found = await barriers(page, 'issuer-open')
  await page.getByLabel('One-time code').fill('0')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('alert').waitFor()
  found.push(...(await barriers(page, 'issuer-wrong-code')))
  const silent = await visit('timeout')
  expect(await heading(silent.page)).toBe('Your bank does not answer')
  expect(await silent.page.getByRole('button').count()).toBe(0)
  found.push(...(await barriers(silent.page, 'issuer-silent')))
  const card = await visit('N', { amount: 0 })
  expect(await heading(card.page)).toBe('Confirm your card')
  found.push(...(await barriers(card.page, 'issuer-card')))
  expect(found).toEqual([])
})

test('the issuer’s page is accessible without scripts after the decision', async () => {
  const { page } = await visit('Y', { javaScriptEnabled: false })
  await page.getByRole('button', { name: 'Confirm' }).click()
  expect(await heading(page)).toBe('You confirmed that it is you')
  expect(await page.getByRole('status').innerText()).toBe('You are on your way back to Hat shop.')
})
