import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { freshToken } from '../crash/crashes.ts'
import { launchRailyard, launchSimulator, type Running } from '../crash/process.ts'
import { card, ownDatabase } from '../support/railyard.ts'
import { startReceiver } from '../support/receiver.ts'

const onPostgres = test.runIf(process.env['DATABASE_URL'])

const HOUR_MS = 3_600_000

/** What has a process live on a machine whose clock is wrong by this. */
const wrongClock = (ms: number) => `
const Right = globalThis.Date
globalThis.Date = class Date extends Right {
  constructor(...given) {
    if (given.length === 0) super(Right.now() + ${ms})
    else super(...given)
  }
  static now() {
    return Right.now() + ${ms}
  }
}`

let folder: string
let database: Awaited<ReturnType<typeof ownDatabase>>
let simulator: Running
const started: Running[] = []
let env: Record<string, string> & { DATA_DIR: string }
/** On one instance: behind by an hour, ahead by an hour, and right. */
let urls: { behind: string; ahead: string; right: string }

async function start(name: string, ms: number): Promise<string> {
  const shim = join(folder, `${name}.mjs`)
  writeFileSync(shim, wrongClock(ms))
  const process = launchRailyard({ ...env, NODE_OPTIONS: `--import=${shim}` })
  started.push(process)
  return (await process.ready).url
}

beforeAll(async () => {
  if (!process.env['DATABASE_URL']) return
  folder = mkdtempSync(join(tmpdir(), 'railyard-skew-'))
  database = await ownDatabase(process.env['TEST_DATABASE_TEMPLATE'])
  simulator = launchSimulator(join(folder, 'books.jsonl'), 100)
  const SANDBOX_URL = (await simulator.ready).url
  env = {
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database?.url ?? '',
    DATABASE_POOL_SIZE: '5',
    PORT: '0',
    LOG_LEVEL: 'error',
    SANDBOX_URL,
  }
  const right = await start('right', 0)
  urls = { right, behind: await start('behind', -HOUR_MS), ahead: await start('ahead', HOUR_MS) }
})
afterAll(async () => {
  await Promise.all(started.map((process) => process.stop()))
  await simulator?.stop()
  await database?.drop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const ask = async (url: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${await freshToken(env)}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}${path}`, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

onPostgres(
  'a process whose machine’s clock is an hour wrong says so, is not ready, and dates what it does by the database server',
  async () => {
    for (const [name, url] of Object.entries(urls)) {
      const isRight = name === 'right'
      expect({ name, ...(await ask(url, '/health/ready')) }).toMatchObject({
        name,
        status: isRight ? 200 : 503,
        body: { checks: { database: 'ok', clock: isRight ? 'ok' : 'failed' } },
      })
      const { text } = await ask(url, '/metrics')
      const skew = Number(/^railyard_clock_skew_seconds (\S+)$/m.exec(text)?.[1])
      expect(
        Math.abs(skew - { behind: -3_600, ahead: 3_600, right: 0 }[name as keyof typeof urls]),
      ).toBeLessThan(5)
      const began = Date.now()
      const { status, body } = await ask(url, '/transactions', {
        amount: 12_00,
        currency: 'EUR',
        country: 'DE',
        payment_method: card,
      })
      expect({ name, status, body }).toMatchObject({ name, status: 201 })
      for (const time of [body.created_at, body.updated_at, body.authorized_at]) {
        expect(Date.parse(time)).toBeGreaterThan(began - 5_000)
        expect(Date.parse(time)).toBeLessThan(Date.now() + 5_000)
      }
    }
  },
  60_000,
)

onPostgres(
  'leases of processes whose clocks are wrong end when the database server’s clock says so',
  async () => {
    const settings = readSettings(env)
    const { run, close } = await openDatabase(settings)
    const receiver = await startReceiver()
    try {
      // it does not answer, so that its queue stays held
      receiver.answers(() => undefined)
      const { status } = await ask(urls.ahead, '/webhook-subscriptions', { url: receiver.url })
      expect(status).toBe(201)
      await ask(urls.ahead, '/buyers', { display_name: 'Ada' })
      await receiver.hasReceived(1)
      const [held] = await run<{ seconds: number }>(
        'select extract(epoch from max(leased_until) - clock_timestamp())::float8 as seconds from webhook_queues where leased_by is not null',
        [],
      )
      expect(held?.seconds).toBeGreaterThan(5)
      expect(held?.seconds).toBeLessThan(25)
    } finally {
      await receiver.close()
      await close()
    }
  },
  60_000,
)
