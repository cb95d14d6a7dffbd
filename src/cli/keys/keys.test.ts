import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch, launchRailyard } from '../../../test/crash/process.ts'
import { startRailyard } from '../../process/railyard.ts'
import { readSettings } from '../../settings.ts'

// The command line as operators use it, one command after the other on one instance.

let folder: string
let file: (name: string) => string
const railyard = (...args: string[]) => launch(['src/main.js', ...args], { DATA_DIR: folder }, /(?!)/).ended
const env = () => ({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' })
/** A server in this process, which starts in a third of the time of a process of its own. */
const start = () => startRailyard(readSettings(env()))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-keys-'))
  file = (name) => join(folder, name)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('migrate prints the migrations that it ran', async () => {
  expect(await railyard('migrate')).toEqual({ code: 0, output: expect.stringMatching(/^001\S+\n002\S+\n/) })
})

test('keys list says that there is no key; after a first start it prints a table', async () => {
  expect(await railyard('keys', 'list')).toEqual({
    code: 0,
    output: 'There is no key pair; railyard keys create makes one\n',
  })
  const server = await start()
  const locked = await railyard('keys', 'list')
  expect(locked.code).toBe(1)
  expect(locked.output).toMatch(
    /^railyard: .* is in use by the embedded database of process \d+ since .*: ask its API instead, stop that process first, or use PostgreSQL/,
  )
  await server.close()
  const { output } = await railyard('keys', 'list')
  expect(output).toMatch(
    /^id +algorithm +thumbprint +roles +accounts +last used +name\n\S+ +ES512 +\S{43} +administrator +all accounts +never +First key\n$/,
  )
})

test('keys create prints the role and accounts of the key, and the tokens of its key are accepted, also of an RS256 key', async () => {
  const made = await railyard('keys', 'create', '--algorithm', 'RS256', '--out', file('shop.pem'))
  expect(made.output).toMatch(/\n {2}role +administrator\n {2}accounts +all accounts\n/)
  expect(made.output).toContain(
    `npm run -s railyard -- token --key ${file('shop.pem')} --algorithm RS256 --scopes`,
  )
  const limited = await railyard(
    'keys',
    'create',
    '--role',
    'processing',
    '--merchant-account',
    'default',
    '--out',
    file('limited.pem'),
  )
  expect(limited.output).toMatch(/\n {2}role +processing\n {2}accounts +default\n/)
  const tokens = [
    await railyard('token', '--scopes', '*.read', '--key', file('shop.pem'), '--algorithm', 'RS256'),
    await railyard('token', '--scopes', '*.read', '--key', file('limited.pem')),
    await railyard('token', '--scopes', '*.read'),
  ]
  const server = await start()
  for (const { output } of tokens) {
    expect(
      (await fetch(`${server.url}/transactions`, { headers: { authorization: `Bearer ${output.trim()}` } }))
        .status,
    ).toBe(200)
  }
  await server.close()
})

test('token refuses an unknown merchant account while the service runs, and warns otherwise', async () => {
  const server = await start()
  const sign = (account: string) =>
    launch(
      ['src/main.js', 'token', '--scopes', '*.read', '--merchant-account', account],
      { DATA_DIR: folder, PUBLIC_URL: server.url },
      /(?!)/,
    ).ended
  expect(await sign('nowhere')).toEqual({
    code: 1,
    output:
      'railyard: --merchant-account: there is no merchant account nowhere, or this key may not act on it; GET /merchant-accounts lists them\n',
  })
  expect(await sign('default')).toEqual({ code: 0, output: expect.stringMatching(/^\S+\.\S+\.\S+\n$/) })
  await server.close()
  expect(await sign('nowhere')).toEqual({
    code: 0,
    output: expect.stringMatching(
      /Not checked whether there is a merchant account nowhere: \S+ does not answer\n/,
    ),
  })
})

test('keys revoke needs --force for the last key of an administrator, and the next start prints no curl command that cannot work', async () => {
  const ids = async () =>
    (await railyard('keys', 'list')).output.split('\n').filter((line) => line.includes('administrator'))
  const [one = '', other = ''] = (await ids()).map((line) => line.split(' ')[0] ?? '')
  expect((await railyard('keys', 'revoke', one)).output).toBe(`Revoked ${one}\n`)
  expect(await railyard('keys', 'revoke', other)).toEqual({
    code: 1,
    output: `railyard: ${other} is the last key of an administrator; make another with railyard keys create first, or add --force\n`,
  })
  expect((await railyard('keys', 'revoke', other, '--force')).output).toBe(`Revoked ${other}\n`)
  const server = launchRailyard(env())
  await server.ready
  const { output } = await server.stop()
  expect(output).toContain(`The key of ${file('private_key.pem')} is revoked`)
  expect(output).toContain(
    `(stop Railyard first): DATA_DIR=${folder} npm run railyard -- keys create --out ${file('shop.pem')}`,
  )
  expect(output).not.toContain('curl')
})

test('a wrong option of a command is refused with one line', async () => {
  writeFileSync(file('text.pem'), 'text')
  const refusal = async (...args: string[]) => {
    const { code, output } = await railyard(...args)
    expect(code).toBe(1)
    return output
  }
  expect(await refusal('token', '--scopes', ',')).toBe(
    'railyard: --scopes takes scopes, separated by commas: transactions.read,*.write\n',
  )
  expect(await refusal('token', '--scopes', 'everything')).toMatch(
    /^railyard: --scopes: everything is not a scope; examples: .*\n$/,
  )
  expect(await refusal('token', '--scopes', 'transaction.write')).toBe(
    'railyard: --scopes: transaction.write is not a scope: did you mean transactions.write?\n',
  )
  expect(await refusal('token', '--scopes', 'money.read')).toMatch(
    /^railyard: --scopes: money.read is not a scope; scopes are about .*transactions.*\n$/,
  )
  expect(await refusal('token', '--scopes', '*.read', '--key', '/nowhere.pem')).toBe(
    'railyard: --key: /nowhere.pem cannot be read\n',
  )
  expect(await refusal('token', '--scopes', '*.read', '--key', file('text.pem'))).toMatch(
    /does not hold a private key \(PKCS #8 PEM\)\n$/,
  )
  const browser = (embed: object) =>
    refusal('token', '--scopes', 'embed', '--key', file('shop.pem'), '--embed', JSON.stringify(embed))
  expect(await browser({ amount: 1299 })).toMatch(
    /^railyard: a token with the scope embed pins the amount and the currency, or nothing: .*\n$/,
  )
  expect(await browser({ amount: 1299, currency: 'USD', buyerId: 'x' })).toMatch(
    /^railyard: --embed pins no buyerId: it knows amount, .*\n$/,
  )
  expect(await refusal('token')).toMatch(/\(railyard token --help lists its options\)\n$/)
  expect(await refusal('keys', 'create')).toMatch(/\(railyard keys create --help lists its options\)\n$/)
  expect(await refusal('nonsense')).toMatch(/\(railyard --help lists the commands\)\n$/)
})

test('help shows which options are required, and the defaults of others', async () => {
  const { output } = await railyard('keys', 'create', '--help')
  const help = output.replaceAll(/\s+/g, ' ')
  expect(help).toMatch(/--out <file> [^-]*\(required\)/)
  expect(help).toContain('may be repeated (default: administrator)')
  expect(help).toContain('may be repeated (default: all accounts)')
})
