import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { launch } from '../crash/process.ts'
import { fakeNames } from './hosted-fake.ts'
import { startFake } from './server.ts'

const registrations = {
  stripe: {
    path: '/v1/webhook_endpoints',
    type: 'application/x-www-form-urlencoded',
    body: (url: string) => new URLSearchParams({ url, 'enabled_events[]': 'refund.created' }).toString(),
  },
  adyen: {
    path: '/v3/merchants/RailyardTestECOM/webhooks',
    type: 'application/json',
    body: (url: string) =>
      JSON.stringify({ type: 'standard', communicationFormat: 'json', active: true, url }),
  },
  checkout: {
    path: '/workflows',
    type: 'application/json',
    body: (url: string) =>
      JSON.stringify({
        conditions: [],
        actions: [{ type: 'webhook', url, signature: { method: 'HMACSHA256', key: 'k' } }],
      }),
  },
  mollie: {
    path: '/v2/webhooks',
    type: 'application/json',
    body: (url: string) => JSON.stringify({ name: 'x', url, eventTypes: ['payment.paid'] }),
  },
} as const

async function open(name: (typeof fakeNames)[number]) {
  const fake = await startFake(name)
  onTestFinished(() => fake.close())
  const key =
    Object.entries(fake.credentials).find(([variable]) => /SECRET_KEY|API_KEY/.test(variable))?.[1] ?? ''
  const { path, type, body } = registrations[name]
  const register = (url: string) =>
    fetch(`${fake.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': type, authorization: `Bearer ${key}`, 'x-api-key': key },
      body: body(url),
    })
  return { fake, register }
}

test.each(fakeNames)('the fake of %s sends notifications to this machine only', async (name) => {
  const { register } = await open(name)
  for (const url of ['https://shop.example/hook', 'http://10.0.0.7/hook', 'http://127.0.0.1.example/hook'])
    expect((await register(url)).status).toBe(400)
  expect((await register('http://127.0.0.1:9/hook')).status).toBeLessThan(300)
})

test.each(fakeNames)('the fake of %s makes tokens of test cards only', async (name) => {
  const { fake } = await open(name)
  const body = new URLSearchParams({ number: '4929420573595709' })
  expect((await fetch(`${fake.url}/fake/token`, { method: 'POST', body })).status).toBe(400)
})

test('a page of another name cannot reach a fake, and a wrong key is refused', async () => {
  const { fake } = await open('stripe')
  const status = await new Promise<number | undefined>((resolve, reject) => {
    request(`${fake.url}/v1/account`, { headers: { host: 'evil.example' } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
  expect(status).toBe(403)
  expect((await fetch(`${fake.url}/v1/account`, { headers: { authorization: 'Bearer other' } })).status).toBe(
    401,
  )
})

test('a fake that is told to lose an answer moves the money and cuts the connection, once', async () => {
  const { fake } = await open('checkout')
  const { CHECKOUT_SECRET_KEY, CHECKOUT_PUBLIC_KEY } = fake.credentials
  const post = async (path: string, key: string | undefined, body: unknown) =>
    fetch(`${fake.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    })
  const card = { type: 'card', number: '4242424242424242', expiry_month: 12, expiry_year: 2035, cvv: '100' }
  const pay = async (reference: string) => {
    const answer = await post('/tokens', CHECKOUT_PUBLIC_KEY, card)
    const { token }: { token: string } = Object(await answer.json())
    const source = { type: 'token', token }
    return post('/payments', CHECKOUT_SECRET_KEY, { source, amount: 1000, currency: 'EUR', reference })
  }
  expect((await fetch(`${fake.url}/fake/lose-answer`, { method: 'POST' })).status).toBe(200)
  await expect(pay('order-1')).rejects.toThrow('fetch failed')
  expect(fake.effects()).toMatchObject([{ payment: expect.any(String), amount: 1000 }])
  expect((await pay('order-2')).status).toBe(201)
})

test('npm run fake prints one line that names --port when its port is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  expect(await launch(['test/fakes/run.ts', 'stripe', '--port', `${port}`], {}, /(?!)/).ended).toEqual({
    code: 1,
    output: `port ${port} is taken, perhaps by another fake: stop it, or choose another port with --port\n`,
  })
})
