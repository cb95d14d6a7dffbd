import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { walletFields, walletService } from '../../support/domains/wallet.ts'
import { addService, openShop } from '../../support/shop.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, long } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { shop } = desk

const services = async (): Promise<{ id: string; display_name: string }[]> =>
  (await shop.get('/payment-services')).body.items
const service = async (id: string) => (await shop.get(`/payment-services/${id}`)).body
const idOf = (page: Page) => page.url().split('/').at(-1) ?? ''

test('a person finds a service in the catalogue, checks its credentials, connects it, and sees its secret nowhere', async () => {
  const page = await desk.open('payment-services')
  await page.getByRole('link', { name: 'Connect a service' }).click()
  await page.getByRole('searchbox').fill('wallet-wallet')
  await page.keyboard.press('Enter')
  await page.getByRole('row').filter({ hasText: 'Mock card' }).waitFor({ state: 'detached' })
  await page.getByRole('row').nth(1).click()
  await page.getByLabel('Name', { exact: true }).fill('PayPal for Europe')
  await page.getByLabel('Client ID').fill(walletFields.client_id)
  await page.getByLabel('Client secret').fill('refused')
  await page.getByLabel('Environment').fill('nowhere')
  await page.getByRole('button', { name: 'Check credentials' }).click()
  await page.getByRole('alert').filter({ hasText: 'must be one of' }).first().waitFor()
  await page.getByLabel('Environment').fill('simulator')
  await page.getByLabel('Client secret').fill(walletFields.client_secret)
  await page.getByRole('button', { name: 'Check credentials' }).click()
  await see(page, 'accepts these credentials')

  await page.getByRole('button', { name: /^Currencies:/ }).click()
  await page.getByRole('button', { name: 'Choose none shown' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await see(page, 'Choose at least one currency')
  await page.getByRole('searchbox', { name: 'Search in Currencies' }).fill('euro')
  await page.getByLabel('EUR Euro').check()
  await page.getByRole('button', { name: 'Connect', exact: true }).dblclick()
  await page.getByRole('heading', { level: 1, name: /PayPal for Europe/ }).waitFor()
  await see(page, 'Stored, never shown')
  const id = idOf(page)
  expect(await service(id)).toMatchObject({ accepted_currencies: ['EUR'], active: true })
  expect((await services()).filter((each) => each.display_name === 'PayPal for Europe')).toHaveLength(1)
  expect(await page.content()).not.toContain(walletFields.client_secret)

  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  expect(await page.getByLabel('Client secret').inputValue()).toBe('')
  await page.getByLabel('Name', { exact: true }).fill('PayPal')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'PayPal' }).waitFor()
  const check = { payment_service_definition_id: 'wallet-wallet', payment_service_id: id, fields: [] }
  expect(await shop.post('/payment-services/verify', check)).toMatchObject({ status: 200 })

  const address: string = (await service(id)).webhook_url
  await page.getByRole('button', { name: address }).waitFor()
  await page.getByRole('button', { name: 'Register at the payment service' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Register at the payment service' }).click()
  await see(page.getByRole('status'), 'Registered')
})

test('a person changes the order by button and by dragging, pauses a service, and deletes it', async () => {
  const id = await addService(desk.railyard, shop, { display_name: 'Second card' })
  const names = async () => (await services()).map(({ display_name }) => display_name)
  const before = await names()
  const page = await desk.open('payment-services')
  const row = page.getByRole('row').filter({ hasText: 'Second card' })
  await row.getByRole('button', { name: 'Move Second card up' }).press('Enter')
  await see(page, `Second card is number ${before.length - 1} now`)
  expect(await names()).toEqual([...before.slice(0, -2), 'Second card', before.at(-2)])
  await row.dragTo(page.getByRole('row').nth(1))
  await see(page, 'Second card is number 1 now')
  expect((await names())[0]).toBe('Second card')

  await row.getByRole('link').click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Paused')
  expect(await service(id)).toMatchObject({ active: false })
  await page.getByRole('button', { name: 'Resume' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Active')

  await page.getByRole('button', { name: 'Add a profile' }).click()
  await page.getByLabel('Acquirer BIN').fill('516327')
  await page.getByRole('button', { name: 'Save the profile' }).click()
  await page.getByRole('dialog').getByRole('alert').first().waitFor()
  await page.getByLabel('Merchant id at the acquirer').fill('123')
  await page.getByLabel('Merchant name').fill('Marmalade & Co')
  await page.getByLabel('Country code').fill('840')
  await page.getByLabel('Category code').fill('5045')
  await page.getByLabel('Website').fill('https://shop.example')
  await page.getByRole('button', { name: 'Save the profile' }).click()
  await see(page, 'Marmalade & Co, 123')
  expect(await service(id)).toMatchObject({ merchant_profile: { visa: { merchant_country_code: '840' } } })

  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('link', { name: 'Deleted' }).click()
  await page.getByRole('row').filter({ hasText: 'Second card' }).waitFor()
  expect(await page.getByRole('link', { name: 'Second card' }).count()).toBe(0)
})

test.each(['customer-support', 'analyst'])(
  '%s sees payment services, and can change nothing',
  async (role) => {
    const page = await desk.open('payment-services', { roles: [role] })
    await page.getByRole('row').filter({ hasText: 'Mock card' }).waitFor()
    expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Connect a service' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Mock card' }).click()
    await see(page, 'Calls in the last minute', { exact: true })
    for (const name of ['Pause', 'More', 'Add a profile'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await page.goto(desk.url('payment-services/new'))
    await see(page, 'Your role does not open this page')
  },
)

test('an account without payment services is told the first step', async () => {
  const other = await openShop(desk.railyard)
  await other.delete(`/payment-services/${other.paymentServiceId}`)
  const page = await desk.open()
  await page.goto(desk.url('payment-services').replace(shop.account, other.account))
  await see(page, 'No payment service yet')
})

test('hostile text is shown as text', async () => {
  const id = await addService(desk.railyard, shop, {
    ...walletService(),
    display_name: `${hostile} ${long.slice(0, 90)}`,
    fields: Object.entries({ ...walletFields, client_id: hostile }).map(([key, value]) => ({ key, value })),
  })
  const page = await desk.open('payment-services')
  await expectShownAsText(page)
  await page.goto(desk.url(`payment-services/${id}`))
  await see(page, 'Stored, never shown')
  await expectShownAsText(page)
  await shop.delete(`/payment-services/${id}`)
})

test('the pages of payment services have no barriers', async () => {
  await shop.authorized(12_00)
  const profile = {
    merchant_acquirer_bin: '516327',
    merchant_acquirer_id: '123',
    merchant_name: 'Shop',
    merchant_country_code: '840',
    merchant_category_code: '5045',
    merchant_url: 'https://shop.example',
  }
  await shop.put(`/payment-services/${shop.paymentServiceId}`, { merchant_profile: { visa: profile } })
  const page = await desk.open('payment-services')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-payment-services')).toEqual([])
  await page.getByRole('link', { name: 'Mock card' }).click()
  await see(page, 'Calls in the last minute', { exact: true })
  expect(await barriers(page, 'dashboard-payment-service')).toEqual([])
  await page.getByRole('button', { name: 'Add a profile' }).click()
  expect(await barriers(page, 'dashboard-payment-service-profile')).toEqual([])
  await page.goto(desk.url('payment-services/new'))
  await page.getByRole('row').nth(3).waitFor()
  expect(await barriers(page, 'dashboard-payment-service-catalogue')).toEqual([])
  await page.goto(desk.url('payment-services/new/stripe-card'))
  await page.getByRole('button', { name: /^Currencies:/ }).click()
  expect(await barriers(page, 'dashboard-payment-service-form')).toEqual([])
})
