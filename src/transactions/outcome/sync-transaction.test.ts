import { afterEach, expect, test } from 'vitest'
import { booksOf, injectFaults, sendLate } from '../../../test/support/provider.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()
afterEach(() => injectFaults(railyard))

test('a pending authorization is decided when it is synced', async () => {
  const payment = await shop.authorized(540001)
  expect(await payment.read()).toMatchObject({
    status: 'processing',
    authorized_amount: 0,
    intent_outcome: 'pending',
  })
  expect(await payment.sync()).toMatchObject({
    status: 200,
    body: {
      status: 'authorization_succeeded',
      authorized_amount: 540001,
      intent_outcome: 'succeeded',
      auth_response_code: '00',
    },
  })
  expect(await payment.timeline()).toContain('transaction-sync-event')
})

test('a payment whose answer was lost is found in the payment service’s books', async () => {
  await injectFaults(railyard, { operation: 'sale', kind: 'lost', times: 1 })
  const payment = await shop.sold(20_00)
  expect(await payment.read()).toMatchObject({ status: 'processing', captured_amount: 0, error_code: null })
  expect((await payment.sync()).body).toMatchObject({ status: 'capture_succeeded', captured_amount: 20_00 })
})

test('a payment that never arrived has failed, and its late request is refused at the payment service', async () => {
  await injectFaults(railyard, { operation: 'authorize', kind: 'reset', times: 1 })
  const payment = await shop.authorized(20_07)
  expect((await payment.read()).status).toBe('processing')
  expect((await payment.sync()).body).toMatchObject({
    status: 'authorization_failed',
    error_code: 'service_network_error',
  })
  const [operation] = await railyard.world.run<{ id: string }>(
    'select id from operations where transaction_id = $1',
    [payment.id],
  )
  const late = `${shop.paymentServiceId}/payments`
  expect(
    await sendLate(railyard, late, operation?.id ?? '', {
      kind: 'authorize',
      amount: 20_07,
      currency: 'EUR',
    }),
  ).toBe(410)
  expect((await booksOf(railyard)).operations.filter(({ amount }) => amount === 20_07)).toEqual([])
})

test('while the payment service cannot be asked, nothing is decided', async () => {
  await injectFaults(
    railyard,
    { operation: 'authorize', kind: 'lost', times: 1 },
    { operation: 'find', kind: 'outage' },
    { operation: 'close', kind: 'outage' },
  )
  const payment = await shop.authorized(20_00)
  expect(await payment.sync()).toMatchObject({
    status: 200,
    body: { status: 'processing', error_code: null },
  })
  expect(await payment.timeline()).toContain('transaction-sync-failed-event')
  await injectFaults(railyard)
  expect((await payment.sync()).body.status).toBe('authorization_succeeded')
})

test('an operation that a dead process left behind counts as unanswered while the payment service cannot be asked', async () => {
  await injectFaults(
    railyard,
    { operation: 'authorize', kind: 'lost', times: 1 },
    { operation: 'find', kind: 'outage' },
    { operation: 'close', kind: 'outage' },
  )
  const payment = await shop.authorized(20_00)
  await railyard.world.run(
    `update operations set status = 'sent', check_at = created_at where transaction_id = $1`,
    [payment.id],
  )
  await payment.sync()
  expect(await payment.timeline()).toContain('transaction-sync-failed-event')
  await injectFaults(railyard)
  await railyard.world.run('update operations set check_at = created_at where transaction_id = $1', [
    payment.id,
  ])
  expect((await payment.sync()).body.status).toBe('authorization_succeeded')
})

test('the payment service’s own notification decides a pending payment; it is not believed but looked up', async () => {
  const payment = await shop.authorized(540001)
  const [service] = (await shop.get('/payment-services')).body.items
  const [operation] = (await booksOf(railyard)).operations.filter(
    ({ kind, status }) => kind === 'authorize' && status === 'pending',
  )
  const notify = (url: string, body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const notificationUrl =
    (await booksOf(railyard)).payments.find(({ opened_by }) => opened_by === operation?.key)
      ?.notification_url ?? ''
  expect(service.id).toBe(shop.paymentServiceId)
  expect(
    (
      await notify(
        notificationUrl.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        { key: operation?.key },
      )
    ).status,
  ).toBe(404)
  expect(
    await (await notify(notificationUrl, { key: crypto.randomUUID(), status: 'approved' })).json(),
  ).toEqual({ received: false })
  expect((await payment.read()).status).toBe('processing')
  for (let times = 0; times < 3; times++)
    await notify(notificationUrl, { key: operation?.key, status: 'declined' })
  expect((await payment.read()).status).toBe('authorization_succeeded')
  expect(
    (await payment.timeline()).filter((name) => name === 'payment-connector-transaction-webhook-processed'),
  ).toHaveLength(1)
})

test('a decided payment can be synced as often as one likes: nothing changes', async () => {
  const payment = await shop.sold(5_00)
  const before = await payment.read()
  await payment.sync()
  expect((await payment.sync()).body).toEqual(before)
  expect((await shop.payment(crypto.randomUUID()).sync()).status).toBe(404)
})

test('what was captured later happens without the merchant (async_capture)', async () => {
  const payment = await shop.sold(30_00, { async_capture: true })
  expect(await payment.read()).toMatchObject({
    authorized_amount: 30_00,
    captured_amount: 0,
    intent_outcome: 'pending',
  })
  expect((await payment.read()).status).toBe('authorization_succeeded')
  expect(await payment.captures()).toMatchObject([{ status: 'pending', amount: 30_00 }])
  await railyard.recovery.runOnce()
  expect(await payment.read()).toMatchObject({
    status: 'capture_succeeded',
    captured_amount: 30_00,
    intent_outcome: 'succeeded',
  })
})
