import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addPageProvider,
  type PageProvider,
  pageProvider,
} from '../../../test/support/domains/page-provider.ts'
import { payoutOf } from '../../../test/support/domains/payouts.ts'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { readableRow } from '../../../test/support/unpacked.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'

let railyard: TestRailyard
let shop: Shop
let provider: PageProvider
let service: string
beforeAll(async () => {
  railyard = await startTestRailyard({ CARD_NUMBERS: 'refuse' })
  shop = await openShop(railyard)
  provider = pageProvider('page-card')
  service = await addPageProvider(railyard, shop.account, provider)
})
afterAll(() => railyard.close())

const TOKEN = 'tok_from_the_browser'
const token = (more: Record<string, unknown> = {}) => ({
  method: 'provider-token',
  payment_service_id: service,
  token: TOKEN,
  bin: '411111',
  card_suffix: '1111',
  redirect_url: 'https://shop.example/back',
  ...more,
})
const pay = (payment_method: Record<string, unknown>) =>
  shop.post('/transactions', { amount: 10_00, currency: 'EUR', country: 'DE', payment_method })
const instrumentOf = async (transaction: string) => {
  const [operation] = await readOperations(railyard.world, shop.account, transaction)
  return provider.payments.get(operation?.id ?? '')?.call.payment?.instrument
}

test('a provider’s token pays at the payment service that made it, and Railyard stores it nowhere', async () => {
  const { status, body } = await pay(token())
  expect({ status, body }).toMatchObject({
    status: 201,
    body: {
      status: 'buyer_approval_pending',
      instrument_type: 'card_token',
      payment_method: { method: 'card', mode: 'card', scheme: 'visa', label: '1111' },
      payment_service: { id: service },
    },
  })
  expect(await instrumentOf(body.id)).toEqual({ providerToken: TOKEN })
  for (const [column, table] of [
    ['id', 'transactions'],
    ['transaction_id', 'operations'],
  ]) {
    const rows = await railyard.world.run(
      `select row_to_json(t)::text as row from ${table} t where ${column} = $1`,
      [body.id],
    )
    expect(rows).not.toEqual([])
    expect(readableRow(JSON.stringify(rows))).not.toContain(TOKEN)
  }
  expect(railyard.logged.join()).not.toContain(TOKEN)
})

test('encrypted fields reach the provider as the script produced them', async () => {
  const fields = { encryptedCardNumber: 'eyJ.a', encryptedSecurityCode: 'eyJ.b', brand: 'visa' }
  const { body } = await pay(token({ token: fields }))
  expect(await instrumentOf(body.id)).toEqual({ providerToken: fields })
})

test('another payment service never gets the token', async () => {
  const other = pageProvider('other-card')
  const otherService = await addPageProvider(railyard, shop.account, other)
  const { body } = await pay(token({ payment_service_id: otherService }))
  expect(body.payment_service.id).toBe(otherService)
  const untaking = pageProvider('takes-no-tokens', { takesTokens: false })
  const untakingService = await addPageProvider(railyard, shop.account, untaking)
  const { body: refused } = await pay(token({ payment_service_id: untakingService }))
  expect(refused.status).toBe('authorization_failed')
  expect(await readOperations(railyard.world, shop.account, refused.id)).toEqual([])
})

test('a browser gives the token to a checkout session, and the server pays with the session', async () => {
  const { body: session } = await shop.post('/checkout/sessions', { payment_service_id: service })
  const fields = `/checkout/sessions/${session.id}/fields`
  const put = (path: string) =>
    railyard.send('PUT', path, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        payment_method: { method: 'provider-token', token: TOKEN, card_suffix: '4242' },
      }),
    })
  expect((await put(fields)).status).toBe(204)
  expect((await shop.get(`/checkout/sessions/${session.id}`)).body.payment_method).toMatchObject({
    method: 'card',
    label: '4242',
    id: null,
  })
  const { body } = await pay({
    method: 'checkout-session',
    id: session.id,
    redirect_url: 'https://shop.example/back',
  })
  expect(body).toMatchObject({ status: 'buyer_approval_pending', payment_service: { id: service } })
  expect(await instrumentOf(body.id)).toEqual({ providerToken: TOKEN })
  const { body: anywhere } = await shop.post('/checkout/sessions', {})
  expect(await put(`/checkout/sessions/${anywhere.id}/fields`)).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/payment_method/method' }] },
  })
})

test.each([
  { token: '' },
  { token: 7 },
  { bin: '41' },
  { card_suffix: '12345' },
  { payment_service_id: 'x' },
])('the field %o is refused', async (wrong) => {
  expect((await pay(token(wrong))).status).toBe(422)
})

const card = { number: '4111111111111111', expiration_date: '12/35' }

test.each([
  ['POST', '/transactions', { amount: 100, currency: 'EUR', payment_method: { method: 'card', ...card } }],
  [
    'POST',
    '/transactions',
    { amount: 100, currency: 'EUR', payment_method: { method: 'googlepay_pan_only', ...card } },
  ],
  [
    'POST',
    '/transactions',
    { amount: 100, currency: 'EUR', payment_method: { method: 'click-to-pay', ...card } },
  ],
  ['POST', '/payment-methods', { method: 'card', ...card }],
  ['POST', '/payouts', payoutOf('SERVICE', { payment_method: { method: 'card', ...card } })],
  ['PUT', '/checkout/sessions/SESSION/fields', { payment_method: card }],
])(
  'CARD_NUMBERS=refuse: %s %s with a card number is a 400 that names the field',
  async (method, path, body) => {
    const { body: session } = await shop.post('/checkout/sessions', {})
    const { status, body: answer } = await railyard.send(method, path.replace('SESSION', session.id), {
      headers: {
        authorization: `Bearer ${shop.token}`,
        'x-svc-merchant-account-id': shop.account,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body).replace('SERVICE', shop.paymentServiceId),
    })
    expect({ status, answer }).toMatchObject({
      status: 400,
      answer: { details: [{ pointer: expect.stringMatching(/\/number$/) }] },
    })
    expect(JSON.stringify(answer)).not.toContain(card.number)
  },
)

test.each([
  card.number,
  'tok_4111-1111-1111-1111',
  { number: '4111 1111 1111 1111' },
  { fields: [{ value: Number(card.number) }] },
])('CARD_NUMBERS=refuse: a card number in the token %o is a 400', async (wrong) => {
  const { body: session } = await shop.post('/checkout/sessions', { payment_service_id: service })
  const fields = await shop.put(`/checkout/sessions/${session.id}/fields`, {
    payment_method: { method: 'provider-token', token: wrong },
  })
  for (const { status, body } of [await pay(token({ token: wrong })), fields])
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/payment_method/token' }] },
    })
})
