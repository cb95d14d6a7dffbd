import { createServer } from 'node:http'
import { startRailyard } from '@railyard/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openShop } from '../shop.js'

/** @type {import('@railyard/testing').Railyard} */
let railyard
let shop
let server

beforeAll(async () => {
  railyard = await startRailyard()
  const settings = { railyardUrl: railyard.url, token: railyard.token(), webhookSecret: '' }
  shop = openShop(settings)
  // the shop's own server, which Railyard posts to as it would in production
  server = createServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request) body += chunk
    reply.writeHead(shop.receive(request.headers, body)).end()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { body } = await railyard.post('/webhook-subscriptions', {
    url: `http://127.0.0.1:${server.address().port}/webhooks`,
  })
  settings.webhookSecret = body.secret
})

afterAll(async () => {
  await railyard.close()
  server.close()
})

test('an order is paid', async () => {
  expect(await shop.charge({ id: '1', amount: 1299, currency: 'EUR' }, railyard.card)).toEqual({
    id: '1',
    state: 'paid',
  })
  expect(await railyard.webhooks.next('transaction.captured')).toMatchObject({
    target: { external_identifier: '1', captured_amount: 1299 },
  })
})

test('a buyer is told that there is not enough money on the card', async () => {
  const amount = railyard.amounts.declined.insufficientFunds
  const order = await shop.charge({ id: '2', amount, currency: 'EUR' }, railyard.card)
  expect(order).toEqual({ id: '2', state: 'refused', reason: 'There is not enough money on this card.' })
})

test('an order whose payment was made and never answered waits, and is paid by the webhook, once', async () => {
  await railyard.faults.set([{ operation: 'sale', kind: 'lost', times: 1 }])
  expect(await shop.charge({ id: '3', amount: 2500, currency: 'EUR' }, railyard.card)).toEqual({
    id: '3',
    state: 'waiting',
  })
  await vi.waitFor(() => expect(shop.order('3')).toEqual({ id: '3', state: 'paid' }), { timeout: 20_000 })
  const { body } = await railyard.get('/transactions?external_identifier=3')
  expect(body.items).toMatchObject([{ captured_amount: 2500 }])
})
