import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freshToken } from '../../test/crash/crashes.ts'
import { launchRailyard } from '../../test/crash/process.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { makeInstance } from '../../test/support/prepared-instance.ts'
import { type Answer, card, ownDatabase } from '../../test/support/railyard.ts'
import { systemClock } from '../base/clock.ts'
import { openDatabase } from '../database/open-database.ts'
import { startSimulator } from '../sandbox/simulator.ts'
import { readSettings } from '../settings.ts'

/** Providers that keep every answer back from `hold` to `release`. */
async function providersThatWait() {
  const simulator = await startSimulator({ clock: systemClock })
  const released = Promise.withResolvers<void>()
  let holds = false
  let held = 0
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    const { host: _, connection: __, ...headers } = request.headers
    const answer = await fetch(`${simulator.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    const text = await answer.text()
    if (holds) {
      held += 1
      await released.promise
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text)
  }
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await simulator.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () => {
      holds = true
    },
    heldCount: () => held,
    release: () => {
      holds = false
      released.resolve()
    },
  }
}

/** The settings of an instance that no process serves yet. */
async function newInstance(more: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-stop-'))
  const database = await ownDatabase()
  onTestFinished(async () => {
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  if (!database) await makeInstance(folder)
  return {
    DATA_DIR: folder,
    PORT: '0',
    PROVIDER_TIMEOUT_MS: '30000',
    ...(database && { DATABASE_URL: database.url }),
    ...more,
  }
}

/** The errors of a process's log. */
const errorsIn = (output: string): unknown[] =>
  output
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    .filter(({ level }) => level >= 50)
    .map(({ msg, err }) => `${msg}: ${err?.message}`)

/** The client of an instance that a process serves, with the administrator's key. */
async function clientOf(url: string, env: { DATA_DIR: string }) {
  const headers = {
    authorization: `Bearer ${await freshToken(env)}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  return {
    async get(path: string): Promise<Answer['body']> {
      return (await fetch(`${url}${path}`, { headers: { authorization: headers.authorization } })).json()
    },
    async post(path: string, body: object): Promise<Answer['body']> {
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return answer.json()
    },
    /** Sends a request on a connection of its own; the function that is answered ends the connection. */
    postAndLeave(path: string, body: object): () => void {
      const sent = request(`${url}${path}`, { method: 'POST', headers, agent: false })
      sent.on('error', () => undefined).end(JSON.stringify(body))
      return () => sent.destroy()
    },
  }
}

const payment = (more: object = {}) => ({ amount: 12_99, currency: 'EUR', payment_method: card, ...more })
/** The message of an AI agent that refunds a payment. */
const refundByAgent = (payment_id: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'refund_payment',
    arguments: { payment_id, reason: 'returned', request_id: 'refund-0001' },
  },
})

/** A stop that does not wait for a payment has closed the database by then. */
const UNTIL_CLOSED_MS = 1_000

test('a process that is stopped records the outcomes of operations whose clients have disconnected', async () => {
  const providers = await providersThatWait()
  const env = await newInstance({ SANDBOX_URL: providers.url })
  const railyard = launchRailyard(env)
  onTestFinished(() => railyard.kill())
  const client = await clientOf((await railyard.ready).url, env)
  const { id: authorized } = await client.post('/transactions', payment())
  const sell = async () => (await client.post('/transactions', payment({ intent: 'capture' }))).id
  const sold = [await sell(), await sell()]
  const { items } = await client.get('/payment-services?method=card')
  const gift_cards = [{ number: '6036000000000001', pin: '0500', amount: 5_00 }]

  providers.hold()
  const leave = [
    client.postAndLeave('/transactions', payment()),
    // three steps: the authorization, the gift card, the capture
    client.postAndLeave('/transactions', payment({ intent: 'capture', gift_cards })),
    client.postAndLeave(`/transactions/${authorized}/capture`, {}),
    client.postAndLeave(`/transactions/${sold[0]}/refunds`, {}),
    client.postAndLeave('/payouts', payoutOf(items[0].id)),
    client.postAndLeave('/mcp', refundByAgent(sold[1])),
  ]
  const isHeld = () => expect(providers.heldCount()).toBe(leave.length)
  await vi.waitFor(isHeld, { timeout: 20_000, interval: 50 })
  for (const one of leave) one()
  process.kill(railyard.pid, 'SIGTERM')
  await railyard.printed('"msg":"stopping"')
  await wait(UNTIL_CLOSED_MS)
  providers.release()
  const { code, output } = await railyard.ended
  expect({ code, errors: errorsIn(output) }).toEqual({ code: 0, errors: [] })

  const database = await openDatabase(readSettings(env))
  onTestFinished(database.close)
  const operations = await database.run<{ kind: string; status: string }>(
    'select kind, status from operations order by kind, status',
    [],
  )
  expect(operations.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    ...Array(3).fill('authorize approved'),
    ...Array(2).fill('capture approved'),
    'payout approved',
    'redeem approved',
    ...Array(2).fill('refund approved'),
    ...Array(2).fill('sale approved'),
  ])
})
