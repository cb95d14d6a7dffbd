import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { launch } from '../../test/crash/process.ts'
import { makeInstance } from '../../test/support/prepared-instance.ts'

vi.setConfig({ testTimeout: 300_000 })

// The command line as operators use it, one command after the other on one instance.

let folder: string
const railyard = (...args: string[]) => railyardWith({}, ...args)
const railyardWith = (more: Record<string, string>, ...args: string[]) =>
  launch(['src/main.js', ...args], { DATA_DIR: folder, PUBLIC_URL: 'https://pay.example', ...more }, /(?!)/)
    .ended
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-users-'))
  await makeInstance(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('people are invited, listed, sent a new link and removed', async () => {
  const added = await railyard(
    'users',
    'add',
    '--email',
    'Ada@Example.com',
    '--name',
    'Ada',
    '--role',
    'analyst,pii-viewer',
    '--merchant-account',
    'default',
  )
  expect(added.output).toMatch(
    / {2}email +ada@example.com\n {2}role +analyst, pii-viewer\n {2}accounts +default\n/,
  )
  expect(added.output).toMatch(/ {2}invitation +https:\/\/pay\.example\/invitations\/[\w-]{43}\n/)
  expect((await railyard('users', 'list')).output).toMatch(
    /^id +email +status +roles +accounts +authenticator +name\n\S+ +ada@example.com +pending +analyst,pii-viewer +default +no +Ada\n$/,
  )
  const reset = await railyard('users', 'reset', 'ADA@example.com')
  expect(reset.output).toContain('https://pay.example/invitations/')
  expect(await railyard('users', 'remove', 'ada@example.com')).toEqual({
    code: 0,
    output: 'Removed ada@example.com\n',
  })
  expect((await railyard('users', 'list')).output).toBe(
    'There are no people; railyard users add invites a person\n',
  )
})

test.each([
  [['--email', 'nobody', '--role', 'administrator'], 'railyard: nobody is not an email address\n'],
  [
    ['--email', 'a@b', '--role', 'processing'],
    'railyard: there is no role processing for people; there are administrator, analyst,',
  ],
  [
    ['--email', 'a@b', '--role', 'pii-viewer'],
    'railyard: the role pii-viewer is given beside analyst or customer-support only\n',
  ],
  [
    ['--email', 'a@b', '--role', 'analyst', '--merchant-account', 'nobody'],
    'railyard: there is no merchant account nobody\n',
  ],
])('users add refuses %j with one line', async (args, line) => {
  const { code, output } = await railyard('users', 'add', '--name', 'Ada', ...args)
  expect(code).toBe(1)
  expect(output).toContain(line)
})

test('a sign-in link is printed in the sandbox, and refused in production', async () => {
  expect(await railyard('users', 'sign-in-link')).toEqual({
    code: 0,
    output: expect.stringMatching(/^https:\/\/pay\.example\/sign-in\/[\w-]{43}\n$/),
  })
  expect(await railyardWith({ RAILYARD_ENV: 'production' }, 'users', 'sign-in-link')).toEqual({
    code: 1,
    output: 'railyard: sign-in links are for the sandbox only; railyard users add invites a person\n',
  })
})
