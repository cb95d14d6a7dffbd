import { expect, test } from 'vitest'
import { buying, lastBody, openBench } from './harness.ts'

test('an authorization holds the money, and says what the issuer checked', async () => {
  const bench = openBench()
  const id = bench.nextId()
  expect(await bench.run('authorize', { id })).toMatchObject({
    status: 'approved',
    amount: 10_00,
    facts: {
      raw_response_code: '10000',
      raw_response_description: 'Approved',
      iso_response_code: '00',
      avs_response_code: 'match',
      cvv_response_code: 'match',
      scheme_transaction_id: '489341065491658',
      merchant_advice_code: '24',
    },
  })
  expect(bench.fake.effects()).toMatchObject([{ key: id, kind: 'authorize', amount: 10_00 }])
  expect(bench.fake.requests).toMatchObject([{ path: '/payments', key: id }])
  expect(lastBody(bench)).toMatchObject({
    source: { type: 'token', token: 'tok_visa', store_for_future_use: false },
    amount: 10_00,
    currency: 'EUR',
    capture: false,
    reference: id,
    authorization_type: 'Estimated',
    payment_type: 'Regular',
    metadata: { order: 'order-1' },
  })
})

test('a sale is captured at once', async () => {
  const bench = openBench()
  const id = bench.nextId()
  expect(await bench.run('sale', { id })).toMatchObject({ status: 'approved', amount: 10_00 })
  expect(bench.fake.effects()).toMatchObject([{ key: id, kind: 'sale', amount: 10_00 }])
  expect(lastBody(bench)).toMatchObject({ capture: true })
})

test('a verification asks for nothing', async () => {
  const bench = openBench()
  expect(await bench.run('authorize', { amount: 0 })).toMatchObject({ status: 'approved', amount: 0 })
  expect(bench.fake.effects()).toEqual([])
})

test('a part of the amount is approved only if the merchant takes a part', async () => {
  const bench = openBench()
  const part = { instrument: { providerToken: 'tok_part' } }
  expect(
    await bench.run('authorize', { id: bench.nextId() }, { ...part, allowPartialAuthorization: true }),
  ).toMatchObject({ status: 'approved', amount: 5_00 })
  expect(await bench.run('authorize', { id: bench.nextId() }, part)).toMatchObject({
    status: 'declined',
    code: 'insufficient_funds',
  })
})

test('a challenge is a page, and a declined one is found', async () => {
  const bench = openBench()
  const payment = { instrument: { providerToken: 'tok_challenged' } }
  const id = bench.nextId()
  const outcome = await bench.run('authorize', { id }, payment)
  expect(outcome).toMatchObject({
    status: 'pending',
    approval: { url: expect.stringContaining('https://'), sessionData: null },
  })
  expect(lastBody(bench)).toMatchObject({
    '3ds': { enabled: true, attempt_n3d: true },
    success_url: 'https://railyard.test/approved',
    failure_url: 'https://railyard.test/failed',
  })
  if (outcome.status !== 'pending') throw new Error('it is not pending')
  const url = outcome.approval?.url ?? ''
  const operation = { id, paymentReference: outcome.references.transaction ?? null }
  expect(await bench.find(operation, payment)).toMatchObject({ outcome: { status: 'pending' } })
  bench.fake.visit?.(url, 'decline')
  expect(await bench.find(operation, payment)).toMatchObject({
    outcome: { status: 'failed', code: 'failed_buyer_approval' },
  })
})

test('a challenge that no buyer can answer is a refusal', async () => {
  const bench = openBench()
  const payment = { instrument: { providerToken: 'tok_challenged' }, canChallenge: false }
  expect(await bench.run('authorize', {}, payment)).toMatchObject({
    status: 'failed',
    code: 'requires_buyer_authentication',
  })
  expect(lastBody(bench)).toMatchObject({ '3ds': { enabled: false, allow_upgrade: false } })
})

test('the service may ask for a challenge only if the issuer does', async () => {
  const bench = openBench()
  bench.fields['three_d_secure'] = 'when_required'
  await bench.run('authorize')
  expect(lastBody(bench)).toMatchObject({ '3ds': { enabled: false, allow_upgrade: true } })
})

test('an authentication made elsewhere goes along', async () => {
  const bench = openBench()
  const authentication = {
    version: '2.2.0',
    directory_response: 'C',
    authentication_response: 'Y',
    directory_transaction_id: 'c7d5a1b2-0000-4000-8000-000000000001',
    cavv: 'AJkBBkhgQQAAAE4gSEJydQAAAAA=',
    eci: '05',
    cavv_algorithm: null,
    transaction_reason: null,
    cardholder_info: null,
  }
  await bench.run('authorize', {}, { instrument: { providerToken: 'tok_challenged' }, authentication })
  expect(lastBody(bench)?.['3ds']).toEqual({
    enabled: true,
    attempt_n3d: true,
    version: '2.2.0',
    status: 'Y',
    eci: '05',
    cryptogram: 'AJkBBkhgQQAAAE4gSEJydQAAAAA=',
    xid: 'c7d5a1b2-0000-4000-8000-000000000001',
  })
  expect(bench.fake.effects()).toHaveLength(1)
})

const agreed = { schemeTransactionId: '489341065491658', transactionLinkId: null }

test.each([
  [{ initiator: 'customer', usage: 'first', reason: 'recurring' }, 'Recurring', false, undefined],
  [{ initiator: 'customer', usage: 'first', reason: 'card_on_file' }, 'Regular', false, undefined],
  [{ initiator: 'merchant', usage: 'subsequent', reason: 'recurring' }, 'Recurring', true, '489341065491658'],
  [
    { initiator: 'merchant', usage: 'subsequent', reason: 'card_on_file' },
    'Unscheduled',
    true,
    '489341065491658',
  ],
  [
    { initiator: 'merchant', usage: 'subsequent', reason: 'installment' },
    'Installment',
    true,
    '489341065491658',
  ],
] as const)('a stored card is charged as %o', async (stored, type, isMerchant, previous) => {
  const bench = openBench()
  const instrument = { serviceToken: `src_${'a'.repeat(26)}` }
  const outcome = await bench.run('sale', {}, { instrument, storedCredential: { ...stored, ...agreed } })
  expect(outcome.status).toBe('approved')
  const body = lastBody(bench) ?? {}
  expect(body).toMatchObject({ payment_type: type, merchant_initiated: isMerchant })
  expect(body['previous_payment_id']).toBe(previous)
  expect(body['3ds'] === undefined).toBe(isMerchant)
})

test('a card that is to be stored gets a token', async () => {
  const bench = openBench()
  const outcome = await bench.run('authorize', {}, { storesInstrument: true })
  expect(outcome).toMatchObject({
    storedToken: expect.stringMatching(/^src_\w{26}$/),
    storedCard: {
      scheme: 'visa',
      bin: '424242',
      last4: '4242',
      expirationDate: '12/30',
      type: 'credit',
      country: 'GB',
    },
  })
  expect(lastBody(bench)).toMatchObject({ source: { store_for_future_use: true } })
})

const networkToken = {
  number: '4111111111111111',
  expirationDate: '03/30',
  cryptogram: 'AAAAAA==',
  eci: '05',
  scheme: 'visa',
} as const

test.each([
  ['network', 'visa', 'vts'],
  ['network', 'mastercard', 'mdes'],
  ['apple-pay', 'visa', 'applepay'],
  ['google-pay', 'mastercard', 'googlepay'],
  ['click-to-pay', 'visa', 'vts'],
] as const)('a token of %s (%s) is sent as %s', async (source, scheme, type) => {
  const bench = openBench()
  const outcome = await bench.run(
    'authorize',
    {},
    { instrument: { networkToken: { ...networkToken, source, scheme } } },
  )
  expect(outcome.status).toBe('approved')
  expect(lastBody(bench)?.['source']).toMatchObject({
    type: 'network_token',
    token: '4111111111111111',
    token_type: type,
    expiry_month: 3,
    expiry_year: 2030,
    cryptogram: 'AAAAAA==',
    eci: '05',
  })
})

const card = {
  number: '4242424242424242',
  expirationDate: '12/30',
  securityCode: '100',
  scheme: 'visa',
}

test('card numbers are sent only by a service that allows it', async () => {
  const bench = openBench()
  expect(await bench.run('authorize', {}, { instrument: { card } })).toMatchObject({
    status: 'failed',
    code: 'invalid_service_configuration',
    unprocessed: true,
  })
  expect(bench.fake.requests).toEqual([])
  bench.fields['card_numbers'] = 'allow'
  expect(await bench.run('authorize', {}, { instrument: { card } })).toMatchObject({ status: 'approved' })
  expect(lastBody(bench)?.['source']).toMatchObject({ type: 'card', cvv: '100', expiry_year: 2030 })
})

test.each([
  [{ providerToken: 'card_tok_1' }, 'invalid_payment_method'],
  [{ providerToken: { number: '4242' } }, 'invalid_payment_method'],
  [{ serviceToken: 'pm_1' }, 'invalid_payment_method'],
  [{ earlierPayment: 'pay_1' }, 'unsupported_transaction'],
  [{ networkToken: { ...networkToken, source: 'network', scheme: 'amex' } }, 'unsupported_payment_method'],
] as const)('%o is refused before a request', async (instrument, code) => {
  const bench = openBench()
  expect(await bench.run('authorize', {}, { instrument })).toMatchObject({ code, unprocessed: true })
  expect(bench.fake.requests).toEqual([])
})

test('the purchase goes along: descriptor, buyer, addresses, channel', async () => {
  const bench = openBench()
  bench.fields['processing_channel_id'] = `pc_${'a'.repeat(26)}`
  bench.fields['descriptor_city'] = 'Berlin'
  const address = { line1: 'Street 1', city: 'Berlin', postal_code: '10115', country: 'DE' }
  await bench.run(
    'sale',
    {},
    buying({
      description: 'Two books',
      statementDescriptor: 'SHOP*BOOKS',
      buyer: {
        id: null,
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        billing: { first_name: 'Ada', last_name: 'Lovelace', address },
      },
      shipping: { first_name: 'Ada', address },
    }),
  )
  expect(lastBody(bench)).toMatchObject({
    processing_channel_id: `pc_${'a'.repeat(26)}`,
    billing_descriptor: { name: 'SHOP*BOOKS', city: 'Berlin' },
    description: 'Two books',
    customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
    source: { billing_address: { address_line1: 'Street 1', zip: '10115', country: 'DE' } },
    shipping: { first_name: 'Ada', address: { city: 'Berlin' } },
  })
})

test.each([
  ['JPY', 1000, 1000],
  ['BHD', 10_000, 10_000],
  ['CLP', 1000, 100_000],
])('an amount in %s is counted as Checkout.com counts it', async (currency, amount, sent) => {
  const bench = openBench()
  expect(await bench.run('sale', { amount, currency })).toMatchObject({ status: 'approved', amount })
  expect(lastBody(bench)).toMatchObject({ amount: sent })
})

test('three decimals whose last is not 0 are refused before a request', async () => {
  const bench = openBench()
  expect(await bench.run('sale', { amount: 10_001, currency: 'BHD' })).toMatchObject({
    code: 'invalid_amount',
    unprocessed: true,
  })
  expect(bench.fake.requests).toEqual([])
})

test('a live key and the live environment are not used in a sandbox', async () => {
  for (const wrong of [{ secret_key: 'sk_liveliveliveliveliveliveli' }, { environment: 'production' }]) {
    const bench = openBench()
    Object.assign(bench.fields, wrong)
    expect(await bench.run('sale')).toMatchObject({
      code: 'invalid_service_configuration',
      unprocessed: true,
    })
    expect(bench.fake.requests).toEqual([])
  }
})
