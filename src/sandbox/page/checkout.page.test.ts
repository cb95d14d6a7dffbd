import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type CheckoutOrder, type CheckoutPage, checkoutPage } from './checkout.page.ts'
import { pageAnswer } from './html-answer.ts'

const order: CheckoutOrder = {
  merchant: 'Ada & Co',
  locale: 'en',
  currency: 'EUR',
  amount: 1299,
  lines: [{ name: 'Socks', quantity: 2, amount: 1299 }],
  breakdown: [],
  shipTo: null,
  options: [],
  problem: null,
  canApprove: true,
  approve: { label: 'Pay now', meaning: 'You pay at once.' },
  actions: 'https://railyard.example/wallet/checkout/1',
}

const page = (more: Partial<CheckoutOrder> = {}, state: CheckoutPage['state'] = 'open'): CheckoutPage => ({
  provider: 'Wallet',
  state,
  order: { ...order, ...more },
})

const attack = '"><script>alert(1)</script>\''

test('escapes everything that merchants and buyers wrote', () => {
  const hostile = page({
    merchant: attack,
    lines: [{ name: attack, quantity: 1, amount: 1 }],
    breakdown: [{ label: attack, amount: 1 }],
    shipTo: [attack],
    addresses: [{ id: attack, lines: [attack], chosen: true }],
    options: [{ id: attack, label: attack, amount: 1, chosen: true }],
    problem: attack,
    approve: { label: attack, meaning: attack },
    actions: attack,
  })
  const pages = [
    checkoutPage(hostile),
    checkoutPage(page({ shipTo: [attack] })),
    checkoutPage({
      ...hostile,
      state: 'approved',
      returnUrl: attack,
      popup: { order: attack, origin: attack },
    }),
  ]
  for (const text of pages) {
    expect(text).toContain('&lt;script&gt;alert(1)')
    expect(text).not.toContain('<script>alert')
    expect(text).not.toContain(attack)
  }
})

test.each([
  [1299, 'EUR', 'en', '€12.99'],
  [1299, 'EUR', 'de_DE', '12,99 €'],
  [1299, 'JPY', 'en', '¥1,299'],
  [1299, 'KWD', 'en', 'KWD 1.299'],
  [1299, 'EUR', 'no such locale', '€12.99'],
])('%i %s in %s is %s', (amount, currency, locale, shown) => {
  expect(checkoutPage(page({ amount, currency, locale })).replaceAll('\u00a0', ' ')).toContain(
    `<p class="total">${shown}</p>`,
  )
})

test('has one inline style sheet, and a script only to report to the window that opened it', () => {
  const allowed = (answer: ReturnType<typeof pageAnswer>) => answer.headers?.['content-security-policy'] ?? ''
  const hashes = (body: string, tag: string) =>
    Array.from(
      body.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs')),
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    )
  const open = pageAnswer(page())
  expect(allowed(open)).toContain(`style-src ${hashes(open.body, 'style')[0]};`)
  expect(allowed(open)).not.toContain('script-src')
  expect(hashes(open.body, 'script')).toEqual([])
  const ended = pageAnswer({ ...page({}, 'approved'), popup: { order: '1', origin: 'https://shop.example' } })
  expect(allowed(ended)).toContain(`script-src ${hashes(ended.body, 'script')[0]};`)
})

test('forbids framing, caching and referrers', () => {
  expect(pageAnswer(page()).headers).toMatchObject({
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; .*frame-ancestors 'none'; base-uri 'none'$/,
    ),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
})

test('has no approve button if the chosen delivery is impossible', () => {
  const text = checkoutPage(page({ canApprove: false, problem: 'The shop does not deliver there.' }))
  expect(text).toContain('<p class="note bad" role="alert">The shop does not deliver there.</p>')
  expect(text).not.toContain('/approve"')
  expect(text).toContain('/cancel"')
})
