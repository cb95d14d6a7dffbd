const { startRailyard } = require('@railyard/testing')
const { openShop } = require('../shop.js')

/** @type {import('@railyard/testing').Railyard} */
let railyard
let shop

beforeAll(async () => {
  railyard = await startRailyard()
  shop = openShop({
    railyardUrl: railyard.url,
    token: railyard.token(),
    webhookSecret: railyard.webhooks.secret,
  })
})
afterAll(() => railyard.close())

test('an order is paid, and the shop is told', async () => {
  expect(await shop.charge({ id: '1', amount: 1299, currency: 'EUR' }, railyard.card)).toEqual({
    id: '1',
    state: 'paid',
  })
  const { target } = await railyard.webhooks.next('transaction.captured')
  expect(target).toMatchObject({ external_identifier: '1', captured_amount: 1299 })
})

test('the same order is charged once, however often the buyer clicks', async () => {
  const order = { id: '2', amount: 1299, currency: 'EUR' }
  await Promise.all([1, 2, 3].map(() => shop.charge(order, railyard.card).catch(() => undefined)))
  expect((await railyard.get('/transactions?external_identifier=2')).body.items).toHaveLength(1)
})

test.each([
  ['declined', 'insufficientFunds', 'There is not enough money on this card.'],
  ['declined', 'expiredPaymentMethod', 'This card has expired.'],
  ['failed', 'serviceError', 'Please pay in another way.'],
])('a payment that is %s for %s tells the buyer what to do', async (group, outcome, reason) => {
  const amount = railyard.amounts[group][outcome]
  expect(await shop.charge({ id: outcome, amount, currency: 'EUR' }, railyard.card)).toEqual({
    id: outcome,
    state: 'refused',
    reason,
  })
})

test('a webhook that Railyard did not sign is not believed', () => {
  expect(shop.receive({ 'x-svc-webhook-timestamp': '1', 'x-svc-webhook-signatures': 'forged' }, '{}')).toBe(
    401,
  )
})
