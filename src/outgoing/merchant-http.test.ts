import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  CONNECTIONS,
  MAX_EXCERPT_LENGTH,
  type MerchantHttp,
  MerchantUnreachable,
  merchantHttp,
} from './merchant-http.ts'

const opened: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

const sandbox = { environment: 'sandbox', allowedNetworks: [] } as const

function client(...[surroundings]: [Parameters<typeof merchantHttp>[1]?]): MerchantHttp {
  const http = merchantHttp(sandbox, surroundings)
  opened.push(http.close)
  return http
}

/** A receiver on this machine, and the requests and connections that it has seen. */
async function receiver(answer: RequestListener) {
  const requests: IncomingMessage[] = []
  let connections = 0
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  server.on('connection', () => void connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  opened.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${port}`, port, requests, connections: () => connections }
}

const post = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{}',
  timeout: 10_000,
} as const

test('a request arrives with its method, headers and body, and its answer is returned', async () => {
  let body = ''
  const { url, requests } = await receiver((request, response) => {
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () =>
      response.writeHead(202, { 'x-one': 'a', 'set-cookie': ['b', 'c'] }).end('thanks €'),
    )
  })
  const answer = await client().request(`${url}/hooks?a=1&b=%20`, {
    ...post,
    headers: { 'x-svc-webhook-id': '7' },
    body: '{"id":1}',
  })
  expect(answer).toMatchObject({
    status: 202,
    headers: { 'x-one': 'a', 'set-cookie': 'b' },
    text: 'thanks €',
  })
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: '/hooks?a=1&b=%20',
    headers: { 'x-svc-webhook-id': '7' },
  })
  expect(body).toBe('{"id":1}')
})

test('later requests reuse a connection', async () => {
  const { url, connections } = await receiver((_request, response) => response.end('ok'))
  const http = client()
  for (let i = 0; i < 5; i++) {
    await http.request(url, post)
    // undici returns the answer before it marks the connection as free
    await setImmediate()
  }
  expect(connections()).toBe(1)
})

/** Answers no request until this many have arrived, and then all of them. */
function turnstile(crowd: number) {
  const waiting: ServerResponse[] = []
  let full = () => {}
  const isFull = new Promise<void>((resolve) => {
    full = resolve
  })
  let isOpen = false
  const open = () => {
    isOpen = true
    for (const response of waiting) response.end()
  }
  const answer: RequestListener = (_request, response) => {
    if (isOpen) return response.end()
    waiting.push(response)
    if (waiting.length === crowd) full()
  }
  return { answer, isFull, open }
}

test('at most 40 connections lead to a receiver at once, and further requests wait', async () => {
  const { answer, isFull, open } = turnstile(40)
  const { url, connections } = await receiver(answer)
  const http = client()
  const answers = Array.from({ length: 50 }, () => http.request(url, post))
  await isFull
  open()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(50).fill(200))
  expect(connections()).toBe(40)
})

test('a request that finds no free connection in time fails and is never sent', async () => {
  const { answer, isFull, open } = turnstile(CONNECTIONS)
  const { url, requests } = await receiver(answer)
  const http = client()
  const held = Array.from({ length: CONNECTIONS }, () => http.request(url, post))
  await isFull
  const late = http.request(`${url}/late`, { ...post, timeout: 50 })
  await expect(late).rejects.toThrow(new MerchantUnreachable('no answer in time'))
  open()
  await Promise.all(held)
  await http.request(`${url}/next`, post)
  expect(requests.map((request) => request.url)).toEqual([...Array(CONNECTIONS).fill('/'), '/next'])
})

test.each([301, 302, 303, 307, 308])('a redirect (%d) is an answer, and not followed', async (status) => {
  const elsewhere = await receiver((_request, response) => response.end('secret'))
  const { url, requests } = await receiver((_request, response) =>
    response.writeHead(status, { location: elsewhere.url }).end(),
  )
  expect(await client().request(url, post)).toMatchObject({ status, headers: { location: elsewhere.url } })
  expect(requests).toHaveLength(1)
  expect(elsewhere.connections()).toBe(0)
})

test.each(['http://169.254.169.254/', '//169.254.169.254/', 'file:///etc/passwd', 'http://[::1]:22/'])(
  'a redirect to %s is only told',
  async (location) => {
    const { url } = await receiver((_request, response) => response.writeHead(302, { location }).end())
    expect(await client().request(url, post)).toMatchObject({ status: 302, headers: { location } })
  },
)

test('of a huge answer the beginning is read; the answer counts, and the connection ends', async () => {
  const { url, requests } = await receiver((request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('€'.repeat(10_000)));
    }
    response.on('drain', more).writeHead(200)
    request.resume()
    more()
  })
  const { status, text } = await client().request(url, post)
  expect(status).toBe(200)
  // 65,536 bytes are 21,845 characters of three bytes and the first byte of another one
  expect(text).toBe('€'.repeat(Math.floor(MAX_EXCERPT_LENGTH / 3)))
  const { socket } = requests[0] ?? {}
  if (socket && !socket.destroyed) await new Promise((resolve) => socket.once('close', resolve))
  expect(socket?.destroyed).toBe(true)
})

test('an answer of just as much as is read is whole', async () => {
  const { url } = await receiver((_request, response) => response.end('x'.repeat(MAX_EXCERPT_LENGTH)))
  expect((await client().request(url, post)).text).toHaveLength(MAX_EXCERPT_LENGTH)
})

test('what is compressed stays so: a small answer cannot become a huge one', async () => {
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024))
  const { url, requests } = await receiver((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  const { status, text } = await client().request(url, post)
  expect(status).toBe(200)
  expect(text.length).toBeLessThanOrEqual(bomb.length)
  expect(requests[0]?.headers['accept-encoding']).toBeUndefined()
})

test('bytes that are no text, and what a database cannot store, are replaced', async () => {
  const { url } = await receiver((_request, response) =>
    response.end(Buffer.from([0x61, 0x00, 0xff, 0xed, 0xa0, 0x80, 0x62])),
  )
  const { text } = await client().request(url, post)
  expect(text).toMatch(/^a\uFFFD+b$/)
})

test.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  [
    'sends a status, and then nothing',
    (_request, response) => response.writeHead(200, { 'content-length': '10' }).flushHeaders(),
  ],
  [
    'sends a byte now and then',
    (_request, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(drip))
    },
  ],
])('a receiver that %s has not answered in time', async (_name, answer) => {
  const { url } = await receiver(answer)
  await expect(client().request(url, { ...post, timeout: 300 })).rejects.toThrow(
    new MerchantUnreachable('no answer in time'),
  )
})

test('a name whose servers never answer has not answered in time', async () => {
  const http = client({ lookup: () => new Promise(() => undefined) })
  await expect(http.request('https://shop.example/', { ...post, timeout: 100 })).rejects.toThrow(
    new MerchantUnreachable('no answer in time'),
  )
})

test.each<[string, RequestListener, RegExp]>([
  ['hangs up', (request) => request.socket.destroy(), /^the connection broke$/],
  [
    'hangs up in the middle of its answer',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('abc', () => response.socket?.destroy())
    },
    /^the connection broke$/,
  ],
  [
    'speaks no HTTP',
    (request) => request.socket.end('220 smtp.example ESMTP\r\n'),
    /^the connection broke$|^HPE_|^UND_ERR/,
  ],
  [
    'sends too many headers',
    (_request, response) => response.writeHead(200, { 'x-long': 'a'.repeat(100_000) }).end(),
    /^UND_ERR_HEADERS_OVERFLOW$/,
  ],
])('of a receiver that %s the reason is told', async (_name, answer, reason) => {
  const { url } = await receiver(answer)
  const error = await client()
    .request(url, post)
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(MerchantUnreachable)
  expect(error.message).toMatch(reason)
})

test('a refused connection and a name without addresses are reported with their reasons', async () => {
  const { url } = await receiver(() => undefined)
  await opened.splice(0).at(0)?.()
  await expect(client().request(url, post)).rejects.toThrow(
    new MerchantUnreachable('the connection was refused'),
  )
  const lookup = () =>
    Promise.reject(Object.assign(new Error('queryA ENOTFOUND shop.example'), { code: 'ENOTFOUND' }))
  await expect(client({ lookup }).request('https://shop.example/', post)).rejects.toThrow(
    new MerchantUnreachable('the host has no address'),
  )
})

test('a header that would begin another is not sent', async () => {
  const { url, requests } = await receiver((_request, response) => response.end())
  await expect(client().request(url, { ...post, headers: { 'x-a': 'b\r\nx-c: d' } })).rejects.toThrow(
    MerchantUnreachable,
  )
  expect(requests).toHaveLength(0)
})

test('proxies that the environment names are not asked', async () => {
  const proxy = await receiver((_request, response) => response.end('proxy'))
  const { url } = await receiver((_request, response) => response.end('receiver'))
  const proxies = {
    HTTP_PROXY: proxy.url,
    http_proxy: proxy.url,
    ALL_PROXY: proxy.url,
    NODE_USE_ENV_PROXY: '1',
    NO_PROXY: '',
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const [name, value] of Object.entries(proxies)) vi.stubEnv(name, value)
  expect((await client().request(url, post)).text).toBe('receiver')
  expect(proxy.connections()).toBe(0)
})

test('localhost is this machine, whatever DNS says', async () => {
  const { port } = await receiver((request, response) => response.end(request.headers.host))
  for (const name of ['localhost', 'hooks.localhost']) {
    expect(await client().request(`http://${name}:${port}/`, post)).toMatchObject({
      status: 200,
      text: `${name}:${port}`,
    })
  }
})

test.each([
  'https://169.254.169.254/',
  'https://user@shop.example/',
  'http://shop.example/',
  'https://shop.example:22/',
  'ftp://shop.example/',
])('%s is not asked, though a subscription should have it', async (url) => {
  const lookup = () => Promise.reject(new Error('looked up'))
  await expect(client({ lookup }).request(url, post)).rejects.toThrow(/^the URL must/)
})
