import { expect, test } from 'vitest'
import { frameOf, mountCard, openElementsShop, typeCard } from './elements-shop.ts'
import { barriers } from './page-checks.ts'

const town = await openElementsShop()
const origin = town.railyard.url

/** Pays with a session, as the shop's server does. */
const pay = async (session: string) =>
  (
    await town.shop.post('/transactions', {
      amount: 12_99,
      currency: 'USD',
      country: 'US',
      payment_method: { method: 'checkout-session', id: session },
    })
  ).body

test('a card that a buyer enters on a page with a strict policy pays, and the page sees brand and last digits only', async () => {
  const session = await town.session()
  const page = await town.open()
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const frame = await mountCard(page, { origin, session })
  await typeCard(frame)
  await expect
    .poll(() => page.evaluate('events.some(([name, event]) => name === "change" && event.complete)'))
    .toBe(true)
  expect(await page.evaluate('events.filter(([name]) => name === "change").at(-1)[1]')).toEqual({
    complete: true,
    brand: 'visa',
    last4: '1111',
    fields: {
      number: { empty: false, valid: true },
      expiry: { empty: false, valid: true },
      code: { empty: false, valid: true },
    },
  })
  expect(await page.evaluate('card.submit()')).toEqual({ brand: 'visa', last4: '1111' })
  expect(sent.filter((request) => !request.startsWith('GET'))).toEqual([
    `PUT /checkout/sessions/${session}/fields`,
  ])
  expect(await frame.locator('#code').inputValue()).toBe('')
  expect(await pay(session)).toMatchObject({
    status: 'authorization_succeeded',
    payment_method: { label: '1111' },
  })
})

test('an incomplete card is not sent; the fields say what is missing, in the language of the page', async () => {
  const session = await town.session()
  const page = await town.open()
  const frame = await mountCard(page, { origin, session, options: { locale: 'de' } })
  await frame.getByLabel('Kartennummer').pressSequentially('4111 1111')
  const code = await page.evaluate('card.submit().catch(({ code }) => code)')
  expect(code).toBe('incomplete')
  await frame.getByText('Das ist keine Kartennummer. Prüfen Sie die Ziffern.').waitFor()
  await frame.getByText('Geben Sie Monat und Jahr ein, zum Beispiel 09 / 28.').waitFor()
  expect(await frame.locator('#number').getAttribute('aria-invalid')).toBe('true')
  await frame.getByLabel('Kartennummer').fill('4111111111111111')
  await expect.poll(() => frame.locator('#number').getAttribute('aria-invalid')).toBeNull()
})

test('Enter in a field tells the page, and the code of American Express has four digits', async () => {
  const session = await town.session()
  const page = await town.open()
  const frame = await mountCard(page, { origin, session, options: { postalCode: true } })
  await typeCard(frame, { number: '378282246310005', code: '1234' })
  expect(await frame.locator('#number').inputValue()).toBe('3782 822463 10005')
  await frame.getByText('4 digits on the front').waitFor()
  await frame.getByLabel('Postal code').fill('10119')
  await frame.locator('#code').press('Enter')
  await expect.poll(() => page.evaluate('events.some(([name]) => name === "submit")')).toBe(true)
  expect(await page.evaluate('card.submit()')).toEqual({ brand: 'amex', last4: '0005' })
})

test('each field in a frame of its own: the frames speak with each other, and the card pays', async () => {
  const session = await town.session()
  const page = await town.open({ body: '<div id="n"></div><div id="e"></div><div id="c"></div>' })
  await page.evaluate(`(async () => {
    const elements = await railyard.loadRailyard(${JSON.stringify({ origin, session })})
    const fields = elements.cardFields({ style: { labels: 'hidden' } })
    globalThis.fields = fields
    fields.on('change', (change) => Object.assign(globalThis, { change }))
    fields.number.mount('#n')
    fields.expiry.mount('#e')
    fields.code.mount('#c')
  })()`)
  for (const [place, field, text] of [
    ['#n', 'number', '5555555555554444'],
    ['#e', 'expiry', '1135'],
    ['#c', 'code', '737'],
  ] as const)
    await (await frameOf(page, `${place} iframe`)).locator(`#${field}`).pressSequentially(text)
  await expect.poll(() => page.evaluate('globalThis.change?.complete')).toBe(true)
  expect(await page.evaluate('fields.submit()')).toEqual({ brand: 'mastercard', last4: '4444' })
  expect(await pay(session)).toMatchObject({ status: 'authorization_succeeded' })
})

test('a session that is over, and one that does not exist, are told apart from a refused card', async () => {
  const session = await town.session()
  const page = await town.open()
  const frame = await mountCard(page, { origin, session })
  await typeCard(frame)
  await town.shop.delete(`/checkout/sessions/${session}`)
  expect(await page.evaluate('card.submit().catch(({ code }) => code)')).toBe('session_expired')
  const next = await town.session()
  await page.evaluate(`elements.useSession(${JSON.stringify(next)})`)
  expect(await page.evaluate('card.submit()')).toMatchObject({ last4: '1111' })
})

test('styles that the page may set are applied, and values that load something are left out', async () => {
  const page = await town.open()
  const style = {
    fontSize: '20px',
    background: 'rgb(1, 2, 3)',
    color: 'red; background: url(https://evil.example)',
    borderColor: 'url(https://evil.example)',
    fontFamily: 'var(--x)',
    constructor: 'x',
  }
  const frame = await mountCard(page, { origin, session: await town.session(), options: { style } })
  const styleOf = (name: string) =>
    frame.evaluate(`getComputedStyle(document.querySelector('#number')).${name}`)
  await expect.poll(() => styleOf('fontSize')).toBe('20px')
  expect(await styleOf('backgroundColor')).toBe('rgb(1, 2, 3)')
  expect(await styleOf('color')).toBe('rgb(21, 23, 28)')
})

test('the card form is accessible, and its inputs are those that browsers fill in', async () => {
  const session = await town.session()
  const page = await (await town.browser.newContext({ locale: 'en-US' })).newPage()
  await page.goto(
    `${origin}/elements/card?session=${session}&parent=${encodeURIComponent(town.origin)}&fields=number,expiry,code,postalCode`,
  )
  expect(await barriers(page, 'card-fields')).toEqual([])
  const filled = await page
    .locator('input')
    .evaluateAll((inputs) =>
      inputs.map((input) => [input.getAttribute('autocomplete'), input.getAttribute('name')]),
    )
  expect(filled).toEqual([
    ['cc-number', null],
    ['cc-exp', null],
    ['cc-csc', null],
    ['postal-code', null],
  ])
})
