import { expect, onTestFinished, test, vi } from 'vitest'
import { openAgentPlatform, pricingUrl } from '../../test/support/domains/agentic-commerce.ts'
import {
  cutNow,
  DAY_MS,
  KEPT_MS,
  retire,
  seal,
  sendWebhooks,
  signedInAgain,
  startOldRailyard,
} from '../../test/support/domains/retention.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { openShop } from '../../test/support/shop.ts'

vi.setConfig({ testTimeout: 300_000 })

test('the delivery of an order whose payment is retired fails once with the reason, and later deliveries are sent', async () => {
  const railyard = await startOldRailyard()
  onTestFinished(() => railyard.close())
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  receiver.answers(500)
  let shop = await openShop(railyard)
  const { body } = await shop.put('/agentic-seller', {
    pricing_url: await pricingUrl(),
    order_events: { url: receiver.url, secret: 'a secret of the platform' },
  })
  const at = `/webhook-subscriptions/${body.order_events.webhook_subscription_id}/deliveries`
  const sellToAgent = async () => {
    const platform = openAgentPlatform(railyard, shop)
    const checkout = await platform.created()
    await platform.complete(checkout, await platform.tokenFor(checkout))
    const { items } = (await shop.get('/transactions')).body
    return items[0].id
  }
  const listed = async () => (await shop.get(at)).body.items

  const old = await sellToAgent()
  railyard.clock.advance(DAY_MS)
  await cutNow(railyard)
  railyard.clock.advance(2 * DAY_MS)
  shop = await signedInAgain(railyard, shop)
  // the refund’s event and the second order come after the bound, so that a retirement leaves them
  expect((await shop.post(`/transactions/${old}/refunds`, { amount: 5_00 })).status).toBe(201)
  const recent = await sellToAgent()
  await seal(railyard)
  await sendWebhooks(railyard)
  // both deliveries are given up
  railyard.clock.advance(8 * DAY_MS)
  await sendWebhooks(railyard)
  railyard.clock.advance(KEPT_MS)
  expect(await retire(railyard)).toBe(5)

  shop = await signedInAgain(railyard, shop)
  receiver.answers(200)
  receiver.received.length = 0
  for (const { id } of await listed()) expect((await shop.post(`${at}/${id}/retry`)).status).toBe(200)
  await sendWebhooks(railyard)
  expect(await listed()).toMatchObject([
    { target_id: recent, status: 'succeeded' },
    {
      target_id: old,
      status: 'failed',
      attempts: expect.arrayContaining([
        expect.objectContaining({ status_code: null, error: expect.stringContaining('is retired') }),
      ]),
    },
  ])
  expect(receiver.received.map(({ event }) => event.type)).toEqual(['order_create'])
})
