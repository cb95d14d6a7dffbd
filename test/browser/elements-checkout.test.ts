import type { Frame, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../support/domains/gift-cards.ts'
import { requireAuthentication, scenario } from '../support/domains/secure-shop.ts'
import { walletService } from '../support/domains/wallet.ts'
import { goodClaims, signed } from '../support/tokens.ts'
import { frameOf, openElementsShop, typeCard } from './elements-shop.ts'
import { barriersWithin } from './page-checks.ts'

const town = await openElementsShop()
const { railyard, shop } = town
const own = { 'x-svc-merchant-account-id': shop.account }
await railyard.admin.post('/payment-services', walletService(), own)
await addGiftCardService(railyard, shop)
await requireAuthentication(railyard, shop, shop.paymentServiceId)
/** The issuer asks the buyer of a payment of this amount, who confirms with a code. */
const CHALLENGED = 33_00
await scenario(railyard, shop, CHALLENGED, 'C', 'Y')
const buyer: string = (await shop.post('/buyers', {})).body.id

const terms = { amount: 12_99, currency: 'EUR' }
/** The page's policy allows the script that Railyard serves to pages with a checkout. */
const policy = { 'script-src': `${railyard.url}/elements/` }

interface CheckoutPage {
  page: Page
  frame: Frame
  confirm(): Promise<unknown>
  /** The payments of this checkout, as the merchant's server sees them. */
  payments(): Promise<Record<string, unknown>[]>
  /** A buyer's token of this checkout. */
  sign(embed: object, session?: string): Promise<string>
}

/** A page of the shop that shows a checkout of a session with `more` members; its events are a global of the page. */
async function openCheckout(
  options: object = {},
  embed: Record<string, unknown> = {},
  more: object = {},
): Promise<CheckoutPage> {
  const order = crypto.randomUUID()
  const session = await town.session({ ...terms, ...more })
  const sign = (fixed: object, of = session) =>
    signed(
      shop.signer,
      goodClaims({
        scopes: ['embed'],
        checkout_session_id: of,
        embed: { ...terms, metadata: { order }, ...fixed },
      }),
    )
  const page = await town.open({
    body: '<h1>Pay</h1><div id="checkout"></div><button id="pay">Pay</button>',
    policy,
  })
  const given = { origin: railyard.url, session, token: await sign(embed) }
  await page.evaluate(`(async () => {
    const elements = await railyard.loadRailyard(${JSON.stringify(given)})
    const checkout = elements.checkout(${JSON.stringify({ country: 'US', ...options })})
    const events = []
    Object.assign(globalThis, { elements, checkout, events })
    for (const name of ['ready', 'change', 'submit', 'error']) checkout.on(name, (event) => events.push([name, event]))
    checkout.mount('#checkout')
  })()`)
  const frame = await frameOf(page, '#checkout iframe')
  await frame.locator('input[type=radio]').first().waitFor()
  return {
    page,
    frame,
    sign,
    confirm: () =>
      page.evaluate('checkout.confirm().catch(({ name, code, advice }) => ({ name, code, advice }))'),
    payments: async () =>
      (await shop.get(`/transactions?metadata=${encodeURIComponent(JSON.stringify({ order }))}`)).body.items,
  }
}

const lastChange = (page: Page) => page.evaluate('events.filter(([name]) => name === "change").at(-1)?.[1]')
const declined = (advice: string) => ({ name: 'RailyardElementsError', code: 'declined', advice })

test('a buyer pays with a card, and the page learns the payment’s id and status only', async () => {
  const { page, frame, confirm, payments } = await openCheckout()
  await frame.getByLabel('Card', { exact: true }).check()
  await typeCard(frame)
  await expect.poll(() => lastChange(page)).toEqual({ method: 'card', complete: true })
  const paid = await confirm()
  const [payment, ...others] = await payments()
  expect(others).toEqual([])
  expect(payment).toMatchObject({ status: 'authorization_succeeded', amount: 12_99, country: 'US' })
  expect(paid).toEqual({ transaction: { id: payment?.['id'], status: 'authorization_succeeded' } })
})

test('after a decline the frame says what helps, and the buyer pays at the second try with the same form', async () => {
  const { page, frame, confirm, payments, sign } = await openCheckout({}, { amount: 200011 })
  await typeCard(frame)
  expect(await confirm()).toEqual(declined('bank'))
  await frame.getByText('Your bank has declined the payment.').waitFor()
  expect(await frame.locator('#number').inputValue()).toBe('4111 1111 1111 1111')
  await expect.poll(() => lastChange(page)).toEqual({ method: 'card', complete: false })
  // the shop takes something out of the cart
  const next = await town.session(terms)
  await page.evaluate(
    `elements.useSession(${JSON.stringify(next)}, ${JSON.stringify(await sign(terms, next))})`,
  )
  await frame.locator('#code').pressSequentially('123')
  expect(await confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
  expect((await payments()).map(({ status }) => status).sort()).toEqual([
    'authorization_failed',
    'authorization_succeeded',
  ])
})

test('a buyer pays with a stored card, which is offered first', async () => {
  const stored = (
    await shop.post('/payment-methods', {
      number: '4111111111111111',
      expiration_date: '12/35',
      buyer_id: buyer,
    })
  ).body.id
  const { page, frame, confirm, payments } = await openCheckout({ locale: 'de' }, { buyer_id: buyer })
  expect(await frame.getByLabel('Visa mit den Endziffern 1111').isChecked()).toBe(true)
  await expect.poll(() => lastChange(page)).toEqual({ method: 'stored', complete: true })
  expect(await confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
  expect(await payments()).toMatchObject([{ payment_method: { id: stored }, buyer: { id: buyer } }])
})

test('a buyer who pays with a wallet goes to its page, and comes back to the shop’s', async () => {
  const { page, frame, payments } = await openCheckout({ returnUrl: `${town.origin}/done?cart=7` })
  await frame.getByRole('radio').first().focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => lastChange(page)).toEqual({ method: 'wallet', complete: true })
  page.evaluate('void checkout.confirm()').catch(() => undefined)
  await page.getByRole('button', { name: 'Pay now' }).click()
  await page.waitForURL(`${town.origin}/done?**`)
  const [payment] = await payments()
  expect(payment).toMatchObject({ status: 'authorization_succeeded', method: 'wallet' })
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    cart: '7',
    svc_transaction_id: payment?.['id'],
    svc_transaction_status: 'authorization_succeeded',
  })
})

test('two clicks at the same moment pay once', async () => {
  const { page, frame, payments } = await openCheckout()
  await typeCard(frame)
  const [first, second] = (await page.evaluate(
    'Promise.all([checkout.confirm(), checkout.confirm()])',
  )) as object[]
  expect(second).toEqual(first)
  expect(await payments()).toHaveLength(1)
})

test('what is paid is paid once: a later click gets the same payment, until the page has other terms', async () => {
  const { page, frame, confirm, payments, sign } = await openCheckout({}, { buyer_id: buyer })
  await shop.post('/payment-methods', {
    number: '4111111111111111',
    expiration_date: '12/35',
    buyer_id: buyer,
  })
  const next = await town.session(terms)
  const withStored = { buyer_id: buyer, metadata: { order: 'next' } }
  const use = async () =>
    page.evaluate(
      `elements.useSession(${JSON.stringify(next)}, ${JSON.stringify(await sign(withStored, next))})`,
    )
  await use()
  await frame.getByLabel(/1111/).first().check()
  const paid = await confirm()
  expect(paid).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
  await expect.poll(() => lastChange(page)).toEqual({ method: 'stored', complete: false })
  expect(await frame.getByRole('radio').first().isDisabled()).toBe(true)
  expect(await confirm()).toEqual(paid)
  expect(await payments()).toEqual([])
  const made = async () =>
    (await shop.get(`/transactions?metadata=${encodeURIComponent('{"order":"next"}')}`)).body.items
  expect(await made()).toHaveLength(1)
  await use()
  await expect.poll(() => lastChange(page)).toEqual({ method: 'stored', complete: true })
  expect(await confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
  expect(await made()).toHaveLength(2)
})

test('a payment whose answer is lost is sent again with the same key, and is made once', async () => {
  const { page, frame, confirm, payments } = await openCheckout()
  await typeCard(frame)
  const keys: (string | undefined)[] = []
  await page.route('**/transactions', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (keys.length > 1) return route.continue()
    await route.fetch()
    await route.abort()
  })
  expect(await confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(1)
  expect(await payments()).toHaveLength(1)
})

test('while no answer comes, the next try sends the same payment again, and nothing else', async () => {
  const { page, frame, confirm, payments } = await openCheckout()
  await typeCard(frame)
  const keys = new Set<string | undefined>()
  let isBroken = true
  await page.route('**/transactions', async (route) => {
    keys.add(route.request().headers()['idempotency-key'])
    if (!isBroken) return route.continue()
    if (keys.size === 1) await route.fetch()
    await route.abort()
  })
  expect(await confirm()).toMatchObject({ code: 'offline' })
  await frame.getByText('nothing is paid twice').waitFor()
  expect(await frame.getByRole('radio').first().isDisabled()).toBe(true)
  expect(await lastChange(page)).toEqual({ method: 'card', complete: true })
  expect(await barriersWithin(frame)).toEqual([])
  isBroken = false
  expect(await confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
  expect(keys.size).toBe(1)
  expect(await payments()).toHaveLength(1)
})

describe('a gift card', () => {
  async function useGiftCard(frame: Frame, pin: string) {
    const card = newGiftCard(pin)
    await frame.getByText('Pay with a gift card').click()
    await frame.getByLabel('Gift card number').fill(card.number)
    await frame.getByLabel('PIN').fill(card.pin)
    await frame.getByRole('button', { name: 'Use gift card' }).click()
    return card
  }

  test('pays its balance, and a card the rest', async () => {
    const { frame, confirm, payments } = await openCheckout()
    await typeCard(frame)
    await useGiftCard(frame, '00500')
    await frame.getByText('€7.99 is left to pay.').waitFor()
    expect(await barriersWithin(frame)).toEqual([])
    expect(await confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
    expect(await payments()).toMatchObject([
      { amount: 12_99, gift_card_redemptions: [{ amount: 5_00 }], payment_method: { method: 'card' } },
    ])
  })

  test('pays everything by itself, and can be taken away again', async () => {
    const { page, frame, confirm, payments } = await openCheckout()
    await useGiftCard(frame, '05000')
    await expect.poll(() => lastChange(page)).toEqual({ method: 'gift-card', complete: true })
    expect(await frame.getByRole('radio').count()).toBe(0)
    await frame.getByRole('button', { name: /^Remove the gift card/ }).click()
    await expect.poll(() => lastChange(page)).toEqual({ method: 'card', complete: false })
    await useGiftCard(frame, '05000')
    await expect.poll(() => lastChange(page)).toEqual({ method: 'gift-card', complete: true })
    expect(await confirm()).toMatchObject({ transaction: { id: expect.any(String) } })
    expect(await payments()).toMatchObject([
      { payment_method: null, gift_card_redemptions: [{ amount: 12_99 }] },
    ])
  })

  test('that was spent meanwhile takes the payment back, and the page learns that nothing was paid', async () => {
    const { frame, confirm, payments } = await openCheckout()
    await typeCard(frame)
    const card = await useGiftCard(frame, '00500')
    await frame.getByText('€7.99 is left to pay.').waitFor()
    expect(
      await shop.post('/transactions', {
        amount: 5_00,
        currency: 'EUR',
        country: 'US',
        gift_cards: [{ ...card, amount: 5_00 }],
      }),
    ).toMatchObject({ status: 201, body: { intent_outcome: 'succeeded' } })
    expect(await confirm()).toEqual(declined('bank'))
    expect(await payments()).toMatchObject([{ status: 'authorization_voided' }])
  })

  test('is used with Enter, which does not ask the page for the payment', async () => {
    const { page, frame } = await openCheckout()
    const card = newGiftCard('00500')
    await frame.getByText('Pay with a gift card').click()
    await frame.getByLabel('Gift card number').fill(card.number)
    await frame.getByLabel('PIN').fill(card.pin)
    await frame.getByLabel('PIN').press('Enter')
    await frame.getByText('€7.99 is left to pay.').waitFor()
    expect(await page.evaluate('events.filter(([name]) => name === "submit")')).toEqual([])
  })

  test('that the service refuses is not used, and the frame says so', async () => {
    const { frame } = await openCheckout()
    await useGiftCard(frame, '00000')
    await frame.locator('#gift-mistake').filter({ hasText: /./ }).waitFor()
    expect(await frame.locator('#gifts li').count()).toBe(0)
  })
})

test.each([
  ['ja', 'お支払い方法をお選びください'],
  ['pt-BR', 'Como você quer pagar?'],
  ['fr', 'Comment souhaitez-vous payer ?'],
])('in %s the checkout asks: %s', async (locale, question) => {
  const { frame } = await openCheckout({ locale })
  await frame.getByText(question).waitFor()
  expect(await frame.locator('html').getAttribute('lang')).toBe(locale)
})

test('a token that is over is told to the page and the buyer', async () => {
  const { page, frame, sign } = await openCheckout()
  const session = await town.session(terms)
  const over = (await sign(terms, session)).slice(0, -4)
  await page.evaluate(`elements.useSession(${JSON.stringify(session)}, ${JSON.stringify(over)})`)
  await frame.getByText('This checkout has expired').waitFor()
  expect(
    await page.evaluate('events.filter(([name]) => name === "error").map(([, { code }]) => code)'),
  ).toEqual(['token_refused'])
})

test('where the session’s payment service takes no card numbers, the other ways to pay are shown, and the page learns why', async () => {
  const { body: service } = await shop.post('/payment-services', {
    display_name: 'Stripe',
    payment_service_definition_id: 'stripe-card',
    accepted_currencies: ['EUR'],
    accepted_countries: ['US'],
    fields: [
      { key: 'secret_key', value: 'sk_test_secret' },
      { key: 'publishable_key', value: 'pk_test_public' },
    ],
  })
  const { page, frame } = await openCheckout({}, {}, { payment_service_id: service.id })
  await expect
    .poll(() => page.evaluate('events.map(([name, event]) => [name, event?.code])'))
    .toEqual([
      ['error', 'no_card_fields'],
      ['ready', undefined],
      ['change', undefined],
    ])
  expect(await lastChange(page)).toEqual({ method: 'wallet', complete: true })
  expect(await frame.getByLabel('Card', { exact: true }).count()).toBe(0)
  expect(await frame.locator('#number').count()).toBe(0)
  await shop.delete(`/payment-services/${service.id}`)
})

test('a page whose policy does not allow Railyard’s script learns why, at the mount and at the payment', async () => {
  const session = await town.session(terms)
  const token = await signed(shop.signer, goodClaims({ scopes: ['embed'], embed: terms }))
  const page = await town.open({ body: '<h1>Pay</h1><div id="checkout"></div>' })
  const codes = await page.evaluate(`(async () => {
    const elements = await railyard.loadRailyard(${JSON.stringify({ origin: railyard.url, session, token })})
    const checkout = elements.checkout()
    const told = new Promise((resolve) => checkout.on('error', ({ code }) => resolve(code)))
    checkout.mount('#checkout')
    return [await told, await checkout.confirm().catch(({ code }) => code)]
  })()`)
  expect(codes).toEqual(['script_failed', 'script_failed'])
  expect(await page.locator('iframe').isVisible()).toBe(false)
  await expect
    .poll(() => town.browser.problems.splice(0))
    .toEqual([expect.stringContaining('/elements/assets/checkout-part-')])
})

test('a checkout that is removed while its script loads tells nothing, and what waited for it is over', async () => {
  const session = await town.session(terms)
  const token = await signed(shop.signer, goodClaims({ scopes: ['embed'], embed: terms }))
  const page = await town.open({ body: '<h1>Pay</h1><div id="checkout"></div>', policy })
  await page.route('**/checkout-part-*', async (route) => {
    await page.evaluate('checkout.unmount()')
    await route.continue()
  })
  const code = await page.evaluate(`(async () => {
    const elements = await railyard.loadRailyard(${JSON.stringify({ origin: railyard.url, session, token })})
    const checkout = elements.checkout()
    const events = []
    Object.assign(globalThis, { checkout, events })
    for (const name of ['ready', 'change', 'error']) checkout.on(name, () => events.push(name))
    checkout.mount('#checkout')
    return checkout.confirm().catch(({ code }) => code)
  })()`)
  expect(code).toBe('unmounted')
  expect(await page.evaluate('[events, document.querySelectorAll("iframe").length]')).toEqual([[], 0])
})

test('the checkout is accessible with each way to pay, with mistakes and after a decline', async () => {
  const { page, frame, confirm } = await openCheckout({}, { amount: 200011 })
  for (const name of ['Wallet', 'Card']) {
    await frame.getByLabel(name, { exact: name === 'Card' }).check()
    expect(await barriersWithin(frame)).toEqual([])
  }
  expect(await confirm()).toMatchObject({ code: 'incomplete' })
  expect(await barriersWithin(frame)).toEqual([])
  await typeCard(frame)
  expect(await confirm()).toEqual(declined('bank'))
  expect(await barriersWithin(frame)).toEqual([])
  expect(await page.evaluate('document.activeElement?.tagName')).toBe('IFRAME')
})

describe('a card whose issuer asks the buyer to confirm', () => {
  /** Pays up to the issuer's page in the dialog; the result is a global of the page. */
  async function openDialog(options: object = {}) {
    const checkout = await openCheckout(options, { amount: CHALLENGED })
    await typeCard(checkout.frame)
    await checkout.page.locator('#pay').focus()
    await checkout.page.evaluate(
      'void checkout.confirm().then((result) => Object.assign(globalThis, { result }), ({ code, advice }) => Object.assign(globalThis, { result: { code, advice } }))',
    )
    const dialog = checkout.page.frameLocator('dialog iframe')
    return { ...checkout, dialog, issuer: dialog.frameLocator('iframe') }
  }
  const result = (page: Page) => expect.poll(() => page.evaluate('globalThis.result'))
  const isOpen = (page: Page) => page.locator('dialog').count()

  test('confirms in a dialog of the page, and has paid', async () => {
    const { page, issuer, payments } = await openDialog()
    const at = page.url()
    await issuer.getByLabel('One-time code').waitFor()
    const around = page.frames().find((each) => each.url().includes('view=challenge'))
    expect(around && (await barriersWithin(around))).toEqual([])
    expect(await barriersWithin(page.mainFrame())).toEqual([])
    await page.getByRole('dialog', { name: 'Your bank asks you to confirm' }).waitFor()
    await issuer.getByLabel('One-time code').fill('123456')
    await issuer.getByRole('button', { name: 'Confirm' }).click()
    await result(page).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
    expect(await isOpen(page)).toBe(0)
    expect(await page.evaluate('document.activeElement.id')).toBe('pay')
    expect(page.url()).toBe(at)
    expect(await payments()).toMatchObject([{ status: 'authorization_succeeded' }])
  })

  test('declines in the dialog: the payment is declined, and the form is there for another try', async () => {
    const { page, issuer, frame, payments } = await openDialog()
    await issuer.getByRole('button', { name: 'Decline' }).click()
    await result(page).toEqual({ code: 'declined', advice: 'unconfirmed' })
    await frame.getByText('You have not confirmed the payment.').waitFor()
    expect(await isOpen(page)).toBe(0)
    expect(await payments()).toMatchObject([{ status: 'authorization_failed' }])
  })

  test.each([
    ['the button', (page: Page) => page.frameLocator('dialog iframe').locator('#cancel').click()],
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
  ])(
    'is closed by the buyer with %s: the payment is taken back, so that nothing is charged later',
    async (_, close) => {
      const { page, issuer, payments } = await openDialog()
      await issuer.getByLabel('One-time code').waitFor()
      await close(page)
      await result(page).toEqual({ code: 'declined', advice: 'unconfirmed' })
      expect(await isOpen(page)).toBe(0)
      expect(await payments()).toMatchObject([{ status: 'authorization_failed' }])
    },
  )

  test('is opened in the whole window if the buyer wants that, and leads back to the shop', async () => {
    const { page, dialog, payments } = await openDialog({ returnUrl: `${town.origin}/done?cart=7` })
    await dialog.getByRole('button', { name: 'Open in the whole window' }).click()
    await page.getByLabel('One-time code').fill('123456')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL(`${town.origin}/done?**`)
    const [payment] = await payments()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      cart: '7',
      svc_transaction_id: payment?.['id'],
      svc_transaction_status: 'authorization_succeeded',
    })
  })
})

describe('the issuer of a card sees the browser before the payment', () => {
  /** What the sandbox's 3DS server was told of the payment's 3DS method. */
  async function completionOf({ payments }: Pick<CheckoutPage, 'payments'>) {
    const [payment] = await payments()
    const { body: events } = await shop.get(`/transactions/${payment?.['id']}/events`)
    const request = events.items.find(
      ({ name }: { name: string }) => name === 'three-d-secure-authentication-request',
    )
    const { threeDSCompInd, threeDSServerTransID } = request.context.request
    return { threeDSCompInd, threeDSServerTransID }
  }
  const frames = (page: Page) => page.frames().filter((each) => each.url().includes('/elements/method'))

  test('in a hidden frame, which is gone before the payment is made', async () => {
    const checkout = await openCheckout()
    const { page, frame, confirm } = checkout
    await typeCard(frame)
    const posted = page.waitForRequest('**/3ds/acs/method')
    const told = page.waitForRequest('**/elements/method-notifications/*')
    const paying = page.waitForRequest('**/transactions').then(() => frames(page).length)
    expect(await confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
    const data = new URLSearchParams((await posted).postData() ?? '').get('threeDSMethodData') ?? ''
    const { threeDSServerTransID } = JSON.parse(Buffer.from(data, 'base64url').toString())
    expect((await told).frame().parentFrame()?.parentFrame()).toBe(frame)
    expect(await paying).toBe(0)
    expect(await completionOf(checkout)).toEqual({ threeDSCompInd: 'Y', threeDSServerTransID })
    expect(town.browser.problems).toEqual([])
  })

  test('for ten seconds at most: then the payment is made without', async () => {
    const checkout = await openCheckout()
    await typeCard(checkout.frame)
    await checkout.page.route('**/3ds/acs/method', () => undefined)
    const started = performance.now()
    expect(await checkout.confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
    expect(performance.now() - started).toBeGreaterThan(9_900)
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(await completionOf(checkout)).toMatchObject({ threeDSCompInd: 'N' })
    expect(frames(checkout.page)).toEqual([])
  })

  test('and cannot lead the window, or the frame, away', async () => {
    const checkout = await openCheckout()
    const { page, frame, confirm } = checkout
    await typeCard(frame)
    const at = page.url()
    await page.route('**/3ds/acs/method', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><script>
          try { top.location = 'https://evil.example/' } catch {}
          try { alert('pay again') } catch {}
          location = 'https://evil.example/'
        </script>`,
      }),
    )
    expect(await confirm()).toMatchObject({ transaction: { status: 'authorization_succeeded' } })
    expect(page.url()).toBe(at)
    expect(await completionOf(checkout)).toMatchObject({ threeDSCompInd: 'N' })
    expect(town.browser.problems.splice(0).join()).toMatch(/frame-src|sandboxed/)
  })
})
