/** The one cart of this shop. Amounts are in cents. */
export const cart = [
  { name: 'Trail running shoes', quantity: 1, unit_amount: 8900, product_type: 'physical', sku: 'shoe-42' },
  { name: 'Merino socks', quantity: 2, unit_amount: 1200, product_type: 'physical', sku: 'sock-m' },
]
const standard = 490
const lines = [
  ...cart,
  { name: 'Shipping', quantity: 1, unit_amount: standard, product_type: 'shipping_fee' },
]
const goods = cart.reduce((sum, { quantity, unit_amount }) => sum + quantity * unit_amount, 0)

const home = { line1: 'Torstraße 1', city: 'Berlin', postal_code: '10119', country: 'DE' }
const decimal = (cents) => (cents / 100).toFixed(2)
const money = (cents) => ({ currency_code: 'EUR', value: decimal(cents) })

/** How fast it comes, and what that costs by country. A country that is not here gets nothing sent. */
const tariffs = {
  DE: [
    { id: 'standard', label: 'Standard, 2 days', cents: standard },
    { id: 'express', label: 'Express, tomorrow', cents: 1290 },
  ],
  US: [{ id: 'air', label: 'Air mail, 9 days', cents: 2490 }],
}
const options = (tariff, chosen = tariff[0]) =>
  tariff.map((option) => ({
    id: option.id,
    label: option.label,
    type: 'SHIPPING',
    selected: option === chosen,
    amount: money(option.cents),
  }))

/**
 * What the wallet is asked to do about shipping (`delivery`): `fixed` sends to the address that the shop
 * knows, `choose` lets the buyer pick one at the same price, and `dynamic` lets this shop's listener price
 * what they picked.
 */
const shipping = {
  fixed: () => ({ shipping_preference: 'SET_PROVIDED_ADDRESS' }),
  choose: () => ({ shipping_preference: 'GET_FROM_FILE' }),
  dynamic: (shop) => ({
    shipping_preference: 'GET_FROM_FILE',
    order_update_callback_config: {
      callback_url: `${shop}/shipping`,
      callback_events: ['SHIPPING_ADDRESS', 'SHIPPING_OPTIONS'],
    },
    shipping: { options: options(tariffs.DE) },
  }),
}

/** The transaction to create for the cart. `choices` is what the buyer ticked in the shop. */
export function transaction(
  method,
  service,
  shop,
  { delivery = 'fixed', user_action = 'PAY_NOW', client, authorization_token } = {},
) {
  const isFixed = method === 'bnpl' || delivery === 'fixed'
  return {
    amount: goods + standard,
    currency: 'EUR',
    country: 'DE',
    intent: 'authorize',
    payment_service_id: service.id,
    payment_method: { method, country: 'DE', currency: 'EUR', redirect_url: `${shop}/return` },
    ...(client && { integration_client: client }),
    cart_items: lines,
    buyer: {
      display_name: 'Ada Lovelace',
      billing_details: {
        first_name: 'Ada',
        last_name: 'Lovelace',
        email_address: 'ada@example.com',
        address: home,
      },
      ...(isFixed && {
        shipping_details: {
          first_name: 'Ada',
          last_name: 'Lovelace',
          email_address: 'ada@example.com',
          address: home,
        },
      }),
    },
    ...(method === 'wallet' && {
      connection_options: { 'wallet-wallet': { user_action, ...shipping[delivery](shop) } },
    }),
    ...(authorization_token && { connection_options: { 'bnpl-bnpl': { authorization_token } } }),
  }
}

/** What the buyer is about to pay: the checkout session that their browser puts the card into. */
export const cardSession = () => ({
  amount: goods + standard,
  currency: 'EUR',
  country: 'DE',
  cart_items: lines,
})

/**
 * The transaction that takes the card out of it. What is paid is said here again: what counts is what this
 * server says. `shop`: where the buyer returns to whom the card's issuer asks (3-D Secure).
 */
export const cardPayment = (session, shop) => ({
  ...cardSession(),
  intent: 'authorize',
  payment_method: { method: 'checkout-session', id: session, redirect_url: `${shop}/return` },
  buyer: {
    display_name: 'Ada Lovelace',
    billing_details: { first_name: 'Ada', last_name: 'Lovelace', email_address: 'ada@example.com' },
  },
})

/**
 * The order as the express button of pay later wants it: the same that the payment will be made for, or the
 * token does not fit.
 */
export const express = {
  purchase_country: 'DE',
  purchase_currency: 'EUR',
  order_amount: goods + standard,
  order_lines: lines.map(({ name, quantity, unit_amount, product_type, sku }) => ({
    name,
    type: product_type,
    quantity,
    unit_price: unit_amount,
    total_amount: quantity * unit_amount,
    ...(sku && { reference: sku }),
  })),
}

/**
 * What the wallet asks when the buyer picks an address or a shipping option: the status and the body of our
 * answer.
 */
export function priceShipping({
  id,
  shipping_address: address,
  shipping_option: asked,
  purchase_units: [unit],
}) {
  const tariff = tariffs[address?.country_code]
  if (!tariff) return [422, { name: 'UNPROCESSABLE_ENTITY', details: [{ issue: 'COUNTRY_ERROR' }] }]
  const chosen = tariff.find((option) => option.id === asked?.id) ?? tariff[0]
  const breakdown = { item_total: money(goods), tax_total: money(0), shipping: money(chosen.cents) }
  const amount = { ...money(goods + chosen.cents), breakdown }
  return [
    200,
    {
      id,
      purchase_units: [
        { reference_id: unit.reference_id, amount, shipping_options: options(tariff, chosen) },
      ],
    },
  ]
}
