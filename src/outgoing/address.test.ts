import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAllowedAddress, isGlobalUnicast } from './address.ts'
import { isWithin, readAddress, readNetwork } from './network.ts'

const places = (environment: 'sandbox' | 'production', ...networks: string[]) => ({
  environment,
  allowedNetworks: networks.flatMap((text) => readNetwork(text) ?? []),
})

/** The first and the last address of each network without hosts of the internet. */
const special: [string, string, string][] = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.0', '127.255.255.255'],
  ['link-local', '169.254.0.0', '169.254.255.255'],
  ['private', '172.16.0.0', '172.31.255.255'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255'],
  ['documentation', '192.0.2.0', '192.0.2.255'],
  ['AS112', '192.31.196.0', '192.31.196.255'],
  ['6to4 relays', '192.88.99.0', '192.88.99.255'],
  ['private', '192.168.0.0', '192.168.255.255'],
  ['benchmarks', '198.18.0.0', '198.19.255.255'],
  ['documentation', '198.51.100.0', '198.51.100.255'],
  ['documentation', '203.0.113.0', '203.0.113.255'],
  ['multicast, reserved, broadcast', '224.0.0.0', '255.255.255.255'],
  ['Azure’s platform', '168.63.129.16', '168.63.129.16'],
  ['unspecified, loopback, IPv4-compatible', '::', '::ffff:ffff'],
  ['IPv4-mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255'],
  ['IPv4-translated', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['NAT64 of one’s own', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard', '100::', '100::ffff:ffff:ffff:ffff'],
  ['Teredo, ORCHID, benchmarks', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

test.each(special)('%s: from %s to %s is not the internet', (_name, first, last) => {
  for (const address of [first, last]) {
    expect(isGlobalUnicast(address)).toBe(false)
    expect(isAllowedAddress(places('production'), address)).toBe(false)
  }
})

/** Neighbours of those networks, and well-known hosts. */
const ofTheInternet = [
  '1.0.0.0',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '17.253.144.10',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2000::',
  '2001:200::',
  '2001:4860:4860::8888',
  '2003::',
  '2606:4700:4700::1111',
  '2620:149:af0::10',
]

test.each(ofTheInternet)('%s is an address of the internet', (address) => {
  expect(isGlobalUnicast(address)).toBe(true)
  expect(isAllowedAddress(places('production'), address)).toBe(true)
})

test.each([
  '',
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '1.1.1.1 ',
  '01.1.1.1',
  '1.1.1.1/32',
  '2606:4700::1%eth0',
  '[2606:4700::1]',
])('%j is no address as resolvers give them, and so not allowed', (text) => {
  expect(readAddress(text)).toBeUndefined()
  expect(isAllowedAddress(places('sandbox', '0.0.0.0/0', '::/0'), text)).toBe(false)
})

describe('in the sandbox', () => {
  test.each(['127.0.0.1', '127.9.9.9', '::1', '10.1.2.3', '172.20.0.1', '192.168.1.1', 'fd12::1'])(
    '%s may be asked: a developer’s own',
    (address) => {
      expect(isAllowedAddress(places('sandbox'), address)).toBe(true)
    },
  )

  test.each([
    '169.254.169.254',
    '169.254.170.2',
    'fe80::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '0.0.0.0',
    '::',
  ])('%s may not: a cloud gives a machine’s credentials there, or it is no host', (address) => {
    expect(isAllowedAddress(places('sandbox'), address)).toBe(false)
  })
})

test('a network that the operator allows may be asked, and nothing beside it', () => {
  const own = places('production', '10.20.0.0/16', 'fd12:3456::/32', '169.254.7.7/32')
  for (const address of [
    '10.20.0.0',
    '10.20.255.255',
    'fd12:3456::1',
    'fd12:3456:ffff::',
    '169.254.7.7',
    '1.1.1.1',
  ])
    expect(isAllowedAddress(own, address)).toBe(true)
  for (const address of [
    '10.19.255.255',
    '10.21.0.0',
    'fd12:3455:ffff::',
    'fd12:3457::',
    '169.254.7.8',
    '::ffff:10.20.0.1',
  ])
    expect(isAllowedAddress(own, address)).toBe(false)
})

const octet = fc.nat(255)
const v4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'))
const v6 = fc
  .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(':'))

test('an address is in the network of its own first bits, and in none that differs in one of them', () => {
  fc.assert(
    fc.property(
      fc.oneof(v4, v6),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (text, share, place) => {
        const address = readAddress(text)
        if (!address) throw new Error(`${text} was not read`)
        const bits = address.family === 4 ? 32 : 128
        const prefix = Math.round(share * bits)
        const host = BigInt(bits - prefix)
        const network = { ...address, value: (address.value >> host) << host, prefix }
        expect(isWithin(address, network)).toBe(true)
        if (prefix === 0) return
        const otherBit = 1n << BigInt(bits - 1 - Math.floor(place * prefix))
        expect(isWithin({ ...address, value: address.value ^ otherBit }, network)).toBe(false)
      },
    ),
  )
})

test('an IPv6 address means the same however it is written', () => {
  fc.assert(
    fc.property(v6, (text) => {
      const short = new URL(`http://[${text}]`).hostname.slice(1, -1)
      expect(readAddress(short)).toEqual(readAddress(text))
      expect(readAddress(short.toUpperCase())?.value.toString(16).padStart(32, '0')).toBe(
        text
          .split(':')
          .map((group) => group.padStart(4, '0'))
          .join(''),
      )
    }),
  )
})
