import { expect, test } from 'vitest'
import { PASSWORD, person } from '../../support/people.ts'
import { openDesk } from './dashboard-desk.ts'
import { see } from './see.ts'

const desk = await openDesk()
const { railyard, shop } = desk

test('what one person has loaded is not shown to the person who signs in next', async () => {
  await shop.sold(10_00, { external_identifier: 'order-of-the-first' })
  const page = await desk.open('payments')
  await see(page, 'order-of-the-first')
  await page.context().clearCookies()
  await page.getByRole('link', { name: 'Refunds' }).click()
  await see(page, 'Your session has ended')
  // the lists of the second person never come
  await page.route(/\/transactions\?/, () => undefined)
  const { email } = await person(railyard, { roles: ['analyst'] })
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
  expect(await page.getByText('order-of-the-first').count()).toBe(0)
})

test('a person signs out after the session has ended', async () => {
  const page = await desk.open('payment-links/new')
  const counted = page.waitForResponse(/\/attention$/)
  await page.reload()
  await counted
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Railyard' }).waitFor()
})

test('a page that is opened from the end of a long one begins at its top, with the focus on it', async () => {
  for (let count = 0; count < 30; count++) await shop.sold(10_00, { external_identifier: `long-${count}` })
  const page = await desk.open('payments', { browser: { viewport: { width: 1200, height: 500 } } })
  const last = page.getByRole('row').filter({ hasText: 'long-0' })
  await last.getByRole('link').click()
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
  expect(await page.evaluate('scrollY')).toBe(0)
  expect(await page.evaluate('document.activeElement.id')).toBe('content')
})

test('the navigation counts report lines without a payment and failed deliveries', async () => {
  const page = await desk.open('payments')
  await page.route(/\/attention$/, async (route) => {
    const response = await route.fetch()
    const counted = { count: 3, more: false }
    await route.fulfill({
      response,
      json: {
        ...(await response.json()),
        unmatched_report_lines: counted,
        failed_webhook_deliveries: counted,
        open_circuits: counted,
        open_reviews: counted,
      },
    })
  })
  await page.reload()
  for (const name of ['Reconciliation', 'Webhooks', 'Payment services', '3-D Secure and fraud'])
    await page.getByRole('link', { name: `${name} 3 waiting` }).waitFor()
})

test('a page shows nothing of the resource before while its own is loading', async () => {
  const payment = await shop.sold(50_00)
  const { body: first } = await payment.refund({ amount: 11_00 })
  const { body: second } = await payment.refund({ amount: 12_00 })
  const page = await desk.open(`refunds/${first.id}`)
  await page.route(new RegExp(`/refunds/${second.id}$`), () => undefined)
  await page.getByRole('link', { name: '€12.00' }).click()
  await page.waitForURL(new RegExp(second.id))
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  expect(await page.getByText('€11.00').count()).toBe(0)
})

test('the focus returns to the button that opened a dialog, or the menu', async () => {
  const { id } = await shop.authorized(10_00)
  const page = await desk.open(`payments/${id}`)
  const focused = () => page.evaluate('document.activeElement.textContent.trim()')
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focused()).toBe('Capture')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Void' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focused()).toBe('More')
})
