import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { injectFaults, recoverFully } from '../support/provider.ts'
import { fillCard, heading, isReady, openLinkShop, payByCard } from './link-shop.ts'

const town = await openLinkShop()

const statusOf = async (id: string) => (await town.shop.get(`/payment-links/${id}`)).body.status
const alert = (page: Page) => page.getByRole('alert')

test('the page waits for an unknown outcome and continues by itself', async () => {
  const { id, url } = await town.link()
  const page = await town.open(url)
  await injectFaults(town.railyard, {
    operation: 'authorize',
    kind: 'lost',
    payment_service_id: town.shop.paymentServiceId,
  })
  await payByCard(page)
  await heading(page, 'Your payment is being processed')
  const second = await page.context().newPage()
  await second.goto(url)
  await heading(second, 'Your payment is being processed')
  await recoverFully(town.railyard)
  for (const each of [page, second]) await heading(each, 'Thank you')
  expect(await statusOf(id)).toBe('completed')
})

test('a request whose answer is lost is repeated, and pays once', async () => {
  const { id, url } = await town.link()
  const page = await town.open(url)
  const keys: (string | undefined)[] = []
  await page.route('**/payments', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    await route.fetch()
    return route.abort('connectionreset')
  })
  await payByCard(page)
  await heading(page, 'Thank you')
  expect(keys).toEqual([keys[0], keys[0]])
  expect(await town.payments(id)).toHaveLength(1)
})

test('a buyer above the rate limit is asked to wait, and can pay then', async () => {
  const { id, url } = await town.link()
  const other = await town.open(url)
  await Promise.all(Array.from({ length: 50 }, () => other.request.post(`${url}/sessions`, { data: {} })))
  const page = await town.open(url)
  await alert(page).getByText('Wait a minute and try again.').waitFor()
  expect(await page.locator('#submit').isEnabled()).toBe(true)
  town.railyard.clock.advance(61_000)
  await page.locator('#submit').click()
  await payByCard(page)
  await heading(page, 'Thank you')
  expect(await town.payments(id)).toHaveLength(1)
})

test('a buyer who takes longer than the card’s session pays in another one', async () => {
  const { id, url } = await town.link()
  const page = await town.open(url)
  await fillCard(page, '4111 1111 1111 1111')
  town.railyard.clock.advance(2 * 3_600_000)
  await page.locator('#submit').click()
  await heading(page, 'Thank you')
  expect(await town.payments(id)).toMatchObject([
    { buyer: { billing_details: { first_name: 'Ada King', last_name: 'Lovelace' } } },
  ])
})

test('a link that was paid in another window says so', async () => {
  const { url } = await town.link()
  const page = await town.open(url)
  const elsewhere = await town.open(url)
  await payByCard(elsewhere)
  await heading(elsewhere, 'Thank you')
  await payByCard(page)
  await heading(page, 'Thank you')
})

test('two tabs, double clicks, the back button and reloads pay once', async () => {
  const { id, url } = await town.link()
  const first = await town.open(url)
  const second = await first.context().newPage()
  await second.goto(url)
  await isReady(second)
  for (const page of [first, second]) await fillCard(page, '4111 1111 1111 1111')
  await Promise.all(
    [first, second].map((page) =>
      page.evaluate("for (const _ of [1, 2, 3]) document.querySelector('#pay').requestSubmit()"),
    ),
  )
  for (const page of [first, second]) await heading(page, 'Thank you')
  await first.reload()
  await heading(first, 'Thank you')
  await first.goBack()
  await first.goto(url)
  await heading(first, 'Thank you')
  expect(await town.payments(id)).toHaveLength(1)
})
