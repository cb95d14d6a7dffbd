import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { card, ownDatabase } from '../../../test/support/railyard.ts'
import { readSigner, signToken } from '../../accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../../process/create-instance.ts'
import { startRailyard } from '../../process/railyard.ts'
import { readSettings, type Settings } from '../../settings.ts'
import { makeBackup, restoreBackup } from '../backup.ts'
import { withDatabase } from '../support/command-database.ts'
import { lookUp } from './look-up.ts'

async function newInstance(): Promise<Settings> {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-look-up-'))
  const own = await ownDatabase()
  onTestFinished(async () => {
    await own?.drop()
    rmSync(folder, { recursive: true })
  })
  const database = own && { DATABASE_URL: own.url, DATABASE_POOL_SIZE: '5' }
  return readSettings({
    DATA_DIR: folder,
    PORT: '0',
    PROVIDER_TIMEOUT_MS: '1000',
    RECOVERY_INTERVAL_MS: '60000',
    LOG_LEVEL: 'silent',
    ...database,
  })
}

/**
 * Makes a sale and refunds a part of it, of which the payment service's answer is lost. Answers the refund's
 * id.
 */
async function refundWithLostAnswer(settings: Settings): Promise<string> {
  const railyard = await startRailyard(settings, { log: pino({ level: 'silent' }) })
  const signer = await readSigner(readFileSync(privateKeyFile(settings), 'utf8'))
  const authorization = `Bearer ${await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 3_600 }, Date.now())}`
  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${railyard.url}${path}`, { method, headers, body: JSON.stringify(body) })
    return JSON.parse(await answer.text())
  }
  const payment = await send('POST', '/transactions', {
    amount: 12_00,
    currency: 'EUR',
    country: 'DE',
    intent: 'capture',
    payment_method: card,
  })
  await send('PUT', '/sandbox/faults', { items: [{ operation: 'refund', kind: 'lost' }] })
  const refund = await send('POST', `/transactions/${payment.id}/refunds`, { amount: 5_00 })
  expect(refund).toMatchObject({ type: 'refund', status: 'processing' })
  await railyard.close()
  return refund.id
}

test('after a restore, look-up finds the outcomes of the operations that were in progress when the backup was made', async () => {
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(String(line)))
  onTestFinished(() => log.mockRestore())
  const settings = await newInstance()
  const refund = await refundWithLostAnswer(settings)
  const file = join(settings.dataDir, 'backup')
  await makeBackup(settings, file)

  const restored = await newInstance()
  await restoreBackup(restored, file, false)
  expect(printed.at(-1)).toMatch(/railyard look-up asks the payment services/)
  for (const name of ['encryption_key', 'sandbox-books.jsonl'])
    copyFileSync(join(settings.dataDir, name), join(restored.dataDir, name))
  await lookUp(restored)
  expect(printed.filter((line) => line.includes(refund))).toEqual([
    expect.stringMatching(/ refund +500 EUR +(sent|unknown) +approved$/),
  ])
  const [row] = await withDatabase(restored, ({ run }) =>
    run('select refunded_amount, refund_reserved from transactions', []),
  )
  expect(row).toEqual({ refunded_amount: 5_00, refund_reserved: 0 })

  await lookUp(restored)
  expect(printed.at(-1)).toBe('Every operation has a known outcome')
})
