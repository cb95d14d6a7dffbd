import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { launch, launchRailyard } from '../../test/crash/process.ts'
import { makeInstance } from '../../test/support/prepared-instance.ts'
import { card, startTestRailyard } from '../../test/support/railyard.ts'
import { generateKey } from '../accounts/api-keys/private-key.ts'
import { signWebhook } from '../events/delivery/signature.ts'

// processes one after the other: on a busy machine each takes seconds to start
vi.setConfig({ testTimeout: 240_000 })

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/**
 * A receiver on the developer's machine, which closes the connection if it has no status to answer; `next`
 * waits for the next request.
 */
async function startReceiver(statusOf: (count: number) => number | undefined = () => 204) {
  let count = 0
  const waiters: ((received: Received) => void)[] = []
  const arrived: Received[] = []
  const server = createServer(async (request, response) => {
    const received = { headers: request.headers, body: await text(request) }
    const status = statusOf(++count)
    if (status) response.writeHead(status).end()
    else request.socket.destroy()
    const waiter = waiters.shift()
    if (waiter) waiter(received)
    else arrived.push(received)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/hook`,
    next: () => {
      const first = arrived.shift()
      return first ? Promise.resolve(first) : new Promise<Received>((resolve) => waiters.push(resolve))
    },
  }
}

/** A server in this process; `railyard listen` is a process of its own. */
async function server() {
  const { url, world, close } = await startTestRailyard()
  onTestFinished(close)
  return { url, env: { DATA_DIR: world.settings.dataDir } }
}

async function instance(): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'railyard-listen-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  await makeInstance(path)
  return path
}

const railyard = (env: Record<string, string>, ...args: string[]) =>
  launch(['src/main.js', ...args], env, /(?!)/).ended

/** Starts `railyard listen`; it is ready when it has printed the URL that it forwards to. */
const startListening = (env: Record<string, string>, ...args: string[]) =>
  launch(['src/main.js', 'listen', ...args], env, /^Listening to \S+, forwarding to (\S+);/m)

async function pay(url: string, token: string, amount: number): Promise<string> {
  const answer = await fetch(`${url}/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount, currency: 'USD', payment_method: card }),
  })
  const { id } = JSON.parse(await answer.text())
  return id
}

test('listen forwards events, signed as deliveries are, before and after a restart of the server', async () => {
  const env = { DATA_DIR: await instance(), PORT: '0', LOG_LEVEL: 'warn' }
  const shop = await startReceiver()
  const first = launchRailyard(env)
  const { url } = await first.ready
  const token = (await railyard(env, 'token', '--scopes', '*.write', '--expires-in', '1h')).output.trim()
  const listener = startListening(
    env,
    '--url',
    url,
    '--forward-to',
    shop.url,
    '--events',
    'transaction.*,refund.succeeded',
  )
  expect((await listener.ready).url).toBe(shop.url)

  const paid = await pay(url, token, 10_00)
  const one = await shop.next()
  expect(JSON.parse(one.body)).toMatchObject({
    type: 'event',
    name: 'transaction.authorized',
    sequence: 1,
    target: { id: paid, amount: 10_00 },
  })
  expect(one.headers['x-svc-webhook-id']).toBe(JSON.parse(one.body).id)

  await first.stop()
  const second = launchRailyard({ ...env, PORT: new URL(url).port })
  await second.ready
  await fetch(`${url}/transactions/${paid}/capture`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  const two = await shop.next()
  // capture.succeeded comes first, and is not in --events
  expect(JSON.parse(two.body)).toMatchObject({
    name: 'transaction.captured',
    sequence: 2,
    target: { id: paid },
  })

  const { code, output } = await listener.stop()
  await second.stop()
  expect(code).toBe(0)
  const [, secret = ''] = /^ {2}secret +(\S+)$/m.exec(output) ?? []
  const [, standard = ''] = /^ {2}standardwebhooks +(whsec_\S+)$/m.exec(output) ?? []
  for (const { headers, body } of [one, two]) {
    expect(
      new Webhook(standard).verify(
        body,
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ),
    ).toEqual(JSON.parse(body))
    expect(headers['x-svc-webhook-signatures']).toBe(
      signWebhook(secret, { timestamp: Number(headers['x-svc-webhook-timestamp']), body }),
    )
  }
  const lines = output.split('\n').filter((line) => line.includes('transaction.'))
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^\\S+ {2}transaction\\.authorized {2}${paid} {2}204 after \\d+ ms$`)),
    expect.stringMatching(new RegExp(`^\\S+ {2}transaction\\.captured {2}${paid} {2}204 after \\d+ ms$`)),
  ])
  expect(output).toMatch(/does not answer \(ECONNREFUSED\): trying again\n(.|\n)*answers again\n/)
})

test('listen refuses unknown names of events', async () => {
  const { url, env } = await server()
  for (const events of ['nope.x', 'transaction.*,transaction.charged'])
    expect(await railyard(env, 'listen', '--url', url, '--events', events)).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /^railyard: --events: no event is named (nope\.x|transaction\.charged)\n$/,
      ),
    })
})

test('listen prints a receiver’s failure and continues; --secret accepts the standard form', async () => {
  const { url, env } = await server()
  const token = (await railyard(env, 'token', '--scopes', '*.write')).output.trim()
  const shop = await startReceiver((count) => [undefined, 500, 303][count - 1])
  const secret = `whsec_${Buffer.from('known to both').toString('base64')}`
  const listener = startListening(env, '--url', url, '--forward-to', shop.url, '--secret', secret)
  await listener.ready
  const ids = [await pay(url, token, 1_00), await pay(url, token, 2_00), await pay(url, token, 3_00)]
  const received = [await shop.next(), await shop.next(), await shop.next()]
  expect(received.map(({ body }) => JSON.parse(body).target.id)).toEqual(ids)
  for (const { headers, body } of received)
    expect(headers['x-svc-webhook-signatures']).toBe(
      signWebhook('known to both', { timestamp: Number(headers['x-svc-webhook-timestamp']), body }),
    )
  const { output, code } = await listener.stop()
  expect(code).toBe(0)
  expect(output).toMatch(new RegExp(`${ids[0]} {2}not delivered: \\S+\n.*${ids[1]} {2}500 after \\d+ ms\n`))
})

test('listen refuses a wrong option with one line', async () => {
  const { url, env } = await server()
  const stranger = join(env.DATA_DIR, 'stranger.pem')
  writeFileSync(stranger, (await generateKey('EdDSA')).privateKeyPem)
  const refusal = async (...args: string[]) => {
    const { code, output } = await railyard(env, 'listen', '--url', url, ...args)
    expect(code).toBe(1)
    return output
  }
  const [misspelt, unknown, nobody] = await Promise.all([
    refusal('--forward-to', 'localhost:3000'),
    refusal('--key', stranger),
    refusal('--merchant-account', 'nobody'),
  ])
  expect(misspelt).toBe('railyard: --forward-to takes a URL: http://localhost:3000/hook\n')
  expect(unknown).toBe(`railyard: ${url}/events answered 401: No valid API authentication found\n`)
  expect(nobody).toMatch(/^railyard: \S+\/events answered 403: .*\n$/)
})
