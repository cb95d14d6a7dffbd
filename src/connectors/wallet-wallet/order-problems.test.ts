import { describe, expect, test } from 'vitest'
import { purchase } from '../../../test/support/domains/connector-call.ts'
import type { RequestedOrder } from '../contract/connector.ts'
import { orderProblems } from './order-problems.ts'

const address = { line1: 'Main Street 1', city: 'Austin', postal_code: '73301', country: 'US' }

const requested = (options: Record<string, unknown>, more: Partial<RequestedOrder> = {}): RequestedOrder => ({
  order: { ...purchase({ country: 'US', shipping: { address } }), integrationClient: 'redirect' },
  amount: 30_00,
  currency: 'EUR',
  options,
  fields: { environment: 'production' },
  ...more,
})

const at = (path: string) => `/connection_options/wallet-wallet/${path}`
const pointers = (options: Record<string, unknown>, more: Partial<RequestedOrder> = {}) =>
  Object.keys(orderProblems(requested(options, more)))

const option = { id: 'a', label: 'A', selected: true, amount: { currency_code: 'EUR', value: '5.00' } }
const shipping = { options: [option] }
const callbacks = (change: object = {}) => ({
  shipping_preference: 'GET_FROM_FILE',
  order_update_callback_config: {
    callback_url: 'https://shop.example/shipping',
    callback_events: ['SHIPPING_ADDRESS'],
    ...change,
  },
  shipping,
})

describe('an order that the wallet accepts has no problems', () => {
  test.each([
    ['nothing in particular', {}],
    [
      'every word',
      {
        user_action: 'CONTINUE',
        shipping_preference: 'NO_SHIPPING',
        landing_page: 'GUEST_CHECKOUT',
        locale: 'de-AT',
      },
    ],
    ['a provided address', { shipping_preference: 'SET_PROVIDED_ADDRESS' }],
    ['options without callbacks', { shipping }],
    ['callbacks', callbacks()],
  ])('%s', (_name, options) => {
    expect(orderProblems(requested(options))).toEqual({})
  })

  test('a listener on this machine, with the simulator only', () => {
    const local = callbacks({ callback_url: 'http://127.0.0.1:9000/shipping' })
    expect(pointers(local, { fields: { environment: 'simulator' } })).toEqual([])
    expect(pointers(local)).toEqual([at('order_update_callback_config/callback_url')])
    const remote = callbacks({ callback_url: 'http://shop.example/shipping' })
    expect(pointers(remote, { fields: { environment: 'simulator' } })).toEqual([
      at('order_update_callback_config/callback_url'),
    ])
  })
})

describe('an order that the wallet would refuse has its problem at the JSON pointer', () => {
  test.each([
    ['an unknown user action', { user_action: 'LATER' }, 'user_action'],
    ['an unknown shipping preference', { shipping_preference: 'ANY' }, 'shipping_preference'],
    ['an unknown landing page', { landing_page: 'HOME' }, 'landing_page'],
    ['a locale that is none', { locale: 'german' }, 'locale'],
    [
      'options beside a fixed address',
      { shipping_preference: 'SET_PROVIDED_ADDRESS', shipping },
      'shipping/options',
    ],
    ['options beside no shipping', { shipping_preference: 'NO_SHIPPING', shipping }, 'shipping/options'],
    ['two selected options', { shipping: { options: [option, { ...option, id: 'b' }] } }, 'shipping/options'],
    ['no selected option', { shipping: { options: [{ ...option, selected: false }] } }, 'shipping/options'],
    [
      'an option in another currency',
      { shipping: { options: [{ ...option, amount: { currency_code: 'USD', value: '5.00' } }] } },
      'shipping/options/0/amount',
    ],
    [
      'an option with too many decimals',
      { shipping: { options: [{ ...option, amount: { currency_code: 'EUR', value: '5.005' } }] } },
      'shipping/options/0/amount',
    ],
    [
      'an option with a negative amount',
      { shipping: { options: [{ ...option, amount: { currency_code: 'EUR', value: '-5' } }] } },
      'shipping/options/0/amount',
    ],
    [
      'an option beyond the amount',
      { shipping: { options: [{ ...option, amount: { currency_code: 'EUR', value: '30.01' } }] } },
      'shipping/options',
    ],
    [
      'callbacks without their preference',
      { ...callbacks(), shipping_preference: undefined },
      'shipping_preference',
    ],
    [
      'callbacks without a URL',
      callbacks({ callback_url: undefined }),
      'order_update_callback_config/callback_url',
    ],
    [
      'callbacks without events',
      callbacks({ callback_events: [] }),
      'order_update_callback_config/callback_events',
    ],
    [
      'an event that is named twice',
      callbacks({ callback_events: ['SHIPPING_ADDRESS', 'SHIPPING_ADDRESS'] }),
      'order_update_callback_config/callback_events',
    ],
    ['callbacks without options', { ...callbacks(), shipping: { options: [] } }, 'shipping/options'],
  ])('%s', (_name, options, path) => {
    expect(pointers(JSON.parse(JSON.stringify(options)))).toEqual([at(path)])
  })

  test('an incomplete address', () => {
    const order = { ...requested({}).order, shipping: { address: { line1: 'Main Street 1', country: 'US' } } }
    expect(pointers({ shipping_preference: 'SET_PROVIDED_ADDRESS' }, { order })).toEqual([
      '/buyer/shipping_details/address/city',
      '/buyer/shipping_details/address/postal_code',
    ])
  })

  test('a zero amount, or one with decimals that the wallet does not accept', () => {
    expect(pointers({}, { amount: 0 })).toEqual(['/amount'])
    expect(pointers({}, { amount: 1_000_50, currency: 'TWD' })).toEqual(['/amount'])
  })
})
