import { expect, test } from 'vitest'
import type { PaymentContext } from '../../../src/connectors/contract/call.ts'
import { purchase } from '../../support/domains/connector-call.ts'
import { REFUND_MS } from './fake-payments.ts'
import { type Bench, openBench, openPayment } from './harness.ts'

const MINUTE_MS = 60_000
const lastBody = (bench: Bench) => bench.fake.requests.at(-1)?.body
const token = (providerToken: string): Partial<PaymentContext> => ({ instrument: { providerToken } })

test('an authorization with a card token holds the money', async () => {
  const bench = openBench()
  const id = bench.nextId()
  expect(await bench.run('authorize', { id })).toMatchObject({
    status: 'approved',
    amount: 10_00,
    references: { transaction: 'tr_0000000001' },
  })
  expect(bench.fake.effects()).toMatchObject([{ key: id, kind: 'authorize', amount: 10_00 }])
  expect(lastBody(bench)).toEqual({
    amount: { currency: 'EUR', value: '10.00' },
    description: 'order-1',
    metadata: {
      operation_id: id,
      transaction_id: '01920000-0000-7000-8000-000000000001',
      reference: 'order-1',
    },
    webhookUrl: 'https://railyard.test/notifications/shop/service/token',
    method: 'creditcard',
    captureMode: 'manual',
    redirectUrl: 'https://railyard.test/approved',
    cancelUrl: 'https://railyard.test/cancelled',
    cardToken: 'tkn_approve',
  })
})

test('a sale is captured by the provider', async () => {
  const bench = openBench()
  const id = bench.nextId()
  expect(await bench.run('sale', { id })).toMatchObject({ status: 'approved', amount: 10_00 })
  expect(bench.fake.effects()).toMatchObject([{ key: id, kind: 'sale' }])
  expect(lastBody(bench)).toMatchObject({ captureMode: 'automatic' })
})

test('a demanded challenge sends the buyer to the provider, and the books tell what they did', async () => {
  const bench = openBench()
  const payment = await openPayment(bench, 'sale', {}, token('tkn_challenge'))
  expect(payment.outcome).toMatchObject({
    status: 'pending',
    approval: { url: 'https://www.mollie.com/checkout/tr_0000000001' },
  })
  bench.fake.visit?.('https://www.mollie.com/checkout/tr_0000000001', 'approve')
  expect(await bench.find({ ...payment, kind: 'sale' })).toMatchObject({
    status: 'found',
    outcome: { status: 'approved', amount: 10_00 },
  })
})

test('a demanded challenge is a decline if the buyer has no page to come back to', async () => {
  const bench = openBench()
  const context = { ...token('tkn_challenge'), canChallenge: false }
  expect(await bench.run('sale', {}, context)).toMatchObject({
    status: 'failed',
    code: 'requires_buyer_authentication',
  })
})

test('a challenge whose link the buyer has got stays pending until it expires', async () => {
  const bench = openBench()
  const payment = await openPayment(bench, 'sale', {}, token('tkn_challenge'))
  const operation = { ...payment, kind: 'sale' as const }
  const context = { instrument: {}, canChallenge: false }
  expect(await bench.find(operation, context)).toMatchObject({ outcome: { status: 'pending' } })
  expect(await bench.close(operation, context)).toMatchObject({ outcome: { status: 'pending' } })
  bench.fake.advance(60 * MINUTE_MS)
  expect(await bench.close(operation, context)).toMatchObject({
    outcome: { code: 'incomplete_buyer_approval' },
  })
})

test('without a card token the buyer enters the card on the provider’s page', async () => {
  const bench = openBench()
  expect(await bench.run('authorize', {}, { instrument: {} })).toMatchObject({
    status: 'pending',
    approval: { url: expect.stringContaining('/checkout/') },
  })
  expect(await bench.run('authorize', {}, { instrument: {}, canChallenge: false })).toMatchObject({
    code: 'missing_redirect_url',
    unprocessed: true,
  })
})

const card = { number: '4111111111111111', expirationDate: '03/30', securityCode: '737', scheme: 'visa' }
const networkToken = {
  number: '4111111111111111',
  expirationDate: '03/30',
  cryptogram: null,
  eci: null,
  scheme: 'visa',
  source: 'network',
} as const
const authentication = {
  version: '2.2.0',
  directory_response: 'Y',
  authentication_response: null,
  directory_transaction_id: null,
  cavv: null,
  eci: '05',
  cavv_algorithm: null,
  transaction_reason: null,
  cardholder_info: null,
}

test.each<[string, Partial<PaymentContext>, string]>([
  ['a card number', { instrument: { card } }, 'invalid_service_configuration'],
  ['a network token', { instrument: { networkToken } }, 'unsupported_payment_method'],
  ['an earlier payment', { instrument: { earlierPayment: 'tr_1' } }, 'unsupported_transaction'],
  ['3-D Secure data of others', { ...token('tkn_approve'), authentication }, 'unsupported_transaction'],
  ['a token of another provider', token('pm_card_visa'), 'invalid_payment_method'],
  ['encrypted fields', { instrument: { providerToken: { number: 'x' } } }, 'invalid_payment_method'],
  [
    'a stored card of another provider',
    { instrument: { serviceToken: 'cus_1/pm_1' } },
    'invalid_payment_method',
  ],
])('%s is refused before any request', async (_what, context, code) => {
  const bench = openBench()
  expect(await bench.run('authorize', {}, context)).toMatchObject({
    status: 'failed',
    code,
    unprocessed: true,
  })
  expect(bench.fake.requests).toEqual([])
})

test('a verification of a card is refused before any request', async () => {
  const bench = openBench()
  expect(await bench.run('authorize', { amount: 0 })).toMatchObject({
    code: 'invalid_amount',
    unprocessed: true,
  })
  expect(bench.fake.requests).toEqual([])
})

test('increments and payouts are not offered', () => {
  const { operations, definition } = openBench().connector
  expect(Object.keys(operations)).toEqual(['authorize', 'sale', 'capture', 'void', 'cancel', 'refund'])
  expect(definition.features).toMatchObject({ over_capture: false, incremental_authorization: false })
})

test('two captures of one payment have each its own result', async () => {
  const bench = openBench()
  const payment = await openPayment(bench)
  const [first, second, third] = [6_00, 4_00, 1_00].map((amount) => ({
    ...payment,
    id: bench.nextId(),
    kind: 'capture' as const,
    amount,
  }))
  expect(await bench.run('capture', first)).toMatchObject({ status: 'pending' })
  expect(await bench.run('capture', second)).toMatchObject({ status: 'pending' })
  expect(await bench.run('capture', third)).toMatchObject({ status: 'failed', code: 'invalid_amount' })
  bench.fake.advance(MINUTE_MS)
  expect(await bench.find(first ?? {})).toMatchObject({ outcome: { status: 'approved', amount: 6_00 } })
  expect(await bench.find(second ?? {})).toMatchObject({ outcome: { status: 'approved', amount: 4_00 } })
  expect(await bench.find(third ?? {})).toEqual({ status: 'absent' })
})

test('a void is pending until the payment is canceled', async () => {
  const bench = openBench()
  const payment = await openPayment(bench)
  const operation = { ...payment, id: bench.nextId(), kind: 'void' as const }
  expect(await bench.find(operation)).toEqual({ status: 'absent' })
  expect(await bench.run('void', operation)).toMatchObject({ status: 'pending' })
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  expect(bench.fake.effects().at(-1)).toMatchObject({ kind: 'void', key: operation.id })
  // the authorization was made all the same
  expect(await bench.find({ ...payment, kind: 'authorize' })).toMatchObject({
    outcome: { status: 'approved' },
  })
})

test('a refund is pending until the provider has executed it', async () => {
  const bench = openBench()
  const payment = await openPayment(bench, 'sale')
  const operation = { ...payment, id: bench.nextId(), kind: 'refund' as const, amount: 3_00 }
  expect(await bench.run('refund', operation)).toMatchObject({ status: 'pending' })
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'pending' } })
  bench.fake.advance(REFUND_MS)
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount: 3_00 } })
})

test.each([
  ['queued', { status: 'pending', facts: { raw_response_code: 'queued' } }],
  ['processing', { status: 'pending' }],
  ['failed', { status: 'declined', code: 'service_decline' }],
  ['canceled', { status: 'failed', code: 'canceled' }],
])('a refund that is %s', async (status, outcome) => {
  const bench = openBench()
  const payment = await openPayment(bench, 'sale')
  const operation = { ...payment, id: bench.nextId(), kind: 'refund' as const, amount: 3_00 }
  await bench.run('refund', operation)
  const [refund] = bench.fake.books.payments[0]?.refunds ?? []
  if (refund) refund.status = status
  expect(await bench.find(operation)).toMatchObject({ status: 'found', outcome })
})

test('a card is stored with its customer, and charged without its buyer', async () => {
  const bench = openBench()
  const buyer = { id: 'buyer-1', name: 'Ada', email: 'ada@example.com', billing: null }
  const first = await bench.run(
    'sale',
    { id: bench.nextId() },
    {
      ...token('tkn_approve'),
      storesInstrument: true,
      purchase: async () => purchase({ buyer }),
    },
  )
  expect(first).toMatchObject({
    status: 'approved',
    storedToken: 'cst_0000000001/mdt_0000000003',
    storedCard: {
      scheme: 'mastercard',
      last4: '6787',
      expirationDate: '04/30',
      type: 'debit',
      country: 'NL',
    },
  })
  expect(bench.fake.requests.map(({ path }) => path)).toEqual(['/v2/customers', '/v2/payments'])
  expect(lastBody(bench)).toMatchObject({ sequenceType: 'first', customerId: 'cst_0000000001' })
  const stored = 'storedToken' in first ? first.storedToken : undefined
  const merchant = {
    instrument: { ...(stored && { serviceToken: stored }) },
    canChallenge: false,
    storedCredential: {
      initiator: 'merchant',
      usage: 'subsequent',
      reason: 'recurring',
      schemeTransactionId: null,
      transactionLinkId: null,
    },
  } satisfies Partial<PaymentContext>
  expect(await bench.run('sale', { id: bench.nextId() }, merchant)).toMatchObject({ status: 'approved' })
  const sent = lastBody(bench)
  expect(sent).toMatchObject({ sequenceType: 'recurring', mandateId: 'mdt_0000000003' })
  expect(sent).not.toHaveProperty('redirectUrl')
  const mandate = bench.fake.books.mandates.get('mdt_0000000003')
  if (mandate) mandate.status = 'invalid'
  expect(await bench.run('sale', { id: bench.nextId() }, merchant)).toMatchObject({
    status: 'declined',
    code: 'canceled_payment_method',
  })
  expect(bench.fake.effects()).toHaveLength(2)
})

test('a buyer who pays with a stored card confirms it on the provider’s page', async () => {
  const bench = openBench()
  bench.fake.books.customers.set('cst_1', {})
  const context = { instrument: { serviceToken: 'cst_1/mdt_1' } }
  expect(await bench.run('sale', {}, context)).toMatchObject({ status: 'pending', approval: {} })
  expect(lastBody(bench)).toMatchObject({ customerId: 'cst_1' })
  expect(lastBody(bench)).not.toHaveProperty('sequenceType')
})

test('a payment that the buyer has not paid is canceled where the provider can', async () => {
  const klarna = openBench('mollie-klarna')
  const payment = await openPayment(klarna, 'authorize')
  const operation = { ...payment, id: klarna.nextId(), kind: 'cancel' as const }
  expect(await klarna.find(operation)).toEqual({ status: 'absent' })
  expect(await klarna.run('cancel', operation)).toMatchObject({ status: 'approved' })
  expect(await klarna.find({ ...payment, kind: 'authorize' })).toMatchObject({
    outcome: { status: 'failed', code: 'cancelled_buyer_approval' },
  })
  const ideal = openBench('mollie-ideal')
  const open = await openPayment(ideal, 'sale')
  const refused = { ...open, id: ideal.nextId(), kind: 'cancel' as const }
  expect(await ideal.run('cancel', refused)).toMatchObject({
    status: 'declined',
    code: 'refused_transaction',
  })
  ideal.fake.advance(15 * MINUTE_MS)
  expect(await ideal.run('cancel', refused)).toMatchObject({ status: 'approved' })
})

test('a cancellation that comes after the authorization releases it', async () => {
  const bench = openBench()
  const payment = await openPayment(bench, 'authorize', {}, token('tkn_challenge'))
  bench.fake.visit?.(`/${payment.paymentReference}`, 'approve')
  const operation = { ...payment, id: bench.nextId(), kind: 'cancel' as const }
  expect(await bench.run('cancel', operation)).toMatchObject({ status: 'pending' })
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved' } })
})

test('a live key in a sandbox is never sent', async () => {
  const bench = openBench()
  bench.fields['api_key'] = 'live_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM'
  expect(await bench.run('sale')).toMatchObject({ code: 'invalid_service_configuration', unprocessed: true })
  expect(await bench.connector.verifyCredentials(bench.call({}))).toBe('refused')
  expect(bench.fake.requests).toEqual([])
})

test('credentials are accepted, refused, or cannot be checked now', async () => {
  const bench = openBench()
  expect(await bench.connector.verifyCredentials(bench.call({}))).toBe('accepted')
  bench.fields['api_key'] = 'test_other'
  expect(await bench.connector.verifyCredentials(bench.call({}))).toBe('refused')
  bench.faults.push('lost before')
  expect(await bench.connector.verifyCredentials(bench.call({}))).toBe('no answer')
})
