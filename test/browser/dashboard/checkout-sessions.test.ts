import { expect, test } from 'vitest'
import { sessionsOf } from '../../support/domains/checkout-sessions.ts'
import { barriers } from '../page-checks.ts'
import { openDesk } from './dashboard-desk.ts'
import { expectShownAsText, hostile } from './hostile-text.ts'
import { see } from './see.ts'

const desk = await openDesk()
const sessions = sessionsOf(desk.railyard, desk.shop)

const openSession = async (id: string) => {
  const page = await desk.open('checkout-sessions')
  await page.getByLabel('Id of the checkout session').fill(id)
  await page.getByRole('button', { name: 'Open' }).click()
  return page
}

test('an administrator opens a session by its id, sees what was entered, and deletes it', async () => {
  const id = await sessions.open({
    amount: 37_00,
    currency: 'EUR',
    cart_items: [{ name: 'Sencha', quantity: 2, unit_amount: 18_50 }],
  })
  expect((await sessions.enter(id)).status).toBe(204)
  const page = await openSession(id)
  await see(page, 'visa ·· 1111')
  await see(page.getByRole('row').filter({ hasText: 'Sencha' }), '€18.50')
  // whoever has the id can enter a card
  expect(page.url()).not.toContain(id)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await see(page.getByRole('status'), 'Deleted')
  expect((await sessions.read(id)).status).toBe(404)
})

test('an id without a session is answered with what may have become of it', async () => {
  const page = await openSession('00000000-0000-4000-8000-000000000000')
  await see(page, 'There is no such session')
  await page.getByLabel('Id of the checkout session').fill('../buyers')
  await page.getByRole('button', { name: 'Open' }).click()
  await see(page, 'There is no such session')
})

test('customer support and analysts are not offered checkout sessions', async () => {
  for (const role of ['customer-support', 'analyst']) {
    const page = await desk.open('checkout-sessions', { roles: [role] })
    await see(page, 'Your role does not open this page')
    expect(await page.getByRole('link', { name: 'Checkout sessions' }).count()).toBe(0)
  }
})

test('hostile text is shown as text', async () => {
  const id = await sessions.open({
    currency: 'EUR',
    metadata: { [hostile]: hostile },
    buyer: { display_name: hostile, billing_details: { first_name: hostile } },
    cart_items: [{ name: hostile, quantity: 1, unit_amount: 1 }],
  })
  const page = await openSession(id)
  await expectShownAsText(page)
  expect(await barriers(page, 'dashboard-checkout-session-hostile', false)).toEqual([])
})

test('the page of checkout sessions has no barriers', async () => {
  const id = await sessions.open({ amount: 37_00, currency: 'EUR' })
  await sessions.enter(id)
  const page = await openSession(id)
  await see(page, 'visa ·· 1111')
  expect(await barriers(page, 'dashboard-checkout-session')).toEqual([])
})
