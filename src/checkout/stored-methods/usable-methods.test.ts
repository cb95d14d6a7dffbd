import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWalletShop, type WalletShop } from '../../../test/support/domains/wallet.ts'
import { card, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'

let railyard: TestRailyard
let shop: WalletShop
let buyer: string
let storedCard: string
let storedWallet: string

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openWalletShop(railyard)
  buyer = (await shop.post('/buyers', {})).body.id
  const { number, expiration_date } = card
  storedCard = (await shop.post('/payment-methods', { number, expiration_date, buyer_id: buyer })).body.id
  const payment = await shop.authorized(10_00, { buyer_id: buyer, store: true })
  storedWallet = (await payment.read()).payment_method.id
})
afterAll(() => railyard.close())

const listed = async (filter: string) => {
  const { status, body } = await shop.get(`/buyers/payment-methods?buyer_id=${buyer}${filter}`)
  expect(status).toBe(200)
  return body.items.map(({ id }: { id: string }) => id).sort()
}
const both = () => [storedCard, storedWallet].sort()

test.each([
  ['', both],
  ['&country=US', both],
  ['&currency=EUR', both],
  // the card payment service does not accept these; a card has neither a country nor a currency to be
  // filtered by
  ['&country=FR', () => [storedCard]],
  ['&currency=CHF', () => [storedCard]],
  ['&country=DE', () => [storedCard]],
  ['&currency=USD', () => [storedCard]],
  ['&country=US&currency=USD', () => [storedCard]],
])('country and currency filter only the payment methods that have them: %s', async (filter, expected) => {
  expect(await listed(filter)).toEqual(expected())
})

test('a payment method that no active payment service takes is not listed', async () => {
  const own = { 'x-svc-merchant-account-id': shop.account }
  await railyard.admin.put(`/payment-services/${shop.paymentServiceId}`, { active: false }, own)
  expect(await listed('&country=US')).toEqual([storedWallet])
  await railyard.admin.put(`/payment-services/${shop.walletServiceId}`, { accepted_countries: ['DE'] }, own)
  expect(await listed('&country=US')).toEqual([])
})
