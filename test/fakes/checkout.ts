import { createHmac } from 'node:crypto'
import { checkoutFake, PUBLIC_KEY, SECRET_KEY, WEBHOOK_KEY } from '../connectors/checkout/fake.ts'
import { type HostedFake, pathOf, textIn } from './hosted-fake.ts'

const firstAction = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'actions' in body && Array.isArray(body.actions)
    ? body.actions[0]
    : undefined

const signatureIn = (action: unknown): unknown =>
  typeof action === 'object' && action !== null && 'signature' in action ? action.signature : undefined

/** Checkout.com on this machine. The merchant chooses the key that signs its notifications. */
export function hostCheckout(now: number): HostedFake {
  const fake = checkoutFake(now)
  let key = WEBHOOK_KEY
  return {
    credentials: {
      CHECKOUT_SECRET_KEY: SECRET_KEY,
      CHECKOUT_PUBLIC_KEY: PUBLIC_KEY,
      CHECKOUT_WEBHOOK_KEY: WEBHOOK_KEY,
    },
    script: new URL('./scripts/checkout.js', import.meta.url),
    scriptUrls: /https:\/\/cdn\.checkout\.com\/[^"\s]+\.js/g,
    pageUrls: /https:\/\/3ds2-sandbox\.ckotech\.co\/[^"\s]+/g,
    receive: (request) => fake.receive(request),
    tokenFor({ number }) {
      const { status, body } = fake.receive({
        method: 'POST',
        url: 'http://checkout.fake/tokens',
        headers: { authorization: `Bearer ${PUBLIC_KEY}` },
        body: { type: 'card', number, expiry_month: 12, expiry_year: 2035, cvv: '100' },
      })
      return status === 201 ? textIn(body, 'token') : undefined
    },
    effects: () => fake.effects(),
    visit: (url, decision) => fake.visit?.(url, decision) ?? {},
    webhookUrlIn(request) {
      if (request.method !== 'POST' || pathOf(request) !== '/workflows') return undefined
      const action = firstAction(request.body)
      key = textIn(signatureIn(action), 'key') ?? key
      return textIn(action, 'url')
    },
    registerWebhook: () => {
      key = WEBHOOK_KEY
    },
    takeNotifications: () =>
      fake.takeNotifications().map((notification) => ({
        ...notification,
        headers: {
          ...notification.headers,
          'cko-signature': createHmac('sha256', key).update(notification.text).digest('hex'),
        },
      })),
    setTime: (time) => fake.advance(time - fake.now()),
  }
}
