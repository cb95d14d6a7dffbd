import { describe, expect, test } from 'vitest'
import { ABSENCE_MARGIN_MS } from '../../../src/connectors/checkout/absence.ts'
import type { CardForCall, PayoutContext } from '../../../src/connectors/contract/call.ts'
import { lastBody, openBench } from './harness.ts'

const ACCOUNT = 'ca_abcdefghijklmnopqrstuvwxyz'
const card: CardForCall = {
  number: '4242424242424242',
  expirationDate: '12/30',
  securityCode: null,
  scheme: 'visa',
}

const toCard = (more: Partial<PayoutContext> = {}): PayoutContext => ({
  instrument: { card },
  category: null,
  merchant: null,
  options: {},
  ...more,
})

function open() {
  const bench = openBench()
  Object.assign(bench.fields, { currency_account_id: ACCOUNT, card_numbers: 'allow' })
  const callOf = (id: string, payout: PayoutContext) => ({ ...bench.call({ id, kind: 'payout' }), payout })
  return {
    bench,
    id: bench.nextId(),
    send: (id: string, payout = toCard()) => bench.connector.operations.payout?.(callOf(id, payout)),
    find: (id: string) => bench.connector.find(callOf(id, toCard({ instrument: {} }))),
  }
}

test('a payout is accepted, and found paid', async () => {
  const { bench, id, send, find } = open()
  expect(await send(id)).toMatchObject({ status: 'pending' })
  expect(lastBody(bench)).toEqual({
    source: { type: 'currency_account', id: ACCOUNT },
    destination: { type: 'card', number: card.number, expiry_month: 12, expiry_year: 2030 },
    amount: 10_00,
    currency: 'EUR',
    reference: id,
  })
  expect(await bench.deliver()).toContainEqual({ about: 'operation', operation: id, late: 'approval' })
  expect(await find(id)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  expect(bench.fake.effects()).toMatchObject([{ key: id, kind: 'payout', amount: 10_00 }])
})

test('a payout that the card’s bank declines has its code', async () => {
  const { id, send, find } = open()
  await send(id, toCard({ instrument: { card: { ...card, number: '4544249167673670' } } }))
  expect(await find(id)).toMatchObject({
    outcome: { status: 'declined', code: 'insufficient_funds', facts: { raw_response_code: '20051' } },
  })
})

test('a payout whose answer is lost is found by its reference', async () => {
  const { bench, id, send, find } = open()
  bench.faults.push('lost after')
  expect(await send(id)).toMatchObject({ status: 'unknown' })
  expect(await find(id)).toMatchObject({ outcome: { status: 'approved' } })
  expect(bench.fake.effects()).toHaveLength(1)
})

test('a payout that never arrived is absent only after the margin', async () => {
  const { bench, id, send, find } = open()
  bench.faults.push('lost before')
  await send(id)
  expect(await find(id)).toEqual({ status: 'unsure' })
  bench.fake.advance(ABSENCE_MARGIN_MS)
  expect(await find(id)).toEqual({ status: 'absent' })
})

test('a stored card and a network token are destinations, without a cryptogram', async () => {
  const { bench, id, send } = open()
  await send(id, toCard({ instrument: { serviceToken: 'src_abc' } }))
  expect(lastBody(bench)).toMatchObject({ destination: { type: 'id', id: 'src_abc' } })
  const token = { number: '4242424242424242', expirationDate: '12/30', cryptogram: null, eci: null }
  const networkToken = { ...token, scheme: 'visa', source: 'network' as const }
  await send(bench.nextId(), toCard({ instrument: { networkToken } }))
  expect(lastBody(bench)).toMatchObject({
    destination: { type: 'network_token', token: token.number, expiry_month: 12, token_type: 'vts' },
  })
})

test('the sender that the merchant gives is sent', async () => {
  const { bench, id, send } = open()
  const merchant = {
    name: 'Tea House',
    identification_number: 'DE123',
    phone_number: '+491234',
    url: 'https://tea.example',
    statement_descriptor: 'TEA',
    merchant_category_code: '5499',
    address: { line1: 'Weg 1', city: 'Berlin', country: 'DE' },
  }
  expect(await send(id, toCard({ merchant }))).toMatchObject({ status: 'pending' })
  expect(lastBody(bench)).toMatchObject({
    sender: {
      type: 'corporate',
      company_name: 'Tea House',
      reference: 'DE123',
      address: { address_line1: 'Weg 1', city: 'Berlin', country: 'DE' },
    },
    billing_descriptor: { reference: 'TEA' },
  })
})

describe('refused before it is sent', () => {
  test.each([
    ['without a currency account', { currency_account_id: '' }, {}, 'invalid_service_configuration'],
    ['card numbers that may not be sent', { card_numbers: 'refuse' }, {}, 'invalid_service_configuration'],
    ['winnings', {}, { category: 'online_gambling' as const }, 'unsupported_transaction'],
  ])('%s', async (_, fields, more, code) => {
    const { bench, id, send } = open()
    Object.assign(bench.fields, fields)
    expect(await send(id, toCard(more))).toMatchObject({ status: 'failed', code, unprocessed: true })
    expect(bench.fake.requests).toEqual([])
  })
})
