import { createPrivateKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { roleIds } from '../../support/people.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { hostileText, ranAsMarkup } from './hostile.ts'
import { see } from './see.ts'

const desk = await openDesk()
const pairs = async () => (await desk.railyard.admin.get('/api-key-pairs')).body.items

test('an administrator creates a key pair, saves its private key once, and the key signs', async () => {
  const page = await desk.open('api-keys')
  await page.getByRole('button', { name: 'Create a key pair' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name', { exact: true }).fill('Shop backend')
  await form.getByLabel('Processing only').check()
  expect(await barriers(page, 'dashboard-api-key-form')).toEqual([])
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await see(page, 'Store the private key now')
  const shown = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  const saved = await readFile(await download.path(), 'utf8')
  expect(saved).toBe(shown)
  expect(createPrivateKey(saved).asymmetricKeyType).toBe('ec')
  // a slip of the hand does not lose it
  await page.keyboard.press('Escape')
  expect(await page.getByText('Store the private key now').isVisible()).toBe(true)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('link', { name: 'Shop backend' }).click()
  await page.getByRole('heading', { level: 1, name: 'Shop backend' }).waitFor()
  expect(await page.content()).not.toContain('PRIVATE KEY')
  expect(page.url()).not.toContain('PRIVATE')
  expect(await barriers(page, 'dashboard-api-key')).toEqual([])
})

test('a key pair is deactivated, renamed and deleted, each with its consequence', async () => {
  const { body: pair } = await desk.railyard.admin.post('/api-key-pairs', {
    display_name: 'Old shop',
    role_ids: roleIds('processing'),
  })
  const page = await desk.open(`api-keys/${pair.id}`)
  await page.getByRole('button', { name: 'Deactivate' }).click()
  const dialog = page.getByRole('dialog')
  await see(dialog, 'refused at once')
  await dialog.getByRole('button', { name: 'Deactivate' }).click()
  await see(page.getByRole('heading', { level: 1 }), 'Inactive')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('Older shop')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Older shop' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await see(dialog, 'This cannot be undone')
  await see(dialog, 'It was never used.')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  expect((await pairs()).map(({ id }: { id: string }) => id)).not.toContain(pair.id)
})

test('what is wrong with a key pair stands at its field', async () => {
  const page = await desk.open('api-keys')
  await page.getByRole('button', { name: 'Create a key pair' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name', { exact: true }).fill('Broken')
  await form.getByLabel('Processing only').check()
  await form.getByLabel('Your own public key').fill('not a key')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await see(form, 'is not a public key in PEM form')
  expect(await form.getByLabel('Your own public key').getAttribute('aria-invalid')).toBe('true')
})

test('the name of a key pair is text', async () => {
  const { body: pair } = await desk.railyard.admin.post('/api-key-pairs', {
    display_name: hostileText,
    role_ids: roleIds('processing'),
  })
  const page = await desk.open('api-keys')
  await see(page, '<img src=x')
  expect(await ranAsMarkup(page)).toEqual([])
  expect(await barriers(page, 'dashboard-api-keys')).toEqual([])
  await page.goto(desk.url(`api-keys/${pair.id}`))
  await see(page.getByRole('heading', { level: 1 }), '<img src=x')
  expect(await ranAsMarkup(page)).toEqual([])
})

test.each(['customer-support', 'analyst'])('%s is not offered API keys', async (role) => {
  const page = await desk.open('api-keys', { roles: [role] })
  await see(page, 'Your role does not open this page')
  expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
})

test('the API reference of the instance is one click away', async () => {
  const page = await desk.open('', { roles: ['analyst'] })
  const [reference] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'API reference' }).click(),
  ])
  await reference.waitForLoadState()
  expect(new URL(reference.url()).pathname).toMatch(/^\/docs/)
})
