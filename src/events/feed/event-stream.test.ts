import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { person } from '../../../test/support/people.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { goodClaims, signed } from '../../../test/support/tokens.ts'

const railyard = await startRailyardForFile()

interface Message {
  id: string
  event: string
  data: { id?: string; name?: string; target?: Record<string, unknown> }
}

/** A stream of events with the headers of a request, and its messages one by one. */
async function openStream(headers: Record<string, string>) {
  const abort = new AbortController()
  const answer = await fetch(`${railyard.url}/events/stream`, { headers, signal: abort.signal })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
        if (field('event')) return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) }
        continue
      }
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return undefined
      text += value
    }
  }
  return { answer, next, close: () => abort.abort() }
}

const asShop = async (shop: Shop) => ({
  authorization: `Bearer ${shop.token}`,
  'x-svc-merchant-account-id': shop.account,
})

test('a payment is told with its ids, and none of its data, to its account alone', async () => {
  const [shop, other] = [await openShop(railyard), await openShop(railyard)]
  const stream = await openStream(await asShop(shop))
  expect(stream.answer.headers.get('content-type')).toContain('text/event-stream')
  expect(await stream.next()).toMatchObject({ event: 'ready' })
  await other.authorized(5_00)
  const { id } = await shop.authorized(6_00, { buyer: { display_name: 'Zebedee' } })
  const message = await stream.next()
  expect(message).toMatchObject({
    id: expect.any(String),
    event: expect.stringMatching(/^transaction\./),
    data: { target: { type: 'transaction', id } },
  })
  expect(Object.keys(message?.data.target ?? {})).toEqual(['type', 'id'])
  stream.close()
})

test('a stream that is opened again with the last id goes on after it', async () => {
  const shop = await openShop(railyard)
  const stream = await openStream(await asShop(shop))
  const ready = await stream.next()
  stream.close()
  const { id } = await shop.authorized(7_00)
  const again = await openStream({ ...(await asShop(shop)), 'last-event-id': ready?.id ?? '' })
  await again.next()
  expect(await again.next()).toMatchObject({ data: { target: { id } } })
  again.close()
})

test('a stream ends when its person may do other things than before', async () => {
  const shop = await openShop(railyard)
  const ada = await person(railyard, { merchantAccounts: [shop.account], roles: ['customer-support'] })
  const stream = await openStream({ cookie: ada.cookie, 'x-svc-merchant-account-id': shop.account })
  expect(await stream.next()).toMatchObject({ event: 'ready' })
  await railyard.admin.put(`/users/${ada.id}`, { merchant_account_ids: [] })
  expect(await stream.next()).toBeUndefined()
})

test('a caller has a bounded number of streams, and another place once one is closed', async () => {
  const shop = await openShop(railyard)
  const headers = await asShop(shop)
  const open = await Promise.all(Array.from({ length: 6 }, () => openStream(headers)))
  expect(open.map(({ answer }) => answer.status)).toEqual(Array(6).fill(200))
  const { answer } = await openStream(headers)
  expect({ status: answer.status, retry: answer.headers.get('retry-after') }).toEqual({
    status: 503,
    retry: '10',
  })
  for (const stream of open) stream.close()
  await expect.poll(async () => (await openStream(headers)).answer.status).toBe(200)
})

test('clients that are gone before their stream begins take no place', async () => {
  const client = await railyard.client({ account: 'default' })
  const port = Number(new URL(railyard.url).port)
  for (let count = 0; count < 12; count++) {
    // a token that was not seen before takes a while to verify
    const token = await signed(client.signer, goodClaims())
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`GET /events/stream HTTP/1.1\r\nhost: railyard\r\nauthorization: Bearer ${token}\r\n\r\n`)
    socket.destroySoon()
    await once(socket, 'close')
  }
  const headers = { authorization: `Bearer ${await signed(client.signer, goodClaims())}` }
  await expect.poll(async () => (await openStream(headers)).answer.status).toBe(200)
})
