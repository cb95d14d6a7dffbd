import { expect, test } from 'vitest'
import { authorizedPayment, type Bench, encrypted, openBench } from './harness.ts'

const lastBody = (bench: Bench) => bench.fake.requests.at(-1)?.body

test('an authorization holds the money, and says what the issuer checked', async () => {
  const bench = openBench()
  const id = bench.nextId()
  expect(await bench.run('authorize', { id })).toMatchObject({
    status: 'approved',
    amount: 10_00,
    facts: {
      raw_response_code: 'Authorised',
      avs_response_code: 'match',
      cvv_response_code: 'match',
      scheme_transaction_id: '492111111111111',
    },
    references: {
      transaction: 'NC6HT9CRT65ZG001',
      identifiers: { payment_service_reference: id, payment_service_authorized_amount: '1000' },
    },
  })
  expect(bench.fake.effects()).toMatchObject([{ key: id, kind: 'authorize', amount: 10_00 }])
  expect(lastBody(bench)).toMatchObject({
    merchantAccount: 'RailyardTestECOM',
    reference: id,
    paymentMethod: encrypted,
    additionalData: { manualCapture: 'true' },
    shopperInteraction: 'Ecommerce',
  })
})

test('a sale is captured at once', async () => {
  const bench = openBench()
  const id = bench.nextId()
  expect(await bench.run('sale', { id })).toMatchObject({ status: 'approved', amount: 10_00 })
  expect(bench.fake.effects()).toMatchObject([{ key: id, kind: 'sale' }])
  expect(lastBody(bench)).toMatchObject({ captureDelayHours: 0, additionalData: { manualCapture: 'false' } })
})

test('a verification asks for nothing', async () => {
  const bench = openBench()
  expect(await bench.run('authorize', { amount: 0 })).toMatchObject({ status: 'approved', amount: 0 })
})

test.each([
  ['capture', 'captures', 4_00],
  ['refund', 'refunds', 4_00],
  ['void', 'cancels', 10_00],
] as const)('a %s is pending until its webhook tells its result', async (kind, path, amount) => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  if (kind === 'refund') {
    await bench.run('capture', { ...payment, id: bench.nextId() })
    await bench.deliver()
  }
  const operation = { ...payment, id: bench.nextId(), kind, amount }
  expect(await bench.run(kind, operation)).toMatchObject({ status: 'pending' })
  expect(bench.fake.requests.at(-1)?.path).toBe(`/payments/${payment.paymentReference}/${path}`)
  expect(await bench.deliver()).toBe(1)
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved', amount } })
  expect(bench.fake.effects().at(-1)).toMatchObject({ key: operation.id, kind, amount })
})

test('two captures of one payment have each its own result', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const captures = [6_00, 5_00].map((amount) => ({
    ...payment,
    id: bench.nextId(),
    kind: 'capture' as const,
    amount,
  }))
  for (const capture of captures) await bench.run('capture', capture)
  await bench.deliver()
  const [first, second] = await Promise.all(captures.map((capture) => bench.find(capture)))
  expect(first).toMatchObject({ outcome: { status: 'approved', amount: 6_00 } })
  expect(second).toMatchObject({ outcome: { status: 'failed', code: 'invalid_amount' } })
})

test('an increment sends the new total, and adds what was asked', async () => {
  const bench = openBench()
  bench.fields['authorization_type'] = 'pre'
  const payment = await authorizedPayment(bench)
  expect(lastBody(bench)).toMatchObject({ additionalData: { authorisationType: 'PreAuth' } })
  const operation = { ...payment, id: bench.nextId(), kind: 'increment' as const, amount: 2_50 }
  await bench.run('increment', operation)
  expect(lastBody(bench)).toMatchObject({ amount: { value: 12_50, currency: 'EUR' } })
  await bench.deliver()
  expect(await bench.find(operation)).toMatchObject({
    outcome: {
      status: 'approved',
      amount: 2_50,
      references: { identifiers: { payment_service_authorized_amount: '1250' } },
    },
  })
})

test('an increment by 0 sends nothing: Adyen would extend the authorization', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const sent = bench.fake.requests.length
  const operation = { ...payment, id: bench.nextId(), kind: 'increment' as const, amount: 0 }
  expect(await bench.run('increment', operation)).toMatchObject({ status: 'approved', amount: 0 })
  expect(bench.fake.requests).toHaveLength(sent)
})

test('a capture that the acquirer gives back fails, and so does a refund', async () => {
  const bench = openBench()
  const payment = await authorizedPayment(bench)
  const operation = { ...payment, id: bench.nextId(), kind: 'capture' as const }
  await bench.run('capture', operation)
  const [captured] = bench.fake.takeNotifications()
  if (!captured) throw new Error('no webhook')
  await bench.deliver([captured])
  expect(await bench.find(operation)).toMatchObject({ outcome: { status: 'approved' } })
  const { signedWebhook } = await import('./fake-webhook.ts')
  const { HMAC_KEY, MERCHANT } = await import('./fake.ts')
  const failed = signedWebhook(
    {
      eventCode: 'CAPTURE_FAILED',
      success: true,
      pspReference: 'FAILED',
      originalReference: payment.paymentReference ?? '',
      merchantReference: operation.id,
      amount: { value: 10_00, currency: 'EUR' },
      reason: 'Capture Failed',
    },
    { merchant: MERCHANT, key: HMAC_KEY, now: bench.fake.now() },
  )
  await bench.deliver([failed])
  expect(await bench.find(operation)).toMatchObject({
    outcome: { status: 'declined', code: 'refused_transaction' },
  })
})

test('a card number is sent only by a service that allows it', async () => {
  const bench = openBench()
  const card = { number: '4111111111111111', expirationDate: '03/30', securityCode: '737', scheme: 'visa' }
  expect(await bench.run('authorize', {}, { instrument: { card } })).toMatchObject({
    status: 'failed',
    code: 'invalid_service_configuration',
    unprocessed: true,
  })
  expect(bench.fake.requests).toEqual([])
  bench.fields['card_numbers'] = 'allow'
  expect(await bench.run('authorize', {}, { instrument: { card } })).toMatchObject({ status: 'approved' })
  expect(lastBody(bench)).toMatchObject({
    paymentMethod: {
      type: 'scheme',
      number: '4111111111111111',
      expiryMonth: '03',
      expiryYear: '2030',
      cvc: '737',
    },
  })
})

test('a token from the buyer’s browser brings no card number and no stored card', async () => {
  const bench = openBench()
  const hostile = { ...encrypted, number: '4111111111111111', storedPaymentMethodId: 'OTHER' }
  await bench.run('authorize', {}, { instrument: { providerToken: { paymentMethod: hostile } } })
  expect(lastBody(bench)?.['paymentMethod']).toEqual(encrypted)
  for (const providerToken of ['tok_1', '{}', { type: 'paypal' }, { encryptedCardNumber: 1 }])
    expect(await bench.run('authorize', {}, { instrument: { providerToken } })).toMatchObject({
      status: 'failed',
      code: 'invalid_payment_method',
      unprocessed: true,
    })
})

test('a card that is stored is charged again by its token, without the buyer', async () => {
  const bench = openBench()
  const first = await bench.run('authorize', {}, { storesInstrument: true })
  expect(lastBody(bench)).toMatchObject({ storePaymentMethod: true, recurringProcessingModel: 'CardOnFile' })
  if (first.status !== 'approved' || !first.storedToken) throw new Error('no token')
  expect(first.storedCard).toEqual({
    scheme: 'mastercard',
    bin: '555555',
    last4: '4444',
    expirationDate: '03/30',
    type: 'debit',
    country: 'NL',
  })
  await bench.run(
    'sale',
    { id: bench.nextId() },
    {
      instrument: { serviceToken: first.storedToken },
      storedCredential: {
        initiator: 'merchant',
        usage: 'subsequent',
        reason: 'recurring',
        schemeTransactionId: '492111111111111',
        transactionLinkId: null,
      },
    },
  )
  const body = lastBody(bench)
  expect(body).toMatchObject({
    paymentMethod: { type: 'scheme', storedPaymentMethodId: 'M5N7TQ4TG5PFWR50' },
    shopperReference: first.storedToken.split('/')[0],
    shopperInteraction: 'ContAuth',
    recurringProcessingModel: 'Subscription',
  })
  expect(body?.['additionalData']).not.toHaveProperty('networkTxReference')
  expect(body).not.toHaveProperty('authenticationData')
})

test('a card of our vault is charged again with the scheme’s id of the first payment', async () => {
  const bench = openBench()
  await bench.run(
    'sale',
    {},
    {
      storedCredential: {
        initiator: 'merchant',
        usage: 'subsequent',
        reason: 'card_on_file',
        schemeTransactionId: '492111111111111',
        transactionLinkId: null,
      },
    },
  )
  expect(lastBody(bench)).toMatchObject({
    recurringProcessingModel: 'UnscheduledCardOnFile',
    additionalData: { networkTxReference: '492111111111111' },
  })
})

test.each([
  [
    'network',
    { type: 'networkToken', brand: 'visa' },
    { tokenAuthenticationVerificationValue: 'YwAAAAAABaYcCMX/OhNRQAAAAAA=', eci: '05' },
  ],
  [
    'apple-pay',
    { type: 'scheme', brand: 'applepay' },
    { cavv: 'YwAAAAAABaYcCMX/OhNRQAAAAAA=', eci: '05', directoryResponse: 'Y' },
  ],
  [
    'google-pay',
    { type: 'scheme', brand: 'googlepay' },
    { cavv: 'YwAAAAAABaYcCMX/OhNRQAAAAAA=', eci: '05', directoryResponse: 'Y' },
  ],
] as const)('a token from %s is sent with its cryptogram', async (source, paymentMethod, mpiData) => {
  const bench = openBench()
  const networkToken = {
    number: '4111111111111111',
    expirationDate: '03/30',
    cryptogram: 'YwAAAAAABaYcCMX/OhNRQAAAAAA=',
    eci: '05',
    scheme: 'visa',
    source,
  }
  expect(await bench.run('authorize', {}, { instrument: { networkToken } })).toMatchObject({
    status: 'approved',
  })
  expect(lastBody(bench)).toMatchObject({ paymentMethod, mpiData })
})

test('an approval of a part is for the amount that the provider states', async () => {
  const bench = openBench()
  const options = { additionalData: { 'test.partial': 'true' } }
  expect(await bench.run('authorize', {}, { allowPartialAuthorization: true, options })).toMatchObject({
    status: 'approved',
    amount: 5_00,
  })
})

test.each([
  ['JPY', 1_000, 1_000],
  ['KWD', 12_345, 12_345],
  ['CLP', 1_000, 100_000],
  ['ISK', 1_000, 100_000],
  ['IDR', 100_000, 1_000],
])('%s %i is sent in the provider’s own unit', async (currency, amount, value) => {
  const bench = openBench()
  expect(await bench.run('authorize', { amount, currency })).toMatchObject({ status: 'approved', amount })
  expect(lastBody(bench)).toMatchObject({ amount: { value, currency } })
  await bench.deliver()
  expect(await bench.find({ kind: 'authorize', amount, currency })).toMatchObject({
    outcome: { status: 'approved', amount },
  })
})

test('an amount that the provider cannot express is not sent', async () => {
  const bench = openBench()
  expect(await bench.run('authorize', { amount: 150, currency: 'IDR' })).toMatchObject({
    status: 'failed',
    code: 'invalid_amount',
    unprocessed: true,
  })
})

test('a later operation without the payment’s id is not sent', async () => {
  const bench = openBench()
  for (const kind of ['capture', 'void', 'refund', 'increment', 'cancel'] as const)
    expect(await bench.run(kind)).toMatchObject({ status: 'failed', code: 'unexpected_state' })
  expect(bench.fake.requests).toEqual([])
})
