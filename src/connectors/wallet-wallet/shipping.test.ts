import { createServer, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { CheckedWire } from '../../../test/contracts/checked-http.ts'
import { contract } from '../../../test/contracts/contract.ts'
import {
  checkWalletWire,
  goTo,
  openWalletShop,
  redirected,
  type WalletShop,
} from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'

interface Listened {
  path: string
  body: { shipping_address: { country_code: string }; shipping_option?: { id: string } }
}

/** The merchant's listener for shipping callbacks: each path answers in another way. */
let listener: Server
let listened: Listened[] = []
let listenerUrl: string
let railyard: TestRailyard
let shop: WalletShop
let wire: CheckedWire

const eur = (value: string) => ({ currency_code: 'EUR', value })
const standard = { id: 'standard', label: 'Standard', type: 'SHIPPING', amount: eur('5.00') }
const express = { id: 'express', label: 'Express', type: 'SHIPPING', amount: eur('15.00') }

/** The shipping costs of the hat (30.00): abroad there is tax, and express costs more. */
function updated({ body }: Listened) {
  const chosen = body.shipping_option?.id === 'express' ? express : standard
  const tax = body.shipping_address.country_code === 'US' ? 0 : 2
  const shipping = Number(chosen.amount.value)
  return {
    purchase_units: [
      {
        reference_id: 'default',
        amount: {
          ...eur((30 + shipping + tax).toFixed(2)),
          breakdown: { item_total: eur('30.00'), shipping: chosen.amount, tax_total: eur(tax.toFixed(2)) },
        },
        shipping_options: [standard, express].map((option) => ({ ...option, selected: option === chosen })),
      },
    ],
  }
}

const withoutOptions = (requested: Listened) => ({
  purchase_units: updated(requested).purchase_units.map((unit) => ({ ...unit, shipping_options: [] })),
})
function besideUnits(requested: Listened) {
  const { purchase_units } = updated(requested)
  return {
    purchase_units: purchase_units.map(({ shipping_options: _, ...unit }) => unit),
    shipping_options: purchase_units[0]?.shipping_options,
  }
}
const declined = { name: 'UNPROCESSABLE_ENTITY', details: [{ issue: 'COUNTRY_ERROR' }] }

/** The shop delivers to Europe and America only. */
const isServed = ({ body }: Listened) => body.shipping_address.country_code !== 'AQ'

const answers: Record<string, (requested: Listened) => { status: number; text: string } | 'silence'> = {
  '/good': (requested) =>
    isServed(requested)
      ? { status: 200, text: JSON.stringify(updated(requested)) }
      : { status: 422, text: JSON.stringify(declined) },
  '/empty': (requested) => ({ status: 200, text: JSON.stringify(withoutOptions(requested)) }),
  '/beside': (requested) => ({ status: 200, text: JSON.stringify(besideUnits(requested)) }),
  '/broken': () => ({ status: 200, text: '{"purchase_units":[' }),
  '/failing': () => ({ status: 500, text: '{}' }),
  '/wrong-sum': (requested) => ({
    status: 200,
    text: JSON.stringify(updated(requested)).replace('"35.00"', '"31.00"'),
  }),
  '/slow': () => 'silence',
}

beforeAll(async () => {
  listener = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const requested = { path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) }
      listened.push(requested)
      const answer = answers[requested.path]?.(requested) ?? 'silence'
      if (answer !== 'silence')
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  listenerUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  railyard = await startTestRailyard({ RECOVERY_INTERVAL_MS: '50' })
  wire = checkWalletWire(railyard)
  shop = await openWalletShop(railyard)
})
afterEach(async () => {
  await expectBooksMatch(railyard, shop.account)
  const { schema } = contract('wallet-orders')
  expect(listened.flatMap(({ body }) => schema('order_update_callback_request', body))).toEqual([])
  listened = []
})
afterAll(async () => {
  listener.closeAllConnections()
  await new Promise((resolve) => listener.close(resolve))
  await railyard.close()
  // only the simulator accepts a listener on this machine without a certificate
  expect(
    wire.violations.filter((violation) => !violation.includes('/callback_url must match pattern')),
  ).toEqual([])
  expect(wire.calls).toBeGreaterThan(10)
})

const options = {
  options: [standard, express].map((option) => ({ ...option, selected: option === standard })),
}
const item = { name: 'Hat', quantity: 1, unit_amount: 30_00 }
const fee = { name: 'Standard', quantity: 1, unit_amount: 5_00, product_type: 'shipping_fee' }

/** A hat for 30.00 with shipping for 5.00, which the buyer may change. */
const dynamic = (path: string) => ({
  cart_items: [item, fee],
  connection_options: {
    'wallet-wallet': {
      shipping_preference: 'GET_FROM_FILE',
      order_update_callback_config: {
        callback_url: `${listenerUrl}${path}`,
        callback_events: ['SHIPPING_ADDRESS', 'SHIPPING_OPTIONS'],
      },
      shipping: options,
    },
  },
})

const berlin = {
  address_line_1: 'Unter den Linden 1',
  admin_area_2: 'Berlin',
  postal_code: '10117',
  country_code: 'DE',
}

describe('a fixed destination', () => {
  const shipping_details = {
    first_name: 'Ada',
    last_name: 'Byron',
    address: {
      line1: 'Store 7, Main Street 1',
      city: 'Austin',
      state: 'TX',
      postal_code: '73301',
      country: 'US',
    },
  }
  const fixed = {
    buyer: { shipping_details },
    connection_options: { 'wallet-wallet': { shipping_preference: 'SET_PROVIDED_ADDRESS' } },
  }

  test('is the merchant’s, and the buyer cannot change it', async () => {
    const payment = await shop.asked(30_00, fixed)
    const { address, can_change_address } = await payment.buyer.review()
    expect({ address, can_change_address }).toMatchObject({
      can_change_address: false,
      address: { admin_area_2: 'Austin', country_code: 'US' },
    })
    expect(await payment.buyer.act('address', berlin)).toMatchObject({ status: 409 })
    await goTo(await payment.buyer.approve())
    expect((await payment.read()).shipping_details).toMatchObject({
      first_name: 'Ada',
      address: { city: 'Austin' },
    })
  })

  test('must be complete', async () => {
    const { line1: _, ...address } = shipping_details.address
    const answer = await shop.ask(30_00, {
      ...fixed,
      buyer: { shipping_details: { ...shipping_details, address } },
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/buyer/shipping_details/address/line1' }] },
    })
  })
})

describe('a destination that the buyer chooses, with static totals', () => {
  test('is stored with the payment', async () => {
    const payment = await shop.asked(30_00, {
      connection_options: { 'wallet-wallet': { shipping_preference: 'GET_FROM_FILE' } },
    })
    expect((await payment.buyer.act('address', berlin)).body.amount.value).toBe('30.00')
    await goTo(await payment.buyer.approve())
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      amount: 30_00,
      shipping_details: {
        first_name: 'Robin',
        last_name: 'Buyer',
        address: { line1: 'Unter den Linden 1', city: 'Berlin', postal_code: '10117', country: 'DE' },
      },
    })
    expect(listened).toEqual([])
  })

  test('is answered as far as the API can show it', async () => {
    const payment = await shop.asked(30_00, {
      connection_options: { 'wallet-wallet': { shipping_preference: 'GET_FROM_FILE' } },
    })
    await payment.buyer.act('address', { ...berlin, admin_area_2: 'B'.repeat(120) })
    await goTo(await payment.buyer.approve())
    expect((await payment.capture()).status).toBe(200)
    expect((await payment.read()).shipping_details.address).toMatchObject({
      line1: 'Unter den Linden 1',
      city: 'B'.repeat(100),
      country: 'DE',
    })
  })

  test('is not collected if nothing is shipped', async () => {
    const payment = await shop.asked(30_00, {
      connection_options: { 'wallet-wallet': { shipping_preference: 'NO_SHIPPING' } },
    })
    expect((await payment.buyer.review()).address).toBeNull()
    await goTo(await payment.buyer.approve())
    expect((await payment.read()).shipping_details).toBeNull()
  })
})

describe('with shipping callbacks', () => {
  test('the listener sets the costs of each option, and the payment has the approved amount', async () => {
    const payment = await shop.asked(35_00, dynamic('/good'))
    expect(await payment.buyer.review()).toMatchObject({
      can_approve: true,
      error: null,
      amount: { value: '35.00' },
    })
    expect((await payment.buyer.act('address', berlin)).body.amount.value).toBe('37.00')
    expect((await payment.buyer.act('option', { id: 'express' })).body).toMatchObject({
      amount: { value: '47.00', breakdown: { shipping: { value: '15.00' }, tax_total: { value: '2.00' } } },
      shipping_options: [
        { id: 'standard', selected: false },
        { id: 'express', selected: true },
      ],
    })
    expect(
      listened.map(({ body }) => [body.shipping_address.country_code, body.shipping_option?.id ?? null]),
    ).toEqual([
      ['US', null],
      ['DE', null],
      ['DE', 'express'],
    ])
    await goTo(await payment.buyer.approve())
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      amount: 47_00,
      authorized_amount: 47_00,
      shipping_details: { address: { city: 'Berlin' } },
      additional_identifiers: { shipping_option_id: 'express', shipping_option_label: 'Express' },
    })
    expect((await payment.capture()).body.captured_amount).toBe(47_00)
    expect((await payment.read()).additional_identifiers).toMatchObject({ shipping_option_id: 'express' })
  })

  test('the listener may return the options beside the units, too', async () => {
    const payment = await shop.asked(35_00, dynamic('/beside'))
    expect(await payment.buyer.review()).toMatchObject({
      can_approve: true,
      error: null,
      shipping_options: [{ id: 'standard' }, { id: 'express' }],
    })
    expect((await payment.buyer.act('option', { id: 'express' })).body).toMatchObject({
      amount: { value: '45.00' },
      error: null,
    })
    await goTo(await payment.buyer.approve())
    expect(await payment.read()).toMatchObject({
      amount: 45_00,
      additional_identifiers: { shipping_option_id: 'express' },
    })
  })

  test('a declined destination is shown as such, and the buyer can choose another', async () => {
    const payment = await shop.asked(35_00, dynamic('/good'))
    await payment.buyer.review()
    expect((await payment.buyer.act('address', { country_code: 'AQ' })).body).toMatchObject({
      error: { issue: 'COUNTRY_ERROR' },
      can_approve: false,
      amount: { value: '35.00' },
    })
    expect(await payment.buyer.act('approve')).toMatchObject({ status: 409 })
    expect((await payment.buyer.act('address', berlin)).body).toMatchObject({
      error: null,
      can_approve: true,
    })
    await goTo(await payment.buyer.approve())
    expect((await payment.read()).authorized_amount).toBe(37_00)
  })

  test('an answer without options is the error SHIPPING_ADDRESS_CALLBACK_ERROR', async () => {
    const payment = await shop.asked(35_00, dynamic('/empty'))
    expect(await payment.buyer.review()).toMatchObject({
      error: { issue: 'SHIPPING_ADDRESS_CALLBACK_ERROR' },
      can_approve: false,
    })
  })

  test.each(['/broken', '/failing', '/wrong-sum', '/slow'])(
    'a listener that gives no usable answer (%s) leaves the totals as they were',
    async (path) => {
      const payment = await shop.asked(35_00, dynamic(path))
      expect(await payment.buyer.review()).toMatchObject({
        error: { issue: 'CALLBACK_FAILED' },
        can_approve: false,
        amount: { value: '35.00' },
      })
      expect(await payment.buyer.act('approve')).toMatchObject({ status: 409 })
    },
  )

  test('the buyer cannot approve before the listener has answered', async () => {
    const payment = await shop.asked(35_00, dynamic('/good'))
    expect(await payment.buyer.act('approve')).toMatchObject({
      status: 409,
      body: { error: { issue: 'SHIPPING_NOT_CONFIRMED' } },
    })
    await payment.buyer.review()
    expect(await payment.buyer.act('approve')).toMatchObject({ status: 200 })
  })

  test('without a cart the shipping is still part of the amount', async () => {
    const { cart_items: _, ...more } = dynamic('/good')
    const payment = await shop.asked(35_00, more)
    expect((await payment.buyer.review()).amount.value).toBe('35.00')
  })
})

test('a payment fails if the wallet changed the amount by itself', async () => {
  const payment = await shop.asked(35_00, { payment_method: redirected })
  const { http } = railyard.world
  const send = http.request
  // a wallet that lies
  http.request = async (request) => {
    const answer = await send(request)
    const body = answer.lost ? null : JSON.parse(JSON.stringify(answer.body).replaceAll('"35.00"', '"53.00"'))
    return answer.lost ? answer : { ...answer, body }
  }
  await goTo(await payment.buyer.approve())
  http.request = send
  expect(await payment.read()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'invalid_service_response',
    authorized_amount: 0,
  })
})
