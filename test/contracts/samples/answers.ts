import type { WireResponse } from '../contract.ts'
import { ares, authenticated, authorization, managed, oneOrder, orders, placed, usd } from './messages.ts'
import type { Sample } from './requests.ts'

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
export const message =
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

export const goodAnswers: Sample<WireResponse>[] = [
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

export const badAnswers: Sample<WireResponse>[] = [
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
