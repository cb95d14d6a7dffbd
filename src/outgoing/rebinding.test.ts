import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer as createTlsServer, type Server } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type MerchantHttp, MerchantUnreachable, merchantHttp } from './merchant-http.ts'
import { readNetwork } from './network.ts'

/** The address of the receiver that a merchant may name, and the addresses that must not be reached. */
const ALLOWED = '127.0.0.2'
const BLOCKED = ['127.0.0.1', '127.0.0.3', '::1']

const places = {
  environment: 'production',
  allowedNetworks: [readNetwork(`${ALLOWED}/32`)].flatMap((network) => network ?? []),
} as const
const NAME = 'hooks.shop.example'

let port: number
let ca: string
let receiver: Server
const guarded: ReturnType<typeof createServer>[] = []
/** Connections to forbidden listeners, and all addresses to which a socket has connected on the port. */
let reached: string[] = []
let tried: string[] = []

const watch = (message: unknown) => {
  const { socket } = message as { socket: Socket }
  socket.on('connectionAttempt', (ip: string, to: number) => {
    if (to === port) tried.push(ip)
  })
}

/** Listens on one port of all addresses. False: another program has that port at one of them. */
async function listenEverywhere(): Promise<boolean> {
  try {
    await once(receiver.listen(0, ALLOWED), 'listening')
    port = (receiver.address() as AddressInfo).port
    for (const address of BLOCKED) {
      const server = createServer((socket) => {
        reached.push(address)
        socket.destroy()
      })
      guarded.push(server)
      await once(server.listen(port, address), 'listening')
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return false
  }
}

async function closeAll(): Promise<void> {
  for (const server of [receiver, ...guarded.splice(0)]) await new Promise((resolve) => server.close(resolve))
}

beforeAll(async () => {
  const pems = await generate([{ name: 'commonName', value: NAME }], {
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: NAME },
          { type: 7, ip: ALLOWED },
        ],
      },
    ],
  })
  ca = pems.cert
  receiver = createTlsServer({ key: pems.private, cert: pems.cert }, (request, response) =>
    response.end(request.headers.host),
  )
  while (!(await listenEverywhere())) await closeAll()
  subscribe('net.client.socket', watch)
})

afterAll(async () => {
  unsubscribe('net.client.socket', watch)
  receiver.closeAllConnections()
  await closeAll()
})

beforeEach(() => {
  reached = []
  tried = []
})

/** A resolver with one answer after the other; it repeats the last one. */
type Script = readonly (readonly string[])[]

function resolver(script: Script) {
  let asked = 0
  return {
    asked: () => asked,
    lookup: async (hostname: string) => {
      expect(hostname).toBe(NAME)
      const answer = script[Math.min(asked++, script.length - 1)] ?? []
      if (answer.length === 0) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      return answer
    },
  }
}

const get = { method: 'GET', headers: { connection: 'close' }, timeout: 10_000 } as const

async function asks(http: MerchantHttp, times: number): Promise<string[]> {
  const outcomes: string[] = []
  for (let i = 0; i < times; i++)
    outcomes.push(
      await http.request(`https://${NAME}:${port}/`, get).then(
        ({ status }) => String(status),
        (error) => (error instanceof MerchantUnreachable ? error.message : 'another error'),
      ),
    )
  return outcomes
}

const good = [ALLOWED]
const outside = 'the host leads to an address outside of the internet'

/** The results of requests that are sent one after the other. */
const rebindings: [string, Script, string[]][] = [
  ['loopback', [['127.0.0.1']], [outside]],
  ['another loopback', [['127.0.0.3']], [outside]],
  ['loopback of IPv6', [['::1']], [outside]],
  ['good, then loopback', [good, ['127.0.0.1']], ['200', outside]],
  ['good, then loopback of IPv6', [good, ['::1']], ['200', outside]],
  ['loopback, then good', [['127.0.0.1'], good], [outside, '200']],
  [
    'good and bad by turns',
    [good, ['127.0.0.1'], good, ['::1'], good],
    ['200', outside, '200', outside, '200'],
  ],
  [
    'good many times, then bad',
    [good, good, good, good, ['127.0.0.3']],
    ['200', '200', '200', '200', outside],
  ],
  ['good first among bad', [[ALLOWED, '127.0.0.1']], [outside]],
  ['good last among bad', [['127.0.0.1', ALLOWED]], [outside]],
  ['good between bad', [['127.0.0.1', ALLOWED, '::1']], [outside]],
  ['good and IPv6 loopback', [[ALLOWED, '::1']], [outside]],
  ['good, then good beside bad', [good, [ALLOWED, '127.0.0.3']], ['200', outside]],
  ['many good ones and a bad one', [[...Array<string>(20).fill(ALLOWED), '127.0.0.1']], [outside]],
  ['the same good one twice', [[ALLOWED, ALLOWED]], ['200']],
  ['nothing, then bad', [[], ['127.0.0.1']], ['the host has no address', outside]],
  ['nothing, then good', [[], good], ['the host has no address', '200']],
  ['good, then nothing', [good, []], ['200', 'the host has no address']],
  ['metadata', [['169.254.169.254']], [outside]],
  ['good, then metadata', [good, ['169.254.169.254']], ['200', outside]],
  ['metadata of IPv6', [['fd00:ec2::254']], [outside]],
  ['good beside metadata', [[ALLOWED, '169.254.169.254']], [outside]],
  ['unspecified', [['0.0.0.0']], [outside]],
  ['unspecified of IPv6', [['::']], [outside]],
  ['good, then unspecified', [good, ['0.0.0.0'], ['::']], ['200', outside, outside]],
  ['mapped loopback', [['::ffff:127.0.0.1']], [outside]],
  ['mapped loopback in hexadecimal', [['::ffff:7f00:1']], [outside]],
  ['mapped good one', [[`::ffff:${ALLOWED}`]], [outside]],
  ['good, then mapped loopback', [good, ['::ffff:127.0.0.1']], ['200', outside]],
  ['compatible loopback', [['::127.0.0.1']], [outside]],
  ['NAT64 of loopback', [['64:ff9b::7f00:1']], [outside]],
  ['6to4 of loopback', [['2002:7f00:1::']], [outside]],
  ['Teredo', [['2001:0:7f00:1::']], [outside]],
  ['link-local with a zone', [['fe80::1%lo']], [outside]],
  ['loopback with a zone', [['::1%lo']], [outside]],
  ['private', [['10.0.0.1'], ['172.16.0.1'], ['192.168.0.1']], [outside, outside, outside]],
  ['unique local', [['fd00::1']], [outside]],
  ['good, then private', [good, ['192.168.0.1']], ['200', outside]],
  ['multicast and broadcast', [['224.0.0.1'], ['255.255.255.255'], ['ff02::1']], [outside, outside, outside]],
  ['a neighbour of what is allowed', [['127.0.0.1'], ['127.0.0.3']], [outside, outside]],
  ['a name in place of an address', [['localhost']], [outside]],
  ['short and octal spellings', [['127.1'], ['0177.0.0.1'], ['2130706433']], [outside, outside, outside]],
  ['an empty text', [['']], [outside]],
  ['an address in brackets', [['[::1]']], [outside]],
]

test.each(rebindings)(
  'a resolver that answers %s leads to nothing that is blocked',
  async (_name, script, expected) => {
    const { lookup, asked } = resolver(script)
    const http = merchantHttp(places, { lookup, ca })
    expect(await asks(http, expected.length)).toEqual(expected)
    expect(asked()).toBe(expected.length)
    expect(reached).toEqual([])
    expect(tried).toEqual(expected.flatMap((outcome) => (outcome === '200' ? [ALLOWED] : [])))
    await http.close()
  },
)

test('there are at least 40 of these, and listeners would have noticed', async () => {
  expect(rebindings.length).toBeGreaterThanOrEqual(40)
  const careless = merchantHttp(
    { environment: 'sandbox', allowedNetworks: [] },
    { lookup: async () => ['127.0.0.1'] },
  )
  await expect(careless.request(`https://${NAME}:${port}/`, get)).rejects.toThrow(MerchantUnreachable)
  expect(reached).toEqual(['127.0.0.1'])
  expect(tried).toEqual(['127.0.0.1'])
  await careless.close()
})

test('a connection that was checked is used again, and the resolver is not asked', async () => {
  const { lookup, asked } = resolver([good, ['127.0.0.1']])
  const http = merchantHttp(places, { lookup, ca })
  for (let i = 0; i < 3; i++) {
    expect(await http.request(`https://${NAME}:${port}/`, { ...get, headers: {} })).toMatchObject({
      status: 200,
      text: `${NAME}:${port}`,
    })
    // undici returns the answer before it marks the connection as free
    await setImmediate()
  }
  expect(asked()).toBe(1)
  expect(tried).toEqual([ALLOWED])
  await http.close()
})

test('requests at once share neither a lookup’s refusal nor a way around it', async () => {
  const { lookup } = resolver([good, ['127.0.0.1'], good, ['::1']])
  const http = merchantHttp(places, { lookup, ca })
  const outcomes = (await Promise.all(Array.from({ length: 12 }, () => asks(http, 1)))).flat()
  expect(new Set(outcomes)).toEqual(new Set(['200', outside]))
  expect(reached).toEqual([])
  expect(new Set(tried)).toEqual(new Set([ALLOWED]))
  await http.close()
})

test.each([
  '127.0.0.1',
  '127.0.0.3',
  '[::1]',
  '2130706433',
  '0x7f.1',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '[::]',
  '①②⑦.0.0.1',
  'localhost',
])('https://%s is not connected to, and no resolver is asked', async (host) => {
  const http = merchantHttp(
    { ...places, allowedNetworks: [] },
    { lookup: () => Promise.reject(new Error('asked')), ca },
  )
  await expect(http.request(`https://${host}:${port}/`, get)).rejects.toThrow(/^the URL must/)
  expect({ reached, tried }).toEqual({ reached: [], tried: [] })
  await http.close()
})

test('an allowed address may be named as such', async () => {
  const http = merchantHttp(places, { lookup: () => Promise.reject(new Error('asked')), ca })
  expect(await http.request(`https://${ALLOWED}:${port}/`, get)).toMatchObject({ status: 200 })
  await http.close()
})

test('the certificate must be the name’s, wherever it leads', async () => {
  const http = merchantHttp(places, { lookup: async () => [ALLOWED], ca })
  await expect(http.request(`https://other.example:${port}/`, get)).rejects.toThrow(
    new MerchantUnreachable('the certificate is for another host'),
  )
  await http.close()
  const strict = merchantHttp(places, { lookup: async () => [ALLOWED] })
  await expect(strict.request(`https://${NAME}:${port}/`, get)).rejects.toThrow(
    new MerchantUnreachable('the certificate is self-signed'),
  )
  await strict.close()
})
