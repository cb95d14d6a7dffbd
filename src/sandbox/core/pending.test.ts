import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openSimulator } from './simulator-client.fixture.ts'

test('a pending operation is final at the first lookup after its answer', async () => {
  const provider = await openSimulator()
  const { body } = await provider.pay({ amount: 540001 })
  expect(await provider.payment(body.payment_id ?? '')).toMatchObject({
    authorization: 'pending',
    authorized: 0,
    pending: { authorize: 540001 },
  })
  const found = await provider.find(body.key ?? '')
  expect(found.body).toMatchObject({ status: 'approved', auth_response_code: '00', iso_response_code: '00' })
  expect(await provider.payment(body.payment_id ?? '')).toMatchObject({
    authorization: 'approved',
    authorized: 540001,
    pending: {},
  })
})

test('the first lookup by a caller without an answer says pending', async () => {
  const provider = await openSimulator()
  await provider.setFaults({ operation: 'authorize', kind: 'lost' })
  const key = randomUUID()
  await expect(provider.pay({ amount: 540001 }, key)).rejects.toThrow()
  expect((await provider.find(key)).body.status).toBe('pending')
  expect((await provider.find(key)).body.status).toBe('approved')
})

test('reading the books changes nothing', async () => {
  const provider = await openSimulator()
  const { body } = await provider.pay({ amount: 540001 })
  for (const _ of [1, 2, 3])
    expect((await provider.booked(body.key ?? '')).body).toMatchObject({ status: 'pending', attempts: 1 })
})

test('every kind of pending operation moves its money once it is final', async () => {
  const provider = await openSimulator()
  const payment = await provider.authorize(1_000_000)
  const capture = await provider.capture(payment, 500003, false)
  expect(await provider.payment(payment)).toMatchObject({ captured: 0, pending: { capture: 500003 } })
  await provider.find(capture.body.key ?? '')
  const increment = await provider.increment(payment, 550001)
  await provider.find(increment.body.key ?? '')
  await provider.capture(payment, 100_000)
  const refund = await provider.refund(payment, 520005)
  await provider.find(refund.body.key ?? '')
  expect(await provider.payment(payment)).toMatchObject({
    authorized: 1_550_001,
    captured: 600_003,
    refunded: 520_005,
    pending: {},
  })

  const other = await provider.authorize(510003)
  const voided = await provider.void(other)
  expect(await provider.payment(other)).toMatchObject({ voided: false })
  await provider.find(voided.body.key ?? '')
  expect(await provider.payment(other)).toMatchObject({ voided: true })
})

/** A merchant's receiver that refuses the first `refusals` notifications. */
async function listener(refusals = 0) {
  const received: unknown[] = []
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request)
    received.push(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(received.length > refusals ? 204 : 500).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { url: `http://127.0.0.1:${typeof address === 'object' && address?.port}/notify`, received }
}

test('a pending operation becomes final by itself, and the merchant is notified', async () => {
  const { url, received } = await listener()
  const provider = await openSimulator({ pendingMs: 50 })
  const { body } = await provider.pay({ kind: 'sale', amount: 540001, notification_url: url })
  await expect.poll(() => received).toEqual([{ key: body.key, payment_id: body.payment_id }])
  expect((await provider.booked(body.key ?? '')).body.status).toBe('approved')
  expect(await provider.payment(body.payment_id ?? '')).toMatchObject({ captured: 540001 })
})

test('a notification is tried three times', async () => {
  const { url, received } = await listener(2)
  const provider = await openSimulator({ pendingMs: 10 })
  await provider.pay({ amount: 540001, notification_url: url })
  await expect.poll(() => received.length).toBe(3)
  await pause(400)
  expect(received).toHaveLength(3)
})

test('sends no notification of an operation that was looked up or cancelled before', async () => {
  const { url, received } = await listener()
  const provider = await openSimulator({ pendingMs: 80 })
  const looked = await provider.pay({ amount: 540001, notification_url: url })
  await provider.find(looked.body.key ?? '')
  const cancelled = await provider.pay({ amount: 540001, notification_url: url })
  await provider.cancel(cancelled.body.payment_id ?? '')
  await pause(200)
  expect(received).toEqual([])
  expect((await provider.booked(cancelled.body.key ?? '')).body).toMatchObject({
    status: 'failed',
    code: 'canceled',
  })
})

test('a notification that cannot be delivered has no effect', async () => {
  const provider = await openSimulator({ pendingMs: 10 })
  const { body } = await provider.pay({ amount: 540001, notification_url: 'http://127.0.0.1:1/' })
  await expect.poll(async () => (await provider.booked(body.key ?? '')).body.status).toBe('approved')
})
