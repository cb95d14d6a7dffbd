import { expect, test } from 'vitest'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { card } from '../../../test/support/railyard.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { errorCodes, isErrorCode } from '../../connectors/contract/error-codes.ts'
import { declinedAmounts, failedAmounts } from '../../sandbox/core/amounts.ts'

const { railyard, shop } = await startShop()

test('an approved card is authorized, and nothing is captured yet', async () => {
  const { status, body } = await shop.pay(12_99)
  expect(status).toBe(201)
  expect(body).toMatchObject({
    type: 'transaction',
    merchant_account_id: shop.account,
    status: 'authorization_succeeded',
    intent: 'authorize',
    intent_outcome: 'succeeded',
    amount: 12_99,
    authorized_amount: 12_99,
    captured_amount: 0,
    refunded_amount: 0,
    currency: 'EUR',
    method: 'card',
    instrument_type: 'pan',
    error_code: null,
    raw_response_code: null,
    auth_response_code: '00',
    iso_response_code: '00',
    payment_service: {
      id: shop.paymentServiceId,
      payment_service_definition_id: 'mock-card',
      display_name: 'Mock card',
    },
    payment_method: {
      method: 'card',
      mode: 'card',
      scheme: 'visa',
      label: '1111',
      expiration_date: '12/35',
      details: { bin: '411111' },
    },
  })
  expect(body.authorized_at).not.toBeNull()
  expect(body.scheme_transaction_id).toEqual(expect.any(String))
  expect((await shop.get(`/transactions/${body.id}`)).body).toEqual(body)
})

test('a sale is captured at once and has a final capture', async () => {
  const payment = await shop.sold(20_00)
  expect(await payment.read()).toMatchObject({
    status: 'capture_succeeded',
    authorized_amount: 20_00,
    captured_amount: 20_00,
    intent_outcome: 'succeeded',
  })
  expect(await payment.captures()).toMatchObject([{ status: 'succeeded', amount: 20_00, final: true }])
})

test.each([...declinedAmounts, ...failedAmounts])(
  'an amount of %i is refused with %s: the payment is created and fails',
  async (amount, code) => {
    for (const intent of ['authorize', 'capture']) {
      const { status, body } = await shop.pay(amount, { intent })
      expect({ status, body }).toMatchObject({
        status: 201,
        body: {
          status: 'authorization_failed',
          intent_outcome: 'failed',
          error_code: code,
          raw_response_code: code,
          raw_response_description: code,
          auth_response_code: null,
          authorized_amount: 0,
          captured_amount: 0,
          authorized_at: null,
        },
      })
    }
  },
)

test('a decline is a transaction.declined event and a failure a transaction.failed event', async () => {
  const eventsOf = async (amount: number) => {
    const { body } = await shop.pay(amount)
    const rows = await railyard.world.run<{ name: string }>('select name from events where target_id = $1', [
      body.id,
    ])
    return rows.map(({ name }) => name)
  }
  for (const [amount, code] of [declinedAmounts[0], failedAmounts[0]]) {
    const group = isErrorCode(code) ? errorCodes[code].group : undefined
    expect(await eventsOf(amount)).toEqual([
      group === 'decline' ? 'transaction.declined' : 'transaction.failed',
    ])
  }
})

test.each([
  [undefined, null],
  ['10115', 'match'],
  ['10077', 'no_match'],
  ['88001', 'partial_match_postcode'],
  ['99001', 'partial_match_address'],
  ['77889', 'no_match'],
])('a billing postal code of %s gives the AVS code %s', async (postal_code, code) => {
  const { body } = await shop.pay(1_00, {
    buyer: { billing_details: { address: { ...(postal_code && { postal_code }) } } },
  })
  expect(body.avs_response_code).toBe(code)
})

test.each([
  [undefined, 'not_provided'],
  ['222', 'not_provided'],
  ['333', 'no_match'],
  ['123', 'match'],
])('a security code of %s gives the CVV code %s', async (security_code, code) => {
  const { security_code: _, ...rest } = card
  const { body } = await shop.pay(1_00, {
    payment_method: { ...rest, ...(security_code && { security_code }) },
  })
  expect(body.cvv_response_code).toBe(code)
})

test('a card is checked with an authorization of zero', async () => {
  expect(await shop.pay(0)).toMatchObject({
    status: 201,
    body: { status: 'authorization_succeeded', authorized_amount: 0, intent_outcome: 'succeeded' },
  })
})

test('a partial authorization is approved for half of the amount if the merchant allows it', async () => {
  expect((await shop.pay(560001)).body).toMatchObject({
    status: 'authorization_succeeded',
    authorized_amount: 560001,
  })
  const payment = await shop.authorized(560001, { allow_partial_authorization: true })
  expect(await payment.read()).toMatchObject({
    status: 'authorization_succeeded',
    amount: 560001,
    authorized_amount: 280000,
  })
  expect((await payment.capture()).body.captured_amount).toBe(280000)
  expect(
    (await shop.pay(560001, { allow_partial_authorization: true, intent: 'capture' })).body,
  ).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 280000,
  })
})

test('a sale that is captured later shows its authorization first', async () => {
  const payment = await shop.sold(20_00, { async_capture: true })
  expect(await payment.read()).toMatchObject({
    status: 'authorization_succeeded',
    captured_amount: 0,
    intent_outcome: 'pending',
  })
  expect((await payment.void()).status).toBe(425)
  await railyard.recovery.runOnce()
  expect(await payment.read()).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 20_00,
    intent_outcome: 'succeeded',
  })
})

test('a later capture that fails leaves the authorization to be captured again', async () => {
  const payment = await shop.sold(500002, { async_capture: true })
  await railyard.recovery.runOnce()
  expect(await payment.read()).toMatchObject({
    status: 'authorization_succeeded',
    captured_amount: 0,
    intent_outcome: 'failed',
  })
  expect((await payment.capture({ amount: 500000 })).body).toMatchObject({
    status: 'capture_succeeded',
    intent_outcome: 'failed',
  })
})

test('a payment without a readable answer is processing until recovery finds its outcome', async () => {
  await injectFaults(railyard, { operation: 'authorize', kind: 'malformed', times: 1 })
  const payment = await shop.authorized(30_00)
  expect(await payment.read()).toMatchObject({
    status: 'processing',
    error_code: null,
    intent_outcome: 'pending',
    authorized_amount: 0,
  })
  await recoverFully(railyard)
  expect(await payment.read()).toMatchObject({
    status: 'authorization_succeeded',
    authorized_amount: 30_00,
    intent_outcome: 'succeeded',
  })
})

test('the transaction shows what the merchant sent', async () => {
  const sent = {
    country: 'DE',
    external_identifier: 'order-77',
    metadata: { 'Shelf Nr': '7', empty: '' },
    payment_source: 'moto',
    statement_descriptor: { name: 'Railyard shop', city: 'Berlin' },
    installment_count: 3,
    tax_amount: 1_90,
    merchant_tax_id: 'DE123',
    purchase_order_number: 'PO-1',
    customer_reference_number: 'C-1',
    agent_evidence: [{ protocol: 'ap2', kind: 'cart-mandate', content: 'eyJhbGciOiJFUzI1NiJ9.e30.x' }],
    amount_includes_tax: true,
    supplier_order_number: 'S-1',
    duty_amount: 5,
    shipping_amount: 4_90,
  }
  const buyer = {
    display_name: 'Ada Lovelace',
    external_identifier: 'buyer-1',
    billing_details: {
      first_name: 'Ada',
      email_address: 'ada@example.com',
      address: { city: 'Berlin', country: 'DE', postal_code: '10115' },
    },
    shipping_details: { first_name: 'Ada', address: { city: 'Potsdam' } },
  }
  const three_d_secure_data = {
    cavv: 'AAAB',
    eci: '05',
    version: '2.2.0',
    directory_response: 'Y',
    directory_transaction_id: 'd-1',
  }
  const { body } = await shop.pay(12_99, {
    ...sent,
    buyer,
    three_d_secure_data,
    cart_items: [{ name: 'Pen', quantity: 2, unit_amount: 6_49, type: 'physical' }],
  })
  const { shipping_details, ...rest } = buyer
  expect(body).toMatchObject(sent)
  expect(body).toMatchObject({
    buyer: { type: 'buyer', id: null, ...rest },
    shipping_details: { type: 'shipping-details', id: null, ...shipping_details },
    three_d_secure: { status: 'complete', version: '2.2.0', response_data: three_d_secure_data },
    cart_items: [{ name: 'Pen', quantity: 2, type: 'physical', product_type: 'physical' }],
    is_subsequent_payment: false,
    merchant_initiated: false,
  })
})

test('the same card has the same fingerprint, and another card another one', async () => {
  const fingerprint = async (number: string) =>
    (await shop.pay(1_00, { payment_method: { ...card, number } })).body.payment_method.fingerprint
  const [one, again, other] = [
    await fingerprint('4111111111111111'),
    await fingerprint('4111111111111111'),
    await fingerprint('5555555555554444'),
  ]
  expect(one).toMatch(/^[0-9a-f]{64}$/)
  expect(again).toBe(one)
  expect(other).not.toBe(one)
})

test('a merchant advice code in the connection options applies only to the card that they name', async () => {
  const advice = async (account_number: string | null) =>
    (
      await shop.pay(1_00, {
        connection_options: { 'mock-card': { merchant_advice_code: { result: '02', account_number } } },
      })
    ).body.merchant_advice_code
  expect([await advice(null), await advice(card.number), await advice('5555555555554444')]).toEqual([
    '02',
    '02',
    null,
  ])
})
