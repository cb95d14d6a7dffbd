import { X509Certificate } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { signedByApple } from '../../support/domains/apple-certificate.ts'
import { appleWallet } from '../../support/domains/digital-wallets.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, hostileUrl } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { shop, railyard } = desk

const wallets = async () => (await shop.get('/digital-wallets')).body.items
const add = async (more: object = {}): Promise<string> => {
  const { status, body } = await shop.post('/digital-wallets', { ...appleWallet, ...more })
  expect(status).toBe(201)
  return body.id
}

afterEach(async () => {
  for (const { id } of await wallets()) {
    const { items } = (await shop.get(`/digital-wallets/${id}/certificates`)).body
    for (const certificate of items ?? [])
      await shop.delete(`/digital-wallets/${id}/certificates/${certificate.id}`)
    await shop.delete(`/digital-wallets/${id}`)
  }
})

test('a person registers Apple Pay, changes its domains and its details, and deletes it', async () => {
  const page = await desk.open('digital-wallets')
  await see(page, 'No wallet yet')
  await page.getByRole('link', { name: 'Register a wallet' }).click()
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await see(page, 'The terms must be accepted')
  await page.getByLabel('Merchant name').fill('Toys')
  await page.getByLabel('Domains').fill('toys.example, not a domain')
  await page.getByLabel(/accepts the terms/).check()
  await page.getByRole('button', { name: 'Register', exact: true }).click()
  await see(page, 'is required for apple')
  await page.getByLabel('Website').fill('https://toys.example')
  await page.getByLabel('Domains').fill('toys.example')
  await page.getByRole('button', { name: 'Register', exact: true }).dblclick()
  await page.getByRole('heading', { level: 1, name: 'Apple Pay' }).waitFor()
  expect(await wallets()).toMatchObject([{ merchant_name: 'Toys', domain_names: ['toys.example'] }])

  await page.getByRole('button', { name: 'Add a domain' }).click()
  await page.getByLabel('Domain', { exact: true }).fill('no domain')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a domain' }).click()
  await page.getByRole('dialog').getByRole('alert').first().waitFor()
  await page.getByLabel('Domain', { exact: true }).fill('shop.toys.example')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a domain' }).click()
  await page.getByRole('button', { name: 'Delete shop.toys.example' }).waitFor()
  await page.getByRole('button', { name: 'Delete toys.example', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete toys.example', exact: true }).waitFor({ state: 'detached' })

  await page.getByLabel('Name that buyers see').fill('Toys & More')
  await page.getByLabel('Country (optional)').selectOption('US')
  await page.getByLabel('Address line 1').fill('1 Main Street')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('alert').first().waitFor()
  await page.getByLabel('City').fill('San Francisco')
  await page.getByLabel('Code of the state').fill('US-CA')
  await page.getByLabel('Postal code').fill('94105')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await see(page.getByRole('status'), 'Saved')
  expect(await wallets()).toMatchObject([
    {
      merchant_display_name: 'Toys & More',
      merchant_country_code: 'US',
      address: { line1: '1 Main Street', state_code: 'US-CA' },
      domain_names: ['shop.toys.example'],
    },
  ])
  await page.getByRole('button', { name: 'Delete', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No wallet yet')
})

test('a person asks for a certificate, uploads what Apple made of it as a file, and deletes it', async () => {
  const id = await add()
  const page = await desk.open(`digital-wallets/${id}`)
  await page.getByRole('button', { name: 'Ask for a certificate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Ask for a certificate' }).click()
  await see(page.getByRole('dialog'), '-----BEGIN CERTIFICATE REQUEST-----')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  const [certificate] = (await shop.get(`/digital-wallets/${id}/certificates`)).body.items
  const pem = await signedByApple(certificate.certificate_signing_request, railyard.clock.now())
  await page.getByRole('button', { name: /^Upload/ }).click()
  await page.getByLabel('Certificate', { exact: true }).fill('not a certificate')
  await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('dialog').getByRole('alert').first().waitFor()
  await page.getByLabel('File from Apple').setInputFiles({
    name: 'apple.cer',
    mimeType: 'application/pkix-cert',
    buffer: new X509Certificate(pem).raw,
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('cell', { name: 'Active' }).waitFor()
  expect(await wallets()).toMatchObject([{ active_certificate_count: 1, pending_certificate_count: 0 }])

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Delete the certificate/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page, 'No certificate yet')
})

test('system support sees wallets, and changes nothing; customer support does not see them', async () => {
  const id = await add()
  const page = await desk.open(`digital-wallets/${id}`, { roles: ['system-support'] })
  await see(page, 'shop.example', { exact: true })
  expect(await page.getByRole('button', { name: /^(Save|Delete|Add|Ask|Remove)/ }).count()).toBe(0)
  for (const role of ['customer-support', 'analyst']) {
    const other = await desk.open('digital-wallets', { roles: [role] })
    await see(other, 'Your role does not open this page')
  }
})

test('hostile text is shown as text, and an address that runs script is refused', async () => {
  const id = await add({ merchant_name: hostile, merchant_display_name: hostile })
  const page = await desk.open('digital-wallets')
  await expectShownAsText(page)
  await page.goto(desk.url(`digital-wallets/${id}`))
  await page.getByLabel('Website').fill(hostileUrl)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await see(page, 'must be an absolute http(s) URL')
  const reader = await desk.open(`digital-wallets/${id}`, { roles: ['system-support'] })
  await expectShownAsText(reader)
})

test('the pages of digital wallets have no barriers', async () => {
  const page = await desk.open('digital-wallets/new')
  await page.getByLabel('Merchant name').waitFor()
  expect(await barriers(page, 'dashboard-digital-wallet-form')).toEqual([])
  const id = await add()
  await shop.post(`/digital-wallets/${id}/certificates`, { purpose: 'payment-processing' })
  await page.goto(desk.url('digital-wallets'))
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-digital-wallets')).toEqual([])
  await page.goto(desk.url(`digital-wallets/${id}`))
  await page.getByRole('cell', { name: 'Pending' }).waitFor()
  expect(await barriers(page, 'dashboard-digital-wallet')).toEqual([])
  await page.getByRole('button', { name: /^Upload/ }).click()
  expect(await barriers(page, 'dashboard-digital-wallet-upload')).toEqual([])
})
