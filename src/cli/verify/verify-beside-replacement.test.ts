import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newPlace } from '../../../test/support/new-place.ts'
import { withoutTriggers } from '../../../test/support/tamper.ts'
import { auditChain } from '../../accounts/audit-log/audit-seal.ts'
import { retirementHash, verifyRetirements } from '../../database/logs/retirement-seal.ts'
import { sealUnderNewSecret } from '../../database/logs/seal-chain.ts'
import { verifyChain } from '../../database/logs/verify-chain.ts'
import { takeLock } from '../../database/postgres/advisory-lock.ts'
import { startRailyard } from '../../process/railyard.ts'
import { announceRootSecret, useRootSecret } from '../../vault/keys/root-secret.ts'
import { openVault } from '../../vault/open-vault.ts'
import { createKey } from '../keys/keys.ts'
import { replaceRootSecret } from '../keys/replace-root-secret.ts'
import { ROTATION_LOCK } from '../keys/rotation-work.ts'
import { withDatabase } from '../support/command-database.ts'
import { makeRecheck } from './recheck-after-rotation.ts'
import { verifyInstance } from './verify.ts'

const settings = await newPlace(afterAll, { PORT: '0', STOP_DELAY_MS: '0' })
let printed: string[]
const withoutHeads = { auditHead: [], journalHead: [] }

beforeAll(async () => {
  const out = join(settings.dataDir, 'key.pem')
  const key = { name: 'one', algorithm: 'ES256', role: ['administrator'], merchantAccount: [], out }
  const silent = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  await createKey(settings, key)
  silent.mockRestore()
  const railyard = await startRailyard(settings, { log: pino({ level: 'silent' }) })
  await railyard.sealing.runOnce()
  await railyard.close()
})
beforeEach(() => {
  printed = []
  for (const method of ['log', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((line) => void printed.push(String(line)))
  return () => vi.restoreAllMocks()
})

const hasPrinted = (text: string) =>
  vi.waitFor(() => expect(printed).toContainEqual(expect.stringContaining(text)), { timeout: 30_000 })

test('a verification that began before the root secret was replaced finds nothing in what was sealed with the new one', async () => {
  await withDatabase(settings, async ({ db, run }) => {
    const verifying = await openVault(db, settings)
    const replacing = await openVault(db, settings)
    const generation = await announceRootSecret(db, replacing.masterKeys.keys)
    await useRootSecret(run, generation)
    await replacing.rootSecrets.refresh()
    const log = pino({ level: 'silent' })
    const { cipher } = replacing
    await sealUnderNewSecret({ run, cipher, clock: { now: Date.now }, log }, auditChain)
    const retirement = {
      number: 1,
      below: '018c1000-0000-7000-8000-000000000000',
      actor: 'background',
      started_at: '2026-01-01T00:00:00Z',
      retired_at: '2026-01-01T00:01:00Z',
      counts: '{}',
    }
    const hash = await retirementHash(run, cipher, retirement, generation)
    await db
      .insertInto('retirements')
      .values({ ...retirement, hash })
      .execute()
    const recheck = () => makeRecheck(run, verifying.rootSecrets)
    const stale = await verifyChain(run, verifying.cipher, auditChain)
    expect(stale.findings).not.toEqual([])
    const { findings } = await verifyChain(run, verifying.cipher, auditChain, [], recheck())
    expect(findings).toEqual([])
    const problems = await recheck()(
      () => verifyRetirements(run, verifying.cipher),
      (found) => found.length > 0,
    )
    expect(problems).toEqual([])
    await db.deleteFrom('retirements').execute()
    for (const { masterKeys } of [verifying, replacing]) await masterKeys.close()
  })
  // the journal, and every other value
  expect(await replaceRootSecret(settings, {})).toBe(0)
  expect(await verifyInstance(settings, withoutHeads)).toBe(0)
})

// the embedded database belongs to one process
describe.runIf(process.env['DATABASE_URL'])('beside another process', () => {
  test('verify waits for a replacement of the root secret that has sealed nothing yet, and finds nothing', async () => {
    // a process that never uses the new root secret
    await withDatabase(settings, ({ db }) =>
      sql`insert into service_processes (id, host, pid, encryption_keys, root_secret_known, seen_at)
          values (gen_random_uuid(), 'elsewhere', 4711, '{}', 1000, now())`.execute(db),
    )
    const replaced = replaceRootSecret(settings, {})
    await hasPrinted('is in use')
    const verified = verifyInstance(settings, withoutHeads)
    await hasPrinted('A key is being replaced')
    await withDatabase(settings, ({ db }) => db.deleteFrom('service_processes').execute())
    expect(await replaced).toBe(0)
    expect(await verified).toBe(0)
  })

  test('verify reports a changed link although a replacement of a key never ends', async () => {
    const lock = await takeLock(settings.databaseUrl ?? '', ROTATION_LOCK, () => undefined)
    onTestFinished(() => lock?.release())
    await withDatabase(settings, ({ db }) =>
      db.transaction().execute(async (tx) => {
        await withoutTriggers(tx)
        await sql`update audit_seals set hash = sha256(hash) where number = 1`.execute(tx)
      }),
    )
    expect(await verifyInstance(settings, withoutHeads, 1_000)).toBe(1)
    expect(printed).toContainEqual(expect.stringContaining('A key is still being replaced'))
    expect(printed).toContainEqual(
      expect.stringMatching(/^default: audit log: link 1 is not what was sealed/),
    )
  })
})
