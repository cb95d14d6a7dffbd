import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import type { FaultItem } from '../../sandbox/faults/fault.schema.ts'
import { type Simulator, startSimulator } from '../../sandbox/simulator.ts'
import type {
  GiftCardForCall,
  GiftCardOperationForCall,
  GiftCardOutcome,
} from '../contract/gift-card-connector.ts'
import { type ProviderHttp, providerHttp } from '../wire/http.ts'
import { mockGiftCard } from './connector.ts'

let simulator: Simulator
let http: ProviderHttp
beforeAll(async () => {
  simulator = await startSimulator({ clock: systemClock })
  http = providerHttp(1_000)
})
afterAll(async () => {
  await http.close()
  await simulator.close()
})

let cards = 6_006_491_000_000_000
const newCard = (pin: string | null): GiftCardForCall => {
  cards += 1
  return { number: String(cards), pin }
}

/** A new gift card service. */
function newService(fields: Record<string, string> = { api_key: 'any' }) {
  const connector = mockGiftCard(`${simulator.url}/gift-card`)
  const { operations } = connector
  const call = { http: http.request, service: { id: randomUUID(), fields } }
  return {
    id: call.service.id,
    balance: (card: GiftCardForCall) => connector.balance(call, card),
    redeem: (card: GiftCardForCall, amount: number, { id = randomUUID(), currency = 'EUR' } = {}) =>
      operations.redeem({ ...call, operation: { id, kind: 'redeem', card, amount, currency } }),
    reverse: (redemption: string, id = randomUUID()) =>
      operations.reverse({
        ...call,
        operation: { id, kind: 'reverse', redemption, amount: 0, currency: 'EUR', redeemed: 0 },
      }),
    refund: (redemption: string, amount: number, { id = randomUUID(), currency = 'EUR' } = {}) =>
      operations.refund({ ...call, operation: { id, kind: 'refund', redemption, amount, currency } }),
    activate: (card: GiftCardForCall, amount: number | null, id = randomUUID()) =>
      operations.activate({
        ...call,
        operation: {
          id,
          kind: 'activate',
          card,
          amount,
          currency: amount === null ? null : 'EUR',
          reference: null,
        },
      }),
    issue: (amount: number, id = randomUUID()) =>
      operations.issue({
        ...call,
        operation: { id, kind: 'issue', theme: 'birthday', amount, currency: 'EUR', reference: null },
      }),
    find: (kind: GiftCardOperationForCall['kind'], id: string) =>
      connector.find({ ...call, operation: { id, kind } }),
    close: (kind: GiftCardOperationForCall['kind'], id: string) =>
      connector.close({ ...call, operation: { id, kind } }),
  }
}

async function misbehave(...items: FaultItem[]): Promise<void> {
  const answer = await fetch(`${simulator.url}/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
  })
  expect(answer.status).toBe(200)
}

const approved = (outcome: GiftCardOutcome) => {
  if (outcome.status !== 'approved') throw new Error(`it is ${JSON.stringify(outcome)}`)
  return outcome
}

test('a card has the balance of its PIN, until it is spent', async () => {
  const service = newService()
  const card = newCard('05000')
  const balance = async () => (await service.balance(card)) satisfies object
  expect(await balance()).toEqual({
    status: 'known',
    balance: 50_00,
    currency: null,
    expirationDate: '2099-12-31T23:59:59.000Z',
  })
  const redeemed = await service.redeem(card, 30_00)
  expect(redeemed).toMatchObject({
    status: 'approved',
    amount: 30_00,
    card: { balance: 20_00, currency: 'EUR' },
  })
  expect(await balance()).toMatchObject({ balance: 20_00, currency: 'EUR' })
  expect(await service.redeem(card, 20_01)).toMatchObject({
    status: 'declined',
    code: 'insufficient_funds',
    rawCode: 'insufficient_funds',
  })
  expect(await service.redeem(card, 1_00, { currency: 'USD' })).toMatchObject({
    status: 'declined',
    code: 'incorrect_currency',
  })
  expect(await service.redeem(card, 20_00)).toMatchObject({ status: 'approved' })
  expect(await balance()).toMatchObject({ balance: 0 })
})

test('a refund or reversal puts money back on the card, never more than was redeemed', async () => {
  const service = newService()
  const card = newCard('05000')
  const { reference } = approved(await service.redeem(card, 30_00))
  expect(await service.refund(reference, 10_00)).toMatchObject({
    status: 'approved',
    amount: 10_00,
    card: { balance: 30_00 },
  })
  expect(await service.refund(reference, 20_01)).toMatchObject({ status: 'declined', code: 'invalid_amount' })
  expect(await service.refund(reference, 1_00, { currency: 'USD' })).toMatchObject({
    status: 'declined',
    code: 'incorrect_currency',
  })
  expect(await service.reverse(reference)).toMatchObject({
    status: 'approved',
    amount: 20_00,
    card: { balance: 50_00 },
  })
  expect(await service.reverse(reference)).toMatchObject({ status: 'failed', code: 'unexpected_state' })
  expect(await service.refund(reference, 1)).toMatchObject({ status: 'declined', code: 'invalid_amount' })
  expect(await newService().reverse(reference)).toMatchObject({ status: 'failed', code: 'unexpected_state' })
  expect(await service.balance(card)).toMatchObject({ balance: 50_00 })
})

test('ten concurrent redemptions take no more than the balance', async () => {
  const service = newService()
  const card = newCard('03500')
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => service.redeem(card, 10_00)))
  expect(outcomes.filter(({ status }) => status === 'approved')).toHaveLength(3)
  expect(await service.balance(card)).toMatchObject({ balance: 5_00 })
})

test.each([
  ['1001', 'expired_card', 'declined', 'validation_error: expired_card'],
  ['20009', 'service_error', 'failed', 'server_error: service_error'],
  ['30003', 'invalid_service_credentials', 'failed', 'client_error: invalid_service_credentials'],
  ['9', 'unknown_error', 'failed', 'client_error: unknown_error'],
])('a card with the PIN %s is refused with %s', async (pin, code, status, rawMessage) => {
  const service = newService()
  const refusal = { code, rawCode: code, rawMessage }
  expect(await service.balance(newCard(pin))).toEqual({ status: 'refused', ...refusal })
  expect(await service.redeem(newCard(pin), 1_00)).toEqual({ status, ...refusal })
  expect(await service.activate(newCard(pin), 1_00)).toEqual({ status, ...refusal })
})

test('a card is activated once, with or without an amount', async () => {
  const service = newService()
  const [withAmount, plain] = [newCard(null), newCard('02500')]
  expect(await service.activate(withAmount, 10_00)).toMatchObject({
    status: 'approved',
    amount: 10_00,
    card: { balance: 10_00, currency: 'EUR' },
  })
  expect(await service.activate(plain, null)).toMatchObject({
    status: 'approved',
    amount: 0,
    card: { balance: 25_00, currency: null },
  })
  expect(await service.activate(withAmount, 10_00)).toMatchObject({
    status: 'declined',
    code: 'duplicate_transaction',
  })
})

test('an issued card has a reference and an address, and no number', async () => {
  const issued = approved(await newService().issue(25_00))
  expect(issued).toEqual({
    status: 'approved',
    amount: 25_00,
    reference: expect.stringMatching(/^iss_/),
    card: null,
    url: `https://gift-cards.example/${issued.reference}`,
  })
  expect(await newService().issue(0)).toMatchObject({ status: 'declined', code: 'invalid_amount' })
})

test('a service without an API key is refused', async () => {
  const service = newService({})
  expect(await service.balance(newCard('0100'))).toMatchObject({
    status: 'refused',
    code: 'invalid_service_credentials',
  })
  expect(await service.redeem(newCard('0100'), 1)).toMatchObject({
    status: 'failed',
    code: 'invalid_service_credentials',
  })
})

test('a repeated redemption has one effect and the same answer', async () => {
  const service = newService()
  const card = newCard('05000')
  const id = randomUUID()
  const first = await service.redeem(card, 30_00, { id })
  expect(await service.redeem(card, 30_00, { id })).toEqual(first)
  // the first request under the key took effect: a conflict decides nothing
  expect(await service.redeem(card, 20_00, { id })).toEqual({ status: 'unknown', reason: expect.any(String) })
  expect(await service.find('redeem', id)).toEqual({ status: 'found', outcome: first })
  expect(await newService().find('redeem', id)).toEqual({ status: 'absent' })
  expect(await service.balance(card)).toMatchObject({ balance: 20_00 })
})

test('closing an operation prevents it if it has not arrived, and finds it if it took effect', async () => {
  const service = newService()
  const card = newCard('05000')
  const [late, done] = [randomUUID(), randomUUID()]
  expect(await service.close('redeem', late)).toEqual({ status: 'absent' })
  expect(await service.redeem(card, 30_00, { id: late })).toMatchObject({
    status: 'declined',
    code: 'operation_canceled',
  })
  const outcome = await service.redeem(card, 10_00, { id: done })
  expect(await service.close('redeem', done)).toEqual({ status: 'found', outcome })
  expect(await service.balance(card)).toMatchObject({ balance: 40_00 })
})

test.each(['lost', 'malformed', 'empty', 'error', 'reset', 'outage'] as const)(
  'an answer that is %s is unknown until the books were read',
  async (kind) => {
    const service = newService()
    const card = newCard('05000')
    const id = randomUUID()
    await misbehave(
      { payment_service_id: service.id, operation: 'redeem', kind },
      { payment_service_id: service.id, operation: 'balance', kind },
    )
    expect(await service.redeem(card, 30_00, { id })).toMatchObject({ status: 'unknown' })
    expect(await service.balance(card)).toMatchObject({ status: 'lost' })
    await misbehave()
    const tookEffect = ['lost', 'malformed', 'empty'].includes(kind)
    expect(await service.find('redeem', id)).toEqual(
      tookEffect
        ? { status: 'found', outcome: expect.objectContaining({ status: 'approved', amount: 30_00 }) }
        : { status: 'absent' },
    )
    expect(await service.balance(card)).toMatchObject({ balance: tookEffect ? 20_00 : 50_00 })
  },
)

test('an answer to another request, and unreachable books, leave the outcome unknown', async () => {
  const service = newService()
  const card = newCard('05000')
  await service.redeem(card, 1_00)
  await misbehave(
    { payment_service_id: service.id, operation: 'redeem', kind: 'duplicate' },
    { payment_service_id: service.id, operation: 'find', kind: 'error' },
  )
  const id = randomUUID()
  expect(await service.redeem(card, 30_00, { id })).toMatchObject({ status: 'unknown' })
  expect(await service.find('redeem', id)).toEqual({ status: 'unsure' })
  await misbehave()
  expect(await service.find('redeem', id)).toMatchObject({ status: 'found', outcome: { status: 'approved' } })
})

test('a refused connection means that nothing was sent', async () => {
  const connector = mockGiftCard('http://127.0.0.1:1/gift-card')
  const call = { http: http.request, service: { id: randomUUID(), fields: { api_key: 'any' } } }
  const operation = {
    id: randomUUID(),
    kind: 'redeem',
    card: newCard('0100'),
    amount: 1,
    currency: 'EUR',
  } as const
  expect(await connector.operations.redeem({ ...call, operation })).toMatchObject({
    status: 'failed',
    code: 'service_network_error',
    unprocessed: true,
  })
})

test('the books hold no number and no PIN', async () => {
  const service = newService()
  const card = newCard('047110815')
  await service.redeem(card, 1_00)
  const text = await (await fetch(`${simulator.url}/books`)).text()
  expect(text).toContain(service.id)
  expect(text).not.toContain(card.number)
  expect(text).not.toContain('47110815')
})
