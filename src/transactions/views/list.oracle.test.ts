import { afterAll, beforeAll, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { enteredCard, sendLink } from '../../../test/support/domains/payment-links.ts'
import {
  authenticatedPayment,
  challenge,
  requireAuthentication,
  scenario,
} from '../../../test/support/domains/secure-shop.ts'
import { openWalletShop, type WalletShop } from '../../../test/support/domains/wallet.ts'
import { card, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { addService } from '../../../test/support/shop.ts'
import { TransactionQuery } from './transaction.list.ts'

/**
 * Each filter against a predicate on the API's own answers about each payment. The payments are drawn from
 * small pools, so that every value has payments that match and payments that do not, and every state of a
 * payment comes about through the API.
 */

type Body = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, which the predicates below read
type ApiAnswer = any

/**
 * A payment as its merchant knows it: the API's answer, and what the merchant sent and the API does not
 * answer.
 */
interface KnownPayment {
  shown: ApiAnswer
  refunds: ApiAnswer[]
  ip: string | null
  link: string | null
}

let railyard: TestRailyard
let shop: WalletShop
let all: KnownPayment[]

const SEED = 20_240_611
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * Mulberry32, a pseudo-random generator: the same payments in every run. Returns a function that draws from a
 * pool.
 */
function drawWith(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return <T>(pool: readonly T[]): T => pool[Math.floor(next() * pool.length)] as T
}
const draw = drawWith(SEED)

const numbers = [
  '4111111111111111',
  '5555555555554444',
  '378282246310005',
  '3530111333300000',
  '4000002500000003',
]
const ips = ['203.0.113.9', '198.51.100.1', null]
const guests: (Body | undefined)[] = [
  undefined,
  {
    display_name: 'Ada Lovelace',
    external_identifier: 'guest-1',
    account_number: 'A-1',
    billing_details: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email_address: 'Ada@Example.com',
      phone_number: '+4930123456',
      tax_id: { value: 'DE123456789', kind: 'eu.vat' },
      address: {
        line1: 'Main Street 1',
        line2: 'Back house',
        house_number_or_name: '1',
        city: 'Berlin',
        postal_code: '10115',
        country: 'DE',
      },
    },
  },
  {
    billing_details: {
      first_name: 'Ada',
      email_address: 'ada@example.com',
      address: { state: 'Ohio', state_code: 'US-OH', country: 'US' },
    },
  },
  {
    external_identifier: 'guest-2',
    billing_details: { last_name: 'Berlin', address: { organization: 'Ada Ltd' } },
  },
]
const sources: Body[] = [
  {},
  { payment_source: 'moto' },
  { payment_source: 'recurring', merchant_initiated: true, is_subsequent_payment: true },
  { payment_source: 'card_on_file', merchant_initiated: true },
  { payment_source: 'card_on_file', is_subsequent_payment: true },
]
const byBuyer = { payment_source: 'ecommerce', merchant_initiated: false, is_subsequent_payment: false }
const metadata: (Record<string, string> | undefined)[] = [
  undefined,
  { shelf: '7' },
  { shelf: '7', row: 'b' },
  { row: 'b', shelf: '8' },
  {},
]

/** The members that vary from payment to payment in every story. */
const terms = (): Body => ({
  currency: draw(['EUR', 'USD']),
  country: draw(['US', 'DE', undefined]),
  external_identifier: draw(['order-1', 'order-2', undefined]),
  metadata: draw(metadata),
  buyer: draw(guests),
  payment_service_id: draw([shop.paymentServiceId, second, undefined]),
})
const cardTerms = (): Body => ({
  ...terms(),
  ...draw(sources),
  payment_method: { ...card, number: draw(numbers) },
})
const amount = () => draw([5_00, 12_00, 12_01, 42_00])

let second: string
let asksIssuers: string
let storedBuyer: string
let storedCard: string
let storedGiftCard: string

/** Makes one payment and acts on it; returns its id. */
type Story = (ip: string | null) => Promise<{ id: string; link?: string }>

const headers = (ip: string | null) => (ip ? { 'x-forwarded-for': ip } : undefined)
async function pays(ip: string | null, sum: number, more: Body = {}) {
  const { status, body } = await shop.pay(sum, { ...cardTerms(), ...more }, headers(ip))
  expect({ status, refused: status === 201 ? null : body }).toEqual({ status: 201, refused: null })
  return shop.payment(body.id)
}
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

const stories: Record<string, Story> = {
  authorized: async (ip) => pays(ip, amount()),
  declined: async (ip) => pays(ip, draw([200_011, 200_015, 300_008])),
  sold: async (ip) => sells(ip),
  captured: async (ip) => {
    const payment = await pays(ip, 42_00)
    await payment.capture({ amount: 12_00 })
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
  'gift card and card': async (ip) => sells(ip, 42_00, { gift_cards: [{ ...newGiftCard(), amount: 12_00 }] }),
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
    return (await shop.post('/transactions', body, headers(ip))).body
  },
  'second gift card refused, the first put back': async (ip) =>
    sells(ip, 42_00, {
      gift_cards: [
        { ...newGiftCard(), amount: 12_00 },
        { ...newGiftCard('01'), amount: 50 },
      ],
    }),
  'wallet, waiting for the buyer': async (ip) => {
    const { body } = await shop.ask(amount(), { external_identifier: 'order-1' }, headers(ip))
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
      three_d_secure_data: {
        cavv: 'AAAB',
        eci: '05',
        version: '2.2.0',
        directory_response: 'Y',
        directory_transaction_id: 'd-1',
      },
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
  'stored with the payment': async (ip) =>
    pays(ip, amount(), { ...byBuyer, store: true, buyer: undefined, buyer_id: storedBuyer }),
}

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openWalletShop(railyard)
  second = await addService(railyard, shop, { display_name: 'Second' })
  asksIssuers = await addService(railyard, shop, {
    display_name: 'With 3-D Secure',
    accepted_currencies: ['EUR'],
    accepted_countries: ['US'],
  })
  await requireAuthentication(railyard, shop, asksIssuers)
  await scenario(railyard, shop, 77_01, 'C', 'Y')
  await addGiftCardService(railyard, shop)
  await addAntiFraudService(railyard, shop)
  storedBuyer = (
    await shop.post('/buyers', {
      external_identifier: 'buyer-1',
      billing_details: { email_address: 'stored@example.com' },
    })
  ).body.id
  storedCard = (
    await shop.post('/payment-methods', {
      number: numbers[1],
      expiration_date: '12/35',
      buyer_id: storedBuyer,
    })
  ).body.id
  storedGiftCard = (await shop.post('/gift-cards', newGiftCard())).body.id

  const known: Omit<KnownPayment, 'shown' | 'refunds'>[] = []
  const ids: string[] = []
  const add = (id: string, ip: string | null, link: string | null) => {
    ids.push(id)
    known.push({ ip, link })
  }
  const old = await pays(null, 42_00)
  add(old.id, null, null)
  railyard.clock.advance(8 * DAY_MS)
  add((await old.capture({ reauthorize_if_authorization_expired: true })).body.id, null, null)
  for (const [index, [name, story]] of Object.entries(stories)
    .flatMap((entry) => [entry, entry])
    .entries()) {
    const ip = draw(ips)
    const isByServer =
      !/wallet, approved|wallet, refused|challenged|from a link|gift card alone, refunded/.test(name)
    const { id, link = null } = await story(isByServer ? ip : null)
    expect({ name, id }).toEqual({ name, id: expect.any(String) })
    add(id, isByServer ? ip : null, link)
    if (index % 8 === 7) railyard.clock.advance(MINUTE_MS)
  }
  all = await Promise.all(
    known.map(async (rest, index) => {
      const payment = shop.payment(ids[index] ?? '')
      return { ...rest, shown: await payment.read(), refunds: await payment.refunds() }
    }),
  )
})
afterAll(() => railyard.close())

const equalsIgnoringCase = (text: string | null | undefined, value: string) =>
  (text ?? '').toLowerCase() === value.toLowerCase()
const isAmong = (value: unknown, values: unknown[]) => values.includes(value)
/** Every text in a JSON value. */
const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

type Values = string[]
/** Whether a filter with these values must find a payment. A single value comes as a list of one. */
const predicates: Record<string, (known: KnownPayment, values: Values) => boolean> = {
  created_at_lte: ({ shown }, [at = '']) => Date.parse(shown.created_at) <= Date.parse(at),
  created_at_gte: ({ shown }, [at = '']) => Date.parse(shown.created_at) >= Date.parse(at),
  updated_at_lte: ({ shown }, [at = '']) => Date.parse(shown.updated_at) <= Date.parse(at),
  updated_at_gte: ({ shown }, [at = '']) => Date.parse(shown.updated_at) >= Date.parse(at),
  search: ({ shown: { id, external_identifier, payment_service_transaction_id, buyer } }, [text = '']) =>
    isAmong(text, [external_identifier, payment_service_transaction_id, buyer?.external_identifier]) ||
    equalsIgnoringCase(id, text) ||
    equalsIgnoringCase(buyer?.id, text),
  buyer_external_identifier: ({ shown }, [text]) => shown.buyer?.external_identifier === text,
  buyer_id: ({ shown }, [id = '']) => equalsIgnoringCase(shown.buyer?.id, id),
  buyer_email_address: ({ shown }, [text = '']) =>
    equalsIgnoringCase(shown.buyer?.billing_details?.email_address, text),
  ip_address: ({ ip }, [text]) => ip === text,
  status: ({ shown }, values) => isAmong(shown.status, values),
  id: ({ shown }, [id = '']) => equalsIgnoringCase(shown.id, id),
  payment_service_transaction_id: ({ shown }, [text]) => shown.payment_service_transaction_id === text,
  external_identifier: ({ shown }, [text]) => shown.external_identifier === text,
  metadata: ({ shown }, values) =>
    Object.entries(Object.assign({}, ...values.map((value) => JSON.parse(value)))).every(
      ([k, v]) => shown.metadata?.[k] === v,
    ),
  amount_eq: ({ shown }, [sum]) => shown.amount === Number(sum),
  amount_lte: ({ shown }, [sum]) => shown.amount <= Number(sum),
  amount_gte: ({ shown }, [sum]) => shown.amount >= Number(sum),
  currency: ({ shown }, values) => isAmong(shown.currency, values),
  country: ({ shown }, values) => isAmong(shown.country, values),
  payment_service_id: ({ shown }, values) =>
    values.some((id) => equalsIgnoringCase(shown.payment_service?.id, id)),
  payment_method_id: ({ shown }, [id = '']) => equalsIgnoringCase(shown.payment_method?.id, id),
  payment_method_label: ({ shown }, [text]) => shown.payment_method?.label === text,
  payment_method_scheme: ({ shown }, values) => isAmong(shown.payment_method?.scheme, values),
  payment_method_country: ({ shown }, [text]) => countryOf(shown.payment_method) === text,
  payment_method_fingerprint: ({ shown }, [text]) => shown.payment_method?.fingerprint === text,
  method: ({ shown }, values) => isAmong(shown.method, values),
  error_code: ({ shown }, values) => isAmong(shown.error_code, values),
  has_refunds: ({ refunds }) => refunds.some(({ status }) => status === 'succeeded'),
  pending_review: ({ shown }) => shown.pending_review,
  checkout_session_id: ({ shown }, [id = '']) => equalsIgnoringCase(shown.checkout_session_id, id),
  payment_link_id: ({ link }, [id = '']) => equalsIgnoringCase(link, id),
  reconciliation_id: ({ shown }, [text]) => shown.reconciliation_id === text,
  has_gift_card_redemptions: ({ shown }) => shown.gift_card_redemptions.length > 0,
  gift_card_id: ({ shown }, [id = '']) =>
    shown.gift_card_redemptions.some(({ gift_card }: ApiAnswer) => equalsIgnoringCase(gift_card.id, id)),
  gift_card_last4: ({ shown }, [text]) =>
    shown.gift_card_redemptions.some(({ gift_card }: ApiAnswer) => gift_card.last4 === text),
  has_settlements: ({ shown }) => shown.settled,
  payment_method_bin: ({ shown }, [text]) => shown.payment_method?.details?.bin === text,
  payment_source: ({ shown }, values) => isAmong(shown.payment_source, values),
  is_subsequent_payment: ({ shown }) => shown.is_subsequent_payment,
  merchant_initiated: ({ shown }) => shown.merchant_initiated,
  used_3ds: ({ shown }) => shown.three_d_secure !== null,
  disputed: ({ shown }) => shown.disputed,
  reauthorized_from_transaction_id: ({ shown }, [id = '']) =>
    equalsIgnoringCase(shown.reauthorized_from_transaction_id, id),
  buyer_search: ({ shown }, values) => {
    const { type: _t, reconciliation_id: _r, ...buyer } = shown.buyer ?? {}
    const { type: _b, ...billing } = buyer.billing_details ?? {}
    const texts = textsOf({ ...buyer, billing_details: billing })
    const email = billing.email_address
    return values.every((value) => isAmong(value, texts) || (!!email && equalsIgnoringCase(email, value)))
  },
}

/** The issuers' countries of the sandbox's cards. A method that is no card has its own country. */
const issuers: Record<string, string> = {
  '411111': 'US',
  '555555': 'DE',
  '378282': 'US',
  '353011': 'JP',
  '400000': 'FR',
}
const countryOf = (method: ApiAnswer) => method?.country ?? issuers[method?.details?.bin.slice(0, 6)] ?? null

const booleans = Object.entries(TransactionQuery.properties).flatMap(([name, schema]) =>
  JSON.stringify(schema).includes('"boolean"') ? [name] : [],
)
const isList = (name: string) =>
  JSON.stringify(TransactionQuery.properties[name as keyof TransactionQuery]).includes('"array"')
const unknownId = '11111111-1111-4111-8111-111111111111'

const distinct = (values: unknown[]): string[] =>
  [...new Set(values.filter((value) => value !== null && value !== undefined).map(String))].sort()
const of = (read: (shown: ApiAnswer) => unknown) => distinct(all.flatMap(({ shown }) => read(shown)))

/** The values to try a filter with: those of the payments, and some that no payment has. */
const pools: Record<string, () => string[]> = {
  created_at_lte: () => [...of((shown) => shown.created_at), '2020-01-01T00:00:00+02:00'],
  created_at_gte: () => [...of((shown) => shown.created_at), '2120-01-01T00:00:00+02:00'],
  updated_at_lte: () => [...of((shown) => shown.updated_at), '2020-01-01T00:00:00Z'],
  updated_at_gte: () => [...of((shown) => shown.updated_at), '2120-01-01T00:00:00Z'],
  search: () => [
    ...of(({ id, external_identifier: text, payment_service_transaction_id: reference, buyer }) => [
      id,
      text,
      reference,
      buyer?.id,
      buyer?.external_identifier,
    ]),
    storedBuyer.toUpperCase(),
    'ORDER-1',
    'order',
  ],
  buyer_external_identifier: () => [...of((shown) => shown.buyer?.external_identifier), 'Guest-1'],
  buyer_id: () => [storedBuyer, storedBuyer.toUpperCase(), unknownId],
  buyer_email_address: () => [
    ...of((shown) => shown.buyer?.billing_details?.email_address),
    'ADA@EXAMPLE.COM',
    'ada@example',
  ],
  ip_address: () => [...distinct(ips), '192.0.2.1'],
  status: () => TransactionStatuses,
  id: () => of((shown) => [shown.id, shown.id.toUpperCase()]),
  payment_service_transaction_id: () => [...of((shown) => shown.payment_service_transaction_id), 'pay_none'],
  external_identifier: () => ['order-1', 'order-2', 'order'],
  metadata: () => ['{"shelf":"7"}', '{"row":"b"}', '{"shelf":"8","row":"b"}', '{}', '{"shelf":"9"}'],
  amount_eq: () => [...of((shown) => shown.amount), '1'],
  amount_lte: () => [...of((shown) => shown.amount), '1'],
  amount_gte: () => [...of((shown) => shown.amount), '2147483647'],
  currency: () => ['EUR', 'USD', 'GBP'],
  country: () => ['US', 'DE', 'JP'],
  payment_service_id: () => [shop.paymentServiceId, second.toUpperCase(), shop.walletServiceId, unknownId],
  payment_method_id: () => [...of((shown) => shown.payment_method?.id), storedCard.toUpperCase(), unknownId],
  payment_method_label: () => [...of((shown) => shown.payment_method?.label), '0000'],
  payment_method_scheme: () => [...of((shown) => shown.payment_method?.scheme), 'discover'],
  payment_method_country: () => ['US', 'DE', 'JP', 'FR', 'CN'],
  payment_method_fingerprint: () => [...of((shown) => shown.payment_method?.fingerprint), '0'.repeat(64)],
  method: () => ['card', 'wallet', 'gift-card', 'ideal'],
  error_code: () => [...of((shown) => shown.error_code), 'issuer_decline'],
  checkout_session_id: () => [...of((shown) => shown.checkout_session_id), unknownId],
  payment_link_id: () => [...distinct(all.map(({ link }) => link)), unknownId],
  reconciliation_id: () => [...of((shown) => shown.reconciliation_id), 'zzz'],
  gift_card_id: () => [storedGiftCard, storedGiftCard.toUpperCase(), unknownId],
  gift_card_last4: () => [
    ...of(({ gift_card_redemptions }) =>
      gift_card_redemptions.map(({ gift_card }: ApiAnswer) => gift_card.last4),
    ),
    'none',
  ],
  payment_method_bin: () => [...of((shown) => shown.payment_method?.details?.bin), '60110000'],
  payment_source: () => ['ecommerce', 'moto', 'recurring', 'installment', 'card_on_file'],
  reauthorized_from_transaction_id: () => [
    ...of((shown) => shown.reauthorized_from_transaction_id),
    unknownId,
  ],
  buyer_search: () => [...distinct(textsOf(guests)), storedBuyer, 'buyer-1', 'ada', 'STORED@example.com'],
  ...Object.fromEntries(booleans.map((name) => [name, () => ['true', 'false']])),
}

const TransactionStatuses = [
  'processing',
  'buyer_approval_pending',
  'authorization_succeeded',
  'authorization_declined',
  'authorization_failed',
  'authorization_void_pending',
  'authorization_voided',
  'capture_pending',
  'capture_succeeded',
]

type Filter = [name: string, values: Values]

const matches = (known: KnownPayment, [name, values]: Filter) => {
  const isMatch = predicates[name]?.(known, values) ?? expect.fail(name)
  return booleans.includes(name) ? isMatch === (values[0] === 'true') : isMatch
}

const query = (filters: Filter[]) =>
  filters.flatMap(([name, values]) => values.map((value) => `${name}=${encodeURIComponent(value)}`)).join('&')

/** Expects the API to find the payments that the predicates select; returns how many there are. */
async function expectMatches(filters: Filter[]): Promise<number> {
  const { status, body } = await shop.get(`/transactions?limit=100&${query(filters)}`)
  expect({ filters, status }).toEqual({ filters, status: 200 })
  const found = body.items.map(({ id }: ApiAnswer) => id).sort()
  const expected = all
    .filter((known) => filters.every((filter) => matches(known, filter)))
    .map(({ shown }) => shown.id)
  expect({ filters, found }).toEqual({ filters, found: expected.sort() })
  return expected.length
}

const names = Object.keys(TransactionQuery.properties).filter((name) => name !== 'cursor' && name !== 'limit')

test.each(names)(
  'the filter %s finds the payments that match it by their own answers, and no others',
  async (name) => {
    const pool = pools[name]?.() ?? []
    const tries: Values[] = pool.map((value) => [value])
    if (isList(name)) tries.push(...pool.slice(1).map((value, index) => [pool[index] ?? '', value]))
    const counts = []
    for (const values of tries) counts.push(await expectMatches([[name, values]]))
    // some value of each filter finds a payment, and some value leaves one out
    expect(Math.max(...counts)).toBeGreaterThan(0)
    expect(Math.min(...counts)).toBeLessThan(all.length)
  },
)

test('there are 44 filters, and each of them has its predicate', () => {
  expect(names).toHaveLength(44)
  expect(Object.keys(predicates).sort()).toEqual([...names].sort())
})

test('with two filters a payment must match both', async () => {
  const drawAny = drawWith(7)
  const withValue = (name: string): Filter => [name, [drawAny(pools[name]?.() ?? [])]]
  for (let tried = 0; tried < 150; tried += 1) {
    const first = drawAny(names)
    await expectMatches([withValue(first), withValue(drawAny(names.filter((name) => name !== first)))])
  }
})
