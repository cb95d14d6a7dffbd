import { expect, test } from 'vitest'
import { injectFaults } from '../../../test/support/provider.ts'
import { addService } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
await railyard.health.stop()
const first = shop.paymentServiceId
const second = await addService(railyard, shop)
await injectFaults(railyard, { operation: '*', kind: 'reset', payment_service_id: first })
await Promise.all(Array.from({ length: 5 }, () => shop.pay(10_00)))
await injectFaults(railyard)
await railyard.health.runOnce()

/** Publishes a rule that routes every card payment to these payment services, in order. */
const routeTo = (...services: string[]) => publishRoute(services)

async function publishRoute(services: readonly string[], limits: object = {}): Promise<void> {
  const attempts = services.map((payment_service_id) => ({ payment_service_id }))
  const rule = {
    display_name: 'Our order',
    action: 'route-transaction',
    condition: { all: [] },
    outcome: { attempts, ...limits },
  }
  expect(await shop.put('/flows/card-transaction/rules', { items: [rule] })).toMatchObject({ status: 200 })
  expect((await shop.post('/flows/card-transaction/rules/publish', {})).status).toBeLessThan(300)
}

const decisionOf = async (id: string) => (await shop.get(`/transactions/${id}/actions`)).body.items[0].outcome

test('a rule’s route skips a payment service with an open circuit, and the decision says so', async () => {
  await routeTo(first, second)
  const { body } = await shop.pay(10_00)
  expect(body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: second } })
  expect(await decisionOf(body.id)).toMatchObject({
    result: [{ payment_service_id: second }],
    skipped: [{ payment_service_id: first, reason: 'circuit_open' }],
  })
})

test('a rule without retries takes the next payment service if the circuit of the first one is open', async () => {
  await publishRoute([first, second], { retries: { maximum: 0 } })
  const { body } = await shop.pay(10_00)
  expect(body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: second } })
  expect(await decisionOf(body.id)).toMatchObject({
    result: [{ payment_service_id: second }],
    skipped: [{ payment_service_id: first, reason: 'circuit_open' }],
  })
})

test('a rule that routes to a payment service with an open circuit alone is followed', async () => {
  await routeTo(first)
  const { body } = await shop.pay(10_00)
  expect(body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: first } })
  expect((await decisionOf(body.id)).skipped).toBeUndefined()
})

test('without a rule, the timeline says that a payment skipped a payment service with an open circuit', async () => {
  await shop.put('/flows/card-transaction/rules', { items: [] })
  expect((await shop.post('/flows/card-transaction/rules/publish', {})).status).toBeLessThan(300)
  const { body } = await shop.pay(10_00)
  expect(body).toMatchObject({ status: 'authorization_succeeded', payment_service: { id: second } })
  const { items } = (await shop.get(`/transactions/${body.id}/events`)).body
  expect(
    items.find(({ name }: { name: string }) => name === 'payment-services-skipped')?.context.skipped,
  ).toEqual([
    { payment_service_id: first, payment_service_display_name: 'Mock card', reason: 'circuit_open' },
  ])
})
