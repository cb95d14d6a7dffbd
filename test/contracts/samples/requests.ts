import type { ContractName, WireRequest } from '../contract.ts'
import {
  areq,
  authorization,
  bnpl,
  bnplOrder,
  callback,
  experience,
  form,
  hosted,
  ids,
  json,
  managed,
  oneOrder,
  order,
  orders,
  patch,
  placed,
  post,
  refund,
  session,
  signature,
  unit,
  usd,
  verification,
  wallet,
} from './messages.ts'

/** A message of a contract, and what it is. */
/** The contracts with samples; the others are checked by the fakes of their connectors. */
export type SampledContract = Exclude<
  ContractName,
  | `acp-${string}`
  | `adyen-${string}`
  | 'bnpl-settlements'
  | 'wallet-disputes'
  | 'wallet-reporting'
  | 'stripe'
  | 'checkout'
  | 'mollie'
>

export type Sample<T> = [name: SampledContract, story: string, message: T]

export const goodRequests: Sample<WireRequest>[] = [
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

export const badRequests: Sample<WireRequest>[] = [
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
