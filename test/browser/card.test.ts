import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { requireAuthentication } from '../support/domains/secure-shop.ts'
import { openBrowserShop, outcome } from './browser-shop.ts'

const town = await openBrowserShop()

interface Entered {
  page: Page
  /** What the shop's own server was sent. */
  toShop: string[]
  /** The session's id. */
  session(): string
}

/** A buyer who looks at the card form. */
async function atTheForm(): Promise<Entered> {
  const page = await town.buyer()
  const toShop: string[] = []
  let session = ''
  page.on('request', (request) => {
    if (request.url().startsWith(town.shop.url)) toShop.push(`${request.url()} ${request.postData() ?? ''}`)
    session = /[?&]session=([^&]+)/.exec(request.url())?.[1] ?? session
  })
  await page.getByRole('link', { name: 'Pay by card' }).click()
  await page.locator('body[data-ready]').waitFor()
  await fieldsOf(page).getByLabel('Card number').waitFor()
  return { page, toShop, session: () => session }
}

/** The fields of the card, in Railyard's frame. */
const fieldsOf = (page: Page) => page.frameLocator('#card iframe')

async function pay(page: Page, number: string, expiry = '12 / 35'): Promise<void> {
  await fieldsOf(page).getByLabel('Card number').fill(number)
  await fieldsOf(page).getByLabel('Expiry date').fill(expiry)
  await fieldsOf(page).getByLabel('Security code').fill('123')
  await fieldsOf(page).getByLabel('Postal code').fill('10119')
  await page.getByRole('button', { name: 'Pay €117.90' }).click()
}

test('a card goes from the buyer’s browser to Railyard without reaching the shop’s server, and pays', async () => {
  const { page, toShop, session } = await atTheForm()
  await pay(page, '4111 1111 1111 1111')
  expect(await outcome(page)).toBe('authorization_succeeded')
  expect(toShop.some((request) => request.includes('/card/session'))).toBe(true)
  expect(toShop.filter((request) => /4111|1111|12\/35|10119/.test(request))).toEqual([])
  expect((await town.shop.get(`/checkout/sessions/${session()}`)).body).toMatchObject({
    amount: 11790,
    payment_method: { method: 'card', label: '1111', scheme: 'visa' },
  })
  expect(await town.shop.payment(town.paymentOf(page)).read()).toMatchObject({
    authorized_amount: 11790,
    checkout_session_id: session(),
    payment_method: { label: '1111' },
    avs_response_code: 'match',
    cvv_response_code: 'match',
  })
})

test('the form shows the card’s scheme while the buyer types, and wrong fields', async () => {
  const { page, session } = await atTheForm()
  const fields = fieldsOf(page)
  await fields.getByLabel('Card number').fill('5555 5555 5555 4444')
  await fields.getByText('Mastercard').waitFor()
  await pay(page, '5555 5555 5555 4445', '01 / 20')
  await fields.getByText('This is not a card number. Check the digits.').waitFor()
  await fields.getByText('This card has expired.').waitFor()
  expect((await town.shop.get(`/checkout/sessions/${session()}`)).body.payment_method).toBeNull()
})

test('a buyer with a challenge goes from the card form to the bank, returns and has paid', async () => {
  await requireAuthentication(town.railyard, town.shop, town.shop.paymentServiceId)
  const { page } = await atTheForm()
  await pay(page, '4111 1111 1118 1072')
  await page.getByLabel('One-time code').fill('123456')
  await page.getByRole('button', { name: 'Confirm' }).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  expect(await town.shop.payment(town.paymentOf(page)).read()).toMatchObject({
    cvv_response_code: 'match',
    three_d_secure: { status: 'complete', method: 'challenge' },
  })
})
