import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { openBrowserShop, outcome } from './browser-shop.ts'

const town = await openBrowserShop()

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const total = (page: Page) => page.locator('.total').innerText()
const approve = (page: Page) => page.getByRole('button', { name: 'Pay now' })

/** A buyer at the wallet with an order whose shipping costs the shop's listener sets. */
async function reviewing(delivery: string): Promise<Page> {
  const page = await town.buyer()
  await page.getByLabel(delivery, { exact: true }).check()
  await page.getByRole('button', { name: 'Go to the wallet' }).click()
  await heading(page).waitFor()
  return page
}

async function sendTo(page: Page, place: string): Promise<void> {
  await page.getByRole('radio', { name: place }).check()
  await page.getByRole('button', { name: 'Use this address' }).click()
}

const listeners: Server[] = []
afterEach(() => {
  for (const listener of listeners.splice(0)) {
    listener.closeAllConnections()
    listener.close()
  }
})

/** A listener that gives this answer to every callback; null: it does not answer. */
async function listener(answer: { status: number; body: unknown } | null): Promise<string> {
  const server = createServer((_request, response) => {
    if (answer)
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body))
  })
  listeners.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/shipping`
}

const euros = (value: string) => ({ currency_code: 'EUR', value })

/** A buyer at the wallet with an order for 55.00 EUR, 5.00 of it for shipping, with this listener. */
async function reviewingWith(callback_url: string): Promise<Page> {
  const { body } = await town.shop.post('/transactions', {
    amount: 5500,
    currency: 'EUR',
    country: 'DE',
    intent: 'authorize',
    payment_method: {
      method: 'wallet',
      country: 'DE',
      currency: 'EUR',
      redirect_url: `${town.shop.url}/return`,
    },
    connection_options: {
      'wallet-wallet': {
        shipping_preference: 'GET_FROM_FILE',
        order_update_callback_config: {
          callback_url,
          callback_events: ['SHIPPING_ADDRESS', 'SHIPPING_OPTIONS'],
        },
        shipping: {
          options: [{ id: 'post', label: 'Post', selected: true, type: 'SHIPPING', amount: euros('5.00') }],
        },
      },
    },
  })
  const page = await town.buyer()
  await page.goto(body.payment_method.approval_url)
  return page
}

test('a buyer chooses an address from the wallet at the same price', async () => {
  const page = await reviewing('I choose an address in the wallet')
  expect(await total(page)).toBe('€117.90')
  await sendTo(page, 'Torstraße')
  expect(await total(page)).toBe('€117.90')
  await approve(page).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  const payment = await town.shop.payment(town.paymentOf(page)).read()
  expect(payment.shipping_details.address).toMatchObject({
    line1: 'Torstraße 1',
    city: 'Berlin',
    country: 'DE',
  })
})

test('another address and another option change the total', async () => {
  const page = await reviewing('I choose an address, and what it costs depends on it')
  expect(await total(page)).toBe('€137.90')
  expect(await page.getByRole('radio', { name: 'Air mail' }).isChecked()).toBe(true)
  await sendTo(page, 'Torstraße')
  expect(await total(page)).toBe('€117.90')
  await page.getByRole('radio', { name: 'Express, tomorrow' }).check()
  await page.getByRole('button', { name: 'Use this shipping' }).click()
  expect(await total(page)).toBe('€125.90')
  await approve(page).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
  expect(await town.shop.payment(town.paymentOf(page)).read()).toMatchObject({ authorized_amount: 12590 })
})

test('a country without delivery is declined, and the buyer can choose another', async () => {
  const page = await reviewing('I choose an address, and what it costs depends on it')
  await sendTo(page, 'Stephansplatz')
  expect(await page.getByRole('alert').innerText()).toContain('does not deliver there')
  expect(await page.getByRole('alert').innerText()).toContain('COUNTRY_ERROR')
  expect(await approve(page).count()).toBe(0)
  await sendTo(page, 'Torstraße')
  expect(await page.getByRole('alert').count()).toBe(0)
  await approve(page).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
})

test('a buyer enters an address that the wallet does not know yet', async () => {
  const page = await reviewing('I choose an address, and what it costs depends on it')
  await page.getByText('Enter another address').click()
  await page.getByLabel('Street and number').fill('Marienplatz 1')
  await page.getByLabel('Postal code').fill('80331')
  await page.getByLabel('City').fill('München')
  await page.getByLabel('Country code').fill('de')
  await page.getByRole('button', { name: 'Use the new address' }).click()
  expect(await page.getByRole('radio', { name: 'Marienplatz 1' }).isChecked()).toBe(true)
  expect(await total(page)).toBe('€117.90')
  await approve(page).click()
  expect(await outcome(page)).toBe('authorization_succeeded')
})

test.each([
  [
    'no option for the address',
    {
      status: 200,
      body: { purchase_units: [{ reference_id: 'default', amount: euros('55.00'), shipping_options: [] }] },
    },
    'SHIPPING_ADDRESS_CALLBACK_ERROR',
  ],
  ['an error', { status: 500, body: {} }, 'CALLBACK_FAILED'],
  ['nonsense', { status: 200, body: 'nonsense' }, 'CALLBACK_FAILED'],
  ['nothing in time', null, 'CALLBACK_FAILED'],
] as const)(
  'a listener that answers with %s: the page shows the problem and keeps the earlier total',
  async (_what, answer, issue) => {
    const page = await reviewingWith(await listener(answer))
    expect(await page.getByRole('alert').innerText()).toContain(issue)
    expect(await total(page)).toBe('€55.00')
    expect(await approve(page).count()).toBe(0)
    await page.getByRole('button', { name: /^Cancel/ }).click()
    expect(await outcome(page)).toBe('authorization_failed')
  },
)
