import type { WireRequest } from '../contract.ts'

/** Bodies, headers and paths of valid messages, from which the samples are made. */
export const json = { 'content-type': 'application/json' }
export const form = { 'content-type': 'application/x-www-form-urlencoded' }
export const wallet = {
  ...json,
  authorization: 'Bearer t',
  'PayPal-Request-Id': 'k-1',
  Prefer: 'return=representation',
}
export const bnpl = { ...json, 'Klarna-Idempotency-Key': '5b33ed47-79d0-4d76-99ea-4afaa7c8e552' }

export const usd = (value: unknown) => ({ currency_code: 'USD', value })
export const unit = {
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
export const callback = {
  callback_url: 'https://m.example/cb',
  callback_events: ['SHIPPING_ADDRESS', 'SHIPPING_OPTIONS'],
}
const returns = { return_url: 'https://m.example/r', cancel_url: 'https://m.example/c' }
export const experience = {
  user_action: 'PAY_NOW',
  shipping_preference: 'GET_FROM_FILE',
  ...returns,
  order_update_callback_config: callback,
}
export const order = (more: object = {}, purchaseUnit: object = unit, context: object = experience) => ({
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
export const bnplOrder = {
  purchase_country: 'US',
  purchase_currency: 'USD',
  locale: 'en-US',
  order_amount: 1000,
  order_tax_amount: 0,
  order_lines: [line],
  merchant_reference1: 'ord-1',
  merchant_urls: { confirmation: 'https://m.example/c', authorization: 'https://m.example/a?t=1' },
}
export const session = { ...bnplOrder, intent: 'buy', acquiring_channel: 'ECOMMERCE' }
export const hosted = {
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
export const signature = {
  auth_algo: 'SHA256withRSA',
  cert_url: 'https://api.paypal.com/c',
  transmission_id: '69cd13f0-d67a-11e5-baa3-778b53f4ae55',
  transmission_sig: 's=',
  transmission_time: '2026-02-18T20:01:35Z',
  webhook_id: '1JE4291016473214C',
  webhook_event: { id: 'WH-1', event_type: 'PAYMENT.CAPTURE.COMPLETED' },
}

export const orders = '/v2/checkout/orders'
export const oneOrder = `${orders}/5O190127TN364715T`
export const authorization = '/v2/payments/authorizations/0AW2184448108334S'
export const refund = '/v2/payments/captures/2GG279541U471931P/refund'
export const verification = '/v1/notifications/verify-webhook-signature'
export const managed = '/ordermanagement/v1/orders/o'
export const placed = '/payments/v1/authorizations/b4bd3423-24e3/order'

const trans = '0190d3b5-7c1a-7b7e-8a53-0242ac120002'
export const ids = {
  messageVersion: '2.2.0',
  threeDSServerTransID: trans,
  acsTransID: trans,
  dsTransID: trans,
}
export const areq = {
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
export const ares = { messageType: 'ARes', ...ids, acsReferenceNumber: 'a', dsReferenceNumber: 'd' }
export const authenticated = { eci: '05', authenticationValue: 'AAABBEg0VhI0VniQEjRWAAAAAAA=' }

export const post = (path: string, headers: Record<string, string>, body?: unknown): WireRequest => ({
  method: 'POST',
  path,
  headers,
  ...(body !== undefined && { body }),
})
export const patch = (path: string, headers: Record<string, string>, body: unknown): WireRequest => ({
  method: 'PATCH',
  path,
  headers,
  body,
})
