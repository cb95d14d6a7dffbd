import { expect, test } from 'vitest'
import type { DisputeNotice } from '../../../src/connectors/contract/connector.ts'
import { addDisputeProvider, disputeNotice, referenceOf, tell } from '../../support/domains/disputes.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile, long } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const provider = addDisputeProvider(desk.railyard)

const days = (count: number) => new Date(desk.railyard.clock.now() + count * 86_400_000).toISOString()

/** A payment of 100.00 with a dispute of 60.00, which the payment service has told of. */
async function disputed(more: Partial<DisputeNotice> = {}) {
  const payment = await desk.shop.sold(100_00)
  const notice = disputeNotice(await referenceOf(payment), { evidenceDueAt: days(20), ...more })
  expect((await tell(desk.railyard, desk.shop, notice)).status).toBe(200)
  const [dispute] = (await desk.shop.get(`/transactions/${payment.id}/disputes`)).body.items
  return { payment, dispute, notice }
}

test('disputes that wait for an answer are listed by their deadline, and the near one is marked', async () => {
  const later = await disputed({ amount: 11_00, evidenceDueAt: days(9) })
  const near = await disputed({ amount: 22_00, evidenceDueAt: days(1) })
  const between = await disputed({ amount: 33_00, evidenceDueAt: days(6) })
  const won = await disputed({ amount: 44_00, status: 'won', funds: 'returned', evidenceDueAt: null })
  const page = await desk.open('disputes', { roles: ['analyst'] })
  await page.getByRole('row').nth(1).waitFor()
  const listed = () =>
    page.locator('tr[data-row]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row')))
  const ids = [near, between, later].map(({ dispute }) => dispute.id)
  expect((await listed()).filter((id) => ids.includes(id))).toEqual(ids)
  expect(await page.getByRole('row').filter({ hasText: '€44.00' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Ended' }).click()
  await page.getByRole('row').filter({ hasText: '€44.00' }).click()
  await see(page, 'The issuer decided for you.')
  expect(page.url()).toContain(won.dispute.id)
})

test('customer support submits evidence once, with a text and a file', async () => {
  const { dispute } = await disputed()
  const page = await desk.open(`disputes/${dispute.id}`, { roles: ['customer-support'] })
  await page.getByRole('button', { name: 'Submit evidence' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Submit evidence' }).click()
  await see(dialog, 'Evidence needs a text or a file.')
  await dialog.getByLabel('Subject').fill('product_description')
  await dialog.getByLabel('Text').fill('A book, delivered on 3 May')
  await dialog.getByRole('button', { name: 'Add a file' }).click()
  await dialog.getByLabel('Subject').nth(1).fill('receipt')
  const content = Buffer.from('%PDF-1.4 receipt')
  await dialog
    .getByLabel('File')
    .setInputFiles({ name: 'receipt.pdf', mimeType: 'application/pdf', buffer: content })
  await dialog.getByRole('button', { name: 'Submit evidence' }).dblclick()
  await see(page.getByRole('status'), 'Evidence submitted')
  const sent = provider.submissions.filter((each) => each.dispute === dispute.payment_service_dispute_id)
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({
    text: { product_description: 'A book, delivered on 3 May' },
    files: [{ subject: 'receipt', name: 'receipt.pdf', type: 'application/pdf', content }],
  })
  const again = page.getByRole('button', { name: 'Submit evidence' })
  await again.and(page.locator('[aria-disabled=true]')).waitFor()
})

test('the payment service’s refusal of evidence is shown, and the evidence stays in the form', async () => {
  const { dispute } = await disputed()
  const page = await desk.open(`disputes/${dispute.id}`)
  await page.getByRole('button', { name: 'Submit evidence' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Subject').fill('receipt')
  await dialog.getByLabel('Text').fill('see above')
  provider.answer = { status: 'refused', reason: 'unknown subject' }
  await dialog.getByRole('button', { name: 'Submit evidence' }).click()
  await see(dialog.getByRole('alert'), 'unknown subject')
  provider.answer = { status: 'done' }
  expect(await dialog.getByLabel('Text').inputValue()).toBe('see above')
})

test('a dispute is accepted after a confirmation', async () => {
  const { dispute } = await disputed()
  const page = await desk.open(`disputes/${dispute.id}`)
  await page.getByRole('button', { name: 'Accept' }).click()
  await see(page.getByRole('dialog'), '€60.00 stay with the buyer')
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click()
  await see(page.getByRole('status'), 'Accepted')
  expect(provider.accepted.filter(({ id }) => id === dispute.payment_service_dispute_id)).toHaveLength(1)
})

test('an acceptance whose outcome is unknown says so, and is sent again under the same key', async () => {
  const { dispute } = await disputed()
  const page = await desk.open(`disputes/${dispute.id}`)
  await page.getByRole('button', { name: 'Accept' }).click()
  const dialog = page.getByRole('dialog')
  provider.answer = { status: 'unknown', reason: 'no answer' }
  await dialog.getByRole('button', { name: 'Accept' }).click()
  await see(dialog, 'the outcome is not known')
  provider.answer = { status: 'done' }
  await dialog.getByRole('button', { name: 'Accept' }).click()
  await see(page.getByRole('status'), 'Accepted')
  const sent = provider.accepted.filter(({ id }) => id === dispute.payment_service_dispute_id)
  expect(sent.length).toBeGreaterThan(1)
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
})

test('nothing of one dispute is shown, or can be done, while another one loads', async () => {
  const { payment, dispute } = await disputed({ amount: 11_11 })
  const second = disputeNotice(await referenceOf(payment), { amount: 22_22, evidenceDueAt: days(20) })
  expect((await tell(desk.railyard, desk.shop, second)).status).toBe(200)
  const page = await desk.open(`disputes/${dispute.id}`)
  await see(page.getByRole('heading', { level: 1 }), '€11.11')
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/disputes\/[^/?]+$/, async (route) => {
    if (!route.request().url().includes(dispute.id)) await released
    return route.continue()
  })
  await page.getByRole('link', { name: '€22.22' }).click()
  await page.getByRole('heading', { level: 1 }).getByText('€11.11').waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0)
  release()
  await see(page.getByRole('heading', { level: 1 }), '€22.22')
})

test('an analyst is not offered to answer a dispute', async () => {
  const { dispute } = await disputed()
  const page = await desk.open(`disputes/${dispute.id}`, { roles: ['analyst'] })
  await see(page, 'Submit evidence before the deadline')
  expect(await page.getByRole('button', { name: /Submit evidence|Accept/ }).count()).toBe(0)
})

test('hostile text is shown as text', async () => {
  const { dispute } = await disputed({ id: `${hostile}${long}`, reason: hostile, reasonCode: hostile })
  const page = await desk.open(`disputes/${dispute.id}`)
  await expectShownAsText(page)
  expect(await barriers(page, 'dashboard-dispute-hostile', false)).toEqual([])
  await page.goto(desk.url('disputes'))
  await expectShownAsText(page)
})

test('the pages of disputes have no barriers', async () => {
  const { dispute } = await disputed()
  const page = await desk.open('disputes')
  await page.getByRole('row').nth(1).waitFor()
  expect(await barriers(page, 'dashboard-disputes')).toEqual([])
  await page.goto(desk.url(`disputes/${dispute.id}`))
  await page.getByRole('heading', { name: 'Details' }).waitFor()
  expect(await barriers(page, 'dashboard-dispute')).toEqual([])
  await page.getByRole('button', { name: 'Submit evidence' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a file' }).click()
  expect(await barriers(page, 'dashboard-dispute-evidence')).toEqual([])
})
