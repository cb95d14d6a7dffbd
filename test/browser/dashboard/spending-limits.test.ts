import { expect, test } from 'vitest'
import { invite, roleIds } from '../../support/people.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk

async function addKeyPair(name: string, more: Record<string, unknown> = {}) {
  const { body } = await railyard.admin.post('/api-key-pairs', {
    display_name: name,
    role_ids: roleIds('processing'),
    ...more,
  })
  return { type: 'api-key-pair', id: body.id as string }
}

async function addLimit(subject: { type: string; id: string }, limits: Record<string, unknown>) {
  const answer = await shop.post('/spending-limits', {
    subject,
    operation: 'refund',
    currency: 'EUR',
    ...limits,
  })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.id as string
}

const limitsOf = async (id: string) => (await shop.get(`/spending-limits?subject_id=${id}`)).body.items
/** The person who has signed in last. */
const newestPerson = async () => (await railyard.admin.get('/users?limit=1')).body.items[0].id as string

test('an administrator sets a limit, changes it and deletes it', async () => {
  const agent = await addKeyPair('Refund agent')
  await addKeyPair('Of another account', { merchant_account_ids: ['default'] })
  const page = await desk.open('spending-limits')
  await see(page, 'Nobody has a limit')
  expect(await barriers(page, 'dashboard-spending-limits-empty')).toEqual([])
  const dialog = page.getByRole('dialog')
  const set = dialog.getByRole('button', { name: 'Set a limit' })
  await page.getByRole('button', { name: 'Set a limit' }).click()
  await dialog.getByLabel('At most in a day (EUR)', { exact: true }).fill('500.00')
  await set.click()
  await see(dialog, 'Choose a key pair or a person.')
  const subject = dialog.getByLabel('Key pair or person')
  await subject.selectOption('Refund agent (API key pair)')
  const offered = await subject.locator('option').allTextContents()
  expect(offered).not.toContain('Of another account (API key pair)')
  await dialog.getByLabel('At most in one operation').fill('a lot')
  await set.click()
  await see(dialog, 'Enter an amount such as 12.50')
  await dialog.getByLabel('At most in one operation').fill('50')
  await dialog.getByLabel('Operations in a day').fill('2.5')
  await set.click()
  await see(dialog, 'Enter a whole number.')
  await dialog.getByLabel('Operations in a day').fill('100')
  expect(await barriers(page, 'dashboard-spending-limit-form')).toEqual([])
  await set.click()
  await dialog.waitFor({ state: 'detached' })
  const row = page.getByRole('row').filter({ hasText: 'Refund agent' })
  await see(row, '€500.00 a day')
  await see(row, '€50.00 each')
  await see(row, '100 operations a day')
  expect(await limitsOf(agent.id)).toMatchObject([
    { operation: 'refund', currency: 'EUR', per_operation: 50_00, per_day: 500_00, count_per_day: 100 },
  ])
  expect(await barriers(page, 'dashboard-spending-limits')).toEqual([])

  await page.getByRole('button', { name: 'Edit: Refund, EUR, Refund agent' }).click()
  await dialog.getByLabel('At most in one operation').fill('')
  await dialog.getByLabel('At most in a day for one buyer').fill('0.50')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await see(row, '€0.50 a day for one buyer')
  expect(await limitsOf(agent.id)).toMatchObject([
    { per_operation: null, per_day: 500_00, per_buyer_per_day: 50, count_per_day: 100 },
  ])

  await page.getByRole('button', { name: 'Delete: Refund, EUR, Refund agent' }).click()
  await see(dialog, 'no longer limited')
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await see(page, 'Nobody has a limit')
  expect(await limitsOf(agent.id)).toEqual([])
})

test('the form says what the server refuses: a second limit of an operation and currency, and none at all', async () => {
  const agent = await addKeyPair('Twice limited')
  await addLimit(agent, { per_day: 1_00 })
  const page = await desk.open(`api-keys/${agent.id}`)
  await page.getByRole('button', { name: 'Set a limit' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Key pair or person').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Set a limit' }).click()
  await see(dialog, 'or another limit is needed')
  await dialog.getByLabel('Operations in a day').fill('3')
  await dialog.getByRole('button', { name: 'Set a limit' }).click()
  await see(dialog, 'change that one')
})

test('the page of a key pair shows what is left of its limits in the merchant account', async () => {
  const agent = await addKeyPair('Limited agent')
  const page = await desk.open(`api-keys/${agent.id}`)
  await see(page, 'Nothing limits what this key pair spends')
  await page.getByRole('button', { name: 'Set a limit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Operation', { exact: true }).selectOption('Payout')
  await dialog.getByLabel('Currency').fill('jpy')
  await dialog.getByLabel('At most in a day (JPY)', { exact: true }).fill('5000')
  await dialog.getByRole('button', { name: 'Set a limit' }).click()
  await dialog.waitFor({ state: 'detached' })
  const limits = page.getByRole('region', { name: 'Spending limits' })
  expect(await limits.getByRole('row').nth(1).getByRole('cell').allTextContents()).toMatchObject([
    'Payout',
    'JPY',
    '¥5,000 a day',
    '¥5,000',
    'EditDelete',
  ])
  expect(await barriers(page, 'dashboard-api-key-with-limit')).toEqual([])

  const elsewhere = await addKeyPair('Only default', { merchant_account_ids: ['default'] })
  await page.goto(desk.url(`api-keys/${elsewhere.id}`))
  await page.getByRole('heading', { level: 1, name: 'Only default' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Spending limits' }).count()).toBe(0)
})

test('support sees on the profile what is left today, and nothing else of limits', async () => {
  const payment = await shop.sold(50_00)
  const support = await desk.open('profile', { roles: ['customer-support'] })
  const id = await newestPerson()
  await support.getByRole('heading', { name: 'Passkeys' }).waitFor()
  expect(await support.getByRole('heading', { name: 'Your spending limits' }).count()).toBe(0)
  await addLimit({ type: 'user', id }, { per_day: 40_00, count_per_day: 2 })
  await support.goto(desk.url(`payments/${payment.id}`))
  await support.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = support.getByRole('dialog')
  await dialog.getByLabel('Amount (EUR)').fill('12.34')
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await support.goto(desk.url('profile'))
  const own = support.getByRole('region', { name: 'Your spending limits' })
  await see(own, '€27.66')
  expect(await own.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
    'Refund',
    'EUR',
    '€40.00 a day2 operations a day',
    '€27.661 operation',
  ])
  expect(await barriers(support, 'dashboard-profile-with-limits')).toEqual([])
  await support.goto(desk.url('spending-limits'))
  await see(support, 'Your role does not open this page')
  expect(await support.getByRole('link', { name: 'Spending limits' }).count()).toBe(0)

  const page = await desk.open(`people/${id}`)
  await see(page.getByRole('region', { name: 'Spending limits' }), '€27.66')
  await page.getByRole('button', { name: /^Edit: Refund, EUR/ }).waitFor()
  expect(await barriers(page, 'dashboard-person-with-limits')).toEqual([])
})

test('an administrator sees their own limits, and is offered no change of them', async () => {
  const page = await desk.open('spending-limits')
  const id = await newestPerson()
  await addLimit({ type: 'user', id }, { per_operation: 1_00 })
  await page.goto(desk.url(`spending-limits?subject_id=${id}`))
  await see(page.getByRole('row').nth(1), '€0.00 used')
  expect(await page.getByRole('button', { name: /^(Edit|Delete): / }).count()).toBe(0)
  await page.getByRole('row').nth(1).getByRole('link').click()
  await see(page.getByRole('region', { name: 'Spending limits' }), '€1.00 each')
  expect(await page.getByRole('button', { name: 'Set a limit' }).count()).toBe(0)
})

test('an analyst is offered neither the page of limits nor a card of their own without a limit', async () => {
  const page = await desk.open('spending-limits', { roles: ['analyst'] })
  await see(page, 'Your role does not open this page')
  expect(await page.getByRole('link', { name: 'Spending limits' }).count()).toBe(0)
  await page.goto(desk.url('profile'))
  await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
  expect(await page.getByRole('heading', { name: 'Your spending limits' }).count()).toBe(0)
})

test('the name of a subject is text', async () => {
  const agent = await addKeyPair(hostile)
  await addLimit(agent, { per_day: 1_00 })
  const page = await desk.open(`spending-limits?subject_id=${agent.id}`)
  await page.getByRole('row').nth(1).waitFor()
  await expectShownAsText(page)
  await page.getByRole('button', { name: /^Delete: / }).click()
  await see(page.getByRole('dialog'), 'Delete the limit')
  await expectShownAsText(page)
})

test('a limit that an approval policy protects is set once others have approved it', async () => {
  const { body: invited } = await invite(railyard, { roles: ['customer-support'] })
  const policy = { display_name: 'Four eyes', operations: ['payout'] }
  const headers = { 'x-svc-merchant-account-id': shop.account }
  expect(await railyard.admin.post('/approval-policies', policy, headers)).toMatchObject({ status: 201 })
  const page = await desk.open(`people/${invited.id}`)
  await page.getByRole('button', { name: 'Set a limit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Operations in a day').fill('1')
  await dialog.getByRole('button', { name: 'Set a limit' }).click()
  await see(dialog, 'This needs the approval of other people')
  await dialog.getByLabel('Why it should be approved').fill('a new colleague')
  await dialog.getByRole('button', { name: 'Ask for approval' }).click()
  await dialog.getByRole('link', { name: 'Open the proposal' }).click()
  await see(page, 'POST /spending-limits')
  expect(await limitsOf(invited.id)).toEqual([])
})
