import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { card } from '../../../test/support/railyard.ts'
import { readSigner, signToken } from '../../accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../../process/create-instance.ts'
import { startRailyard } from '../../process/railyard.ts'
import { readSettings, type Settings } from '../../settings.ts'
import { createKey } from '../keys/keys.ts'
import { withDatabase } from '../support/command-database.ts'
import { UserError } from '../support/user-error.ts'
import { verifyInstance } from './verify.ts'

let folder: string
let settings: Settings
let printed: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-verify-'))
  settings = readSettings({ DATA_DIR: folder, PORT: '0', RECOVERY_INTERVAL_MS: '60000' })
  printed = []
  for (const method of ['log', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((line) => void printed.push(String(line)))
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

/**
 * Makes a key pair on the command line, and lets a server seal the entry; answers the seals as they were
 * logged.
 */
async function sealKeyPair(name: string): Promise<{ audit: LoggedSeal; journal: LoggedSeal }> {
  await createKey(settings, {
    name,
    algorithm: 'ES256',
    role: ['administrator'],
    merchantAccount: [],
    out: join(folder, `${name}.pem`),
  })
  const lines: string[] = []
  const railyard = await startRailyard(settings, {
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
  })
  await railyard.sealing.runOnce()
  await railyard.close()
  const logged = (message: string) => JSON.parse(lines.find((line) => line.includes(`"${message}"`)) ?? '{}')
  return { audit: logged('audit seal'), journal: logged('journal seal') }
}

test('verify checks the sealed entries of the command line, and finds that a noted seal is missing', async () => {
  const { account, number, hash } = (await sealKeyPair('one')).audit
  await withDatabase(settings, async ({ db }) => {
    const rows = await db.selectFrom('audit_entries').selectAll().execute()
    expect(rows).toMatchObject([
      { action: 'created', resource_type: 'api-key-pair', resource_name: 'one', actor_type: 'user' },
    ])
    expect(rows[0]?.actor_name).toMatch(/^command line \(.+\)$/)
  })
  expect(
    await verifyInstance(settings, { auditHead: [`${account}:${number}:${hash}`], journalHead: [] }),
  ).toBe(0)
  expect(printed.at(-1)).toBe('1 entries of the audit log checked: 0 findings, 0 entries not sealed yet')
  expect(
    await verifyInstance(settings, { auditHead: [`${account}:${number + 5}:${hash}`], journalHead: [] }),
  ).toBe(1)
  expect(printed).toContain(`${account}: audit log: link ${number + 5} is known, and is missing`)
})

test('the end of the journal, cut off, is found by a seal that is known', async () => {
  const { account, number, hash } = (await sealKeyPair('one')).journal
  const withHead = { auditHead: [], journalHead: [`${account}:${number}:${hash}`] }
  expect(await verifyInstance(settings, withHead)).toBe(0)
  expect(printed.filter((line) => line.includes('of the journal'))).toEqual([
    '1 entries of the journal checked: 0 findings, 0 entries not sealed yet',
  ])
  await withDatabase(settings, async ({ run }) => {
    await run('set session_replication_role = replica', [])
    await run('delete from journal_seals', [])
    await run('set session_replication_role = origin', [])
  })
  expect(await verifyInstance(settings, { auditHead: [], journalHead: [] })).toBe(0)
  expect(await verifyInstance(settings, withHead)).toBe(1)
  expect(printed).toContain(`${account}: journal: link ${number} is known, and is missing`)
})

/** Makes a sale at the mock card service of a new instance; answers the transaction's id. */
async function makeSale(amount: number): Promise<string> {
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

test('verify --at-payment-services finds an amount that differs from the payment service’s books', async () => {
  const id = await makeSale(12_00)
  const options = { auditHead: [], journalHead: [], atPaymentServices: true }
  expect(await verifyInstance(settings, options)).toBe(0)
  expect(printed.at(-1)).toBe('1 operations compared at payment services: 0 findings, 0 not comparable')
  await withDatabase(settings, ({ run }) => run('update operations set effective_amount = 1300', []))
  expect(await verifyInstance(settings, options)).toBe(1)
  expect(printed).toContainEqual(
    expect.stringMatching(
      new RegExp(
        `^default/${id}: sale [0-9a-f-]{36}: approved, 1300 EUR here; approved, 1200 EUR at the payment service$`,
      ),
    ),
  )
  expect(printed.at(-1)).toBe('1 operations compared at payment services: 1 findings, 0 not comparable')
})

test('verify refuses a --since that is not a past time or a duration, before it opens the database', () => {
  for (const since of ['P', 'yesterday', '2999-01-01'])
    expect(() =>
      verifyInstance(settings, { auditHead: [], journalHead: [], atPaymentServices: true, since }),
    ).toThrow(UserError)
})

test('verify refuses a head of the wrong form before it opens the database', () => {
  expect(() => verifyInstance(settings, { auditHead: ['default:one'], journalHead: [] })).toThrow(UserError)
  expect(() => verifyInstance(settings, { auditHead: [], journalHead: ['default:one'] })).toThrow(UserError)
})
