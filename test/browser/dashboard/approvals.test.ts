import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addPolicy, forAccount } from '../../support/domains/approvals.ts'
import { PASSWORD, person, totpCode } from '../../support/people.ts'
import { openShop } from '../../support/shop.ts'
import { barriers } from '../page-checks.ts'
import { addAuthenticator } from './authenticator.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk
// who is invited after the policy does not decide on proposals of others whom the same person has invited
const [colleague, supporter] = [
  await person(railyard),
  await person(railyard, { roles: ['customer-support'] }),
]
await addPolicy(railyard, shop, { operations: ['refund'], thresholds: [{ currency: 'EUR', amount: 10_00 }] })

/** A refund that a key pair has proposed. */
const proposedRefund = async (reason = 'the jar was broken') => {
  const payment = await shop.sold(50_00)
  const body = { amount: 12_34, reason }
  const path = `/transactions/${payment.id}/refunds`
  const { body: proposal } = await shop.post('/proposals', { method: 'POST', path, body, reason })
  return { payment, proposal }
}

/** Decides in the dialog, with the password, and waits until it is closed. */
async function decide(page: Page, decision: 'Approve' | 'Reject', comment: string): Promise<void> {
  await page.getByRole('button', { name: decision, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Comment').fill(comment)
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: decision, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('an administrator finds what waits, reads the exact request, and rejects it with a comment', async () => {
  const { payment, proposal } = await proposedRefund()
  const page = await desk.open('approvals?status=pending')
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /Approvals.*waiting/ })
    .waitFor()
  await see(page.getByRole('row').filter({ hasText: '€12.34' }), 'the jar was broken')
  await page.goto(desk.url(`approvals/${proposal.id}`))
  await see(page, `POST /transactions/${payment.id}/refunds`)
  await see(page, '"amount": 1234')
  await see(page, 'Four eyes: 0 of 1')
  await decide(page, 'Reject', 'ask for a picture first')
  await see(page.getByRole('heading', { level: 1 }), 'Rejected')
  await see(page, 'ask for a picture first')
  expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
  expect(await payment.refunds()).toEqual([])
})

test('a wrong password decides nothing', async () => {
  const { payment, proposal } = await proposedRefund()
  const page = await desk.open(`approvals/${proposal.id}`)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill('not the password 1')
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
  await dialog.getByRole('alert').first().waitFor()
  expect(await payment.refunds()).toEqual([])
})

test('Home leads an administrator to what waits for them', async () => {
  await proposedRefund('for Home')
  const page = await desk.open()
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Approvals/ })
    .click()
  await page.getByRole('row').filter({ hasText: 'for Home' }).waitFor()
  expect(new URL(page.url()).search).toBe('?waiting_for_me=true')
})

test('an analyst is offered no approvals', async () => {
  const page = await desk.open('', { roles: ['analyst'] })
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'Payments' }).waitFor()
  expect(await navigation.getByRole('link', { name: 'Approvals' }).count()).toBe(0)
})

test('hostile text of a requester is shown as text', async () => {
  const { proposal } = await proposedRefund(hostile)
  const page = await desk.open(`approvals/${proposal.id}`)
  await see(page, 'Method and path')
  await expectShownAsText(page)
  await page.goto(desk.url('approvals'))
  await page.getByRole('row').nth(1).waitFor()
  await expectShownAsText(page)
})

test('the pages of approvals have no barriers', async () => {
  const { proposal } = await proposedRefund()
  const page = await desk.open('approvals')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-approvals')).toEqual([])
  await page.goto(desk.url(`approvals/${proposal.id}`))
  await see(page.getByRole('definition'), '€50.00', { exact: true })
  expect(await barriers(page, 'dashboard-proposal')).toEqual([])
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Your password').waitFor()
  expect(await barriers(page, 'dashboard-approval')).toEqual([])
})

test('support asks for approval of a refund where it is refused, an administrator approves it, and it is made', async () => {
  const payment = await shop.sold(50_00)
  const support = await desk.open(`payments/${payment.id}`, { who: supporter })
  await support.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = support.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
  await see(dialog, 'This needs the approval of other people')
  await dialog.getByLabel('Why it should be approved').fill('the parcel came back')
  expect(await barriers(support, 'dashboard-ask-for-approval')).toEqual([])
  await dialog.getByRole('button', { name: 'Ask for approval' }).click()
  await dialog.getByRole('button', { name: 'Close' }).waitFor()
  // nothing is left that sends the refund again
  expect(await dialog.getByRole('button').allTextContents()).toEqual(['Close'])
  expect(await dialog.getByLabel('Amount (EUR)').count()).toBe(0)
  expect(await barriers(support, 'dashboard-asked-for-approval')).toEqual([])
  await dialog.getByRole('link', { name: 'Open the proposal' }).click()
  await see(support.getByRole('heading', { level: 1 }), 'Waiting')
  await support.getByRole('button', { name: 'Withdraw' }).waitFor()
  expect(await support.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
  expect(await payment.refunds()).toEqual([])

  const path = new URL(support.url()).pathname.split('/').slice(-2).join('/')
  const page = await desk.open(path, { who: colleague })
  await see(page, 'the parcel came back')
  await decide(page, 'Approve', 'I have seen it')
  await see(page.getByRole('heading', { level: 1 }), 'Done')
  expect(await payment.refunds()).toMatchObject([{ amount: 50_00, status: 'succeeded' }])
  await page.getByRole('link', { name: 'Open what it made or changed' }).click()
  await see(page.getByRole('heading', { level: 1 }), '€50.00')
})

test('an administrator is not offered to approve their own proposal, and withdraws it', async () => {
  const payment = await shop.sold(50_00)
  const page = await desk.open(`payments/${payment.id}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
  await dialog.getByLabel('Why it should be approved').fill('too late')
  await dialog.getByRole('button', { name: 'Ask for approval' }).click()
  await dialog.getByRole('link', { name: 'Open the proposal' }).click()
  await page.getByRole('button', { name: 'Withdraw' }).click()
  expect(await page.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await dialog.waitFor({ state: 'detached' })
  await see(page.getByRole('heading', { level: 1 }), 'Withdrawn')
  expect(await payment.refunds()).toEqual([])
})

test('an administrator creates a policy, and asks for approval to change or delete it', async () => {
  const page = await desk.open('approval-policies')
  await page.getByRole('row').filter({ hasText: 'Four eyes' }).waitFor()
  await page.getByRole('button', { name: 'Create a policy' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(hostile)
  await dialog.getByRole('button', { name: /^What needs approval/ }).click()
  await dialog.getByLabel('Payout').check()
  const amounts = dialog.getByLabel('Amounts that need none')
  await amounts.fill('EUR a lot')
  await see(dialog, 'Write each line as a currency')
  await amounts.fill('EUR 100.00\njpy 5000')
  expect(await barriers(page, 'dashboard-approval-policy')).toEqual([])
  await dialog.getByRole('button', { name: 'Create a policy' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'Payout' }).waitFor()
  await expectShownAsText(page)
  const { body } = await railyard.admin.get('/approval-policies', forAccount(shop))
  expect(body.items[0]).toMatchObject({
    display_name: hostile,
    operations: ['payout'],
    thresholds: [
      { currency: 'EUR', amount: 100_00 },
      { currency: 'JPY', amount: 5000 },
    ],
    active: true,
  })

  await page.getByRole('button', { name: `Delete: ${hostile}` }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByLabel('Why it should be approved').fill('we pay nobody out')
  await dialog.getByRole('button', { name: 'Ask for approval' }).click()
  await dialog.getByRole('link', { name: 'Open the proposal' }).click()
  await see(page, `DELETE /approval-policies/${body.items[0].id}`)
  await see(page, 'The request has no body.')
})

test('a person with an authenticator app approves with its code beside the password', async () => {
  const { payment, proposal } = await proposedRefund()
  const page = await desk.open('profile')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const secret =
    (await dialog.getByRole('button', { name: /Copy/ }).locator('span').first().textContent()) ?? ''
  await dialog.getByLabel('Code of the app').fill(totpCode(railyard, secret))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await see(page, 'signing in with the password needs a code')
  // each code is valid once
  railyard.clock.advance(31_000)
  await page.goto(desk.url(`approvals/${proposal.id}`))
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByLabel('Code of your authenticator app').fill('000000')
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
  await dialog.getByRole('alert').first().waitFor()
  expect(await payment.refunds()).toEqual([])
  await dialog.getByLabel('Code of your authenticator app').fill(totpCode(railyard, secret))
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await payment.refunds()).toMatchObject([{ amount: 12_34 }])
})

test('a person beyond a spending limit asks for approval', async () => {
  // without policies, which would also protect the limit
  const other = await openShop(railyard)
  const payment = await other.sold(50_00)
  const page = await desk.open('', { roles: ['customer-support'] })
  const { body: people } = await railyard.admin.get('/users?limit=1')
  const subject = { type: 'user', id: people.items[0].id }
  const limit = { subject, operation: 'refund', currency: 'EUR', per_operation: 1_00 }
  expect(await other.post('/spending-limits', limit)).toMatchObject({ status: 201 })
  await page.goto(`${railyard.url}/dashboard/${other.account}/payments/${payment.id}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount (EUR)').fill('9.00')
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
  await see(dialog, 'This is more than you may spend')
  await dialog.getByLabel('Why it should be approved').fill('a good customer')
  await dialog.getByRole('button', { name: 'Ask for approval' }).click()
  await dialog.getByRole('link', { name: 'Open the proposal' }).click()
  await see(page, '"amount": 900')
  expect(await payment.refunds()).toEqual([])
})

test('a passkey approves in place of the password', async () => {
  const { payment, proposal } = await proposedRefund()
  const page = await desk.open('approvals')
  // browsers make passkeys for host names only
  const origin = railyard.url.replace('127.0.0.1', 'localhost')
  railyard.world.publicUrl = origin
  const cookies = await page.context().cookies()
  await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, domain: 'localhost' })))
  await addAuthenticator(page)
  await page.goto(`${origin}/dashboard/${shop.account}/profile`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await see(page.getByRole('main'), 'Laptop', { exact: true })
  await page.goto(`${origin}/dashboard/${shop.account}/approvals/${proposal.id}`)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  await dialog.waitFor({ state: 'detached' })
  await see(page.getByRole('heading', { level: 1 }), 'Done')
  expect(await payment.refunds()).toMatchObject([{ amount: 12_34 }])
})
