import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { newSigningSecret, signatureHeaders } from '../src/events/delivery/signature.ts'
import { startExampleShop } from './browser/example-shop.ts'
import { startRailyardForFile } from './support/start-railyard.ts'

const secret = newSigningSecret()
const railyard = await startRailyardForFile()
const shop = await startExampleShop(railyard, { WEBHOOK_SECRET: secret })
afterAll(() => shop.close())

const target = { type: 'transaction', id: randomUUID() }
const event = (name: string, sequence: number) =>
  JSON.stringify({ type: 'event', id: randomUUID(), name, sequence, target: { ...target, name } })

async function deliver(body: string, { secrets = [secret], age = 0, changed = body } = {}): Promise<number> {
  const timestamp = Math.floor(Date.now() / 1000) - age
  const headers = signatureHeaders(secrets, { id: JSON.parse(body).id, timestamp, body })
  return (await fetch(`${shop.url}/webhooks`, { method: 'POST', headers, body: changed })).status
}

const receivedEvents = async () => (await fetch(`${shop.url}/events.json`)).json()

test('the example shop accepts only recent webhooks that are signed with its secret', async () => {
  const body = event('transaction.authorized', 1)
  expect(await deliver(body, { secrets: [newSigningSecret()] })).toBe(401)
  expect(await deliver(body, { age: 600 })).toBe(401)
  expect(await deliver(body, { changed: body.replace('authorized', 'captured') })).toBe(401)
  expect((await fetch(`${shop.url}/webhooks`, { method: 'POST', body })).status).toBe(401)
  expect(await receivedEvents()).toEqual({ events: 0, resources: [] })
  expect(await deliver(body, { secrets: [newSigningSecret(), secret] })).toBe(204)
  expect(await receivedEvents()).toMatchObject({ events: 1, resources: [{ name: 'transaction.authorized' }] })
})

test('the example shop takes each event once and ignores earlier ones', async () => {
  const [captured, modified] = [event('transaction.captured', 2), event('transaction.modified', 3)]
  for (const body of [modified, modified, captured, captured]) expect(await deliver(body)).toBe(204)
  expect(await receivedEvents()).toMatchObject({
    events: 3,
    resources: [{ name: 'transaction.modified', sequence: 3, target }],
  })
})
