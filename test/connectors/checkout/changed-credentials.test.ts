import { expect, test } from 'vitest'
import { openCheckoutShopForFile } from './shop.ts'

const { shop: checkout } = await openCheckoutShopForFile()
const { shop } = checkout
const [service] = (await shop.get('/payment-services')).body.items.filter(
  ({ active }: { active: boolean }) => active,
)

let channels = 0
/** The merchant enters another channel, which may be another account's. */
async function changeChannel(): Promise<void> {
  channels += 1
  const fields = [{ key: 'processing_channel_id', value: `pc_abcdefghijklmnopqrstuvwxy${channels}` }]
  expect(await shop.put(`/payment-services/${service.id}`, { fields })).toMatchObject({ status: 200 })
}

async function recover(): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    checkout.advance(2 * 60_000)
    await checkout.settle()
  }
}

test('a capture that the actions of its payment do not have is sent again although the channel was changed', async () => {
  const payment = await shop.authorized(10_00)
  checkout.loseNext()
  await payment.capture()
  await changeChannel()
  await recover()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
})

test('a payment that never arrived fails although its webhook was registered again', async () => {
  checkout.loseNext()
  const payment = await shop.authorized(10_00)
  expect(await shop.post(`/payment-services/${service.id}/register-webhook`)).toMatchObject({ status: 200 })
  await recover()
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed' })
})

test('a payment that the search does not find after the channel was changed stays processing', async () => {
  checkout.loseNext()
  const payment = await shop.authorized(10_00)
  await changeChannel()
  await recover()
  expect(await payment.read()).toMatchObject({ status: 'processing' })
})
