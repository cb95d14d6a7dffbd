import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAllowedAddress } from './address.ts'
import { address, port, refused, scheme, taken, userinfo } from './hostile-urls.fixture.ts'
import { readNetwork } from './network.ts'
import { isPageUrl, urlProblem } from './url-problem.ts'

const production = { environment: 'production', allowedNetworks: [] } as const
const sandbox = { environment: 'sandbox', allowedNetworks: [] } as const

describe('in production', () => {
  test.each(refused.flatMap(([problem, urls]) => urls.map((url): [string, RegExp] => [url, problem])))(
    '%j is refused: %s',
    (url, problem) => {
      expect(urlProblem(production, url)).toMatch(problem)
    },
  )

  test.each(taken)('%s is taken: what the name leads to is checked with the connection', (url) => {
    expect(urlProblem(production, url)).toBeUndefined()
  })

  test('a URL may have 2,048 characters', () => {
    const longest = `https://shop.example/${'a'.repeat(2_027)}`
    expect(urlProblem(production, longest)).toBeUndefined()
    expect(urlProblem(production, `${longest}a`)).toBe('must have at most 2048 characters')
  })

  test('where the operator allows a network of its own, addresses and names of it may be used, over https', () => {
    const own = {
      environment: 'production',
      allowedNetworks: [readNetwork('10.20.0.0/16')].flatMap((network) => network ?? []),
    } as const
    for (const url of ['https://10.20.0.7/', 'https://hooks.corp.internal/', 'https://receiver/'])
      expect(urlProblem(own, url)).toBeUndefined()
    expect(urlProblem(own, 'https://10.21.0.7/')).toMatch(address)
    expect(urlProblem(own, 'http://10.20.0.7/')).toMatch(scheme)
  })
})

describe('in the sandbox', () => {
  test.each([
    'http://localhost:3000/hook',
    'http://127.0.0.1:3000/hook',
    'http://127.8.8.8/',
    'http://[::1]:3000/',
    'http://hooks.localhost:3000/',
    'https://192.168.1.7/',
    'https://10.0.0.1/',
    'https://receiver.local/',
    'https://receiver:8443/',
    'https://shop.example/',
  ])('%s is taken: a developer’s own machine and network', (url) => {
    expect(urlProblem(sandbox, url)).toBeUndefined()
  })

  test.each([
    ['http://shop.example/', /http is for localhost/],
    ['http://192.168.1.7/', /http is for localhost/],
    ['http://localhost.shop.example/', /http is for localhost/],
    ['http://127.0.0.1.nip.io/', /http is for localhost/],
    ['http://[::ffff:127.0.0.1]/', /http is for localhost/],
    ['http://2852039166/', /http is for localhost/],
    ['https://169.254.169.254/', address],
    ['https://0xa9fea9fe/', address],
    ['https://[fe80::1]/', address],
    ['https://[fd00:ec2::254]/', address],
    ['https://[::ffff:169.254.169.254]/', address],
    ['https://0.0.0.0/', address],
    ['http://user@localhost/', userinfo],
    ['http://localhost:22/', port],
  ])('%s is refused: %s', (url, problem) => {
    expect(urlProblem(sandbox, url)).toMatch(problem)
  })
})

test.each([
  ['https://shop.example/thanks', true, true],
  ['http://localhost:3000/thanks', true, true],
  ['http://127.0.0.1/thanks', true, true],
  ['http://[::1]:3000/thanks', true, true],
  ['http://192.168.1.20:3000/thanks', true, false],
  ['http://shop/thanks', true, false],
  ['http://shop.test/thanks', true, false],
  ['http://shop.example/thanks', false, false],
  ['http://93.184.216.34/thanks', false, false],
  ['ftp://localhost/thanks', false, false],
  ['javascript:alert(1)', false, false],
  ['/thanks', false, false],
])('browsers may be sent to %s: in the sandbox %s, in production %s', (url, inSandbox, inProduction) => {
  expect(isPageUrl(url, 'sandbox')).toBe(inSandbox)
  expect(isPageUrl(url, 'production')).toBe(inProduction)
})

test('the corpus is a corpus', () => {
  const all = [...refused.flatMap(([, urls]) => urls), ...taken]
  expect(new Set(all).size).toBe(all.length)
  expect(all.length).toBeGreaterThanOrEqual(160)
})

/** A number in a form that URL parsers read: decimal, octal with leading zeros, hexadecimal. */
const spelled = (value: number) =>
  fc.oneof(
    fc.constant(`${value}`),
    fc.integer({ min: 1, max: 4 }).map((zeros) => `${'0'.repeat(zeros)}${value.toString(8)}`),
    fc.tuple(fc.constantFrom('0x', '0X'), fc.nat(4), fc.boolean()).map(([mark, zeros, upper]) => {
      const digits = value.toString(16)
      return `${mark}${'0'.repeat(zeros)}${upper ? digits.toUpperCase() : digits}`
    }),
  )

const digits = fc.constantFrom('0123456789', '０１２３４５６７８９', '⓪①②③④⑤⑥⑦⑧⑨', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗', '⁰¹²³⁴⁵⁶⁷⁸⁹')
const dots = fc.constantFrom('.', '。', '．', '｡', '%2e')

const blocked = [
  '0',
  '10',
  '100.64',
  '127',
  '169.254',
  '172.16',
  '192.0.0',
  '192.168',
  '198.18',
  '203.0.113',
  '224',
  '255',
].map((start) => start.split('.').map(Number))

/** IPv4 addresses outside of the internet, in all the forms in which a URL may contain them. */
const spellings = fc
  .tuple(
    fc.constantFrom(...blocked),
    fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)),
    fc.integer({ min: 1, max: 4 }),
  )
  .chain(([start, rest, parts]) => {
    const octets = [...start, ...rest].slice(0, 4)
    const last = octets.slice(parts - 1).reduce((value, octet) => value * 256 + octet, 0)
    const numbers = [...octets.slice(0, parts - 1), last]
    return fc.tuple(
      fc.tuple(...numbers.map(spelled)),
      digits,
      dots,
      fc.constantFrom('', '.'),
      fc.constant(octets.join('.')),
    )
  })
  .map(([numbers, alphabet, dot, end, meant]) => ({
    meant,
    host:
      numbers
        .map((number) => number.replaceAll(/\d/g, (digit) => [...alphabet][Number(digit)] ?? digit))
        .join(dot) + end,
  }))

test('no spelling of an IPv4 address outside of the internet is taken in production', () => {
  fc.assert(
    fc.property(spellings, ({ host, meant }) => {
      const url = `https://${host}/`
      expect(new URL(url).hostname).toBe(meant)
      expect(urlProblem(production, url)).toMatch(address)
    }),
    { numRuns: 5_000 },
  )
})

test('an address is taken in a URL if, and only if, a connection to it is', () => {
  const octet = fc.nat(255)
  fc.assert(
    fc.property(
      fc.tuple(octet, octet, octet, octet),
      fc.constantFrom(production, sandbox),
      (octets, places) => {
        const written = octets.join('.')
        expect(urlProblem(places, `https://${written}/`) === undefined).toBe(
          isAllowedAddress(places, written),
        )
      },
    ),
    { numRuns: 5_000 },
  )
})
