import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isAllowedAddress } from './address.ts'
import { readNetwork } from './network.ts'
import { isPageUrl, urlProblem } from './url-problem.ts'

const production = { environment: 'production', allowedNetworks: [] } as const
const sandbox = { environment: 'sandbox', allowedNetworks: [] } as const

const address = /outside of the internet/
const name = /must name a host of the internet/
const notAUrl = /must be an absolute https URL/
const scheme = /must be an https URL/
const characters = /must not contain spaces/
const userinfo = /user name or password/
const fragment = /fragment/
const port = /must not use port/
const host = /must name a host$/

/** URLs by their problem in production. */
const refused: [RegExp, string[]][] = [
  [
    address,
    [
      // plain
      'https://127.0.0.1/',
      'https://127.0.0.1:8443/hooks',
      'https://127.255.255.254/',
      'https://10.0.0.1/',
      'https://172.16.0.1/',
      'https://172.31.255.255/',
      'https://192.168.1.1/',
      'https://169.254.169.254/latest/meta-data/iam/security-credentials/',
      'https://169.254.170.2/v2/credentials',
      'https://100.100.100.200/latest/meta-data/',
      'https://168.63.129.16/machine',
      'https://192.0.0.192/latest/',
      'https://100.64.0.1/',
      'https://0.0.0.0/',
      'https://0.0.0.0:9200/_search',
      'https://192.0.2.1/',
      'https://198.18.0.1/',
      'https://198.51.100.7/',
      'https://203.0.113.7/',
      'https://224.0.0.1/',
      'https://240.0.0.1/',
      'https://255.255.255.255/',
      // decimal
      'https://2130706433/',
      'https://2852039166/latest/meta-data/',
      'https://3232235777/',
      'https://167772161/',
      'https://0/',
      'https://1/',
      'https://4294967295/',
      // octal
      'https://0177.0.0.1/',
      'https://0177.0000.0000.0001/',
      'https://017700000001/',
      'https://0251.0376.0251.0376/',
      'https://012.1.2.3/',
      'https://00000177.0.0.1/',
      'https://0300.0250.1.1/',
      // hexadecimal
      'https://0x7f.0.0.1/',
      'https://0x7F.0x0.0x0.0x1/',
      'https://0x7f000001/',
      'https://0x7f.1/',
      'https://0xA9FEA9FE/',
      'https://0xa9.0xfe.0xa9.0xfe/',
      'https://0xa.1/',
      'https://0x0/',
      'https://0x/',
      'https://0x.0x/',
      'https://0x00000007f000001/',
      // mixed
      'https://0x7f.0.1/',
      'https://0251.254.169.254/',
      'https://0xa9.254.0251.254/',
      'https://169.0xfe.43518/',
      'https://0300.168.257/',
      'https://10.0x1.02.3/',
      // short
      'https://127.1/',
      'https://127.0.1/',
      'https://10.1/',
      'https://192.168.257/',
      'https://169.16689662/',
      'https://172.1048577/',
      'https://0.1/',
      // trailing dots
      'https://127.0.0.1./',
      'https://2130706433./',
      'https://0x7f.1.:443/',
      'https://169.254.169.254./latest',
      // percent-encoded
      'https://%31%32%37.0.0.1/',
      'https://127%2e0%2e0%2e1/',
      'https://%30/',
      'https://%32130706433/',
      'https://1%36%39.254.169.254/',
      // digits and dots of other scripts
      'https://①②⑦.⓪.⓪.①/',
      'https://１２７.０.０.１/',
      'https://127。0。0。1/',
      'https://127．0．0．1/',
      'https://127｡0｡0｡1/',
      'https://１６９。２５４。１６９。２５４/',
      'https://𝟏𝟐𝟕.𝟎.𝟎.𝟏/',
      'https://𝟙𝟘.𝟘.𝟘.𝟙/',
      'https://¹²⁷.⁰.⁰.¹/',
      'https://₁₂₇.₀.₀.₁/',
      'https://⓪ⓧ⑦ⓕ.1/',
      // IPv6
      'https://[::]/',
      'https://[::]:2375/containers/json',
      'https://[::1]/',
      'https://[0:0:0:0:0:0:0:1]/',
      'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
      'https://[::127.0.0.1]/',
      'https://[::7f00:1]/',
      'https://[fe80::1]/',
      'https://[FE80::A9FE:A9FE]/',
      'https://[fc00::1]/',
      'https://[fd00:ec2::254]/latest/meta-data/',
      'https://[fd20:ce::254]/computeMetadata/v1/',
      'https://[fec0::1]/',
      'https://[ff02::1]/',
      'https://[100::1]/',
      'https://[2001:db8::1]/',
      'https://[3fff::1]/',
      'https://[5f00::1]/',
      // IPv4 within IPv6
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:7f00:1]/',
      'https://[::FFFF:169.254.169.254]/',
      'https://[0:0:0:0:0:ffff:0a00:0001]/',
      'https://[::ffff:8.8.8.8]/',
      'https://[::ffff:0:127.0.0.1]/',
      'https://[64:ff9b::127.0.0.1]/',
      'https://[64:ff9b::a9fe:a9fe]/',
      'https://[64:ff9b:1::10.0.0.1]/',
      'https://[2002:7f00:1::]/',
      'https://[2002:a9fe:a9fe::1]/',
      'https://[2001::1]/',
      'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
      'https://[2001:10::1]/',
      'https://[2001:20::1]/',
    ],
  ],
  [
    name,
    [
      'https://localhost/',
      'https://localhost:8443/',
      'https://LOCALHOST/',
      'https://localhost./',
      'https://localhost。/',
      'https://ｌｏｃａｌｈｏｓｔ/',
      'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
      'https://%6c%6f%63%61%6c%68%6f%73%74/',
      'https://api.localhost/',
      'https://localhost.localdomain/',
      'https://printer.local/',
      'https://PRINTER.LOCAL./',
      'https://metadata.google.internal/computeMetadata/v1/',
      'https://instance-data.ec2.internal/latest/',
      'https://nas.home.arpa/',
      'https://kubernetes/',
      'https://xn--/',
      'https://vault:8200/v1/sys/health',
      'https://kubernetes.default.svc.cluster.local/api',
    ],
  ],
  [
    scheme,
    [
      'http://shop.example/',
      'http://127.0.0.1/',
      'http://localhost:3000/',
      'http://[::1]/',
      'HTTP://shop.example/',
      'http://shop.example:443/',
    ],
  ],
  [
    notAUrl,
    [
      '',
      'shop.example',
      'shop.example/hooks',
      '//shop.example/',
      '/hooks',
      'https:',
      'https:/',
      'https://',
      'https:shop.example',
      'https:/shop.example',
      'https:///shop.example',
      'ftp://shop.example/',
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/_FLUSHALL',
      'dict://127.0.0.1:11211/stat',
      'ldap://127.0.0.1/',
      'jar:https://shop.example!/',
      'javascript:alert(1)',
      'data:text/plain,x',
      'ws://shop.example/',
      'wss://shop.example/',
      'blob:https://shop.example/x',
      'unix:/var/run/docker.sock',
      'tftp://shop.example:69/x',
      'httpss://shop.example/',
      'https://shop.example:port/',
      'https://shop.example:65536/',
      'https://shop.example:-1/',
      'https://256.256.256.256/',
      'https://1.2.3.4.5/',
      'https://1.2.3.08/',
      'https://0x100000000/',
      'https://4294967296/',
      'https://[::1/',
      'https://::1/',
      'https://[::ffff:127.0.0.256]/',
      'https://[fe80::1%25eth0]/',
      'https://[fe80::1%eth0]/',
      'https://[::1%2525lo]/',
      'https://[1::2::3]/',
      'https://[127.0.0.1]/',
      'https://shop%00.example/',
      'https://shop%0d%0a.example/',
      'https://shop%2f.example/',
      'https://shop<.example/',
      'https://?x=1',
    ],
  ],
  [
    characters,
    [
      ' https://shop.example/',
      'https://shop.example/ ',
      'https://shop.example/\r\nX-Injected: 1',
      'https://shop.example\r\n/',
      'https://127.0.0.1\t/',
      'ht\ntps://shop.example/',
      'https://shop.example/\0',
      '\u0001https://127.0.0.1/',
      'https://shop.example/a b',
      'https://shop.example\\@127.0.0.1/',
      'https:\\\\127.0.0.1\\',
      'https://127.0.0.1\\.shop.example/',
      'https://lo\u00ADcalhost/',
      'https://127\u200B.0.0.1/',
      'https://shop.example/\u202Egnp.exe',
      'https://shop.example/\uFEFF',
      'https://shop.example/\uD800',
      'https://shop\u3000.example/',
      'https://shop.example/\u2028',
    ],
  ],
  [
    userinfo,
    [
      'https://user:password@shop.example/',
      'https://user@shop.example/',
      'https://@shop.example/',
      'https://:@shop.example/',
      'https://shop.example@127.0.0.1/',
      'https://shop.example:443@127.0.0.1/',
      'https://shop.example%2f@127.0.0.1/',
      'https://127.0.0.1%2f@shop.example/',
      'https://1.1.1.1@@127.0.0.1/',
      'https://shop.example%20@169.254.169.254/',
    ],
  ],
  [
    fragment,
    [
      'https://shop.example/#',
      'https://shop.example/hooks#top',
      'https://shop.example#@127.0.0.1/',
      'https://127.0.0.1#.shop.example/',
    ],
  ],
  [
    port,
    [
      'https://shop.example:0/',
      'https://shop.example:1/',
      'https://shop.example:22/',
      'https://shop.example:25/',
      'https://shop.example:0025/',
      'https://shop.example:587/',
      'https://shop.example:6000/',
      'https://shop.example:6667/',
      'https://shop.example:10080/',
    ],
  ],
  [
    host,
    [
      'https://127.0.0.1../',
      'https://shop..example/',
      'https://.shop.example/',
      `https://${'a'.repeat(64)}.example/`,
    ],
  ],
]

const taken = [
  'https://shop.example/',
  'https://shop.example',
  'HTTPS://Shop.Example/Hooks',
  'https://shop.example./hooks',
  'https://shop.example:8443/hooks?account=1&x=y%20z',
  'https://shop.example:443/',
  'https://a.b.c.shop.example/%E2%82%AC/€',
  'https://bücher.example/',
  'https://xn--bcher-kva.example/',
  'https://日本語。jp/',
  'https://1.1.1.1/',
  'https://16843009/',
  'https://[2606:4700:4700::1111]:8443/',
  'https://shop.example/a@b',
  'https://shop.example/?next=https://127.0.0.1/',
  'https://shop.example/redirect?url=http://169.254.169.254/',
  'https://hooks_1.shop.example/',
  'https://localhost.example/',
  'https://local.shop.example/',
  'https://internal.example/',
  'https://127.0.0.1.nip.io/',
  'https://169-254-169-254.shop.example/',
]

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
