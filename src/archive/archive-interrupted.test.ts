import files from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  cutNow,
  KEPT_MS,
  MONTHS,
  retire,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import { card, type TestRailyard } from '../../test/support/railyard.ts'
import { openShop } from '../../test/support/shop.ts'
import { retireDuePayments } from '../retention/retire-payments.ts'
import { readPlanned } from '../retention/retirement.store.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

// Whatever happens to the folder or to the process, the rows are in the database or in recorded files.

let folder: string
let railyard: TestRailyard
let account: string
let fileHandle: files.FileHandle
beforeAll(async () => {
  folder = join(await files.mkdtemp(join(tmpdir(), 'railyard-archive-')), 'files')
  const probe = await files.open(tmpdir())
  fileHandle = Object.getPrototypeOf(probe)
  await probe.close()
  railyard = await startOldRailyard({ ARCHIVE_DIR: folder })
  const shop = await openShop(railyard)
  account = shop.account
  await shop.sold(80_00)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await railyard.close()
  await files.rm(join(folder, '..'), { recursive: true })
})

class Died extends Error {}

/** The process dies with the file operation of this number. */
function dieAt(at: number): void {
  let done = 0
  const dies = () => {
    done += 1
    if (done >= at) throw new Died()
  }
  for (const name of ['mkdir', 'readdir', 'rm', 'open', 'rename'] as const) interpose(files, name, dies)
  for (const name of ['write', 'sync'] as const) interpose(fileHandle, name, dies)
}

let undo: (() => void)[] = []
/** Calls `first` before each call of a method, until `revive`. */
function interpose(target: object, name: string, first: () => void): void {
  const original = Reflect.get(target, name)
  Reflect.set(target, name, async function (this: unknown, ...parameters: unknown[]) {
    first()
    return Reflect.apply(original, this, parameters)
  })
  undo.push(() => Reflect.set(target, name, original))
}

function revive(): void {
  for (const each of undo) each()
  undo = []
}

const numberOf = async (rows: string) =>
  (await railyard.world.run<{ count: number }>(`select count(*) as count from ${rows}`, []))[0]?.count

const kept = async () => {
  expect(await retire(railyard)).toBe(0)
  expect(await numberOf('transactions')).toBe(1)
  const [reason] = (await readPlanned(railyard.world.db))?.kept_by ?? []
  expect(reason).toMatchObject({ reason: 'archive_failed', rows: 1 })
  return reason?.example ?? ''
}

test('a full disk keeps the payments, and says so', async () => {
  vi.spyOn(fileHandle, 'write').mockRejectedValue(
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }),
  )
  expect(await kept()).toContain('no space left on device')
  expect(railyard.logged.findLast((line) => line.includes('cannot be retired yet'))).toContain(
    'no space left',
  )
  const { body } = await railyard.send('GET', '/metrics')
  expect(body).toContain('railyard_retirement_kept{reason="archive_failed"} 1')
})

test('a folder that is none keeps the payments', async () => {
  await files.rm(folder, { recursive: true })
  await files.writeFile(folder, '')
  expect(await kept()).toContain(folder)
  await files.rm(folder)
})

test('a file that does not have what was written keeps the payments', async () => {
  const { open } = files
  vi.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    if (flags === 'r' && String(path).includes('transactions-')) {
      // the disk has changed a bit of the first page that is compressed
      const bytes = await files.readFile(path)
      const at = bytes.indexOf(Buffer.from([0x28, 0xb5, 0x2f, 0xfd])) + 10
      await files.writeFile(path, bytes.with(at, (bytes[at] ?? 0) ^ 1))
    }
    return open(path, flags, mode)
  })
  expect(await kept()).toContain('transactions-0001')
})

test('a process that dies at any file operation leaves all payments, and the next one retires them', async () => {
  let deaths = 0
  for (let at = 1; (await numberOf('transactions')) === 1; at++) {
    dieAt(at)
    const ended = await retire(railyard).then(
      () => true,
      (error) => {
        if (!(error instanceof Died)) throw error
        return false
      },
    )
    revive()
    if (ended) break
    deaths += 1
    expect(await numberOf('transactions')).toBe(1)
    expect(await numberOf('archived_files')).toBe(0)
    expect(await verifyFindings(railyard)).toEqual([])
  }
  // three files: opened, written, synced, renamed, the folder synced, read again
  expect(deaths).toBeGreaterThan(20)
  expect(await numberOf('transactions')).toBe(0)
  const names = await files.readdir(folder)
  expect(names.map((name) => name.split('-')[0]).sort()).toEqual([
    'operations',
    'settlements',
    'transactions',
  ])
  expect(names.every((name) => name.endsWith('.parquet'))).toBe(true)
  expect(await verifyFindings(railyard)).toEqual([])
})

test('without the folder, or without its earlier files, later payments stay', async () => {
  const client = await railyard.client({ account })
  const sale = { amount: 10_00, currency: 'EUR', payment_method: card, intent: 'capture' }
  expect(await client.post('/transactions', sale)).toMatchObject({ status: 201 })
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  const [name = ''] = await files.readdir(folder)
  await files.rename(join(folder, name), `${folder}.away`)
  expect(await kept()).toContain(name)
  const withoutFolder = { months: MONTHS, archiveDir: undefined, actor: 'background', patience: 0 }
  expect(await retireDuePayments(railyard.world, withoutFolder)).toBe(0)
  expect((await readPlanned(railyard.world.db))?.kept_by).toMatchObject([
    { reason: 'archive_failed', example: expect.stringContaining('ARCHIVE_DIR') },
  ])
  await files.rename(`${folder}.away`, join(folder, name))
  expect(await retire(railyard)).toBe(5)
  expect(await verifyFindings(railyard)).toEqual([])
})
