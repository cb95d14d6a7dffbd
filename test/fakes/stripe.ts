import { FakeStripe, SECRET_KEY, WEBHOOK_SECRET } from '../connectors/stripe/fake.ts'
import { type HostedFake, pathOf, textIn } from './hosted-fake.ts'

/** Stripe on this machine. */
export function hostStripe(now: number): HostedFake {
  const fake = new FakeStripe()
  fake.time = now
  let events: readonly string[] = ['*']
  return {
    credentials: {
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_PUBLISHABLE_KEY: 'pk_test_fake',
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    },
    script: new URL('./scripts/stripe.js', import.meta.url),
    scriptUrls: /https:\/\/js\.stripe\.com\/[^"\s]+\.js/g,
    pageUrls: /https:\/\/hooks\.stripe\.test\/[^"\s]+/g,
    receive: (request) => fake.receive(request),
    tokenFor({ number }) {
      const { status, body } = fake.receive({
        method: 'POST',
        url: 'http://stripe.fake/v1/payment_methods',
        headers: { authorization: `Bearer ${SECRET_KEY}` },
        form: { type: 'card', 'card[number]': number, 'card[exp_month]': '12', 'card[exp_year]': '2035' },
      })
      return status === 200 ? textIn(body, 'id') : undefined
    },
    effects: () => fake.effects(),
    visit: (url, decision) => fake.visit(url, decision),
    webhookUrlIn(request) {
      if (request.method !== 'POST' || pathOf(request) !== '/v1/webhook_endpoints') return undefined
      const form = Object.entries(request.form ?? {})
      events = form.filter(([name]) => name.startsWith('enabled_events')).map(([, event]) => event)
      return textIn(request.form, 'url')
    },
    registerWebhook: () => {
      events = ['*']
    },
    takeNotifications() {
      return fake
        .takeNotifications()
        .filter(({ body }) => events.includes('*') || events.includes(textIn(body, 'type') ?? ''))
    },
    setTime: (time) => fake.advance(time - fake.now()),
  }
}
