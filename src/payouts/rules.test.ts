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
  // whatever was refused, nobody was asked, and nothing is kept of it
  expect((await shop.get('/payouts')).body.items).toEqual([])
  expect((await booksOf(railyard)).operations).toEqual([])
  await railyard.close()
})

const payOut = (more: Record<string, unknown> = {}) => shop.post('/payouts', payoutOf(shop.paymentServiceId, more))
const blamed = async (more: Record<string, unknown>) => {
  const { status, body } = await payOut(more)
  return { status, pointers: body.details?.map(({ pointer }: { pointer: string }) => pointer) }
}
const blames = (...pointers: string[]) => ({ status: 400, pointers })

const given = { number: card.number, expiration_date: '12/35' }
const merchant = { name: 'L', identification_number: '1', phone_number: '+442071838750', url: 'https://l.example', merchant_category_code: '7995' }

test.each<[string, Record<string, unknown>, string]>([
  ['of nothing', { amount: 0 }, '/amount'],
  ['in a currency that does not exist', { currency: 'QQQ' }, '/currency'],
  ['in a currency that the payment service does not accept', { currency: 'CHF' }, '/currency'],
  ['for nobody', { buyer: null }, '/buyer'],
  ['for two buyers', { buyer_external_identifier: 'ada' }, '/buyer'],
  ['for a buyer who is not there', { buyer: null, buyer_id: crypto.randomUUID() }, '/buyer_id'],
  ['for a reference that nobody has', { buyer: null, buyer_external_identifier: 'nobody' }, '/buyer_external_identifier'],
  ['through nobody’s payment service', { payment_service_id: crypto.randomUUID() }, '/payment_service_id'],
  ['to a card with a wrong check digit', { payment_method: { ...given, number: '4111111111111112' } }, '/payment_method/number'],
  ['to a card of the past', { payment_method: { ...given, expiration_date: '01/20' } }, '/payment_method/expiration_date'],
  ['to a stored card that is not there', { payment_method: { id: crypto.randomUUID() } }, '/payment_method/id'],
  ['with a descriptor that no bank prints', { merchant: { ...merchant, statement_descriptor: '12345' } }, '/merchant/statement_descriptor'],
])('a payout %s is refused, and the field is named', async (_what, more, pointer) => {
  expect(await blamed(more)).toEqual(blames(pointer))
})

test('everything that is wrong with a request is said at once', async () => {
  expect(await blamed({ amount: 0, currency: 'QQQ', buyer: null })).toEqual(blames('/amount', '/currency', '/buyer'))
})

test.each<[string, Record<string, unknown>]>([
  ['a property that there is not', { note: 'hello' }],
  ['a category that there is not', { category: 'lottery' }],
  ['a security code: a payout shows none', { payment_method: card }],
  ['a merchant without a name', { merchant: { ...merchant, name: undefined, statement_descriptor: 'LUCKY' } }],
  ['an amount that is too large', { amount: 100_000_000 }],
])('a payout with %s has the wrong shape', async (_what, more) => {
  expect((await payOut(more)).status).toBe(422)
})

test('a payment service must be active, be there, and make payouts', async () => {
  const on = async (id: string) => blamed({ payment_service_id: id })
  const headers = { 'x-svc-merchant-account-id': shop.account }
  const { body: idle } = await railyard.admin.post('/payment-services', { ...mockCard, active: false }, headers)
  expect(await on(idle.id)).toEqual(blames('/payment_service_id'))
  const { body: gone } = await railyard.admin.post('/payment-services', mockCard, headers)
  await shop.delete(`/payment-services/${gone.id}`)
  expect(await on(gone.id)).toEqual(blames('/payment_service_id'))
  const { status, body: wallet } = await railyard.admin.post('/payment-services', walletService(), headers)
  expect(status).toBe(201)
  expect(await on(wallet.id)).toEqual(blames('/payment_service_id'))
})

const mockCard = {
  display_name: 'Mock card',
  payment_service_definition_id: 'mock-card',
  fields: [{ key: 'merchant_id', value: 'test' }],
  accepted_currencies: ['EUR'],
  accepted_countries: ['DE'],
}

test('a stored method must be a card that is good', async () => {
  const noCard = await addStoredCard(railyard, shop.account, { method: 'wallet' })
  await railyard.world.run("update payment_methods set mode = 'redirect' where id = $1", [noCard])
  expect(await blamed({ payment_method: { id: noCard } })).toEqual(blames('/payment_method/id'))
  const old = await storeCard(shop)
  await railyard.world.run("update payment_methods set expiration_date = '01/20' where id = $1", [old])
  expect(await blamed({ payment_method: { id: old } })).toEqual(blames('/payment_method/id'))
})

test.each(['4111111111111111\u0000', '\ud800', '__proto__'])('the text %j as a reference is no server error', async (external_identifier) => {
  expect((await payOut({ external_identifier, amount: 0 })).status).toBeLessThan(500)
})
