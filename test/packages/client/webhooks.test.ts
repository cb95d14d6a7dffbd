import { type EventName, verifyWebhook, WebhookVerificationError } from '@railyard/client'
import { afterAll, expect, test } from 'vitest'
import { eventNames } from '../../../src/events/event-name.ts'
import { startReceiver } from '../../support/receiver.ts'
import { startRailyardForFile } from '../../support/start-railyard.ts'
import { payment, startClient } from './start-client.ts'

const railyard = await startRailyardForFile()
const receiver = await startReceiver()
afterAll(() => receiver.close())

/** The vector of docs/guides/webhooks.md. */
const secret = 'Ik4L-8FH0ihWczctcIPXZRR_8F0fPNgmhEfVBbZ3zNwqQVa1Or4tBz4Pgw2eNaVDod7H56Y268h_wohEUaWbUg'
const signature = '78aca0c78005107a654a957b8566fa6e0e5e06aea92d7da72a6da9e5a690d013'
const headers = { 'x-svc-webhook-timestamp': '1744018920', 'x-svc-webhook-signatures': signature }
const ever = { tolerance: Number.POSITIVE_INFINITY }

test('a delivery of Railyard is verified, and its name tells what its target is', async () => {
  const client = await startClient(railyard)
  const subscription = await client.webhookSubscriptions.create({ url: receiver.url })
  const created = await client.transactions.create(payment)
  await receiver.hasReceived(1)
  const [delivery] = receiver.received
  if (!delivery) throw new Error('nothing came')
  const event = await verifyWebhook(delivery.text, delivery.headers, subscription.secret ?? '')
  expect(event).toMatchObject({ type: 'event', name: 'transaction.authorized' })
  if (event.name === 'transaction.authorized') expect(event.target.authorized_amount).toBe(created.amount)

  const bytes = new TextEncoder().encode(delivery.text)
  const fetched = new Headers(delivery.headers as Record<string, string>)
  await expect(verifyWebhook(bytes, fetched, ['another', subscription.secret ?? ''])).resolves.toEqual(event)
  await expect(verifyWebhook(delivery.text, delivery.headers, 'another')).rejects.toBeInstanceOf(
    WebhookVerificationError,
  )
  await expect(
    verifyWebhook(
      delivery.text.replace('authorized', 'captured'),
      delivery.headers,
      subscription.secret ?? '',
    ),
  ).rejects.toThrow('no signature')

  await client.webhookSubscriptions.rotateSecret(subscription.id, { delta: 5 })
  await client.transactions.capture(created.id)
  await receiver.hasReceived(2)
  const later = receiver.received[1]
  if (!later) throw new Error('nothing came')
  expect((await verifyWebhook(later.text, later.headers, subscription.secret ?? '')).name).toContain(
    'capture',
  )
})

test('the published vector is verified under every spelling of the headers, until it is too old', async () => {
  // the vector's body is not JSON, so a right signature ends in a SyntaxError
  await expect(verifyWebhook('payload', headers, secret, ever)).rejects.toBeInstanceOf(SyntaxError)
  const spelled = {
    'X-Svc-Webhook-Timestamp': ['1744018920'],
    'X-Svc-Webhook-Signatures': `${'0'.repeat(64)}, ${signature}`,
  }
  await expect(verifyWebhook('payload', spelled, secret, ever)).rejects.toBeInstanceOf(SyntaxError)
  await expect(verifyWebhook('payload', headers, secret)).rejects.toThrow('more than 300 seconds ago')
})

test('a request without its headers, with half a signature or with the eleventh one is refused', async () => {
  const verify = (more: Record<string, string>) =>
    verifyWebhook('payload', { ...headers, ...more }, secret, ever)
  await expect(verifyWebhook('payload', {}, secret)).rejects.toThrow('x-svc-webhook-timestamp')
  for (const wrong of ['', signature.slice(0, 32), signature.toUpperCase(), `${','.repeat(10)}${signature}`])
    await expect(verify({ 'x-svc-webhook-signatures': wrong })).rejects.toThrow('no signature')
  await expect(verify({ 'x-svc-webhook-timestamp': '1744018921' })).rejects.toThrow('no signature')
  await expect(verifyWebhook('payload', headers, '', ever)).rejects.toThrow('secret')
})

test('the client knows the names of all events', () => {
  const known: readonly EventName[] = eventNames
  expect(known).toHaveLength(eventNames.length)
})
