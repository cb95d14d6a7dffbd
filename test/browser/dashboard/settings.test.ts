import { expect, test } from 'vitest'
import { keepVerification } from '../../../src/verify/verification.store.ts'
import { anonymously, invite, PASSWORD, roleIds } from '../../support/people.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { hostileText, ranAsMarkup } from './hostile.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk
const { admin } = railyard

test('an administrator creates a merchant account, changes its settings and the pages of its card fields', async () => {
  const page = await desk.open('merchant-accounts')
  await page.getByRole('button', { name: 'Create a merchant account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Second shop')
  await dialog.getByLabel('Id').fill('second shop')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('Id').fill('second-shop')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { level: 1, name: 'Second shop' }).waitFor()
  // the choice of accounts has it at once
  await page
    .getByLabel('Merchant account', { exact: true })
    .getByText('Second shop')
    .waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Edit: Payments' }).click()
  await dialog.getByLabel('Captures may exceed it by percent').fill('lots')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('Captures may exceed it by percent').fill('15')
  await dialog.getByLabel('Payment links without an intent').selectOption('capture')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Edit: Account updater' }).click()
  await dialog.getByLabel('Loon: secret key').fill('hush-hush')
  await dialog.getByLabel('Loon: card schemes').fill('visa, mastercard')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('Loon: client key').fill('client')
  await dialog.getByLabel('Loon: merchant account').fill('shop')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  // saved again, the stored secret stays
  await page.getByRole('button', { name: 'Edit: Account updater' }).click()
  await dialog.getByLabel('Loon: client key').fill('client 2')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Change: Card fields' }).click()
  await dialog.getByLabel('Origins').fill('https://shop.example\nhttps://other.example/path')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').first().waitFor()
  await dialog.getByLabel('Origins').fill('https://shop.example')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(page.getByRole('listitem'), 'https://shop.example')
  expect((await admin.get('/merchant-accounts/second-shop')).body).toMatchObject({
    over_capture_percentage: 15,
    over_capture_amount: null,
    payment_link_intent: 'capture',
    loon_client_key: 'client 2',
    loon_secret_key: '********',
    loon_accepted_schemes: ['visa', 'mastercard'],
  })
  expect(await page.content()).not.toContain('hush-hush')
  expect(await barriers(page, 'dashboard-merchant-account')).toEqual([])
})

test('an administrator invites a person with a link that is shown once, and the person gets in', async () => {
  const page = await desk.open('people')
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Arthur Dent')
  await dialog.getByLabel('Email address').fill('arthur@example.com')
  await dialog.getByLabel('Customer support').check()
  await dialog.getByLabel('Test merchant').check()
  expect(await barriers(page, 'dashboard-person-form')).toEqual([])
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await see(page, 'Hand on the invitation now')
  const link = (await dialog.locator('pre').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('link', { name: 'Arthur Dent' }).click()
  await see(page, 'The invitation was not accepted yet.')
  expect(await page.content()).not.toContain(link)
  const accepted = await anonymously(railyard, 'POST', '/invitations/accept', {
    token: link.split('/').at(-1),
    password: PASSWORD,
  })
  expect(accepted.body.user).toMatchObject({
    name: 'Arthur Dent',
    roles: [{ slug: 'customer-support' }],
    merchant_account_ids: [shop.account],
  })
})

test('a person gets other roles and a new invitation, and is deleted, each with its consequence', async () => {
  const { body: invited } = await invite(railyard, { roles: ['analyst'] })
  const page = await desk.open(`people/${invited.id}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit' }).click()
  await see(dialog, 'ends the person’s sessions')
  await dialog.getByLabel('Report viewer').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(page.getByRole('main'), 'Report viewer', { exact: true })
  expect(await barriers(page, 'dashboard-person')).toEqual([])
  await page.getByRole('button', { name: 'New invitation' }).click()
  await see(dialog, 'all sessions of the person end')
  await dialog.getByRole('button', { name: 'New invitation' }).click()
  await see(page, 'Hand on the invitation now')
  expect(await dialog.locator('pre').textContent()).not.toBe(invited.invitation_url)
  await dialog.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await see(dialog, 'cannot sign in any more')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
  expect((await admin.get(`/users/${invited.id}`)).status).toBe(404)
})

test('the audit log says who changed what, before and after, and leads there', async () => {
  const payment = await shop.authorized(20_00)
  await payment.correct({ authorized_amount: 15_00 })
  // and back, as the payment service has it
  expect((await payment.correct({ authorized_amount: 20_00 })).status).toBe(200)
  const page = await desk.open('audit-log?resource_type=transaction&action=updated')
  const row = page.getByRole('row').filter({ hasText: payment.id }).first()
  await see(row, 'Test', { exact: true })
  expect(await barriers(page, 'dashboard-audit-log')).toEqual([])
  await row.getByRole('button', { name: '1 value' }).click()
  const change = page.getByRole('dialog').getByRole('row').filter({ hasText: 'authorized amount' })
  expect(await change.getByRole('cell').allTextContents()).toEqual(['authorized amount', '1500', '2000'])
  expect(await barriers(page, 'dashboard-audit-changes')).toEqual([])
  await page.keyboard.press('Escape')
  await row.getByRole('link').click()
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
})

test('the audit log says when its chain was verified, and what was found', async () => {
  const page = await desk.open('audit-log')
  await see(page, 'Not verified yet')
  await keepVerification(railyard.world.run, railyard.clock, { findings: [], brokenLinks: [] })
  await page.reload()
  await see(page, 'Whole', { exact: true })
  await keepVerification(railyard.world.run, railyard.clock, {
    findings: [],
    brokenLinks: [shop.account, shop.account],
  })
  await page.reload()
  await see(page, '2 broken links')
  expect(await barriers(page, 'dashboard-audit-log-broken')).toEqual([])
})

test('what strangers typed is text on the pages of settings', async () => {
  const { body: person } = await admin.post('/users', {
    email_address: 'hostile@example.com',
    name: hostileText,
    role_ids: roleIds('analyst'),
  })
  await admin.post('/merchant-accounts', { id: 'hostile', display_name: hostileText })
  const page = await desk.open(`people/${person.id}`)
  for (const path of [`people/${person.id}`, 'people', 'merchant-accounts', 'merchant-accounts/hostile']) {
    await page.goto(desk.url(path))
    await see(page.getByRole('main'), '<img src=x')
    expect(await ranAsMarkup(page)).toEqual([])
  }
  expect(await barriers(page, 'dashboard-hostile-account')).toEqual([])
  await page.goto(desk.url('people'))
  await page.getByRole('row').nth(2).waitFor()
  expect(await barriers(page, 'dashboard-people')).toEqual([])
  await page.goto(`${railyard.url}/dashboard/default/audit-log`)
  await see(page.getByRole('main'), '<img src=x')
  expect(await ranAsMarkup(page)).toEqual([])
  await page.getByRole('button', { name: /value/ }).first().click()
  await see(page.getByRole('dialog'), 'What was changed')
  expect(await ranAsMarkup(page)).toEqual([])
})

test.each(['customer-support', 'analyst'])(
  '%s sees the merchant accounts, changes none, and is offered neither people nor the audit log',
  async (role) => {
    const page = await desk.open(`merchant-accounts/${shop.account}`, { roles: [role] })
    await page.getByRole('heading', { name: 'Network tokens' }).waitFor()
    expect(await page.getByRole('button', { name: /Edit|Change|Create/ }).count()).toBe(0)
    expect(await page.getByRole('link', { name: /People|Audit log/ }).count()).toBe(0)
    await page.goto(desk.url('people'))
    await see(page, 'Your role does not open this page')
  },
)
