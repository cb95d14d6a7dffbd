import { API_KEY, adyenFake, HMAC_KEY, MERCHANT } from '../connectors/adyen/fake.ts'
import { CHALLENGED_CARD } from '../connectors/adyen/fake-payments.ts'
import codes from '../contracts/codes/adyen.json' with { type: 'json' }
import { type HostedFake, pathOf, textIn } from './hosted-fake.ts'

const testCards = new Set([CHALLENGED_CARD, ...codes.test.cards.map(({ number }) => number)])

/** Adyen on this machine. */
export function hostAdyen(now: number): HostedFake {
  const fake = adyenFake(now)
  return {
    credentials: {
      ADYEN_API_KEY: API_KEY,
      ADYEN_MERCHANT_ACCOUNT: MERCHANT,
      ADYEN_CLIENT_KEY: 'test_FAKE',
      ADYEN_HMAC_KEY: HMAC_KEY,
    },
    script: new URL('./scripts/adyen.js', import.meta.url),
    scriptUrls: /https:\/\/checkoutshopper-test\.cdn\.adyen\.com\/[^"\s]+\.js/g,
    pageUrls: /https:\/\/(?:checkoutshopper-test\.adyen\.com\/threeds|eu\.adyen\.link)\/[^"\s]+/g,
    receive: (request) => fake.receive(request),
    tokenFor({ number, holderName }) {
      if (!testCards.has(number)) return undefined
      return {
        type: 'scheme',
        ...(holderName && { holderName }),
        encryptedCardNumber: `test_${number}`,
        encryptedExpiryMonth: 'test_03',
        encryptedExpiryYear: 'test_2030',
        encryptedSecurityCode: 'test_737',
      }
    },
    effects: () => fake.effects(),
    visit: (url, decision) => fake.visit?.(url, decision) ?? {},
    webhookUrlIn: (request) =>
      request.method !== 'GET' && /^\/v3\/merchants\/[^/]+\/webhooks/.test(pathOf(request))
        ? textIn(request.body, 'url')
        : undefined,
    registerWebhook: () => {},
    takeNotifications: () => fake.takeNotifications(),
    setTime: (time) => fake.advance(time - fake.now()),
  }
}
