import { describe, expect, test } from 'vitest'
import {
  type Contract,
  type ContractName,
  contract,
  type WireRequest,
  type WireResponse,
} from './contract.ts'

const checks = {
  'wallet-oauth': contract('wallet-oauth'),
  'wallet-orders': contract('wallet-orders'),
  'wallet-payments': contract('wallet-payments'),
  'wallet-webhooks': contract('wallet-webhooks'),
  bnpl: contract('bnpl'),
  'emv-3ds': contract('emv-3ds'),
} satisfies Record<ContractName, Contract>

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const wallet = {
  ...json,
  authorization: 'Bearer t',
  'PayPal-Request-Id': 'k-1',
  Prefer: 'return=representation',
}
const bnpl = { ...json, 'Klarna-Idempotency-Key': '5b33ed47-79d0-4d76-99ea-4afaa7c8e552' }

const usd = (value: unknown) => ({ currency_code: 'USD', value })
const unit = {
  reference_id: 'default',
  amount: {
    ...usd('12.99'),
    breakdown: { item_total: usd('10.00'), shipping: usd('2.00'), tax_total: usd('0.99') },
  },
  items: [{ name: 'Hat', quantity: '1', unit_amount: usd('10.00') }],
  shipping: {
    options: [{ id: 's1', label: 'Ground', type: 'SHIPPING', selected: true, amount: usd('2.00') }],
  },
}
const callback = {
  callback_url: 'https://m.example/cb',
  callback_events: ['SHIPPING_ADDRESS', 'SHIPPING_OPTIONS'],
}
const returns = { return_url: 'https://m.example/r', cancel_url: 'https://m.example/c' }
const experience = {
  user_action: 'PAY_NOW',
  shipping_preference: 'GET_FROM_FILE',
  ...returns,
  order_update_callback_config: callback,
}
const order = (more: object = {}, purchaseUnit: object = unit, context: object = experience) => ({
  intent: 'AUTHORIZE',
  purchase_units: [purchaseUnit],
  payment_source: { paypal: { experience_context: context } },
  ...more,
})
const line = {
  type: 'physical',
  name: 'Hat',
  quantity: 1,
  unit_price: 1000,
  tax_rate: 0,
  total_amount: 1000,
  total_tax_amount: 0,
}
const bnplOrder = {
  purchase_country: 'US',
  purchase_currency: 'USD',
  locale: 'en-US',
  order_amount: 1000,
  order_tax_amount: 0,
  order_lines: [line],
  merchant_reference1: 'ord-1',
  merchant_urls: { confirmation: 'https://m.example/c', authorization: 'https://m.example/a?t=1' },
}
const session = { ...bnplOrder, intent: 'buy', acquiring_channel: 'ECOMMERCE' }
const hosted = {
  payment_session_url: 'https://api.playground.klarna.com/payments/v1/sessions/s',
  merchant_urls: {
    success: 'https://m/?sid={{session_id}}&authorization_token={{authorization_token}}',
    cancel: 'https://m',
    back: 'https://m',
    failure: 'https://m',
    error: 'https://m',
    status_update: 'https://m',
  },
  options: { place_order_mode: 'NONE' },
}
const signature = {
  auth_algo: 'SHA256withRSA',
  cert_url: 'https://api.paypal.com/c',
  transmission_id: '69cd13f0-d67a-11e5-baa3-778b53f4ae55',
  transmission_sig: 's=',
  transmission_time: '2026-02-18T20:01:35Z',
  webhook_id: '1JE4291016473214C',
  webhook_event: { id: 'WH-1', event_type: 'PAYMENT.CAPTURE.COMPLETED' },
}

const orders = '/v2/checkout/orders'
const oneOrder = `${orders}/5O190127TN364715T`
const authorization = '/v2/payments/authorizations/0AW2184448108334S'
const refund = '/v2/payments/captures/2GG279541U471931P/refund'
const verification = '/v1/notifications/verify-webhook-signature'
const managed = '/ordermanagement/v1/orders/o'
const placed = '/payments/v1/authorizations/b4bd3423-24e3/order'

const trans = '0190d3b5-7c1a-7b7e-8a53-0242ac120002'
const ids = { messageVersion: '2.2.0', threeDSServerTransID: trans, acsTransID: trans, dsTransID: trans }
const areq = {
  messageType: 'AReq',
  messageVersion: '2.2.0',
  threeDSServerTransID: trans,
  acctNumber: '4111111111101203',
  deviceChannel: '02',
  messageCategory: '01',
  threeDSRequestorID: 'm',
  threeDSRequestorName: 'm',
  threeDSRequestorURL: 'https://m.example',
  threeDSServerRefNumber: 'r',
  threeDSServerURL: 'https://3ds.example',
  acquirerBIN: '400000',
  acquirerMerchantID: 'm',
  merchantName: 'm',
  merchantCountryCode: '276',
  mcc: '5691',
}
const ares = { messageType: 'ARes', ...ids, acsReferenceNumber: 'a', dsReferenceNumber: 'd' }
const authenticated = { eci: '05', authenticationValue: 'AAABBEg0VhI0VniQEjRWAAAAAAA=' }

const post = (path: string, headers: Record<string, string>, body?: unknown): WireRequest => ({
  method: 'POST',
  path,
  headers,
  ...(body !== undefined && { body }),
})
const patch = (path: string, headers: Record<string, string>, body: unknown): WireRequest => ({
  method: 'PATCH',
  path,
  headers,
  body,
})

type Sample<T> = [name: ContractName, story: string, message: T]

const goodRequests: Sample<WireRequest>[] = [
  ['wallet-oauth', 'a token', post('/v1/oauth2/token', form, 'grant_type=client_credentials')],
  ['wallet-orders', 'an order with shipping callbacks', post(orders, wallet, order())],
  ['wallet-orders', 'an authorization', post(`${oneOrder}/authorize`, wallet, {})],
  [
    'wallet-orders',
    'a patch',
    patch(oneOrder, wallet, [
      { op: 'replace', path: "/purchase_units/@reference_id=='default'/amount", value: usd('9.00') },
    ]),
  ],
  [
    'wallet-payments',
    'a capture',
    post(`${authorization}/capture`, wallet, { amount: usd('5.00'), final_capture: false, invoice_id: 'i1' }),
  ],
  ['wallet-payments', 'a void', post(`${authorization}/void`, wallet)],
  ['wallet-payments', 'a refund', post(refund, wallet, { amount: usd('1.00'), note_to_payer: 'n' })],
  ['wallet-webhooks', 'a verification', post(verification, wallet, signature)],
  ['bnpl', 'a session', post('/payments/v1/sessions', json, session)],
  ['bnpl', 'an order', post(placed, bnpl, bnplOrder)],
  ['bnpl', 'a capture', post(`${managed}/captures`, bnpl, { captured_amount: 500, reference: 'c1' })],
  ['bnpl', 'a refund', post(`${managed}/refunds`, bnpl, { refunded_amount: 100 })],
  ['bnpl', 'a cancel', post(`${managed}/cancel`, bnpl)],
  [
    'bnpl',
    'an increase',
    patch(`${managed}/authorization`, bnpl, { order_amount: 1500, description: 'more' }),
  ],
  ['bnpl', 'a hosted session', post('/hpp/v1/sessions', json, hosted)],
  ['emv-3ds', 'an AReq', post('/ds/areq', json, areq)],
  [
    'emv-3ds',
    'a result',
    post('/3dss/rreq', json, { messageType: 'RReq', ...ids, messageCategory: '01', transStatus: 'N' }),
  ],
  ['emv-3ds', 'a challenge', post('/acs/challenge', form, 'creq=eyJ9&threeDSSessionData=x')],
]

const { quantity: _, ...uncounted } = { name: 'Hat', quantity: '1', unit_amount: usd('10.00') }

const badRequests: Sample<WireRequest>[] = [
  [
    'wallet-oauth',
    'a token asked for in JSON',
    post('/v1/oauth2/token', json, '{"grant_type":"client_credentials"}'),
  ],
  [
    'wallet-oauth',
    'a form with a field of its own',
    post('/v1/oauth2/token', form, 'grant_type=client_credentials&scopes=x'),
  ],
  ['wallet-orders', 'an order without a body', post(orders, wallet)],
  ['wallet-orders', 'another intent', post(orders, wallet, order({ intent: 'AUTHORISE' }))],
  ['wallet-orders', 'a numeric amount', post(orders, wallet, order({}, { ...unit, amount: usd(12.99) }))],
  [
    'wallet-orders',
    'a misspelt member',
    post(orders, wallet, order({}, unit, { ...experience, shiping_preference: 'GET_FROM_FILE' })),
  ],
  [
    'wallet-orders',
    'a callback over http',
    post(
      orders,
      wallet,
      order({}, unit, {
        ...experience,
        order_update_callback_config: { ...callback, callback_url: 'http://m.example/cb' },
      }),
    ),
  ],
  [
    'wallet-orders',
    'an item without its quantity',
    post(orders, wallet, order({}, { ...unit, items: [uncounted] })),
  ],
  ['wallet-orders', 'an order id in lower case', post(`${orders}/5o190127tn364715t/authorize`, wallet, {})],
  ['wallet-orders', 'an unknown operation', post(`${oneOrder}/refund`, wallet, {})],
  [
    'wallet-orders',
    'an undeclared query',
    { method: 'GET', path: oneOrder, headers: wallet, query: { expand: 'all' } },
  ],
  ['wallet-payments', 'a misspelt refund', post(refund, wallet, { ammount: usd('1.00') })],
  ['wallet-payments', 'a void with a body', post(`${authorization}/void`, wallet, { amount: usd('1.00') })],
  [
    'wallet-webhooks',
    'a verification without a signature',
    post(verification, wallet, { auth_algo: 'SHA256withRSA' }),
  ],
  ['bnpl', 'a session without lines', post('/payments/v1/sessions', json, { ...session, order_lines: [] })],
  [
    'bnpl',
    'a misspelt session',
    post('/payments/v1/sessions', json, { ...session, merchant_reference: 'x' }),
  ],
  ['bnpl', 'a capture with a wrong member', post(`${managed}/captures`, bnpl, { amount: 500 })],
  ['emv-3ds', 'a country in letters', post('/ds/areq', json, { ...areq, merchantCountryCode: 'DE' })],
  ['emv-3ds', 'a misspelt member', post('/ds/areq', json, { ...areq, purchaseAmmount: '1299' })],
  [
    'emv-3ds',
    'a result that is a challenge',
    post('/3dss/rreq', json, { messageType: 'RReq', ...ids, messageCategory: '01', transStatus: 'C' }),
  ],
  [
    'emv-3ds',
    'a success without its proof',
    post('/3dss/rreq', json, { messageType: 'RReq', ...ids, messageCategory: '01', transStatus: 'Y' }),
  ],
  ['emv-3ds', 'a challenge in base64 with padding', post('/acs/challenge', form, 'creq=eyJ9==')],
]

const answered = (path: string, status: number, body?: unknown, method = 'POST'): WireResponse => ({
  method,
  path,
  status,
  ...(body !== undefined && { body }),
})
const opened = {
  id: '5O190127TN364715T',
  status: 'PAYER_ACTION_REQUIRED',
  links: [
    {
      href: 'https://www.paypal.com/checkoutnow?token=5O190127TN364715T',
      rel: 'payer-action',
      method: 'GET',
    },
  ],
}
const authorized = {
  id: '5O190127TN364715T',
  status: 'COMPLETED',
  purchase_units: [
    {
      reference_id: 'default',
      payments: {
        authorizations: [
          {
            id: '0AW2184448108334S',
            status: 'CREATED',
            amount: usd('12.99'),
            expiration_time: '2026-05-01T21:20:49Z',
          },
        ],
      },
    },
  ],
  payer: { payer_id: 'QYR5Z8XDVJNXQ', email_address: 'b@example.com' },
}
const message =
  'The requested action could not be performed, semantically incorrect, or failed business validation.'
const declined = {
  name: 'UNPROCESSABLE_ENTITY',
  message,
  debug_id: 'd',
  details: [{ issue: 'INSTRUMENT_DECLINED', description: 'x' }],
}
const category = { identifier: 'klarna', name: 'Pay with Klarna', asset_urls: {} }
const accepted = {
  order_id: 'o',
  fraud_status: 'ACCEPTED',
  redirect_url: 'https://x',
  authorized_payment_method: { type: 'invoice' },
}
const rejected = { correlation_id: 'c', error_code: 'REJECTED', error_messages: ['Rejected'] }
const managedOrder = {
  order_id: 'o',
  status: 'PART_CAPTURED',
  fraud_status: 'ACCEPTED',
  order_amount: 1000,
  captured_amount: 500,
  remaining_authorized_amount: 500,
  refunded_amount: 0,
  captures: [],
}

const goodAnswers: Sample<WireResponse>[] = [
  ['wallet-orders', 'an order', answered(orders, 201, opened)],
  ['wallet-orders', 'an authorization', answered(`${oneOrder}/authorize`, 201, authorized)],
  ['wallet-orders', 'a decline', answered(`${oneOrder}/capture`, 422, declined)],
  [
    'wallet-payments',
    'a capture',
    answered(`${authorization}/capture`, 201, {
      id: '2GG279541U471931P',
      status: 'COMPLETED',
      amount: usd('5.00'),
      final_capture: false,
    }),
  ],
  ['wallet-payments', 'a void without a body', answered(`${authorization}/void`, 204)],
  [
    'bnpl',
    'a session',
    answered('/payments/v1/sessions', 200, {
      session_id: 's',
      client_token: 't',
      payment_method_categories: [category],
    }),
  ],
  ['bnpl', 'an order', answered(placed, 200, accepted)],
  ['bnpl', 'a rejected order', answered(placed, 403, rejected)],
  [
    'bnpl',
    'a capture, which has no body',
    { ...answered(`${managed}/captures`, 201), headers: { 'capture-id': 'c' } },
  ],
  ['bnpl', 'an order that is read', answered(managed, 200, managedOrder, 'GET')],
  [
    'emv-3ds',
    'an authentication',
    answered('/ds/areq', 200, { ...ares, ...authenticated, transStatus: 'Y' }),
  ],
]

const badAnswers: Sample<WireResponse>[] = [
  ['wallet-orders', 'an unknown status', answered(orders, 201, { id: 'X', status: 'PAID' })],
  [
    'wallet-orders',
    'an unknown issue',
    answered(`${oneOrder}/capture`, 422, {
      name: 'UNPROCESSABLE_ENTITY',
      details: [{ issue: 'NO_SUCH_ISSUE' }],
    }),
  ],
  ['wallet-orders', 'a body that is no JSON', answered(orders, 201, '{"id":"5O1')],
  [
    'wallet-payments',
    'a void that answers 204 and a body',
    answered(`${authorization}/void`, 204, { id: 'x' }),
  ],
  ['bnpl', 'a status that is not declared', answered(placed, 202, accepted)],
  [
    'emv-3ds',
    'an authentication without its proof',
    answered('/ds/areq', 200, { ...ares, transStatus: 'Y' }),
  ],
  ['emv-3ds', 'a refusal without its reason', answered('/ds/areq', 200, { ...ares, transStatus: 'N' })],
]

describe('a message that matches the contract passes', () => {
  test.each(goodRequests)('%s: %s', (name, _story, request) =>
    expect(checks[name].request(request)).toEqual([]),
  )
  test.each(goodAnswers)('%s answers %s', (name, _story, response) =>
    expect(checks[name].response(response)).toEqual([]),
  )
})

describe('a message that violates the contract has violations', () => {
  test.each(badRequests)('%s: %s', (name, _story, request) =>
    expect(checks[name].request(request)).not.toEqual([]),
  )
  test.each(badAnswers)('%s answers %s', (name, _story, response) =>
    expect(checks[name].response(response)).not.toEqual([]),
  )
})

test('a contract checks its own schemas by name: a shipping callback, and an answer without shipping', () => {
  const { schema } = checks['wallet-orders']
  const asked = {
    id: '5O190127TN364715T',
    shipping_address: { country_code: 'US', admin_area_1: 'CA', postal_code: '95131' },
    purchase_units: [{ reference_id: 'default', amount: usd('10.00') }],
  }
  expect(schema('order_update_callback_request', asked)).toEqual([])
  const nothing = {
    id: 'X',
    purchase_units: [{ reference_id: 'default', amount: usd('10.00'), shipping_options: [] }],
  }
  expect(schema('order_update_callback_response', nothing)).not.toEqual([])
})
