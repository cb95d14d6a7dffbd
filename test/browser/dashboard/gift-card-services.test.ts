import { expect, test } from 'vitest'
import { mockGiftCardService } from '../../support/domains/gift-cards.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, long } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { shop, railyard } = desk

const services = async () => (await shop.get('/gift-card-services')).body.items
const add = async (more: object) => {
  const { status, body } = await shop.post('/gift-card-services', mockGiftCardService(more))
  expect(status).toBe(201)
  return body.id as string
}

test('a person connects a gift card service, changes it without its secret, and deletes it', async () => {
  const page = await desk.open('gift-card-services')
  await see(page, 'No gift card service yet')
  await page.getByRole('link', { name: 'Connect a service' }).click()
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('alert').first().waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Vouchers')
  await page.getByLabel('API key').fill('hunter2')
  await page.getByRole('button', { name: 'Connect', exact: true }).dblclick()
  await page.getByRole('heading', { level: 1, name: /Vouchers/ }).waitFor()
  expect(await services()).toMatchObject([{ display_name: 'Vouchers', active: true, fields: [] }])
  expect(await page.content()).not.toContain('hunter2')
  await page.getByLabel('Name', { exact: true }).fill('Gift cards')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: /Gift cards/ }).waitFor()

  // a second active one is refused, and the person is told
  await page.goto(desk.url('gift-card-services/new'))
  await page.getByLabel('API key').fill('other')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('alert').waitFor()
  expect(await services()).toHaveLength(1)

  await page.goto(desk.url(`gift-card-services/${(await services())[0].id}`))
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No gift card service yet')
  expect(await services()).toEqual([])
})

test('a service that notifies shows the address to enter at the provider', async () => {
  const page = await desk.open('gift-card-services/new')
  await page.getByLabel('Service').selectOption('adyen-gift-card')
  await page.getByLabel('Active', { exact: true }).uncheck()
  await page.getByRole('textbox', { name: 'Merchant account' }).fill('TOYS')
  await page.getByLabel('API key').fill('hunter2')
  await page.getByLabel('Brand of the gift cards').fill('givex')
  await page.getByLabel('Environment').fill('sandbox')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await see(page, 'Enter this address at the provider')
  const [{ id }] = await services()
  const { url } = (await shop.get(`/gift-card-services/${id}/webhook`)).body
  await page.getByRole('button', { name: url }).waitFor()
  await shop.delete(`/gift-card-services/${id}`)
})

test('the fields that the form knows are those that the server knows', async () => {
  const page = await desk.open('gift-card-services/new')
  const kinds = page.getByLabel('Service')
  const known = await kinds
    .locator('option')
    .evaluateAll((all) => all.map((each) => each.getAttribute('value')))
  expect(known.toSorted()).toEqual([...railyard.world.giftCardConnectors.keys()].toSorted())
  for (const [id, { definition }] of railyard.world.giftCardConnectors) {
    await kinds.selectOption(id)
    const fields = page.locator('section').filter({ hasText: 'Credentials and settings' })
    await fields.locator('input').first().waitFor()
    const types = await fields
      .locator('input[type=text], input[type=password]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('type')))
    expect(types).toEqual(definition.fields.map(({ secret }) => (secret ? 'password' : 'text')))
  }
})

test('system support sees gift card services, and changes nothing; customer support does not see them', async () => {
  const id = await add({ active: false, display_name: 'Seen' })
  const page = await desk.open('gift-card-services', { roles: ['system-support'] })
  await page.getByRole('link', { name: 'Seen' }).click()
  await see(page, 'Mock gift card')
  expect(await page.getByRole('button', { name: /^(Save|Delete)/ }).count()).toBe(0)
  for (const role of ['customer-support', 'analyst']) {
    const other = await desk.open('gift-card-services', { roles: [role] })
    await see(other, 'Your role does not open this page')
  }
  await shop.delete(`/gift-card-services/${id}`)
})

test('hostile text is shown as text', async () => {
  const id = await add({ active: false, display_name: `${hostile} ${long.slice(0, 90)}` })
  const page = await desk.open('gift-card-services')
  await expectShownAsText(page)
  await page.goto(desk.url(`gift-card-services/${id}`))
  await expectShownAsText(page)
  await shop.delete(`/gift-card-services/${id}`)
})

test('the pages of gift card services have no barriers', async () => {
  const id = await add({})
  const page = await desk.open('gift-card-services')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-gift-card-services')).toEqual([])
  await page.goto(desk.url(`gift-card-services/${id}`))
  await page.getByLabel('API key').waitFor()
  expect(await barriers(page, 'dashboard-gift-card-service')).toEqual([])
})
