import { expect, test } from 'vitest'
import { adyenGiftCard } from '../../../src/connectors/adyen/gift-card/connector.ts'
import type { StoredNotice } from '../../../src/connectors/contract/call.ts'
import type {
  GiftCardCall,
  GiftCardForCall,
  GiftCardLookup,
  GiftCardOutcome,
} from '../../../src/connectors/contract/gift-card-connector.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import codes from '../../contracts/codes/adyen.json' with { type: 'json' }
import { adyenFake } from './fake.ts'
import { type Fault, fields } from './harness.ts'
import { refusalTexts } from './refusal-texts.ts'

const card: GiftCardForCall = { number: '6280501100000000000', pin: '73737' }
const HOUR_MS = 3_600_000

function openGiftCards() {
  const fake = adyenFake()
  const connector = adyenGiftCard({ clock: fake, isSandbox: true, baseUrl: 'http://adyen.test' })
  fake.giftCards.set(card.number, {
    pin: '73737',
    balance: { value: 50_00, currency: 'EUR' },
    active: true,
  })
  const faults: (Fault | undefined)[] = []
  const notices = new Map<string, StoredNotice & { subject: string }>()
  const http = async (request: HttpRequest): Promise<HttpAnswer> => {
    const fault = faults.shift()
    if (fault === 'unsent') return { lost: true, sent: false, reason: 'ECONNREFUSED' }
    if (fault === 'lost before') return { lost: true, sent: true, reason: 'no answer in time' }
    const { status, headers = {}, body } = fake.receive(request)
    if (fault === 'lost after') return { lost: true, sent: true, reason: 'the connection broke' }
    if (fault) return fault
    return { lost: false, status, headers, body: { ...(body as Record<string, unknown>) } }
  }
  const service = { id: 'service', fields: { ...fields, brand: 'givex' } }
  const base = { http, service }
  let ids = 0
  const nextId = () => {
    ids += 1
    const time = fake.now().toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${`${ids}`.padStart(12, '0')}`
  }
  const lookup = (id: string, kind: GiftCardLookup['operation']['kind']): GiftCardLookup => ({
    ...base,
    operation: { id, kind },
    notices: async () => [...notices.values()].filter(({ subject }) => subject === id),
  })
  return {
    fake,
    faults,
    service,
    nextId,
    connector,
    balance: (given = card) => connector.balance(base, given),
    redeem: (amount: number, id = nextId(), given = card, currency = 'EUR') =>
      connector.operations.redeem({
        ...base,
        operation: { id, kind: 'redeem', card: given, amount, currency },
      }),
    reverse: (redemption: string, amount: number, redeemed: number, id = nextId()) =>
      connector.operations.reverse({
        ...base,
        operation: { id, kind: 'reverse', redemption, amount, currency: 'EUR', redeemed },
      }),
    refund: (redemption: string, amount: number, id = nextId()) =>
      connector.operations.refund({
        ...base,
        operation: { id, kind: 'refund', redemption, amount, currency: 'EUR' },
      }),
    activate: (given: GiftCardForCall, amount: number | null, id = nextId()) =>
      connector.operations.activate({
        ...base,
        operation: {
          id,
          kind: 'activate',
          card: given,
          amount,
          currency: amount === null ? null : 'EUR',
          reference: null,
        },
      } satisfies GiftCardCall<'activate'>),
    issue: () =>
      connector.operations.issue({
        ...base,
        operation: { id: nextId(), kind: 'issue', theme: 't', amount: 1, currency: 'EUR', reference: null },
      }),
    find: (id: string, kind: GiftCardLookup['operation']['kind']) => connector.find(lookup(id, kind)),
    close: (id: string, kind: GiftCardLookup['operation']['kind']) => connector.close(lookup(id, kind)),
    /** Keeps what the due notifications say, as Railyard does. */
    async deliver(messages = fake.takeNotifications()) {
      for (const message of messages)
        for (const subject of (await connector.readNotification?.(base, message)) ?? []) {
          if (subject.about !== 'operation' || !subject.notice) throw new Error(subject.about)
          const { id, body } = subject.notice
          const received_at = new Date(fake.now()).toISOString()
          notices.set(id, { body, received_at, subject: subject.operation })
        }
    },
    readNotification: (message: ReturnType<typeof fake.takeNotifications>[number]) =>
      connector.readNotification?.(base, message),
  }
}

const reference = (outcome: GiftCardOutcome): string => {
  if (outcome.status !== 'approved') throw new Error(JSON.stringify(outcome))
  return outcome.reference
}

test('a card has its balance at the provider, and a redemption lowers it', async () => {
  const cards = openGiftCards()
  expect(await cards.balance()).toEqual({
    status: 'known',
    balance: 50_00,
    currency: 'EUR',
    expirationDate: null,
  })
  const id = cards.nextId()
  expect(await cards.redeem(30_00, id)).toMatchObject({ status: 'approved', amount: 30_00 })
  expect(await cards.balance()).toMatchObject({ balance: 20_00 })
  expect(cards.fake.requests.find(({ path }) => path === '/payments')).toMatchObject({
    key: id,
    body: {
      reference: id,
      captureDelayHours: 0,
      paymentMethod: { type: 'giftcard', brand: 'givex', number: card.number, cvc: '73737' },
    },
  })
})

test.each([
  ['more than the balance', 50_01, card, 'EUR', 'declined', 'insufficient_funds'],
  ['an unknown card', 1, { number: '6280501100000000001', pin: '1' }, 'EUR', 'declined', 'invalid_gift_card'],
  ['a wrong PIN', 1, { ...card, pin: '1' }, 'EUR', 'declined', 'invalid_gift_card'],
  ['another currency', 1, card, 'USD', 'failed', 'invalid_service_configuration'],
])('a redemption with %s is refused', async (_, amount, given, currency, status, code) => {
  const cards = openGiftCards()
  expect(await cards.redeem(amount, cards.nextId(), given, currency)).toMatchObject({ status, code })
  expect(cards.fake.effects()).toEqual([])
})

test.each(codes.refusalReasonCode.filter(({ error_code }) => error_code !== null))(
  'the refusal $code of a redemption is a refusal with the provider’s code and words',
  async ({ code }) => {
    const cards = openGiftCards()
    const refusalReason = refusalTexts[code] ?? 'Refused'
    const body = { resultCode: 'Refused', refusalReason, refusalReasonCode: code, pspReference: 'X' }
    cards.faults.push({ lost: false, status: 200, headers: {}, body })
    const outcome = await cards.redeem(1_00)
    expect(['declined', 'failed']).toContain(outcome.status)
    expect(outcome).toMatchObject({ rawCode: code, rawMessage: refusalReason })
  },
)

test('a reversal of a whole redemption waits for its notification, and puts the amount back', async () => {
  const cards = openGiftCards()
  const redemption = reference(await cards.redeem(30_00))
  const id = cards.nextId()
  expect(await cards.reverse(redemption, 30_00, 30_00, id)).toMatchObject({ status: 'pending' })
  expect(cards.fake.requests.at(-1)).toMatchObject({ path: `/payments/${redemption}/reversals`, key: id })
  await cards.deliver()
  expect(await cards.find(id, 'reverse')).toMatchObject({
    status: 'found',
    outcome: { status: 'approved', amount: 30_00 },
  })
  expect(await cards.balance()).toMatchObject({ balance: 50_00 })
})

test('what refunds have left of a redemption is reversed by a refund', async () => {
  const cards = openGiftCards()
  const redemption = reference(await cards.redeem(30_00))
  const [refund, rest] = [cards.nextId(), cards.nextId()]
  expect(await cards.refund(redemption, 10_00, refund)).toMatchObject({ status: 'pending' })
  expect(await cards.reverse(redemption, 20_00, 30_00, rest)).toMatchObject({ status: 'pending' })
  expect(cards.fake.requests.at(-1)?.path).toBe(`/payments/${redemption}/refunds`)
  await cards.deliver()
  expect(await cards.find(refund, 'refund')).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  expect(await cards.find(rest, 'reverse')).toMatchObject({ outcome: { status: 'approved', amount: 20_00 } })
  expect(await cards.balance()).toMatchObject({ balance: 50_00 })
})

test('a refund of more than was redeemed is accepted, and refused by its notification', async () => {
  const cards = openGiftCards()
  const redemption = reference(await cards.redeem(30_00))
  const id = cards.nextId()
  expect(await cards.refund(redemption, 30_01, id)).toMatchObject({ status: 'pending' })
  await cards.deliver()
  expect(await cards.find(id, 'refund')).toMatchObject({
    status: 'found',
    outcome: { code: 'unknown_error', rawMessage: 'Insufficient balance on payment' },
  })
})

test('a refund that the provider takes back after its success is refused, and its notification says so', async () => {
  const cards = openGiftCards()
  const redemption = reference(await cards.redeem(30_00))
  const id = cards.nextId()
  await cards.refund(redemption, 10_00, id)
  await cards.deliver()
  expect(await cards.find(id, 'refund')).toMatchObject({ outcome: { status: 'approved' } })
  cards.fake.takeBack(id)
  const [message] = cards.fake.takeNotifications()
  if (!message) throw new Error('no notification')
  expect(await cards.readNotification(message)).toMatchObject([
    { about: 'operation', operation: id, late: 'failure' },
  ])
  await cards.deliver([message])
  expect(await cards.find(id, 'refund')).toMatchObject({
    outcome: { code: 'unknown_error', rawCode: 'REFUND_FAILED', rawMessage: 'Insufficient balance' },
  })
  expect(await cards.balance()).toMatchObject({ balance: 20_00 })
})

test.each(['lost before', 'lost after'] as const)(
  'a redemption whose answer was %s is sent again under its key, and takes effect once',
  async (fault) => {
    const cards = openGiftCards()
    const id = cards.nextId()
    cards.faults.push(fault)
    expect(await cards.redeem(30_00, id)).toMatchObject({ status: 'unknown' })
    expect(await cards.find(id, 'redeem')).toEqual({ status: 'absent' })
    expect(await cards.redeem(30_00, id)).toMatchObject({ status: 'approved', amount: 30_00 })
    expect(cards.fake.effects()).toHaveLength(1)
    await cards.deliver()
    expect(await cards.find(id, 'redeem')).toMatchObject({ outcome: { status: 'approved', amount: 30_00 } })
  },
)

test('once the provider may have forgotten the key, only a notification decides', async () => {
  const cards = openGiftCards()
  const [redemption, activation] = [cards.nextId(), cards.nextId()]
  cards.faults.push('lost before', 'lost before')
  await cards.redeem(1_00, redemption)
  await cards.activate(card, null, activation)
  cards.fake.advance(6 * 24 * HOUR_MS)
  expect(await cards.find(redemption, 'redeem')).toEqual({ status: 'unsure' })
  expect(await cards.activate(card, null, activation)).toMatchObject({ status: 'unknown' })
  expect(await cards.close(activation, 'activate')).toEqual({ status: 'unsure' })
})

test.each<[string, Fault, object]>([
  ['is not sent', 'unsent', { status: 'failed', code: 'service_network_error', unprocessed: true }],
  [
    'has wrong credentials',
    { lost: false, status: 401, headers: {}, body: { errorCode: '000' } },
    { status: 'failed', code: 'invalid_service_credentials', unprocessed: true },
  ],
  [
    'conflicts with one under its key',
    { lost: false, status: 422, headers: {}, body: { errorCode: '704' } },
    { status: 'unknown' },
  ],
  ['gets a 502', { lost: false, status: 502, headers: {}, body: {} }, { status: 'unknown' }],
  [
    'ends with an error of the issuer',
    { lost: false, status: 200, headers: {}, body: { resultCode: 'Error', pspReference: 'X' } },
    { status: 'unknown' },
  ],
  [
    'is approved in part',
    {
      lost: false,
      status: 200,
      headers: {},
      body: { resultCode: 'Authorised', pspReference: 'X', amount: { value: 1, currency: 'EUR' } },
    },
    { status: 'unknown' },
  ],
  [
    'gets the answer to another one',
    {
      lost: false,
      status: 200,
      headers: {},
      body: { resultCode: 'Authorised', pspReference: 'X', merchantReference: 'another' },
    },
    { status: 'unknown' },
  ],
  [
    'is decided later',
    { lost: false, status: 200, headers: {}, body: { resultCode: 'Received', pspReference: 'X' } },
    { status: 'pending', reference: 'X' },
  ],
])('a redemption that %s', async (_, fault, outcome) => {
  const cards = openGiftCards()
  cards.faults.push(fault)
  expect(await cards.redeem(10_00)).toMatchObject(outcome)
})

test('a card is activated once, with an amount or with the value that it was sold for', async () => {
  const cards = openGiftCards()
  const [empty, sold] = ['6280501100000000002', '6280501100000000003']
  const inactive = { pin: '1', active: false }
  cards.fake.giftCards.set(empty, { ...inactive, balance: { value: 0, currency: 'EUR' } })
  cards.fake.giftCards.set(sold, { ...inactive, balance: { value: 25_00, currency: 'EUR' } })
  const id = cards.nextId()
  const approved = { status: 'approved', amount: 10_00, card: { balance: 10_00, currency: 'EUR' } }
  expect(await cards.activate({ number: empty, pin: null }, 10_00, id)).toMatchObject(approved)
  expect(await cards.activate({ number: empty, pin: null }, 10_00, id)).toMatchObject(approved)
  expect(await cards.activate({ number: sold, pin: '1' }, null)).toMatchObject({ amount: 25_00 })
  expect(await cards.activate({ number: empty, pin: null }, 10_00)).toMatchObject({
    status: 'failed',
    code: 'unknown_error',
    rawMessage: 'Card already active',
  })
})

test('virtual cards are not issued, and nothing is sent for them', async () => {
  const cards = openGiftCards()
  expect(await cards.issue()).toMatchObject({
    status: 'failed',
    code: 'invalid_service_configuration',
    unprocessed: true,
  })
  expect(cards.fake.requests).toEqual([])
})

test('a balance that the provider refuses, or does not answer', async () => {
  const cards = openGiftCards()
  expect(await cards.balance({ ...card, pin: '1' })).toMatchObject({
    status: 'refused',
    code: 'invalid_gift_card',
    rawMessage: 'Invalid Pin',
  })
  cards.faults.push('lost before')
  expect(await cards.balance()).toEqual({ status: 'lost', reason: 'no answer in time' })
  cards.faults.push({ lost: false, status: 401, headers: {}, body: {} })
  expect(await cards.balance()).toMatchObject({ status: 'refused', code: 'invalid_service_credentials' })
  cards.faults.push({ lost: false, status: 200, headers: {}, body: { resultCode: 'Error' } })
  expect(await cards.balance()).toMatchObject({ status: 'lost' })
})

test('a notification with a changed member is forged, and without an HMAC key none is believed', async () => {
  const cards = openGiftCards()
  await cards.redeem(1_00)
  const [message] = cards.fake.takeNotifications()
  if (!message) throw new Error('no notification')
  expect(await cards.readNotification(message)).toMatchObject([{ about: 'operation' }])
  const changed = JSON.parse(message.text.replace('"value":100', '"value":101'))
  expect(await cards.readNotification({ ...message, body: changed })).toEqual([{ about: 'forged' }])
  cards.service.fields.hmac_key = ''
  expect(await cards.readNotification(message)).toEqual([{ about: 'nothing' }])
})

test.each([
  ['JPY', 1_000, 1_000],
  ['KWD', 1_234, 1_234],
  ['ISK', 10, 1_000],
])('an amount in %s is sent in the provider’s own smallest unit', async (currency, amount, value) => {
  const cards = openGiftCards()
  const number = '6280501100000000009'
  cards.fake.giftCards.set(number, { pin: '1', balance: { value: 1_000_000, currency }, active: true })
  const given = { number, pin: '1' }
  expect(await cards.redeem(amount, cards.nextId(), given, currency)).toMatchObject({ amount })
  expect(cards.fake.requests.at(-1)?.body['amount']).toEqual({ value, currency })
})
