import { eventTypes } from '../../src/connectors/mollie/registration.ts'
import { API_KEY, mollieFake } from '../connectors/mollie/fake.ts'
import codes from '../contracts/codes/mollie.json' with { type: 'json' }
import { type HostedFake, pathOf, textIn } from './hosted-fake.ts'

const testCards = new Set(codes.test.cards.map(({ number }) => number))
/** The real provider's captures take a minute, its refunds two hours. */
const SHORT_WAIT_MS = 1_000
const WEBHOOK_SECRET = 'fake-webhook-secret'

/** Mollie on this machine. Its buyers decide each payment on its page, as in the provider's test mode. */
export function hostMollie(now: number): HostedFake {
  const fake = mollieFake(now, { capture: SHORT_WAIT_MS, refund: SHORT_WAIT_MS })
  const { webhooks } = fake.books
  let cards = 0
  return {
    credentials: {
      MOLLIE_API_KEY: API_KEY,
      MOLLIE_PROFILE_ID: 'pfl_fake',
      MOLLIE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    },
    script: new URL('./scripts/mollie.js', import.meta.url),
    scriptUrls: /https:\/\/js\.mollie\.com\/[^"\s]+\.js/g,
    pageUrls: /https:\/\/www\.mollie\.com\/checkout\/[^"\s]+/g,
    receive: (request) => fake.receive(request),
    tokenFor({ number }) {
      if (!testCards.has(number)) return undefined
      cards += 1
      return `tkn_challenge${cards}`
    },
    effects: () => fake.effects(),
    visit: (url, decision) => fake.visit?.(url, decision) ?? {},
    webhookUrlIn: (request) =>
      request.method === 'POST' && pathOf(request) === '/v2/webhooks'
        ? textIn(request.body, 'url')
        : undefined,
    registerWebhook(url) {
      webhooks.set('hook_given', {
        body: { name: 'fake', url, eventTypes },
        secret: WEBHOOK_SECRET,
        createdAt: now,
      })
    },
    takeNotifications() {
      // one URL is served: the one that was registered last
      for (const id of [...webhooks.keys()].slice(0, -1)) webhooks.delete(id)
      return fake.takeNotifications().filter(({ headers }) => headers['x-mollie-signature'] !== undefined)
    },
    setTime: (time) => fake.advance(time - fake.now()),
  }
}
