import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { card } from '../../test/support/railyard.ts'
import { readSigner, signToken } from '../accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../process/create-instance.ts'
import { startRailyard } from '../process/railyard.ts'
import { readSettings, type Settings } from '../settings.ts'
import { createKey, withDatabase } from './keys/keys.ts'
import { UserError } from './user-error.ts'
import { verifyInstance } from './verify.ts'

// several starts one after the other: on a busy machine each takes seconds
vi.setConfig({ testTimeout: 120_000 })

let folder: string
let settings: Settings
let told: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-verify-'))
  settings = readSettings({ DATA_DIR: folder, PORT: '0', RECOVERY_INTERVAL_MS: '60000' })
  told = []
  for (const way of ['log', 'error'] as const) vi.spyOn(console, way).mockImplementation((line) => void told.push(String(line)))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

interface LoggedSeal {
  account: string
  number: number
  hash: string
}

/** Makes a key pair on the command line, and has a server seal that; answers the seals as they were logged. */
async function sealed(name: string): Promise<{ audit: LoggedSeal; journal: LoggedSeal }> {
  await createKey(settings, { name, algorithm: 'ES256', role: ['administrator'], merchantAccount: [], out: join(folder, `${name}.pem`) })
  const lines: string[] = []
  const railyard = await startRailyard(settings, { log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }) })
  await railyard.sealing.runOnce()
  await railyard.close()
  const logged = (what: string) => JSON.parse(lines.find((line) => line.includes(`"${what}"`)) ?? '{}')
  return { audit: logged('audit seal'), journal: logged('journal seal') }
}

test('what was done on the command line is sealed, and verified; a seal that is known must be there', async () => {
  const { account, number, hash } = (await sealed('one')).audit
  await withDatabase(settings, async ({ db }) => {
    const rows = await db.selectFrom('audit_entries').selectAll().execute()
    expect(rows).toMatchObject([{ action: 'created', resource_type: 'api-key-pair', resource_name: 'one', actor_type: 'user' }])
    expect(rows[0]?.actor_name).toMatch(/^command line \(.+\)$/)
  })
  expect(await verifyInstance(settings, { auditHead: [`${account}:${number}:${hash}`], journalHead: [] })).toBe(0)
  expect(told.at(-1)).toBe('1 entries of the audit log checked: 0 findings, 0 entries not sealed yet')
  expect(await verifyInstance(settings, { auditHead: [`${account}:${number + 5}:${hash}`], journalHead: [] })).toBe(1)
  expect(told).toContain(`${account}: audit log: link ${number + 5} is known, and is missing`)
})

test('the end of the journal, cut off, is found by a seal that is known', async () => {
  const { account, number, hash } = (await sealed('one')).journal
  const known = { auditHead: [], journalHead: [`${account}:${number}:${hash}`] }
  expect(await verifyInstance(settings, known)).toBe(0)
  expect(told.filter((line) => line.includes('of the journal'))).toEqual(['1 entries of the journal checked: 0 findings, 0 entries not sealed yet'])
  await withDatabase(settings, async ({ run }) => {
    await run('set session_replication_role = replica', [])
    await run('delete from journal_seals', [])
    await run('set session_replication_role = origin', [])
  })
  expect(await verifyInstance(settings, { auditHead: [], journalHead: [] })).toBe(0)
  expect(await verifyInstance(settings, known)).toBe(1)
  expect(told).toContain(`${account}: journal: link ${number} is known, and is missing`)
})

/** A sale at the mock card service that an instance begins with; answers its id. */
async function sold(amount: number): Promise<string> {
  const railyard = await startRailyard(settings, { log: pino({ level: 'silent' }) })
  const signer = await readSigner(readFileSync(privateKeyFile(settings), 'utf8'))
  const token = await signToken(signer, { scopes: ['*.write'], expiresIn: 600 }, Date.now())
  const answer = await fetch(`${railyard.url}/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount, currency: 'EUR', country: 'DE', intent: 'capture', payment_method: card }),
  })
  const { id } = JSON.parse(await answer.text())
  await railyard.close()
  return id
}

test('an amount that the payment service does not have in its books is found when it is asked', async () => {
  const id = await sold(12_00)
  const options = { auditHead: [], journalHead: [], atPaymentServices: true }
  expect(await verifyInstance(settings, options)).toBe(0)
  expect(told.at(-1)).toBe('1 operations compared at payment services: 0 findings, 0 not comparable')
  await withDatabase(settings, ({ run }) => run('update operations set effective_amount = 1300', []))
  expect(await verifyInstance(settings, options)).toBe(1)
  expect(told).toContainEqual(
    expect.stringMatching(new RegExp(`^default/${id}: sale [0-9a-f-]{36}: approved, 1300 EUR here; approved, 1200 EUR at the payment service$`)),
  )
  expect(told.at(-1)).toBe('1 operations compared at payment services: 1 findings, 0 not comparable')
})

test('a period that is none, or has not begun, is refused before anything is opened', () => {
  for (const since of ['P', 'yesterday', '2999-01-01'])
    expect(() => verifyInstance(settings, { auditHead: [], journalHead: [], atPaymentServices: true, since })).toThrow(UserError)
})

test('a head that is none is refused before anything is opened', () => {
  expect(() => verifyInstance(settings, { auditHead: ['default:one'], journalHead: [] })).toThrow(UserError)
  expect(() => verifyInstance(settings, { auditHead: [], journalHead: ['default:one'] })).toThrow(UserError)
})
