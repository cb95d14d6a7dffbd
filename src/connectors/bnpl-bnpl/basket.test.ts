import { expect, test } from 'vitest'
import { contract } from '../../../test/contracts/contract.ts'
import { purchase } from '../../../test/support/domains/connector-call.ts'
import type { CartLine, OrderForCall } from '../contract/call.ts'
import { orderBody, orderLines, sessionBody } from './basket.ts'

const order = (lines: CartLine[], more: Partial<OrderForCall> = {}): OrderForCall => ({
  ...purchase({ country: 'DE', lines, reference: 'order-7', merchantName: 'Shop' }),
  integrationClient: 'redirect',
  ...more,
})
const shirt: CartLine = {
  name: 'Shirt',
  quantity: 2,
  unit_amount: 20_00,
  sku: 'S-1',
  product_type: 'physical',
}
const whole = (amount: number) => [
  { name: 'Order', type: 'physical', quantity: 1, unit_price: amount, total_amount: amount },
]

test('a cart that adds up is sent line by line, with one line for its taxes', () => {
  const lines = [
    { ...shirt, discount_amount: 5_00, tax_amount: 6_65 },
    { name: 'Shipping', quantity: 1, unit_amount: 4_90, product_type: 'shipping_fee' },
    { name: 'Voucher', quantity: 1, unit_amount: 2_00, product_type: 'discount' },
  ]
  expect(orderLines(order(lines), 44_55)).toEqual([
    {
      name: 'Shirt',
      type: 'physical',
      quantity: 2,
      unit_price: 20_00,
      total_amount: 35_00,
      total_discount_amount: 5_00,
      reference: 'S-1',
    },
    { name: 'Shipping', type: 'shipping_fee', quantity: 1, unit_price: 4_90, total_amount: 4_90 },
    { name: 'Voucher', type: 'discount', quantity: 1, unit_price: -2_00, total_amount: -2_00 },
    { name: 'Tax', type: 'sales_tax', quantity: 1, unit_price: 6_65, total_amount: 6_65 },
  ])
})

test.each([
  ['no cart', []],
  ['a cart that does not add up', [shirt]],
  [
    'a line that costs less than nothing',
    [
      { ...shirt, discount_amount: 41_00 },
      { name: 'More', quantity: 1, unit_amount: 42_00 },
    ],
  ],
])('with %s the order is one line of the whole amount', (_name, lines) => {
  expect(orderLines(order(lines), 41_00)).toEqual(whole(41_00))
})

const long = 'ä'.repeat(300)
const details = {
  first_name: long,
  last_name: long,
  email_address: `${'e'.repeat(95)}@example.com`,
  phone_number: '+491701234567',
  address: { line1: long, line2: long, city: long, state: long, postal_code: '12345678901', country: 'DE' },
}
const full = order([shirt], {
  shipping: details,
  buyer: { id: null, name: null, email: 'eva@example.com', billing: details },
  reference: long,
  description: long,
})
const service = { id: 'service', fields: {}, notificationUrl: 'https://us.example/notifications/1' }
const operation = { id: 'operation-1', kind: 'sale', amount: 40_00, currency: 'EUR' }

test.each([
  ['little', order([])],
  ['a lot, all of it too long', full],
])('with %s, the session and the order match the provider’s contract', (_name, requested) => {
  const headers = { 'content-type': 'application/json' }
  const { request } = contract('bnpl')
  expect(
    request({
      method: 'POST',
      path: '/payments/v1/sessions',
      headers,
      body: sessionBody(requested, operation, service),
    }),
  ).toEqual([])
  expect(
    request({
      method: 'POST',
      path: '/payments/v1/authorizations/token/order',
      headers,
      body: orderBody(requested, operation, service),
    }),
  ).toEqual([])
})

test('does not truncate an e-mail address or postal code', () => {
  const { billing_address } = sessionBody(full, operation, service)
  expect(billing_address).toMatchObject({ city: 'ä'.repeat(99), country: 'DE' })
  expect(billing_address).not.toHaveProperty('email')
  expect(billing_address).not.toHaveProperty('postal_code')
})
