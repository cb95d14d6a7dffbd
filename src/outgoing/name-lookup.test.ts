import { createSocket } from 'node:dgram'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { MerchantUnreachable, merchantHttp } from './merchant-http.ts'
import { nameLookup } from './name-lookup.ts'
import { readAddress } from './network.ts'

/** The records of the DNS server; it does not answer for other names. */
const zone: Record<string, string[]> = {
  'shop.example': ['198.51.100.7', '2001:db8::7'],
  'four.example': ['198.51.100.4', '198.51.100.5'],
  'six.example': ['2001:db8::6'],
  'nobody.example': [],
  'inside.example': ['127.0.0.1'],
}

const server = createSocket('udp4')
let asked: string[] = []
let lookup: ReturnType<typeof nameLookup>
let folder: string

beforeAll(async () => {
  server.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question)
    asked.push(`${name} ${type}`)
    const known = zone[name]
    if (known)
      server.send(
        answer(
          question.subarray(0, end),
          known.filter((address) => isIP(address) === (type === 1 ? 4 : 6)),
        ),
        from.port,
        from.address,
      )
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  folder = await mkdtemp(join(tmpdir(), 'railyard-hosts-'))
  const hostsFile = join(folder, 'hosts')
  await writeFile(
    hostsFile,
    '# hosts\n127.0.0.1 localhost\n10.7.0.1\tReceiver.Shop.Example receiver # ours\nfd12::1 receiver\nnonsense receiver\n',
  )
  lookup = nameLookup({ servers: [`127.0.0.1:${server.address().port}`], hostsFile })
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => {
  asked = []
})

test('a name has the addresses of both families', async () => {
  expect(await lookup('shop.example')).toEqual(['198.51.100.7', '2001:db8::7'])
  expect(await lookup('four.example')).toEqual(['198.51.100.4', '198.51.100.5'])
  expect(await lookup('six.example.')).toEqual(['2001:db8::6'])
})

test('the operator’s hosts file comes first', async () => {
  expect(await lookup('receiver')).toEqual(['10.7.0.1', 'fd12::1'])
  expect(await lookup('RECEIVER.shop.example.')).toEqual(['10.7.0.1'])
  expect(asked).toEqual([])
})

test('DNS is never asked who localhost is', async () => {
  for (const name of ['localhost', 'LOCALHOST.', 'hooks.localhost'])
    expect(await lookup(name)).toEqual(['127.0.0.1', '::1'])
  expect(asked).toEqual([])
})

test('without an address there is an error that says so', async () => {
  await expect(lookup('nobody.example')).rejects.toMatchObject({ code: 'ENODATA' })
})

test('a name whose server is silent is given up, and others are looked up meanwhile', async () => {
  const silent = Promise.allSettled(Array.from({ length: 20 }, (_, i) => lookup(`silent-${i}.example`)))
  expect(await lookup('four.example')).toHaveLength(2)
  expect(new Set((await silent).map(({ status }) => status))).toEqual(new Set(['rejected']))
})

test('a name that leads inside is asked for once, and not followed', async () => {
  const http = merchantHttp({ environment: 'production', allowedNetworks: [] }, { lookup })
  const outcome = http.request('https://inside.example/', { method: 'GET', headers: {}, timeout: 10_000 })
  await expect(outcome).rejects.toThrow(
    new MerchantUnreachable('the host leads to an address outside of the internet'),
  )
  expect(asked.sort()).toEqual(['inside.example 1', 'inside.example 28'])
  await http.close()
})

/** The first question of a message (RFC 1035 §4.1.2). */
function readQuestion(message: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

/** A message that answers `question`, whose header and question it repeats (RFC 1035 §4.1). */
function answer(question: Buffer, addresses: string[]): Buffer {
  const header = Buffer.from(question)
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt16BE(0, 8)
  header.writeUInt16BE(0, 10)
  return Buffer.concat([header, ...addresses.map(record)])
}

function record(address: string): Buffer {
  const { family = 4, value = 0n } = readAddress(address) ?? {}
  const bytes = family === 4 ? 4 : 16
  const fixed = Buffer.from([0xc0, 0x0c, 0, family === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes])
  return Buffer.concat([fixed, Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex')])
}
