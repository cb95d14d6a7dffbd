import { expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../support/domains/anti-fraud.ts'
import { configureThreeDS, scenarioOf } from '../../support/domains/three-d-secure-configuration.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, hostileUrl, long } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { shop, railyard } = desk

const services = async () => (await shop.get('/anti-fraud-services')).body.items
const configurations = async () =>
  (await railyard.admin.get(`/merchant-accounts/${shop.account}/three-ds-configurations`)).body.items

test('a person connects an anti-fraud service, changes it without its secret, and deletes it', async () => {
  const page = await desk.open('fraud?view=services')
  await see(page, 'No anti-fraud service yet')
  await page.getByRole('link', { name: 'Connect a service' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Fraud checks')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('alert').first().waitFor()
  await page.getByLabel('API Key').fill('hunter2')
  await page.getByLabel('Position').fill('seven')
  await see(page, 'Enter a whole number')
  await page.getByLabel('Position').fill('7')
  await page.getByRole('button', { name: 'Connect', exact: true }).dblclick()
  await see(page, 'Address for its decisions')
  expect(await services()).toMatchObject([{ display_name: 'Fraud checks', position: 7, active: true }])
  expect(await page.content()).not.toContain('hunter2')
  await page.getByRole('button', { name: (await services())[0].webhook_url }).waitFor()

  expect(await page.getByLabel('API Key').inputValue()).toBe('')
  await page.getByLabel('Active', { exact: true }).uncheck()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Paused')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No anti-fraud service yet')
  expect(await services()).toEqual([])
})

test('a payment in review is listed, and leads to the payment', async () => {
  const service = await addAntiFraudService(railyard, shop)
  await shop.authorized(31_00, { buyer: buyerScreenedAs('review'), external_identifier: 'order-71' })
  await shop.authorized(32_00, { buyer: buyerScreenedAs('accept'), external_identifier: 'order-72' })
  const page = await desk.open('fraud', { roles: ['customer-support'] })
  await page.getByRole('row').filter({ hasText: 'order-71' }).waitFor()
  expect(await page.getByText('order-72').count()).toBe(0)
  await page.getByRole('link', { name: '€31.00' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'In review')
  await shop.delete(`/anti-fraud-services/${service.id}`)
})

test('a person adds a 3-D Secure configuration, changes and deletes it', async () => {
  const page = await desk.open('fraud?view=3ds')
  await page.getByRole('button', { name: 'Add a configuration' }).click()
  await page.getByLabel('Card scheme').selectOption('mastercard')
  await page.getByLabel('Metadata').fill('shop')
  await see(page, 'Write each line as key=value')
  await page.getByLabel('Metadata').fill('shop=toys\nregion = north')
  await page.getByLabel('Acquirer BIN').fill('516327')
  await page.getByLabel('Merchant id at the acquirer').fill('1234')
  await page.getByLabel('Merchant name').fill('Toys')
  await page.getByLabel('Country code').fill('840')
  await page.getByLabel('Category code').fill('5045')
  await page.getByLabel('Website').fill(hostileUrl)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('dialog').getByRole('alert').first().waitFor()
  await page.getByLabel('Website').fill('https://toys.example')
  await page.getByRole('button', { name: 'Save', exact: true }).dblclick()
  await page.getByRole('row').filter({ hasText: 'Toys' }).waitFor()
  expect(await configurations()).toMatchObject([
    { scheme: 'mastercard', currency: null, metadata: { shop: 'toys', region: 'north' } },
  ])
  await page.getByRole('button', { name: 'Edit mastercard of Toys' }).click()
  await page.getByLabel('Currency').selectOption('EUR')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('cell', { name: 'EUR' }).waitFor()
  await page.getByRole('button', { name: 'Delete mastercard of Toys' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No configuration yet')
  expect(await configurations()).toEqual([])
})

test('a person adds a scenario, keeps its card while changing the answer, and deletes it', async () => {
  const page = await desk.open('fraud?view=scenarios')
  await page.getByRole('button', { name: 'Add a scenario' }).click()
  await page.getByLabel('Card number').fill('4111111111111111')
  await page.getByLabel('Amount').fill('12.50')
  await see(page, 'Enter a whole number')
  await page.getByLabel('Amount').fill('1250')
  await page.getByLabel('What the issuer answers').selectOption('C')
  await page.getByLabel('What becomes of the challenge').selectOption('N')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await see(page, 'asks the buyer, the buyer refuses')
  expect(await page.content()).not.toContain('4111111111111111')
  await page.getByRole('button', { name: /^Edit: Card number 411111/ }).click()
  await page.getByLabel('What the issuer answers').selectOption('N')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('cell', { name: 'refuses', exact: true }).waitFor()
  expect((await shop.get('/three-ds-scenarios')).body.items).toMatchObject([
    { conditions: { amount: 1250 }, outcome: { authentication: { transaction_status: 'N' } } },
  ])
  await page.getByRole('button', { name: /^Delete:/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No scenario yet')
})

test('support and analysts see reviews and 3-D Secure only; system support changes nothing', async () => {
  const { id } = await addAntiFraudService(railyard, shop, { active: false })
  await configureThreeDS(railyard, shop)
  for (const role of ['customer-support', 'analyst']) {
    const page = await desk.open('fraud', { roles: [role] })
    const views = page.getByRole('navigation', { name: 'Views' })
    await views.getByRole('link').first().waitFor()
    expect(await views.getByRole('link').allTextContents()).toEqual(['Open reviews', '3-D Secure'])
    await views.getByRole('link', { name: '3-D Secure' }).click()
    await page.getByRole('row').filter({ hasText: 'visa' }).waitFor()
    expect(await page.getByRole('button', { name: /^(Add|Edit|Delete)/ }).count()).toBe(0)
  }
  const page = await desk.open(`fraud/services/${id}`, { roles: ['system-support'] })
  await see(page, 'Your role does not show it')
  expect(await page.getByRole('button', { name: /^(Save|Delete)/ }).count()).toBe(0)
  await page.goto(desk.url('fraud?view=scenarios'))
  await see(page, 'No scenario yet')
  expect(await page.getByRole('button', { name: /^Add/ }).count()).toBe(0)
})

test('hostile text is shown as text', async () => {
  const { id } = await addAntiFraudService(railyard, shop, {
    display_name: `${hostile} ${long.slice(0, 90)}`,
    active: false,
  })
  await configureThreeDS(railyard, shop, { metadata: { [hostile]: hostile } })
  await shop.post('/three-ds-scenarios', scenarioOf({ first_name: hostile, external_identifier: long }))
  const page = await desk.open('fraud?view=services')
  await expectShownAsText(page)
  await page.goto(desk.url(`fraud/services/${id}`))
  await expectShownAsText(page)
  for (const view of ['3ds', 'scenarios']) {
    await page.goto(desk.url(`fraud?view=${view}`))
    await expectShownAsText(page)
  }
  await page.getByRole('button', { name: /^Delete:/ }).click()
  await expectShownAsText(page)
})

test('the pages of 3-D Secure and fraud have no barriers', async () => {
  const { id } = await addAntiFraudService(railyard, shop)
  await shop.authorized(33_00, { buyer: buyerScreenedAs('review'), external_identifier: 'order-73' })
  await configureThreeDS(railyard, shop, { currency: 'EUR', metadata: { shop: 'toys' } })
  const page = await desk.open('fraud')
  await see(page, 'order-73')
  expect(await barriers(page, 'dashboard-fraud-reviews')).toEqual([])
  await page.goto(desk.url('fraud?view=services'))
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-fraud-services')).toEqual([])
  await page.goto(desk.url(`fraud/services/${id}`))
  await page.getByLabel('API Key').waitFor()
  expect(await barriers(page, 'dashboard-fraud-service')).toEqual([])
  await page.goto(desk.url('fraud?view=3ds'))
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-fraud-3ds')).toEqual([])
  await page.getByRole('button', { name: 'Add a configuration' }).click()
  expect(await barriers(page, 'dashboard-fraud-3ds-form')).toEqual([])
  await page.goto(desk.url('fraud?view=scenarios'))
  await page.getByRole('button', { name: 'Add a scenario' }).click()
  expect(await barriers(page, 'dashboard-fraud-scenario')).toEqual([])
})
