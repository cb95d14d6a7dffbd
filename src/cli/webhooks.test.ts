import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { launch } from '../../test/crash/process.ts'
import { startRailyard } from '../process/railyard.ts'
import { readSettings } from '../settings.ts'

// processes one after the other: on a busy machine each takes seconds to start
vi.setConfig({ testTimeout: 240_000 })

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-webhooks-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const railyard = (...args: string[]) => launch(['src/main.js', ...args], { DATA_DIR: folder }, /(?!)/).ended

test('webhooks adds, lists and removes a subscription of the whole instance, which the API shows with the printed secret', async () => {
  expect(await railyard('webhooks', 'add', 'http://shop.example/hook')).toEqual({
    code: 1,
    output: expect.stringMatching(/^railyard: the URL must be .*\n$/),
  })
  const added = await railyard('webhooks', 'add', 'https://shop.example/hook')
  const [, id = '', secret = '', standard = ''] =
    /^Webhook subscription (\S+), .*\n {2}url +https:\/\/shop\.example\/hook\n {2}secret +(\S{86})\n {2}standardwebhooks +whsec_(\S+)\n$/.exec(
      added.output,
    ) ?? []
  expect(Buffer.from(standard, 'base64').toString()).toBe(secret)
  expect((await railyard('webhooks', 'list')).output).toMatch(
    new RegExp(`^${id} +active +since \\S+ +https://shop\\.example/hook\n$`),
  )

  const server = await startRailyard(readSettings({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' }))
  const { output: bearer } = await railyard('token', '--scopes', '*.read,webhook-subscriptions.write')
  const answer = await fetch(`${server.url}/webhook-subscriptions/${id}`, {
    headers: { authorization: `Bearer ${bearer.trim()}` },
  })
  expect(await answer.json()).toMatchObject({ id, secret, merchant_account_id: null, active: true })
  await server.close()

  expect((await railyard('webhooks', 'remove', 'that one')).output).toMatch(
    /^railyard: there is no webhook subscription that one of the whole instance/,
  )
  expect(await railyard('webhooks', 'remove', id)).toEqual({ code: 0, output: `Removed ${id}\n` })
  expect((await railyard('webhooks', 'list')).output).toMatch(
    /^There is no webhook subscription of the whole instance/,
  )
})
