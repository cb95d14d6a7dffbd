import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { requireAuthentication } from '../support/domains/secure-shop.ts'
import { cardFields, fillCard, heading, isReady, openLinkShop, payByCard, SHOP } from './link-shop.ts'

const town = await openLinkShop()

const statusOf = async (id: string) => (await town.shop.get(`/payment-links/${id}`)).body.status
const alert = (page: Page) => page.getByRole('alert')

test('a buyer pays by card, which only the checkout session receives, and the link is paid', async () => {
  const { id, url } = await town.link()
  const page = await town.open(url)
  const withCard: string[] = []
  page.on(
    'request',
    (request) =>
      /4111|"123"|12\/35/.test(request.postData() ?? '') && withCard.push(new URL(request.url()).pathname),
  )
  expect(await page.title()).toBe('Pay Tea House')
  expect(await page.locator('.lines li').allInnerTexts()).toEqual([
    'Sencha, first flush\nQuantity 2\n€37.00',
    'Cast-iron teapot\n€66.60',
    'Delivery\n€4.90',
  ])
  await page.getByText('The amount is reserved now. Tea House charges it later.').waitFor()
  await payByCard(page)
  await heading(page, 'Thank you')
  await page.getByText('€108.50 is reserved for Tea House. Nothing has been charged yet.').waitFor()
  expect(withCard).toEqual([expect.stringMatching(/^\/checkout\/sessions\/[^/]+\/fields$/)])
  const [payment, ...others] = await town.payments(id)
  expect(others).toEqual([])
  expect(payment).toMatchObject({
    status: 'authorization_succeeded',
    amount: 108_50,
    payment_method: { label: '1111', scheme: 'visa' },
    buyer: { display_name: null, billing_details: { first_name: 'Ada King', last_name: 'Lovelace' } },
  })
  expect(await statusOf(id)).toBe('completed')
})

test('the last page has a receipt that support can search, in the buyer’s time zone, and prints it', async () => {
  const { id, url } = await town.link({ locale: 'de', intent: 'capture' })
  const page = await town.open(url, { timezoneId: 'Asia/Tokyo' })
  await payByCard(page)
  await heading(page, 'Vielen Dank')
  await isReady(page)
  const [payment] = await town.payments(id)
  const reference = await page.locator('#reference').innerText()
  const { items } = (await town.shop.get(`/transactions?search=${reference}`)).body
  expect(items).toMatchObject([{ id: payment?.id, reconciliation_id: reference }])
  const details = await page.locator('dl').innerText()
  expect(details.replaceAll('\u00a0', ' ')).toMatch(/Betrag\s+108,50 €/)
  expect(details).toMatch(/Zahlungsmittel\s+Visa ••••.*1111/s)
  expect(details).toContain('GMT+9')
  await page.evaluate('globalThis.print = () => { document.body.dataset.printed = "yes" }')
  await page.getByRole('button', { name: 'Drucken' }).click()
  await page.locator('body[data-printed]').waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('button', { name: 'Drucken' }).isVisible()).toBe(false)
  expect(await page.locator('#reference').isVisible()).toBe(true)
})

test('a Brazilian buyer sees the page in Portuguese and pays', async () => {
  const { url } = await town.link({ locale: 'pt-BR' })
  const page = await town.open(url)
  expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR')
  await page.getByRole('radio', { name: 'Carteira digital' }).waitFor()
  await fillCard(page, '4111 1111 1111 1111', { expiry: '12/20' })
  await page.getByRole('button', { name: 'Pagar €\u00a0108,50' }).click()
  await cardFields(page).getByText('Este cartão venceu.').waitFor()
  await cardFields(page).locator('#expiry').fill('12/35')
  await page.locator('#submit').click()
  await heading(page, 'Obrigado')
})

test('a link without a language uses the browser’s, if it is supported', async () => {
  const { url } = await town.link()
  const page = await town.open(url, { locale: 'es-MX' })
  expect(await page.locator('html').getAttribute('lang')).toBe('es')
})

test('a buyer who has paid goes to the shop with the payment’s status', async () => {
  const { id, url } = await town.link({ return_url: `${SHOP}/thanks?order=7` })
  const page = await town.open(url)
  await payByCard(page)
  await page.waitForURL(`${SHOP}/**`)
  const [payment] = await town.payments(id)
  expect(page.url()).toBe(
    `${SHOP}/thanks?order=7&svc_transaction_id=${payment?.id}&svc_transaction_status=authorization_succeeded`,
  )
  const shop = page.url()
  await page.goto(url)
  await heading(page, 'Thank you')
  expect(await page.getByRole('link', { name: 'Back to Tea House' }).getAttribute('href')).toBe(shop)
})

test('a declined buyer sees what to do but not the reason, and can try again', async () => {
  const { id, url } = await town.link({ amount: 200011, cart_items: null })
  const page = await town.open(url)
  await payByCard(page)
  await alert(page).getByText('Your bank has declined the payment.').waitFor()
  expect(await page.locator('body').innerText()).not.toContain('insufficient_funds')
  expect(await cardFields(page).locator('#code').inputValue()).toBe('')
  expect(await page.evaluate('document.activeElement.id')).toBe('notice')
  expect(await statusOf(id)).toBe('active')
  await fillCard(page, '5555 5555 5555 4444')
  await Promise.all([page.waitForResponse(/\/payments$/), page.locator('#submit').click()])
  expect(await town.payments(id)).toMatchObject([
    { payment_method: { label: '4444' } },
    { payment_method: { label: '1111' } },
  ])
})

test('each wrong field has its error, and the first one has the focus', async () => {
  const { id, url } = await town.link()
  const page = await town.open(url)
  const fields = cardFields(page)
  await fields.locator('#number').waitFor()
  await page.locator('#submit').click()
  await fields.getByText('Enter the card number.').waitFor()
  expect(await fields.locator(':focus').getAttribute('id')).toBe('number')
  await fillCard(page, '4111111111111112', { expiry: '13/35', code: '1' })
  expect(await fields.locator('#number').inputValue()).toBe('4111 1111 1111 1112')
  await fields.getByText('Visa', { exact: true }).waitFor()
  await page.locator('#submit').click()
  for (const text of [
    'This is not a card number. Check the digits.',
    'Enter month and year, such as 09 / 28.',
    'Enter all digits of the security code.',
  ])
    await fields.getByText(text).waitFor()
  expect(await fields.locator('#number').getAttribute('aria-invalid')).toBe('true')
  expect(await town.payments(id)).toEqual([])
  await fillCard(page, '3782 822463 10005', { code: '1234' })
  await fields.getByText('4 digits on the front').waitFor()
  await page.locator('#submit').click()
  await heading(page, 'Thank you')
})

test('a cardholder who confirms at the bank has paid; one who declines can try another card', async () => {
  await requireAuthentication(town.railyard, town.shop, town.shop.paymentServiceId)
  const { id, url } = await town.link()
  const page = await town.open(url)
  await payByCard(page, '4111 1111 1118 1072')
  await page.getByRole('button', { name: 'Decline' }).click()
  await alert(page).getByText('You have not confirmed the payment.').waitFor()
  expect(page.url()).toBe(url)
  await payByCard(page, '4111 1111 1118 1072')
  await page.getByLabel('One-time code').fill('123456')
  await page.getByRole('button', { name: 'Confirm' }).click()
  await heading(page, 'Thank you')
  expect(await town.payments(id)).toMatchObject([
    { status: 'authorization_succeeded' },
    { status: 'authorization_failed' },
  ])
})

test('a buyer pays on the wallet’s page and returns', async () => {
  const { id, url } = await town.link({ country: 'US', return_url: `${SHOP}/thanks` })
  const page = await town.open(url)
  await page.getByRole('radio', { name: 'Wallet' }).check()
  await page.getByRole('button', { name: 'Continue with Wallet' }).click()
  // the test's browser answers requests for the shop, but not redirects to it
  const arrival = page.waitForRequest(`${SHOP}/thanks**`)
  await page.getByRole('button', { name: 'Pay now' }).click()
  await arrival
  expect(await statusOf(id)).toBe('completed')
})

test('a buyer who cancels at pay later can pay with another method', async () => {
  const { id, url } = await town.link()
  const page = await town.open(url)
  await page.getByRole('radio', { name: 'Pay later' }).check()
  await page.getByRole('button', { name: 'Continue with Pay later' }).click()
  await page.getByRole('button', { name: /^Cancel/ }).click()
  await alert(page).getByText('You have not confirmed the payment.').waitFor()
  await page.getByRole('radio', { name: 'Pay later' }).check()
  await page.getByRole('button', { name: 'Continue with Pay later' }).click()
  await page.getByRole('button', { name: 'Buy now, pay later' }).click()
  await heading(page, 'Thank you')
  expect(await town.payments(id)).toMatchObject([
    { status: 'authorization_succeeded' },
    { status: 'authorization_failed' },
  ])
})

test('a buyer who goes back from the wallet’s page can choose another method', async () => {
  const { id, url } = await town.link({ country: 'US' })
  const page = await town.open(url)
  await page.getByRole('radio', { name: 'Wallet' }).check()
  await page.locator('#submit').click()
  await page.getByRole('button', { name: 'Pay now' }).waitFor()
  await page.goBack()
  await heading(page, 'You have begun to pay')
  await page.getByRole('link', { name: 'Go on' }).click()
  await page.getByRole('button', { name: 'Pay now' }).waitFor()
  await page.goto(url)
  await isReady(page)
  await page.getByRole('button', { name: 'Pay another way' }).click()
  await payByCard(page)
  await heading(page, 'Thank you')
  expect(await town.payments(id)).toMatchObject([
    { status: 'authorization_succeeded', method: 'card' },
    { status: 'authorization_failed' },
  ])
})

test('a known buyer pays with their own stored card; other buyers’ cards are neither shown nor accepted', async () => {
  const stored = await Promise.all(
    ['4111111111111111', '5555555555554444'].map(async (number) => {
      const buyer = (await town.shop.post('/buyers', { display_name: 'Ada' })).body.id
      const method = await town.shop.post('/payment-methods', {
        number,
        expiration_date: '12/35',
        buyer_id: buyer,
      })
      expect(method).toMatchObject({ status: 201 })
      return { buyer, method: method.body.id }
    }),
  )
  const [ours, theirs] = stored
  const { id, url } = await town.link({ buyer_id: ours?.buyer })
  const page = await town.open(url)
  expect(await page.getByRole('radio').count()).toBe(4)
  await page.getByRole('radio', { name: /^Visa ending in 1111 Expires 12\/35$/ }).check()
  const other = await page.request.post(`${url}/payments`, { data: { payment_method_id: theirs?.method } })
  expect(other.status()).toBe(400)
  await page.getByRole('button', { name: 'Pay €108.50' }).click()
  await heading(page, 'Thank you')
  expect(await town.payments(id)).toMatchObject([{ payment_method: { id: ours?.method } }])
})

test('an expired link and an unknown link say so', async () => {
  const { url } = await town.link({ expires_at: new Date(town.railyard.clock.now() + 60_000).toISOString() })
  town.railyard.clock.advance(61_000)
  const page = await town.open(url)
  await heading(page, 'This payment link has expired')
  const answer = await page.goto(`${url}x`)
  expect(answer?.status()).toBe(404)
  await heading(page, 'There is no such payment link')
})

test('without scripts the page says what it needs', async () => {
  const { url } = await town.link()
  const page = await town.open(url, { javaScriptEnabled: false })
  expect(await page.locator('noscript .notice').innerText()).toContain('which needs JavaScript')
  expect(await page.locator('#submit').isDisabled()).toBe(true)
})

test('a missing name keeps the card: nothing is sent, and the buyer enters the name alone', async () => {
  const { id, url } = await town.link()
  const page = await town.open(url)
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()))
  await fillCard(page, '4111 1111 1111 1111')
  await page.locator('#name').fill(' ')
  await page.locator('#submit').click()
  await page.getByText('Enter the name as it is on the card.').waitFor()
  expect(await page.evaluate('document.activeElement.id')).toBe('name')
  expect(await cardFields(page).locator('#code').inputValue()).toBe('123')
  expect(sent).toEqual([])
  await page.locator('#name').fill('Ada King Lovelace')
  await page.locator('#submit').click()
  await heading(page, 'Thank you')
  expect(await town.payments(id)).toHaveLength(1)
})

test('a card form that could not be shown at first is shown when the buyer tries to pay', async () => {
  const { url } = await town.link()
  const page = await town.open(url)
  await page.route(/\/sessions$/, (route) => route.abort('connectionreset'))
  await page.reload()
  await isReady(page)
  await alert(page).getByText('There is no connection.').waitFor()
  await page.unroute(/\/sessions$/)
  await page.locator('#submit').click()
  await cardFields(page).locator('#number').waitFor()
  await payByCard(page)
  await heading(page, 'Thank you')
})

test('the page works with the keyboard alone', async () => {
  const { url } = await town.link()
  const page = await town.open(url)
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').getAttribute('value')).toBe('card')
  await page.keyboard.press('Tab')
  for (const text of ['4111111111111111', '1235', '123', 'Ada Lovelace']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  expect(await page.locator(':focus').innerText()).toBe('Pay €108.50')
  await page.keyboard.press('Enter')
  await heading(page, 'Thank you')
})
