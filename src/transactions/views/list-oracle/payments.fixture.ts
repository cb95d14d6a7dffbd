import { expect } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../../test/support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../../../../test/support/domains/gift-cards.ts'
import { enteredCard, sendLink } from '../../../../test/support/domains/payment-links.ts'
import {
  authenticatedPayment,
  challenge,
  requireAuthentication,
  scenario,
} from '../../../../test/support/domains/secure-shop.ts'
import { externalAuthentication } from '../../../../test/support/domains/three-d-secure.ts'
import type { WalletShop } from '../../../../test/support/domains/wallet.ts'
import { injectFaults } from '../../../../test/support/provider.ts'
import type { TestRailyard } from '../../../../test/support/railyard.ts'
import { addService } from '../../../../test/support/shop.ts'
import {
  amount,
  type Body,
  byBuyer,
  cardTerms,
  DAY_MS,
  draw,
  ips,
  type KnownPayment,
  MINUTE_MS,
  numbers,
} from './draws.fixture.ts'

/** What the payments are made with. */
interface Stage {
  railyard: TestRailyard
  shop: WalletShop
  second: string
  /** The payment service that asks the cards' issuers. */
  asksIssuers: string
  storedBuyer: string
  storedCard: string
  storedGiftCard: string
}

/** Makes one payment and acts on it; returns its id. */
type Script = (ip: string | null) => Promise<{ id: string; link?: string }>

const headersFrom = (ip: string | null) => (ip ? { 'x-forwarded-for': ip } : undefined)

/** Pays by a card with drawn terms. */
const paysWith =
  ({ shop, second }: Pick<Stage, 'shop' | 'second'>) =>
  async (ip: string | null, sum: number, more: Body = {}) => {
    const { status, body } = await shop.pay(
      sum,
      { ...cardTerms([shop.paymentServiceId, second]), ...more },
      headersFrom(ip),
    )
    expect({ status, refused: status === 201 ? null : body }).toEqual({ status: 201, refused: null })
    return shop.payment(body.id)
  }

/** Every kind of payment, by its name. */
export function scriptsOf({
  railyard,
  shop,
  second,
  asksIssuers,
  storedBuyer,
  storedCard,
  storedGiftCard,
}: Stage): Record<string, Script> {
  const pays = paysWith({ shop, second })
  const sells = (ip: string | null, sum = amount(), more: Body = {}) =>
    pays(ip, sum, { intent: 'capture', ...more })
  const simulates = async (id: string, event: Body) =>
    expect(await shop.post(`/sandbox/transactions/${id}/simulate`, event)).toMatchObject({ status: 200 })
  const redemptionsOf = async (id: string): Promise<{ id: string }[]> =>
    (await shop.payment(id).read()).gift_card_redemptions
  const toGiftCard = async (id: string, more: Body = {}) => {
    const [redemption] = await redemptionsOf(id)
    const answer = await shop
      .payment(id)
      .refund({ target_type: 'gift-card-redemption', target_id: redemption?.id, ...more })
    expect(answer).toMatchObject({ status: 201, body: { status: 'succeeded' } })
  }

  return {
    authorized: async (ip) => pays(ip, amount()),
    declined: async (ip) => pays(ip, draw([200_011, 200_015, 300_008])),
    sold: async (ip) => sells(ip),
    captured: async (ip) => {
      const payment = await pays(ip, 42_00)
      await payment.capture({ amount: 12_00 })
      return payment
    },
    'refund unknown': async (ip) => {
      const payment = await sells(ip, 42_00)
      await injectFaults(railyard, { operation: 'refund', kind: 'lost', times: 1 })
      expect(await payment.refund({ amount: 1_00 })).toMatchObject({ body: { status: 'processing' } })
      return payment
    },
    voided: async (ip) => {
      const payment = await pays(ip, amount())
      await payment.void()
      return payment
    },
    refunded: async (ip) => {
      const payment = await sells(ip)
      await payment.refund({ amount: 1_00 })
      return payment
    },
    'refund declined': async (ip) => {
      const payment = await sells(ip, 520_002)
      expect(await payment.refund()).toMatchObject({ status: 201, body: { status: 'declined' } })
      return payment
    },
    'gift card and card': async (ip) =>
      sells(ip, 42_00, { gift_cards: [{ ...newGiftCard(), amount: 12_00 }] }),
    'gift card and card, the gift card refunded': async (ip) => {
      const payment = await sells(ip, 42_00, { gift_cards: [{ ...newGiftCard(), amount: 12_00 }] })
      await toGiftCard(payment.id, { amount: 1_00 })
      return payment
    },
    'gift card alone, refunded': async () => {
      const body = {
        amount: 12_00,
        currency: 'EUR',
        intent: 'capture',
        gift_cards: [{ id: storedGiftCard, amount: 12_00 }],
      }
      const answer = await shop.post('/transactions', { ...body, external_identifier: 'order-2' })
      expect(answer).toMatchObject({ status: 201, body: { status: 'capture_succeeded' } })
      await toGiftCard(answer.body.id, { amount: 12_00 })
      return answer.body
    },
    'gift card alone': async (ip) => {
      const body = {
        amount: 5_00,
        currency: 'EUR',
        intent: 'capture',
        gift_cards: [{ id: storedGiftCard, amount: 5_00 }],
      }
      return (await shop.post('/transactions', body, headersFrom(ip))).body
    },
    'second gift card refused, the first put back': async (ip) =>
      sells(ip, 42_00, {
        gift_cards: [
          { ...newGiftCard(), amount: 12_00 },
          { ...newGiftCard('01'), amount: 50 },
        ],
      }),
    'wallet, waiting for the buyer': async (ip) => {
      const { body } = await shop.ask(amount(), { external_identifier: 'order-1' }, headersFrom(ip))
      return body
    },
    'wallet, approved': async () => shop.authorized(amount(), { metadata: { shelf: '7' } }),
    'wallet, refused': async () => {
      const payment = await shop.asked(amount())
      await fetch(await payment.buyer.cancel(), { redirect: 'manual' })
      return payment
    },
    'held for review': async (ip) => pays(ip, amount(), { buyer: buyerScreenedAs('review') }),
    settled: async (ip) => {
      const payment = await sells(ip)
      await simulates(payment.id, { event: 'settled' })
      return payment
    },
    disputed: async (ip) => {
      const payment = await sells(ip)
      await simulates(payment.id, { event: 'disputed', amount: 1_00 })
      return payment
    },
    'authenticated elsewhere': async (ip) =>
      pays(ip, amount(), {
        ...byBuyer,
        three_d_secure_data: externalAuthentication,
      }),
    'challenged by the issuer': async () => {
      const { body } = await shop.pay(77_01, { payment_service_id: asksIssuers, ...authenticatedPayment() })
      await challenge(railyard, body.payment_method.approval_url, draw(['confirm', 'decline']))
      return body
    },
    'from a checkout session': async (ip) =>
      pays(ip, amount(), { payment_method: await enteredCard(railyard, shop), ...byBuyer }),
    'from a link': async () => {
      const sent = await sendLink(railyard, shop, { intent: draw(['authorize', 'capture']) })
      return { id: (await sent.pay()).id, link: sent.id }
    },
    'by a stored card': async (ip) =>
      pays(ip, amount(), {
        payment_method: { method: 'id', id: storedCard },
        buyer: undefined,
        buyer_id: storedBuyer,
      }),
    'by a buyer on file': async (ip) => pays(ip, amount(), { buyer: undefined, buyer_id: storedBuyer }),
    'without an outcome': async (ip) => {
      await injectFaults(railyard, { operation: '*', kind: 'lost', times: 10 })
      const payment = await pays(ip, amount())
      await injectFaults(railyard)
      expect(await payment.read()).toMatchObject({ status: 'processing' })
      return payment
    },
    'stored with the payment': async (ip) =>
      pays(ip, amount(), { ...byBuyer, store: true, buyer: undefined, buyer_id: storedBuyer }),
  }
}

/** Configures the services and stores what the payments need. */
export async function prepareStage(railyard: TestRailyard, shop: WalletShop): Promise<Stage> {
  const second = await addService(railyard, shop, { display_name: 'Second' })
  const asksIssuers = await addService(railyard, shop, {
    display_name: 'With 3-D Secure',
    accepted_currencies: ['EUR'],
    accepted_countries: ['US'],
  })
  await requireAuthentication(railyard, shop, asksIssuers)
  await scenario(railyard, shop, 77_01, 'C', 'Y')
  await addGiftCardService(railyard, shop)
  await addAntiFraudService(railyard, shop)
  const storedBuyer = (
    await shop.post('/buyers', {
      external_identifier: 'buyer-1',
      billing_details: { email_address: 'stored@example.com' },
    })
  ).body.id
  const storedCard = (
    await shop.post('/payment-methods', {
      number: numbers[1],
      expiration_date: '12/35',
      buyer_id: storedBuyer,
    })
  ).body.id
  const storedGiftCard = (await shop.post('/gift-cards', newGiftCard())).body.id
  return { railyard, shop, second, asksIssuers, storedBuyer, storedCard, storedGiftCard }
}

/** Makes two payments of each kind, and one whose authorization was renewed. */
export async function makePayments(stage: Stage): Promise<KnownPayment[]> {
  const { railyard, shop } = stage
  const known: Omit<KnownPayment, 'shown' | 'refunds'>[] = []
  const ids: string[] = []
  const add = (id: string, ip: string | null, link: string | null, unknown = false) => {
    ids.push(id)
    known.push({ ip, link, unknown })
  }
  const old = await paysWith(stage)(null, 42_00)
  add(old.id, null, null)
  railyard.clock.advance(8 * DAY_MS)
  // a payment without an outcome keeps none
  await railyard.recovery.stop()
  add((await old.capture({ reauthorize_if_authorization_expired: true })).body.id, null, null)
  for (const [index, [name, script]] of Object.entries(scriptsOf(stage))
    .flatMap((entry) => [entry, entry])
    .entries()) {
    const ip = draw(ips)
    const isByServer =
      !/wallet, approved|wallet, refused|challenged|from a link|gift card alone, refunded/.test(name)
    const { id, link = null } = await script(isByServer ? ip : null)
    expect({ name, id }).toEqual({ name, id: expect.any(String) })
    add(id, isByServer ? ip : null, link, /refund unknown|without an outcome/.test(name))
    if (index % 8 === 7) railyard.clock.advance(MINUTE_MS)
  }
  return Promise.all(
    known.map(async (rest, index) => {
      const payment = shop.payment(ids[index] ?? '')
      return { ...rest, shown: await payment.read(), refunds: await payment.refunds() }
    }),
  )
}
