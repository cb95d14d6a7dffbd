import { expect, test } from 'vitest'
import { fillCard, heading, openTown, SHOP } from './link-buyer.ts'
import { barriers } from './look.ts'

const town = openTown()

test('everybody can use the page of a link', async () => {
  const { url } = await town.link({
    merchant_color: '#2f6f4f',
    merchant_banner_url: `${SHOP}/banner.svg`,
    merchant_favicon_url: `${SHOP}/favicon.svg`,
    merchant_message: 'Thank you for your order. We send it as soon as it is paid.',
    merchant_url: SHOP,
    merchant_terms_and_conditions_url: `${SHOP}/terms`,
  })
  const page = await town.open(url)
  const found = await barriers(page, 'payment-link')
  await fillCard(page, '5555 5555 5555 4443', { expiry: '12/20', code: '12' })
  await page.locator('#submit').click()
  await page.locator('#number[aria-invalid]').waitFor()
  found.push(...(await barriers(page, 'payment-link-mistakes')))
  expect(found).toEqual([])
})
