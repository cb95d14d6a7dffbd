import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startRailyard } from '../railyard.ts'
import { readSettings, type Settings } from '../settings.ts'
import { createKey, withDatabase } from './keys.ts'
import { UserError } from './user-error.ts'
import { verifyInstance } from './verify.ts'

let folder: string
let settings: Settings
let told: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-verify-'))
  settings = readSettings({ DATA_DIR: folder, PORT: '0', RECOVERY_INTERVAL_MS: '600000' })
  told = []
  for (const way of ['log', 'error'] as const) vi.spyOn(console, way).mockImplementation((line) => void told.push(String(line)))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

/** Makes a key pair on the command line, and has a server seal that; answers the seal as it was logged. */
async function sealed(name: string): Promise<{ account: string; number: number; hash: string }> {
  await createKey(settings, { name, algorithm: 'ES256', role: ['administrator'], merchantAccount: [], out: join(folder, `${name}.pem`) })
  const lines: string[] = []
  const railyard = await startRailyard(settings, { log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }) })
  await railyard.sealing.runOnce()
  await railyard.close()
  return JSON.parse(lines.find((line) => line.includes('"audit seal"')) ?? '{}')
}

test('what was done on the command line is sealed, and verified; a change of it is found, and where', async () => {
  // the account that the seals belong to comes with the first start
  await (await startRailyard(settings, { log: pino({ level: 'silent' }) })).close()
  const { account, number, hash } = await sealed('one')
  await sealed('two')
  await withDatabase(settings, async ({ db }) => {
    const rows = await db.selectFrom('audit_entries').selectAll().orderBy('position').execute()
    expect(rows).toMatchObject(
      ['one', 'two'].map((resource_name) => ({ action: 'created', resource_type: 'api-key-pair', resource_name, actor_type: 'user' })),
    )
    expect(rows[0]?.actor_name).toMatch(/^command line \(.+\)$/)
  })
  expect(await verifyInstance(settings, [`${account}:${number}:${hash}`])).toBe(0)
  expect(told.at(-1)).toBe('2 entries of the audit log checked: 0 findings, 0 entries not sealed yet')
  expect(await verifyInstance(settings, [`${account}:${number + 5}:${hash}`])).toBe(1)
  expect(told).toContain(`${account}: audit log: link ${number + 5} is known, and is missing`)

  await withDatabase(settings, async ({ db }) => {
    await sql`alter table audit_entries disable trigger all`.execute(db)
    await sql`update audit_entries set actor_name = 'nobody' where resource_name = 'two'`.execute(db)
  })
  expect(await verifyInstance(settings, [])).toBe(1)
  expect(told).toContain('default: audit log: link 2 is not what was sealed: an entry of it, or the seal itself, was changed')
})

test('a head that is none is refused before anything is opened', () => {
  expect(() => verifyInstance(settings, ['default:one'])).toThrow(UserError)
})
