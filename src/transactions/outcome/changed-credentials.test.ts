import { expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { booksOf, injectFaults } from '../../../test/support/provider.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

const put = async ({ account, paymentServiceId: id }: Shop, change: object) =>
  expect(
    await railyard.admin.put(`/payment-services/${id}`, change, { 'x-svc-merchant-account-id': account }),
  ).toMatchObject({ status: 200 })

/** The merchant enters other credentials: of the same account, or of another one. */
const changeCredentials = (shop: Shop) =>
  put(shop, { fields: [{ key: 'merchant_id', value: 'another-account' }] })

/** Recovery, long enough for every look-up to decide. */
async function recover(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    railyard.clock.advance(40_000)
    await railyard.recovery.runOnce()
  }
}

test('a payment that is not found with credentials that were changed since stays processing', async () => {
  const shop = await openShop(railyard)
  await injectFaults(railyard, { operation: 'authorize', kind: 'outage', times: 1 })
  const payment = await shop.authorized(10_00)
  await changeCredentials(shop)
  await recover()
  expect((await payment.sync()).status).toBe(200)
  expect(await payment.read()).toMatchObject({ status: 'processing' })
})

test('a payment that is found with credentials that were changed since has its outcome', async () => {
  const shop = await openShop(railyard)
  await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
  const payment = await shop.authorized(10_00)
  await changeCredentials(shop)
  await recover()
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded' })
})

test('a capture that is not found with credentials that were changed since is not sent again', async () => {
  const shop = await openShop(railyard)
  const payment = await shop.authorized(10_00)
  await injectFaults(railyard, { operation: 'capture', kind: 'outage', times: 1 })
  await payment.capture()
  await changeCredentials(shop)
  await recover()
  expect(await payment.read()).toMatchObject({ status: 'capture_pending', captured_amount: 0 })
  expect(
    (await booksOf(railyard)).operations
      .filter(({ payment_service_id: service }) => service === shop.paymentServiceId)
      .map(({ kind }) => kind),
  ).toEqual(['authorize'])
})

test('a redemption that is not found with credentials that were changed since is not sent again', async () => {
  const shop = await openShop(railyard)
  const id = await addGiftCardService(railyard, shop)
  await injectFaults(railyard, { operation: 'redeem', kind: 'outage', times: 1 })
  const payment = await shop.authorized(10_00, {
    payment_method: undefined,
    gift_cards: [{ ...newGiftCard(), amount: 10_00 }],
  })
  const fields = [{ key: 'api_key', value: 'of-another-account' }]
  expect(await shop.put(`/gift-card-services/${id}`, { fields })).toMatchObject({ status: 200 })
  await recover()
  expect(await payment.read()).toMatchObject({ status: 'processing' })
})

test('a payment that never arrived fails although other settings were changed since', async () => {
  const shop = await openShop(railyard)
  await injectFaults(railyard, { operation: 'authorize', kind: 'outage', times: 1 })
  const payment = await shop.authorized(10_00)
  await put(shop, { display_name: 'Cards', active: false })
  await recover()
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed' })
})

test('a payment that was made after the credentials were changed, and never arrived, fails', async () => {
  const shop = await openShop(railyard)
  await changeCredentials(shop)
  railyard.clock.advance(60_000)
  await injectFaults(railyard, { operation: 'authorize', kind: 'outage', times: 1 })
  const payment = await shop.authorized(10_00)
  await recover()
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed' })
})
