import { expect, onTestFinished, test } from 'vitest'
import { signWebhook } from '../src/events/delivery/signature.ts'
import { card } from './support/railyard.ts'
import { startReceiver, subscribe } from './support/receiver.ts'
import { startRailyardForFile } from './support/start-railyard.ts'

const railyard = await startRailyardForFile()

async function receiver() {
  const started = await startReceiver()
  onTestFinished(started.close)
  return started
}

/** Every log line is one JSON object, so that input cannot forge lines, and none has these texts. */
function expectLogWithout(...texts: string[]) {
  for (const line of railyard.logged) {
    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
    expect(JSON.parse(line)).toBeTypeOf('object')
  }
  expect(railyard.logged.filter((line) => texts.some((text) => line.includes(text)))).toEqual([])
}

test.each([
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/latest/meta-data/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
  'https://admin:hunter2@127.0.0.1/',
  'https://shop.example/\r\nX-Injected: 1',
  'https://shop.example/\n{"level":60,"msg":"forged"}',
  'https://shop.example/\u001b[2Jforged',
  'https://shop.example/\u202Egnp.exe',
  'https://shop.example/\0',
  'https://shop.example/\uD800',
  'https://127.0.0.1\\@shop.example/',
  'http://shop.example/',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'javascript:alert(1)',
  '__proto__',
])('no subscription has the URL %j, and no log repeats it', async (url) => {
  const merchant = await railyard.merchant()
  const authentication = {
    kind: 'oauth_client_credentials',
    client_id: 'a',
    client_secret: 'b',
    token_url: url,
  }
  for (const body of [{ url }, { url: 'https://shop.example/', authentication }])
    expect((await merchant.post('/webhook-subscriptions', body)).status).toBeOneOf([400, 422])
  const { body: existing } = await merchant.post('/webhook-subscriptions', { url: 'https://shop.example/' })
  expect((await merchant.put(`/webhook-subscriptions/${existing.id}`, { url })).status).toBeOneOf([400, 422])
  expect((await merchant.get('/webhook-subscriptions')).body.items).toEqual([existing])
  expectLogWithout('forged', 'hunter2', 'X-Injected', 'meta-data')
})

test('unknown event names in any script find nothing', async () => {
  const merchant = await railyard.merchant()
  const { body: subscription } = await merchant.post('/webhook-subscriptions', {
    url: 'https://shop.example/',
  })
  const at = `/webhook-subscriptions/${subscription.id}`
  const span = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }
  await merchant.post('/buyers', {})
  for (const name of [
    '__proto__',
    'constructor',
    "'; drop table events; --",
    '%',
    '{buyer.created}',
    'another\r\n{"level":60}',
    '\u001b[2J',
    '\u202E',
    '😀',
    '\0',
    '\uD800',
  ]) {
    const replayed = await merchant.post(`${at}/replay`, { ...span, event_names: [name] })
    expect(replayed.status).toBeOneOf([200, 400, 422])
    if (replayed.status === 200) expect(replayed.body.count).toBe(0)
    const listed = await merchant.get(
      `${at}/deliveries?event_name=${encodeURIComponent(name.toWellFormed())}`,
    )
    expect(listed.status).toBeOneOf([200, 400, 422])
    if (listed.status === 200) expect(listed.body.items).toEqual([])
  }
  expectLogWithout('drop table', 'another\\r\\n')
})

test('texts of buyers and merchants arrive unchanged and signed, and are in no header or log', async () => {
  const merchant = await railyard.merchant()
  const shopServer = await receiver()
  const { secret } = await subscribe(railyard, merchant.account, shopServer)
  const metadata = {
    'x-svc-webhook-id: 1\r\nx': 'forged\r\n{"level":60}',
    constructor: 'forged </script><script>',
    toString: '\u2028\u2029\u001b[2J\u202E',
    emoji: '😀\uFFFF\u0001',
    comma: '","status":"capture_succeeded',
  }
  const created = await merchant.post('/transactions', {
    amount: 10_00,
    currency: 'USD',
    payment_method: card,
    metadata,
  })
  expect({ status: created.status, body: created.body }).toMatchObject({ status: 201, body: { metadata } })
  await railyard.sender.runOnce()
  const delivered = shopServer.received.filter(({ event }) => event.target.id === created.body.id)
  expect(delivered.length).toBeGreaterThan(0)
  for (const { headers, text, event } of delivered) {
    expect(event.target).toMatchObject({ status: 'authorization_succeeded', metadata })
    expect(headers['x-svc-webhook-id']).toBe(event.id)
    const timestamp = Number(headers['x-svc-webhook-timestamp'])
    expect(headers['x-svc-webhook-signatures']).toBe(signWebhook(secret, { timestamp, body: text }))
  }
  expectLogWithout('forged')
})

test('a receiver’s answer can neither corrupt the deliveries or the log nor reveal the request’s secrets', async () => {
  const merchant = await railyard.merchant()
  const shopServer = await receiver()
  const password = 'correct-horse-battery'
  const { id, secret } = await subscribe(railyard, merchant.account, shopServer, {
    kind: 'basic',
    username: 'shop',
    password,
  })
  shopServer.answers(({ headers }, reply) => {
    reply.writeHead(500, { 'retry-after': '-1e999, forged' })
    reply.write(Buffer.from([0x00, 0xff, 0xed, 0xa0, 0x80, 0x1b, 0x5b]))
    reply.end(`${headers.authorization} forged\r\n\u202E${'😀'.repeat(100_000)}`)
  })
  await merchant.post('/buyers', {})
  await railyard.sender.runOnce()
  const { status, body } = await merchant.get(`/webhook-subscriptions/${id}/deliveries`)
  expect(status).toBe(200)
  expect(body.items).toHaveLength(1)
  const [{ attempts }] = body.items
  expect(attempts).toMatchObject([{ status_code: 500, response: expect.stringContaining('forged') }])
  expect(attempts[0].response.isWellFormed()).toBe(true)
  expect(attempts[0].response).not.toContain('\0')
  const credential = Buffer.from(`shop:${password}`).toString('base64')
  for (const hidden of [password, credential, secret]) expect(JSON.stringify(body)).not.toContain(hidden)
  expectLogWithout('forged', password, credential, secret)
})

test('sends nothing to a receiver that moved to a private address, and the delivery has the reason', async () => {
  const merchant = await railyard.merchant()
  const { id } = await subscribe(railyard, merchant.account, {
    url: 'https://169.254.169.254/latest/meta-data/',
  })
  await merchant.post('/buyers', {})
  await railyard.sender.runOnce()
  const { body } = await merchant.get(`/webhook-subscriptions/${id}/deliveries`)
  expect(body.items[0].attempts).toMatchObject([
    {
      status_code: null,
      response: null,
      error: 'the URL must not lead to an address outside of the internet',
    },
  ])
})
