import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { definitions, InvalidSetting, misspeltSettings, readSettings, type Settings } from './settings.ts'

type Name = keyof Settings

const key = Buffer.alloc(32, 7).toString('base64')

/** For each setting: accepted texts with their values, and refused texts. */
/** The public key of RFC 8037, appendix A. */
const platformKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }

const examples: Record<Name, { good: [string, unknown][]; bad: string[] }> = {
  environment: { good: [['production', 'production']], bad: ['Production', 'staging', 'prod '] },
  processRole: {
    good: [
      ['api', 'api'],
      ['worker', 'worker'],
      ['all', 'all'],
    ],
    bad: ['both', 'API', 'api,worker'],
  },
  host: { good: [['0.0.0.0', '0.0.0.0']], bad: [] },
  port: {
    good: [
      ['0', 0],
      ['65535', 65_535],
    ],
    bad: ['65536', '-1', '80.5', 'http', 'Infinity', '80;rm'],
  },
  elementsOrigin: {
    good: [
      ['https://fields.example', 'https://fields.example'],
      ['https://fields.example/', 'https://fields.example'],
    ],
    bad: ['fields.example', 'https://fields.example/a', 'ftp://fields.example'],
  },
  publicUrl: {
    good: [['https://pay.example/', 'https://pay.example']],
    bad: ['pay.example', 'ftp://pay.example', '//x', 'javascript:alert(1)'],
  },
  trustedProxies: {
    good: [
      ['0', 0],
      ['2', 2],
    ],
    bad: ['11', '-1', 'true', '10.0.0.0/8'],
  },
  cardNumbers: {
    good: [
      ['accept', 'accept'],
      ['refuse', 'refuse'],
    ],
    bad: ['no', 'true', 'Accept'],
  },
  secondFactor: {
    good: [
      ['required', 'required'],
      ['optional', 'optional'],
    ],
    bad: ['true', 'Required', 'no'],
  },
  dataDir: { good: [['/srv/data', '/srv/data']], bad: [] },
  databaseUrl: {
    good: [
      ['postgres://u:p@db/x', 'postgres://u:p@db/x'],
      ['postgresql://db/x', 'postgresql://db/x'],
    ],
    bad: ['db/x', 'mysql://u:secret@db/x', 'http://db'],
  },
  databaseReplicaUrls: {
    good: [
      ['postgres://u:p@one/x', ['postgres://u:p@one/x']],
      [
        ' postgres://one/x, postgresql://two:5433/x/\npostgres://three/x ',
        ['postgres://one/x', 'postgresql://two:5433/x', 'postgres://three/x'],
      ],
    ],
    bad: [
      'one/x',
      'postgres://u:secret@one,two/x',
      'postgres://one/x,,mysql://u:secret@two/x',
      'postgres://u:secret@one/x postgres://two/x postgres://ONE:5432/x',
      ' ',
      ',',
    ],
  },
  connectors: {
    good: [['@acme/railyard-worldline, ./my-connector', ['@acme/railyard-worldline', './my-connector']]],
    bad: [',', './a,', 'a,,b'],
  },
  instanceId: { good: [['shop-eu', 'shop-eu']], bad: ['Shop', 'a b', 'x'.repeat(51)] },
  overloadWait: {
    good: [
      ['0', 0],
      ['2000', 2_000],
    ],
    bad: ['-1', '2001', '0.5', 'soon'],
  },
  databasePool: {
    good: [
      ['1', 1],
      ['500', 500],
    ],
    bad: ['0', '501', 'many'],
  },
  encryptionKey: {
    good: [
      [key, key],
      [`${key},${key}`, `${key},${key}`],
    ],
    bad: ['secret', key.slice(4), `${key}AAAA`, 'a'.repeat(64), `${key},secret`, `${key},`, `${key}, ${key}`],
  },
  kmsUrl: {
    good: [
      ['https://kms.example/', 'https://kms.example'],
      ['http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
    ],
    bad: ['kms.example', 'ftp://kms.example'],
  },
  kmsKeyId: { good: [['alias/railyard', 'alias/railyard']], bad: [] },
  kmsToken: { good: [['s.token', 's.token']], bad: ['two words', 'line\nbreak', 'schlüssel'] },
  providerTimeout: {
    good: [
      ['100', 100],
      ['60000', 60_000],
    ],
    bad: ['99', '60001', '15s'],
  },
  recoveryInterval: { good: [['50', 50]], bad: ['49', '60001', '1s', '5e2', '0x64'] },
  monitoringRetention: {
    good: [
      ['1', 1],
      ['3650', 3650],
    ],
    bad: ['0', '3651', '1.5', 'for ever'],
  },
  retentionMonths: {
    good: [
      ['0', 0],
      ['14', 14],
      ['84', 84],
    ],
    bad: [' ', '1', '13', '-14', '14.5', '1201'],
  },
  archiveDir: {
    good: [
      ['/srv/archive', '/srv/archive'],
      ['/srv/./archive', '/srv/archive'],
    ],
    bad: ['files', './files', '../files'],
  },
  partitionRows: {
    good: [
      ['0', 0],
      ['20000000', 20_000_000],
    ],
    bad: [' ', '-1', 'many', '10000000001'],
  },
  noticeRetention: {
    good: [
      ['1', 1],
      ['3650', 3650],
    ],
    bad: ['0', '3651', '1.5', 'for ever'],
  },
  idempotencyRetention: {
    good: [
      ['1', 1],
      ['3650', 3650],
    ],
    bad: ['0', '3651', '31d'],
  },
  reportRetention: {
    good: [
      ['1', 1],
      ['3650', 3650],
    ],
    bad: ['0', '3651', '30d'],
  },
  cardAttemptsPerAddress: {
    good: [
      ['0', 0],
      ['10000', 10_000],
    ],
    bad: ['10001', '-1', 'many'],
  },
  cardAttemptsPerBin: {
    good: [
      ['0', 0],
      ['10000', 10_000],
    ],
    bad: [' ', '10001', '-1', 'many'],
  },
  cardNumbersAlike: {
    good: [
      ['0', 0],
      ['1000', 1_000],
    ],
    bad: ['1001', '-1', 'many'],
  },
  giftCardPins: {
    good: [
      ['0', 0],
      ['1000', 1_000],
    ],
    bad: ['1001', '-1', 'many'],
  },
  giftCardNumbersPerAddress: {
    good: [
      ['0', 0],
      ['10000', 10_000],
    ],
    bad: ['10001', '-1', 'many'],
  },
  sandboxUrl: {
    good: [['http://127.0.0.1:9000/', 'http://127.0.0.1:9000']],
    bad: ['https://sandbox', '127.0.0.1:9000'],
  },
  agenticCommerceKeys: {
    good: [[JSON.stringify({ keys: [platformKey] }), [platformKey]]],
    bad: [
      'vJPmSxmhVvhA8xGpVk',
      '{"keys": []}',
      '{"keys": {}}',
      JSON.stringify([platformKey]),
      JSON.stringify({ keys: [{ ...platformKey, x: 'short' }] }),
      JSON.stringify({ keys: [platformKey, { kty: 'oct', k: 'c2VjcmV0' }] }),
      // a private key
      JSON.stringify({ keys: [{ ...platformKey, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }] }),
    ],
  },
  providerUrls: {
    good: [
      ['stripe=http://127.0.0.1:4242/', { stripe: 'http://127.0.0.1:4242' }],
      [
        'adyen=http://127.0.0.1:4243, mollie=https://fakes.example/mollie',
        { adyen: 'http://127.0.0.1:4243', mollie: 'https://fakes.example/mollie' },
      ],
    ],
    bad: [
      'http://127.0.0.1:4242',
      'paypal=http://127.0.0.1:4242',
      'stripe=',
      'stripe=127.0.0.1:4242',
      'stripe=file:///etc/passwd',
      'stripe=http://u:p@127.0.0.1',
      'stripe=http://127.0.0.1/?to=x',
      'stripe=http://a.example,stripe=http://b.example',
      'stripe=http://a.example,',
    ],
  },
  threeDSecureServerUrl: {
    good: [['https://3ds.example/', 'https://3ds.example']],
    bad: ['3ds.example', 'ftp://3ds.example'],
  },
  threeDSecureServerToken: { good: [['s.token', 's.token']], bad: ['two words', 'line\nbreak'] },
  googlePayGateway: { good: [['shop-1', 'shop-1']], bad: ['Shop', 'a.b', ''.padEnd(51, 'a')] },
  clockSkewLimit: {
    good: [
      ['0', 0],
      ['5000', 5_000],
    ],
    bad: ['-1', '3600001', 'off'],
  },
  tokenLifetime: {
    good: [
      ['3600', 3_600],
      ['0', 0],
    ],
    bad: [' ', '-1', '1h', '1e12'],
  },
  stopDelay: {
    good: [
      ['0', 0],
      ['15000', 15_000],
    ],
    bad: ['-1', '60001', '15s'],
  },
  metricsToken: { good: [['s.token', 's.token']], bad: ['two words', 'line\nbreak'] },
  tracesUrl: {
    good: [['http://127.0.0.1:4318/', 'http://127.0.0.1:4318']],
    bad: ['127.0.0.1:4318', 'grpc://127.0.0.1'],
  },
  traceName: { good: [['railyard-eu', 'railyard-eu']], bad: [] },
  allowedNetworks: {
    good: [
      ['10.20.0.0/16', [{ family: 4, value: 0x0a140000n, prefix: 16 }]],
      [
        '192.168.7.9/32, fd12:3456::/32',
        [
          { family: 4, value: 0xc0a80709n, prefix: 32 },
          { family: 6, value: 0xfd123456n << 96n, prefix: 32 },
        ],
      ],
    ],
    bad: [
      '10.0.0.0',
      '10.0.0.0/33',
      '10.20.30.0/2',
      '010.0.0.0/8',
      '10.0.0.0/08',
      '10/8',
      'fd00::/129',
      'fd00::1/64',
      'fe80::%1/64',
      'private',
      '10.0.0.0/8,',
    ],
  },
  logLevel: {
    good: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    bad: ['verbose', 'INFO'],
  },
}
const names = Object.keys(definitions) as Name[]

describe.each(names)('the setting %s', (name) => {
  const { variable, fallback, meaning } = definitions[name]

  test('has its own default when the variable is unset or empty', () => {
    expect(readSettings({})[name]).toBe(fallback)
    expect(readSettings({ [variable]: '' })[name]).toBe(fallback)
    expect(meaning.length).toBeGreaterThan(10)
  })

  test('accepts its examples', () => {
    // some are refused without another setting
    const partners = {
      KMS_URL: 'https://kms.example',
      THREE_DS_SERVER_URL: 'https://3ds.example',
      DATABASE_URL: 'postgres://db/x',
    }
    for (const [text, value] of examples[name].good)
      expect(readSettings({ ...partners, [variable]: text })[name]).toEqual(value)
  })

  test('refuses any other text with a message that names the variable and does not repeat the text', () => {
    for (const text of examples[name].bad) {
      const read = () => readSettings({ [variable]: text })
      expect(read).toThrow(InvalidSetting)
      expect(read).toThrow(new RegExp(`^${variable} must be (?:a|one of|32) ?.+`))
      if (text.length > 3) expect(read).not.toThrow(text)
    }
  })
})

test('production on PostgreSQL needs an encryption key in the settings, the same for every process', () => {
  const production = { RAILYARD_ENV: 'production', DATABASE_URL: 'postgres://db/x' }
  expect(() => readSettings(production)).toThrow(/^ENCRYPTION_KEY must be set/)
  expect(readSettings({ ...production, ENCRYPTION_KEY: key }).encryptionKey).toBe(key)
  expect(readSettings({ ...production, KMS_URL: 'https://kms.example' }).encryptionKey).toBeUndefined()
  expect(readSettings({ RAILYARD_ENV: 'production' }).encryptionKey).toBeUndefined()
})

test('production refuses to replace the hosts of providers', () => {
  const production = { RAILYARD_ENV: 'production', PROVIDER_URLS: 'stripe=http://127.0.0.1:4242' }
  expect(() => readSettings(production)).toThrow(/^PROVIDER_URLS is for the sandbox only/)
  expect(readSettings({ ...production, PROVIDER_URLS: '' }).providerUrls).toBeUndefined()
})

test('SANDBOX_URL is refused in production, where it would be ignored', () => {
  const url = { SANDBOX_URL: 'http://127.0.0.1:8090' }
  expect(() => readSettings({ RAILYARD_ENV: 'production', ...url })).toThrow(
    /^SANDBOX_URL is for the sandbox only/,
  )
  expect(readSettings(url).sandboxUrl).toBe(url.SANDBOX_URL)
})

test('no two settings share a variable', () => {
  expect(new Set(Object.values(definitions).map(({ variable }) => variable)).size).toBe(names.length)
})

describe('a name that is nearly that of a setting', () => {
  test.each([
    ['DATABASE_REPLICA_URL', 'DATABASE_REPLICA_URLS'],
    ['DATABASE_REPLICAS_URL', 'DATABASE_REPLICA_URLS'],
    ['ENCRYPTON_KEY', 'ENCRYPTION_KEY'],
    ['RAILYARD_ENVS', 'RAILYARD_ENV'],
    ['LOGLEVEL', 'LOG_LEVEL'],
  ])('%s is found', (name, meant) => {
    expect(misspeltSettings(['PATH', name])).toEqual([{ name, meant }])
  })

  test('is not one that differs by more, nor a setting, nor a short one', () => {
    const settings = Object.values(definitions).map(({ variable }) => variable)
    const others = [
      'POST',
      'HOSTS',
      'SMS_URL',
      'DATABASE_URL_TEST',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'HOSTNAME',
      '',
    ]
    expect(misspeltSettings([...settings, ...others])).toEqual([])
  })
})

test('the reference has one row for every variable and no other row', () => {
  const file = new URL('../docs/reference/settings.md', import.meta.url)
  expect(existsSync(file), 'docs/reference/settings.md is there').toBe(true)
  const rows = [...readFileSync(file, 'utf8').matchAll(/^\| *`([A-Z][A-Z0-9_]*)` *\|([^|]+)\|([^|]+)\|/gm)]
  expect(rows.map(([, variable]) => variable).sort()).toEqual(
    Object.values(definitions)
      .map(({ variable }) => variable)
      .sort(),
  )
})

test.each(['KMS_URL', 'THREE_DS_SERVER_URL'])(
  '%s must be https in production, except on this machine, and may be http in the sandbox',
  (variable) => {
    const read = (url: string, env = 'production') => readSettings({ RAILYARD_ENV: env, [variable]: url })
    for (const url of [
      'http://keys.example',
      'http://10.0.0.7:8200',
      'http://localhost.example',
      'http://127.0.0.1.example',
    ])
      expect(() => read(url)).toThrow(new RegExp(`^${variable} must be an https URL in production`))
    for (const url of [
      'https://keys.example',
      'http://localhost:8200',
      'http://127.0.0.1:8200',
      'http://[::1]:8200',
    ])
      expect(() => read(url)).not.toThrow()
    expect(() => read('http://keys.example', 'sandbox')).not.toThrow()
  },
)

test('a setting that has no effect without another one is refused when that one is unset', () => {
  for (const lone of ['KMS_KEY_ID', 'KMS_TOKEN', 'THREE_DS_SERVER_TOKEN'])
    expect(() => readSettings({ [lone]: 'x' })).toThrow(
      new RegExp(`^${lone} is set without (KMS_URL|THREE_DS_SERVER_URL), and would be ignored`),
    )
})

test('PUBLIC_URL must be https in production, except on this machine, and may be http in the sandbox', () => {
  const production = { RAILYARD_ENV: 'production' }
  for (const address of ['http://pay.example', 'http://192.168.1.20:8080'])
    expect(() => readSettings({ ...production, PUBLIC_URL: address })).toThrow(
      /^PUBLIC_URL must be an https URL in production/,
    )
  for (const address of ['https://pay.example', 'http://localhost:8080', 'http://127.0.0.1:8080'])
    expect(readSettings({ ...production, PUBLIC_URL: address }).publicUrl).toBe(address)
  expect(readSettings({ PUBLIC_URL: 'http://pay.example' }).publicUrl).toBe('http://pay.example')
})

test('DATABASE_URL with a password that is not percent-encoded is refused with the characters to encode', () => {
  const problem = /^DATABASE_URL must be a URL .* percent-encoded \(%2F, %3F, %23, %25\)$/
  for (const password of ['a/b', 'a?b', 'a#b'])
    expect(() => readSettings({ DATABASE_URL: `postgres://railyard:${password}@db:5432/railyard` })).toThrow(
      problem,
    )
  expect(() => readSettings({ DATABASE_URL: 'mysql://railyard@db/railyard' })).toThrow(
    'DATABASE_URL must be a URL that starts with postgres:// or postgresql://',
  )
})

test('PUBLIC_URL keeps its path and is refused with a password, a query or a fragment', () => {
  expect(readSettings({ PUBLIC_URL: 'https://pay.example/shop/' }).publicUrl).toBe('https://pay.example/shop')
  for (const address of [
    'https://u:p@pay.example',
    'https://pay.example/?a=b',
    'https://pay.example/#top',
    'ftp://pay.example',
  ])
    expect(() => readSettings({ PUBLIC_URL: address })).toThrow(/^PUBLIC_URL must be a URL/)
})
