import { expect, test } from 'vitest'
import { sendLink } from '../../support/domains/payment-links.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, hostileUrl, long } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk

test('customer support creates a link, sees what the buyer will see, and copies its address', async () => {
  const page = await desk.open('payment-links', {
    roles: ['customer-support'],
    browser: { permissions: ['clipboard-read', 'clipboard-write'] },
  })
  await page.getByRole('link', { name: 'New payment link' }).click()
  await page.getByRole('button', { name: 'Create the link' }).click()
  await see(page, 'Enter an amount, a currency and a country.')
  const preview = page.getByRole('region', { name: 'What the buyer sees' }).or(page.locator('aside'))
  await page.getByLabel('Country').fill('de')
  await page.getByLabel('Your name').fill('Tea House')
  await page.getByLabel('Message to the buyer').fill('Thank you for your call.')
  await page.getByLabel('Colour').fill('gold')
  await see(preview, 'Pay Tea House')
  await see(preview, 'Thank you for your call.')
  await page.getByRole('button', { name: 'Add an item' }).click()
  await page.getByLabel('Item').fill('Sencha')
  await page.getByLabel('Quantity').fill('2')
  await page.getByLabel('Price of one').fill('18.50')
  await page.getByRole('button', { name: 'Use the sum as the amount' }).click()
  await see(preview, 'Pay €37.00')
  await page.getByLabel('Money').selectOption('capture')
  await page.getByLabel('Reference').fill('call-12')
  await page.getByRole('button', { name: 'Create the link' }).dblclick()
  await page.getByRole('button', { name: 'Copy the address' }).click()
  await see(page, 'Address copied')
  const { items } = (await shop.get('/payment-links')).body
  const created = items.filter(
    (each: { external_identifier: string }) => each.external_identifier === 'call-12',
  )
  expect(created).toMatchObject([
    {
      amount: 37_00,
      currency: 'EUR',
      country: 'DE',
      intent: 'capture',
      merchant_color: 'gold',
      cart_items: [{ name: 'Sencha', quantity: 2, unit_amount: 18_50 }],
    },
  ])
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(created[0].url)
  expect(page.url()).not.toContain('/pay/')
})

test('what the server refuses is shown beside its field', async () => {
  const page = await desk.open('payment-links/new')
  await page.getByLabel('Amount').fill('10')
  await page.getByLabel('Country').fill('DE')
  await page.getByLabel('Colour').fill('no colour')
  await page.getByLabel('Address of your website').fill(hostileUrl)
  await page.getByRole('button', { name: 'Create the link' }).click()
  await see(page.getByRole('alert'), 'must be a CSS colour')
  expect(await page.getByLabel('Address of your website').getAttribute('aria-invalid')).toBe('true')
})

test('a link shows its payments, and is expired after a confirmation', async () => {
  const paid = await sendLink(railyard, shop, { intent: 'capture' })
  await paid.pay()
  const page = await desk.open(`payment-links/${paid.id}`, { roles: ['customer-support'] })
  await see(page.getByRole('heading', { level: 1 }), 'Paid')
  await see(page.getByRole('region', { name: 'Payments through the link' }), 'Captured')
  expect(await page.getByRole('button', { name: 'Expire' }).getAttribute('aria-disabled')).toBe('true')

  const open = await sendLink(railyard, shop)
  await page.goto(desk.url(`payment-links/${open.id}`))
  await page.getByRole('button', { name: 'Expire' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Expire' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Expired')
  expect((await open.read()).status).toBe('expired')
})

test('an analyst sees no address, and is offered neither to create nor to expire', async () => {
  const link = await sendLink(railyard, shop)
  const page = await desk.open('payment-links', { roles: ['analyst'] })
  await page.getByRole('row').nth(1).waitFor()
  expect(await page.getByRole('link', { name: 'New payment link' }).count()).toBe(0)
  await page.goto(desk.url(`payment-links/${link.id}`))
  await see(page, 'Your role does not show the address')
  expect(await page.getByRole('button', { name: 'Expire' }).count()).toBe(0)
  expect(await page.content()).not.toContain(link.url)
  await page.goto(desk.url('payment-links/new'))
  await see(page, 'Your role does not open this page')
})

test('hostile text is shown as text', async () => {
  const link = await sendLink(railyard, shop, {
    external_identifier: hostile,
    merchant_name: hostile.slice(0, 100),
    merchant_message: `${hostile}${long}`.slice(0, 255),
    buyer: { display_name: hostile },
    cart_items: [{ name: `${hostile}${long}`, quantity: 1, unit_amount: 1 }],
    metadata: { [hostile.slice(0, 40)]: hostile },
  })
  const page = await desk.open(`payment-links/${link.id}`)
  await expectShownAsText(page)
  expect(await barriers(page, 'dashboard-payment-link-hostile', false)).toEqual([])
  await page.goto(desk.url('payment-links'))
  await expectShownAsText(page)
  await page.goto(desk.url('payment-links/new'))
  await page.getByLabel('Your name').fill(hostile)
  await page.getByLabel('Colour').fill('red;background:url(https://evil.example)')
  await expectShownAsText(page)
})

test('the pages of payment links have no barriers', async () => {
  const link = await sendLink(railyard, shop, { merchant_color: '#2f6f4f', external_identifier: 'order-7' })
  const page = await desk.open('payment-links')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-payment-links')).toEqual([])
  await page.goto(desk.url(`payment-links/${link.id}`))
  await see(page, 'Nobody has tried to pay yet.')
  expect(await barriers(page, 'dashboard-payment-link')).toEqual([])
  await page.goto(desk.url('payment-links/new'))
  await page.getByRole('button', { name: 'Add an item' }).click()
  await page.getByLabel('Item').fill('Teapot')
  await page.getByLabel('Price of one').fill('71.50')
  await page.getByLabel('Colour').fill('#2f6f4f')
  expect(await barriers(page, 'dashboard-payment-link-new')).toEqual([])
})
