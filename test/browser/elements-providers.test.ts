import type { Frame, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import type { FakeName } from '../fakes/hosted-fake.ts'
import { startFake } from '../fakes/server.ts'
import { type ElementsShop, frameOf, openElementsShop } from './elements-shop.ts'

// Stand-ins take the place of the providers' scripts. Like them, they show a frame of the provider's host, and the
// card goes from there to the provider: here to its fake, which makes the token

const names = ['stripe', 'mollie', 'adyen', 'checkout'] as const
const fakes = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await startFake(name)] as const)),
) as Record<FakeName, Awaited<ReturnType<typeof startFake>>>
afterAll(() => Promise.all(Object.values(fakes).map((fake) => fake.close())))

const town = await openElementsShop({
  PROVIDER_URLS: names.map((name) => `${name}=${fakes[name].url}`).join(','),
  // the fakes share this process, which a busy machine can hold up for more than the second that tests allow
  PROVIDER_TIMEOUT_MS: '15000',
})

/** The stand-in's frame: what a buyer types stays in it, until the page asks for a token. */
const frameDocument = `<!doctype html><input id="fake-number" aria-label="Card number"><input id="fake-code" aria-label="Code">
<script>
const [number] = document.querySelectorAll('input')
number.oninput = () => parent.postMessage({ fake: 'change', complete: number.value.length === 16 }, '*')
number.onfocus = () => parent.postMessage({ fake: 'focus' }, '*')
addEventListener('message', async ({ data }) => {
  if (data.fake === 'clear') number.value = ''
  if (data.fake !== 'make') return
  const answer = await fetch('/fake-token', { method: 'POST', body: new URLSearchParams({ number: number.value, name: 'Ada' }) })
  parent.postMessage({ fake: 'made', ...(await answer.json()) }, '*')
})
</script>`

/** What all stand-ins share. */
const standIn = (host: string) => `
const fake = { listeners: {}, calls: [], tell: (name, event) => (fake.listeners[name] ?? []).forEach((listener) => listener(event)),
  on(name, listener) { (fake.listeners[name] ??= []).push(listener) },
  mount(place) { fake.frame = document.createElement('iframe'); fake.frame.src = '${host}/fields'; fake.frame.id = 'provider'; (typeof place === 'string' ? document.querySelector(place) : place).append(fake.frame) },
  unmount: () => fake.frame.remove(),
  make: () => new Promise((resolve) => { fake.made = resolve; fake.frame.contentWindow.postMessage({ fake: 'make' }, '*') }) }
addEventListener('message', ({ data, source }) => {
  if (source !== fake.frame?.contentWindow) return
  if (data.fake === 'made') fake.made(data)
  else fake.tell(data.fake, data)
})
globalThis.fake = fake
`

interface StandIn {
  script: string
  host: string
  source: string
  /** The lines of the guide: `docs/guides/card-fields.md`. */
  policy: Record<string, string>
  fields: (credentials: Readonly<Record<string, string | undefined>>) => Record<string, string | undefined>
  card: string
  status: string
}

const standIns: Record<FakeName, StandIn> = {
  stripe: {
    script: 'https://js.stripe.com/endive/stripe.js',
    host: 'https://js.stripe.com',
    source: `globalThis.Stripe = (key) => ({
      elements: (options) => ({ create: (type, more) => { fake.calls.push([key, options, type, more]); return {
        on: (name, listener) => fake.on(name, ({ complete }) => listener({ complete, empty: false, brand: complete ? 'visa' : 'unknown' })),
        mount: fake.mount, destroy: fake.unmount, clear() {}, focus() {}, update() {} } } }),
      async createPaymentMethod() { const { token, error } = await fake.make()
        return error ? { error: { type: 'card_error' } } : { paymentMethod: { id: token, card: { brand: 'visa', last4: '4242', exp_month: 3, exp_year: 2031 } } } } })`,
    policy: { 'frame-src': 'https://js.stripe.com' },
    fields: ({ STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY }) => ({
      secret_key: STRIPE_SECRET_KEY,
      publishable_key: STRIPE_PUBLISHABLE_KEY,
    }),
    card: '4242424242424242',
    status: 'authorization_succeeded',
  },
  mollie: {
    script: 'https://js.mollie.com/v1/mollie.js',
    host: 'https://js.mollie.com',
    source: `globalThis.Mollie = (key, options) => ({
      createComponent: (type, more) => { fake.calls.push([key, options, type, more]); return {
        addEventListener: (name, listener) => fake.on(name, ({ complete }) => listener({ valid: complete, dirty: true })),
        mount: fake.mount, unmount: fake.unmount } },
      createToken: async () => { const { token, error } = await fake.make(); return error ? { error: { field: 'cardNumber' } } : { token } } })`,
    policy: { 'frame-src': 'https://js.mollie.com' },
    fields: ({ MOLLIE_API_KEY, MOLLIE_PROFILE_ID }) => ({
      api_key: MOLLIE_API_KEY,
      profile_id: MOLLIE_PROFILE_ID,
    }),
    card: '4543474002249996',
    status: 'buyer_approval_pending',
  },
  adyen: {
    script: 'https://checkoutshopper-test.cdn.adyen.com/checkoutshopper/sdk/6.45.2/adyen.js',
    host: 'https://checkoutshopper-test.adyen.com',
    source: `globalThis.AdyenWeb = { AdyenCheckout: async (options) => options, Card: class {
      constructor(checkout, options) { this.options = options; fake.calls.push([checkout.clientKey, checkout, 'card', {}])
        // the encrypted fields are there as soon as the card is complete
        fake.on('change', async ({ complete }) => { const { token } = complete ? await fake.make() : {}
          options.onBrand({ brand: 'visa' })
          options.onFieldValid({ fieldType: 'encryptedCardNumber', endDigits: '1111', valid: complete })
          options.onChange({ isValid: token !== undefined, data: { paymentMethod: token } }) })
        fake.on('focus', () => options.onFocus({ fieldType: 'encryptedCardNumber' })) }
      mount(place) { fake.mount(place); return this }
      unmount() { fake.unmount() }
      showValidation() {} } }`,
    policy: {
      'frame-src': 'https://checkoutshopper-test.adyen.com',
      'style-src': 'https://checkoutshopper-test.cdn.adyen.com',
    },
    fields: ({ ADYEN_API_KEY, ADYEN_MERCHANT_ACCOUNT, ADYEN_CLIENT_KEY }) => ({
      api_key: ADYEN_API_KEY,
      merchant_account: ADYEN_MERCHANT_ACCOUNT,
      client_key: ADYEN_CLIENT_KEY,
      environment: 'sandbox',
    }),
    card: '4111111111111111',
    status: 'authorization_succeeded',
  },
  checkout: {
    script: 'https://cdn.checkout.com/js/framesv2.min.js',
    host: 'https://js.checkout.com',
    source: `let complete = false
    globalThis.Frames = { Events: { CARD_VALIDATION_CHANGED: 'change', PAYMENT_METHOD_CHANGED: 'method', FRAME_FOCUS: 'focus', FRAME_BLUR: 'blur' },
      addEventHandler: (name, handler) => fake.on(name, (event) => { complete = event.complete ?? complete; handler({ element: 'card-number' }) }),
      init(options) { fake.calls.push([options.publicKey, options, 'card', {}]); fake.mount('.card-frame') },
      isCardValid: () => complete, enableSubmitForm() {},
      async submitCard() { const { token, error } = await fake.make(); if (error) throw error
        return { token, bin: '424242', last4: '4242', scheme: 'Visa', expiry_month: 3, expiry_year: 2031 } } }`,
    policy: { 'frame-src': 'https://js.checkout.com' },
    fields: ({ CHECKOUT_SECRET_KEY, CHECKOUT_PUBLIC_KEY }) => ({
      secret_key: CHECKOUT_SECRET_KEY,
      public_key: CHECKOUT_PUBLIC_KEY,
      environment: 'sandbox',
    }),
    card: '4242424242424242',
    // the service asks for 3-D Secure
    status: 'buyer_approval_pending',
  },
}

async function service(
  name: FakeName,
  fields = standIns[name].fields(fakes[name].credentials),
  { shop }: ElementsShop = town,
) {
  const { status, body } = await shop.post('/payment-services', {
    display_name: name,
    payment_service_definition_id: `${name}-card`,
    accepted_currencies: ['EUR'],
    accepted_countries: ['DE'],
    fields: Object.entries(fields).map(([key, value]) => ({ key, value })),
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id as string
}

const sessionFor = (payment_service_id: string, { session }: ElementsShop = town) =>
  session({ amount: 12_99, currency: 'EUR', country: 'DE', payment_service_id })

/** A page of the shop, with the stand-in in place of the provider's script; `heard`: what left the page. */
async function pageFor(name: FakeName, { hasScript = true, town: { open, railyard } = town } = {}) {
  const { script, host, source, policy } = standIns[name]
  const page = await open({
    policy: { ...policy, 'script-src': `${railyard.url}/elements/ ${new URL(script).origin}` },
  })
  const heard: string[] = []
  page.on('request', (request) => {
    if (!request.url().includes('/fake-token')) heard.push(`${request.url()} ${request.postData() ?? ''}`)
  })
  await page.route(script, (route) =>
    hasScript
      ? route.fulfill({ contentType: 'text/javascript', body: `${standIn(host)}${source}` })
      : route.abort(),
  )
  await page.route(script.replace(/\.js$/, '.css'), (route) =>
    route.fulfill({ contentType: 'text/css', body: '' }),
  )
  await page.route(`${host}/fields`, (route) =>
    route.fulfill({ contentType: 'text/html', body: frameDocument }),
  )
  await page.route(`${host}/fake-token`, async (route) => {
    const answer = await fetch(`${fakes[name].url}/fake/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: route.request().postData() ?? '',
    })
    await route.fulfill({ contentType: 'application/json', body: await answer.text() })
  })
  return { page, heard }
}

const mount = (page: Page, session: string, options: object = {}, { railyard }: ElementsShop = town) =>
  page.evaluate(`(async () => {
    const elements = await railyard.loadRailyard(${JSON.stringify({ origin: railyard.url, session })})
    const card = elements.card(${JSON.stringify(options)})
    const events = []
    Object.assign(globalThis, { elements, card, events })
    for (const name of ['ready', 'change', 'focus', 'error'])
      card.on(name, (event) => events.push([name, event?.code ?? event]))
    card.mount('#card')
  })()`)

const providerFrame = async (page: Page): Promise<Frame> => {
  const frame = await (await page.waitForSelector('#provider')).contentFrame()
  return frame ?? expect.fail('the stand-in has no frame')
}

const code = (page: Page) => page.evaluate('card.submit().then(() => "submitted", ({ code }) => code)')

describe.each(names)('where a session’s payment service is %s', (name) => {
  test('the provider’s own fields take the card, and its token pays: no digit reaches Railyard or the page', async () => {
    const session = await sessionFor(await service(name))
    const { page, heard } = await pageFor(name)
    await mount(page, session, { locale: 'de', style: { color: 'red', borderColor: 'blue' } })
    const frame = await providerFrame(page)
    await expect.poll(() => page.evaluate('events.map(([name]) => name)')).toContain('ready')
    expect(await page.evaluate('fake.calls[0][0]')).toBe(
      Object.entries(fakes[name].credentials).find(([key]) => /PUBL|CLIENT|PROFILE/.test(key))?.[1],
    )
    await frame.locator('#fake-number').pressSequentially(standIns[name].card)
    await expect.poll(() => page.evaluate('events.at(-1)[1].complete')).toBe(true)
    expect(await page.evaluate('events.map(([name]) => name)')).toContain('focus')
    expect(await page.evaluate('card.submit()')).toEqual(
      name === 'mollie'
        ? { brand: null, last4: null }
        : { brand: 'visa', last4: standIns[name].card.slice(-4) },
    )
    // the encrypted fields of Adyen's test system are the number itself
    if (name !== 'adyen') {
      const observed = [...heard, JSON.stringify(await page.evaluate('[events, fake.calls]'))].join('\n')
      expect(observed).toContain(session)
      expect(observed).not.toContain(standIns[name].card)
    }
    const { status, body } = await town.shop.post('/transactions', {
      amount: 12_99,
      currency: 'EUR',
      country: 'DE',
      payment_method: {
        method: 'checkout-session',
        id: session,
        redirect_url: 'https://shop.example/done',
      },
    })
    expect({ status, payment: body.status }).toEqual({ status: 201, payment: standIns[name].status })
  })

  test('a page that does not let the provider’s script start learns why', async () => {
    const session = await sessionFor(await service(name))
    const { page } = await pageFor(name, { hasScript: false })
    await mount(page, session)
    expect(await code(page)).toBe('provider_failed')
    expect(await page.evaluate('events')).toContainEqual(['error', 'provider_failed'])
    expect(await page.locator('#card div').count()).toBe(0)
  })
})

test('a card that the provider refuses, and an element that is removed meanwhile, are told apart', async () => {
  const session = await sessionFor(await service('stripe'))
  const { page } = await pageFor('stripe')
  await mount(page, session)
  await (await providerFrame(page)).locator('#fake-number').fill('1')
  expect(await code(page)).toBe('refused')
  // the provider gives no answer any more
  await page.route(`${standIns.stripe.host}/fake-token`, () => undefined)
  const codes = await page.evaluate(`(async () => {
    const codes = [1, 2].map(() => card.submit().then(() => "submitted", ({ code }) => code))
    await codes[1]
    card.unmount()
    return Promise.all(codes)
  })()`)
  expect(codes).toEqual(['unmounted', 'busy'])
  expect(await page.locator('#card *').count()).toBe(0)
})

test('an element that is removed while the provider’s script loads shows nothing, and tells nothing', async () => {
  const session = await sessionFor(await service('stripe'))
  const { page } = await pageFor('stripe')
  const loading = page.waitForRequest(standIns.stripe.script)
  await page.route(standIns.stripe.script, async (route) => {
    await page.evaluate('card.unmount()')
    await route.fallback()
  })
  await mount(page, session)
  await loading
  await expect.poll(() => page.evaluate('globalThis.fake?.calls.length')).toBe(1)
  await expect.poll(() => page.locator('#card *').count()).toBe(0)
  expect(await page.evaluate('events')).toEqual([])
  expect(await code(page)).toBe('unmounted')
})

test('a session of another payment service than the token’s is refused by the service, not charged', async () => {
  const session = await sessionFor(await service('mollie'))
  const { page } = await pageFor('stripe')
  const stripe = await sessionFor(await service('stripe'))
  await mount(page, stripe)
  await (await providerFrame(page)).locator('#fake-number').pressSequentially('4242424242424242')
  await page.evaluate(`elements.useSession(${JSON.stringify(session)})`)
  expect(await page.evaluate('card.submit()')).toMatchObject({ last4: '4242' })
  const { body } = await town.shop.post('/transactions', {
    amount: 12_99,
    currency: 'EUR',
    country: 'DE',
    payment_method: { method: 'checkout-session', id: session, redirect_url: 'https://shop.example/done' },
  })
  expect(body).toMatchObject({ status: 'authorization_failed', error_code: 'invalid_payment_method' })
})

test('fields in frames of their own are Railyard’s, and are not shown for a provider’s', async () => {
  const { page } = await pageFor('stripe')
  const session = await sessionFor(await service('stripe'))
  const failed = page.evaluate(`(async () => {
    const elements = await railyard.loadRailyard(${JSON.stringify({ origin: town.railyard.url, session })})
    const fields = elements.cardFields()
    const failed = new Promise((resolve) => fields.on('error', ({ code }) => resolve(code)))
    fields.number.mount('#card')
    return failed
  })()`)
  expect(await failed).toBe('no_card_fields')
})

test('a payment service that may be sent card numbers gets them from Railyard’s fields', async () => {
  const fields = { ...standIns.stripe.fields(fakes.stripe.credentials), card_numbers: 'allow' }
  const { page } = await pageFor('stripe')
  await mount(page, await sessionFor(await service('stripe', fields)))
  await frameOf(page, '#card iframe')
  expect(await page.locator('#provider').count()).toBe(0)
})

describe('with CARD_NUMBERS=refuse', async () => {
  const refusing = await openElementsShop({ CARD_NUMBERS: 'refuse' })

  test('a session without a payment service that has fields shows none, and says so at once', async () => {
    const { page } = await pageFor('stripe', { town: refusing })
    await mount(page, await refusing.session(), {}, refusing)
    expect(await code(page)).toBe('no_card_fields')
    expect(await page.evaluate('events')).toEqual([['error', 'no_card_fields']])
  })

  test('a payment service without its public key shows none', async () => {
    const { STRIPE_SECRET_KEY } = fakes.stripe.credentials
    const id = await service('stripe', { secret_key: STRIPE_SECRET_KEY }, refusing)
    const { page } = await pageFor('stripe', { town: refusing })
    await mount(page, await sessionFor(id, refusing), {}, refusing)
    expect(await code(page)).toBe('no_card_fields')
  })

  test('a payment service that may be sent card numbers shows its provider’s fields all the same', async () => {
    const fields = { ...standIns.stripe.fields(fakes.stripe.credentials), card_numbers: 'allow' }
    const { page } = await pageFor('stripe', { town: refusing })
    await mount(page, await sessionFor(await service('stripe', fields, refusing), refusing), {}, refusing)
    await providerFrame(page)
  })
})
