import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { injectFaults, recoverFully } from '../support/provider.ts'
import { cardFields, fillCard, heading, openLinkShop, payByCard, SHOP } from './link-shop.ts'
import { barriers } from './page-checks.ts'

const town = await openLinkShop()

const dressed = {
  intent: 'capture',
  merchant_color: '#2f6f4f',
  merchant_banner_url: `${SHOP}/banner.svg`,
  merchant_favicon_url: `${SHOP}/favicon.svg`,
  merchant_message: 'Thank you for your order. We send it as soon as it is paid.',
  merchant_url: SHOP,
  merchant_terms_and_conditions_url: `${SHOP}/terms`,
}

test('the page of a link is accessible', async () => {
  const page = await town.open((await town.link(dressed)).url)
  expect(await barriers(page, 'payment-link')).toEqual([])
})

test('in the dark, the card’s fields stand on the colour of the page', async () => {
  const page = await town.open((await town.link(dressed)).url, { colorScheme: 'dark' })
  const box = await page.locator('#card iframe').boundingBox()
  const { x, y } = box ?? expect.fail('the card has no frame')
  expect(await colorAt(page, x + 1, y + 1)).toBe(await colorAt(page, x - 5, y + 1))
})

/** One pixel of a page, as a picture: two of the same colour are the same. */
const colorAt = async (page: Page, x: number, y: number) =>
  (await page.screenshot({ clip: { x, y, width: 1, height: 1 } })).toString('base64')

test('the page with input errors is accessible', async () => {
  const page = await town.open((await town.link(dressed)).url)
  await fillCard(page, '5555 5555 5555 4443', { expiry: '12/20', code: '12' })
  await page.locator('#submit').click()
  await cardFields(page).locator('#number[aria-invalid]').waitFor()
  expect(await barriers(page, 'payment-link-mistakes')).toEqual([])
})

test.each(['#ffffff', 'black', 'yellow', '#7f7f7f', 'hotpink'])(
  'the page is accessible with the merchant’s colour %s',
  async (merchant_color) => {
    const { url } = await town.link({
      ...dressed,
      merchant_color,
      merchant_banner_url: null,
      merchant_favicon_url: null,
    })
    expect(await barriers(await town.open(url), merchant_color, false)).toEqual([])
  },
)

test('the page with stored cards and a failed attempt is accessible', async () => {
  const buyer = (await town.shop.post('/buyers', { display_name: 'Ada' })).body.id
  for (const number of ['4111111111111111', '5555555555554444'])
    expect(
      await town.shop.post('/payment-methods', { number, expiration_date: '12/35', buyer_id: buyer }),
    ).toMatchObject({ status: 201 })
  const { url } = await town.link({
    ...dressed,
    locale: 'es',
    amount: 200011,
    cart_items: null,
    buyer_id: buyer,
    store: true,
  })
  const page = await town.open(url)
  await payByCard(page)
  await page.getByRole('alert').getByText('Su banco ha rechazado el pago.').waitFor()
  expect(await barriers(page, 'payment-link-declined')).toEqual([])
})

test('the page of a payment that waits for its buyer is accessible', async () => {
  const { url } = await town.link({ ...dressed, merchant_banner_url: null, country: 'US' })
  const page = await town.open(url)
  await page.getByRole('radio', { name: 'Wallet' }).check()
  await page.locator('#submit').click()
  await page.getByRole('button', { name: 'Pay now' }).waitFor()
  await page.goto(url)
  await heading(page, 'You have begun to pay')
  expect(await barriers(page, 'payment-link-approval')).toEqual([])
})

test('the page of a paid link is accessible', async () => {
  const page = await town.open((await town.link(dressed)).url)
  await payByCard(page)
  await heading(page, 'Thank you')
  expect(await barriers(page, 'payment-link-completed')).toEqual([])
})

test('the page of an unknown link is accessible', async () => {
  const page = await town.open(`${(await town.link(dressed)).url}0`)
  await heading(page, 'There is no such payment link')
  expect(await barriers(page, 'payment-link-unknown')).toEqual([])
})

test('the page of a payment in progress is accessible', async () => {
  const { url } = await town.link(dressed)
  const page = await town.open(url)
  await injectFaults(town.railyard, {
    operation: 'sale',
    kind: 'lost',
    payment_service_id: town.shop.paymentServiceId,
  })
  await payByCard(page)
  await heading(page, 'Your payment is being processed')
  const found = await barriers(page, 'payment-link-processing')
  await recoverFully(town.railyard)
  expect(found).toEqual([])
})

test('the page of an expired link is accessible', async () => {
  const { url } = await town.link({
    ...dressed,
    expires_at: new Date(town.railyard.clock.now() + 60_000).toISOString(),
  })
  town.railyard.clock.advance(61_000)
  const page = await town.open(url)
  await heading(page, 'This payment link has expired')
  expect(await barriers(page, 'payment-link-expired')).toEqual([])
})

test('the page of a link that cannot be paid is accessible', async () => {
  const page = await town.open((await town.link({ ...dressed, currency: 'CHF' })).url)
  await heading(page, 'You cannot pay here just now')
  expect(await barriers(page, 'payment-link-unavailable')).toEqual([])
})
