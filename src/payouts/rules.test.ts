import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeCard } from '../../test/support/domains/network-tokens.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { addStoredCard } from '../../test/support/domains/stored-card.ts'
import { walletService } from '../../test/support/domains/wallet.ts'
import { booksOf } from '../../test/support/provider.ts'
import { card, startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'

let railyard: TestRailyard
let shop: Awaited<ReturnType<TestRailyard['merchant']>>
beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await railyard.merchant()
})
afterAll(async () => {
  // a refused request reaches no payment service and stores nothing
  expect((await shop.get('/payouts')).body.items).toEqual([])
  expect((await booksOf(railyard)).operations).toEqual([])
  await railyard.close()
})

const payOut = (more: Record<string, unknown> = {}) =>
  shop.post('/payouts', payoutOf(shop.paymentServiceId, more))
const refusalOf = async (more: Record<string, unknown>) => {
  const { status, body } = await payOut(more)
  return { status, pointers: body.details?.map(({ pointer }: { pointer: string }) => pointer) }
}
const refusalAt = (...pointers: string[]) => ({ status: 400, pointers })

const fullCard = { number: card.number, expiration_date: '12/35' }
const merchant = {
  name: 'L',
  identification_number: '1',
  phone_number: '+442071838750',
  url: 'https://l.example',
  merchant_category_code: '7995',
}

test.each<[string, Record<string, unknown>, string]>([
  ['of nothing', { amount: 0 }, '/amount'],
  ['in a currency that does not exist', { currency: 'QQQ' }, '/currency'],
  ['in a currency that the payment service does not accept', { currency: 'CHF' }, '/currency'],
  ['without a buyer', { buyer: null }, '/buyer'],
  ['for two buyers', { buyer_external_identifier: 'ada' }, '/buyer'],
  ['for a buyer that does not exist', { buyer: null, buyer_id: crypto.randomUUID() }, '/buyer_id'],
  [
    'for an unknown buyer reference',
    { buyer: null, buyer_external_identifier: 'nobody' },
    '/buyer_external_identifier',
  ],
  [
    'through a payment service that does not exist',
    { payment_service_id: crypto.randomUUID() },
    '/payment_service_id',
  ],
  [
    'to a card with a wrong check digit',
    { payment_method: { ...fullCard, number: '4111111111111112' } },
    '/payment_method/number',
  ],
  [
    'to an expired card',
    { payment_method: { ...fullCard, expiration_date: '01/20' } },
    '/payment_method/expiration_date',
  ],
  [
    'to a stored card that does not exist',
    { payment_method: { id: crypto.randomUUID() } },
    '/payment_method/id',
  ],
  [
    'with a descriptor that no bank prints',
    { merchant: { ...merchant, statement_descriptor: '12345' } },
    '/merchant/statement_descriptor',
  ],
])('a payout %s is a 400 that names the field', async (_what, more, pointer) => {
  expect(await refusalOf(more)).toEqual(refusalAt(pointer))
})

test('the answer names every broken rule', async () => {
  expect(await refusalOf({ amount: 0, currency: 'QQQ', buyer: null })).toEqual(
    refusalAt('/amount', '/currency', '/buyer'),
  )
})

test.each<[string, Record<string, unknown>]>([
  ['an unknown member', { note: 'hello' }],
  ['an unknown category', { category: 'lottery' }],
  ['a security code, which a payout does not need', { payment_method: card }],
  [
    'a merchant without a name',
    { merchant: { ...merchant, name: undefined, statement_descriptor: 'LUCKY' } },
  ],
  ['an amount that is too large', { amount: 100_000_000 }],
])('a payout with %s is a 422', async (_what, more) => {
  expect((await payOut(more)).status).toBe(422)
})

test('a payment service that is inactive, deleted or makes no payouts is refused', async () => {
  const withService = async (id: string) => refusalOf({ payment_service_id: id })
  const headers = { 'x-svc-merchant-account-id': shop.account }
  const { body: idle } = await railyard.admin.post(
    '/payment-services',
    { ...mockCard, active: false },
    headers,
  )
  expect(await withService(idle.id)).toEqual(refusalAt('/payment_service_id'))
  const { body: gone } = await railyard.admin.post('/payment-services', mockCard, headers)
  await shop.delete(`/payment-services/${gone.id}`)
  expect(await withService(gone.id)).toEqual(refusalAt('/payment_service_id'))
  const { status, body: wallet } = await railyard.admin.post('/payment-services', walletService(), headers)
  expect(status).toBe(201)
  expect(await withService(wallet.id)).toEqual(refusalAt('/payment_service_id'))
})

const mockCard = {
  display_name: 'Mock card',
  payment_service_definition_id: 'mock-card',
  fields: [{ key: 'merchant_id', value: 'test' }],
  accepted_currencies: ['EUR'],
  accepted_countries: ['DE'],
}

test('a stored method that is no card, or an expired one, is refused', async () => {
  const noCard = await addStoredCard(railyard, shop.account, { method: 'wallet' })
  await railyard.world.run("update payment_methods set mode = 'redirect' where id = $1", [noCard])
  expect(await refusalOf({ payment_method: { id: noCard } })).toEqual(refusalAt('/payment_method/id'))
  const old = await storeCard(shop)
  await railyard.world.run("update payment_methods set expiration_date = '01/20' where id = $1", [old])
  expect(await refusalOf({ payment_method: { id: old } })).toEqual(refusalAt('/payment_method/id'))
})

test.each(['4111111111111111\u0000', '\ud800', '__proto__'])(
  'the text %j as external_identifier causes no server error',
  async (external_identifier) => {
    expect((await payOut({ external_identifier, amount: 0 })).status).toBeLessThan(500)
  },
)
