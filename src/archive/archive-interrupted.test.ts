import files from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  cutNow,
  DAY_MS,
  KEPT_MS,
  MONTHS,
  retire,
  seal,
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

const recordedNames = async () =>
  (await railyard.world.run<{ name: string }>('select name from archived_files order by name', [])).map(
    ({ name }) => name,
  )

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
  expect(await files.readdir(folder)).toEqual([])
  expect(railyard.logged.findLast((line) => line.includes('cannot be retired yet'))).toContain(
    'no space left',
  )
  const { body } = await railyard.send('GET', '/metrics')
  expect(body).toContain('railyard_retirement_kept{reason="archive_failed"} 1')
})

test('an ARCHIVE_DIR that is a file keeps the payments', async () => {
  await files.rm(folder, { recursive: true })
  await files.writeFile(folder, '')
  expect(await kept()).toContain(folder)
  await files.rm(folder)
})

test('the name of a folder that is made is on the disk before the payments go', async () => {
  await files.rm(folder, { recursive: true, force: true })
  const synced: string[] = []
  const { open } = files
  vi.spyOn(files, 'open').mockImplementation(async (path, flags, mode) => {
    const handle = await open(path, flags, mode)
    vi.spyOn(handle, 'sync').mockImplementation(async () => void synced.push(String(path)))
    return handle
  })
  // so that the payments stay for the tests that follow
  vi.spyOn(files, 'rename').mockRejectedValue(
    Object.assign(new Error('EIO: i/o error, rename'), { syscall: 'rename' }),
  )
  await kept()
  expect(synced).toContain(join(folder, '..'))
})

describe('in a folder of another user of the operating system', () => {
  const USER = 4_711
  /** The folder is that user's, and this process is not. */
  const ofUser = () => {
    const { stat } = files
    vi.spyOn(files, 'stat').mockImplementation(async (path, options) =>
      Object.assign(await stat(path, options), path === folder && { uid: USER, gid: USER }),
    )
    return vi.spyOn(fileHandle, 'chown')
  }

  test('payments are kept where the process may not give the files to that user', async () => {
    ofUser().mockRejectedValue(
      Object.assign(new Error('EPERM: operation not permitted, fchown'), { syscall: 'fchown' }),
    )
    expect(await kept()).toMatch(/would belong to the user \d+ .* retire payments as 4711$/)
    expect(await files.readdir(folder)).toEqual([])
  })

  test('the files are given to that user where the process may', async () => {
    const chown = ofUser().mockResolvedValue()
    // so that the payments stay for the tests that follow
    const renamed = vi
      .spyOn(files, 'rename')
      .mockRejectedValue(Object.assign(new Error('EIO: i/o error, rename'), { syscall: 'rename' }))
    expect(await kept()).toContain('EIO')
    expect(chown.mock.calls).toEqual([[USER, USER]])
    expect(renamed).toHaveBeenCalledOnce()
  })
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

test('a refund while the files are written keeps the payments, and is no failure of the folder', async () => {
  const [{ id = '' } = {}] = await railyard.world.run<{ id: string }>('select id from transactions', [])
  const client = await railyard.client({ account })
  const { rename } = files
  vi.spyOn(files, 'rename').mockImplementationOnce(async (...parameters) => {
    await rename(...parameters)
    expect(await client.post(`/transactions/${id}/refunds`, { amount: 1_00 })).toMatchObject({ status: 201 })
  })
  expect(await retire(railyard)).toBe(0)
  expect((await readPlanned(railyard.world.db))?.kept_by).toBeNull()
  expect(await files.readdir(folder)).toEqual([])
  expect(await retire(railyard)).toBe(0)
  expect((await readPlanned(railyard.world.db))?.kept_by).toMatchObject([{ reason: 'recent_changes' }])
  await seal(railyard)
  railyard.clock.advance(40 * DAY_MS)
})

test('files of an attempt that the database refuses are removed', async () => {
  await railyard.world.run(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    [],
  )
  await railyard.world.run(
    'create trigger refuse before update of retired_at on retirements execute function refuse()',
    [],
  )
  await expect(retire(railyard)).rejects.toThrow('refused')
  await railyard.world.run('drop function refuse() cascade', [])
  expect(await files.readdir(folder)).toEqual([])
})

test('complete files of the same retirement stay, and partial ones go', async () => {
  const { rename, readdir } = files
  let written: string[] = []
  const renamed = vi.spyOn(files, 'rename').mockImplementation(async (from, to) => {
    await rename(from, to)
    written = await readdir(folder)
    // what another attempt has left, such as that of the instance from whose backup this one was restored
    await files.copyFile(to, String(to).replace(/-[0-9a-f]+\.parquet$/, '-00000000.parquet'))
    await files.copyFile(to, String(to).replace(/-[0-9a-f]+\.parquet$/, '-00000000.parquet.part'))
    throw Object.assign(new Error('EIO: i/o error, rename'), { syscall: 'rename' })
  })
  await kept()
  renamed.mockRestore()
  expect(written).toHaveLength(1)
  const complete = /^transactions-0001-until-[0-9-]+-[0-9a-f]{8}-00000000\.parquet$/
  expect(await readdir(folder)).toEqual([
    expect.stringMatching(complete),
    expect.stringMatching(/-00000000\.parquet\.part$/),
  ])
  vi.spyOn(files, 'open').mockRejectedValue(
    Object.assign(new Error('EIO: i/o error, open'), { syscall: 'open' }),
  )
  await kept()
  expect(await readdir(folder)).toEqual([expect.stringMatching(complete)])
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
  // complete files of the attempts that died stay, without a record
  expect(names.every((name) => name.endsWith('.parquet'))).toBe(true)
  const recorded = await recordedNames()
  expect(recorded.map((name) => name.split('-')[0])).toEqual(['operations', 'settlements', 'transactions'])
  expect(names).toEqual(expect.arrayContaining(recorded))
  expect(names.length).toBeGreaterThan(3)
  expect(await verifyFindings(railyard)).toEqual([])
})

test('without the folder, or without its earlier files as they were recorded, later payments stay', async () => {
  const client = await railyard.client({ account })
  const sale = { amount: 10_00, currency: 'EUR', payment_method: card, intent: 'capture' }
  expect(await client.post('/transactions', sale)).toMatchObject({ status: 201 })
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  const [name = ''] = await recordedNames()
  const path = join(folder, name)
  const bytes = await files.readFile(path)
  await files.writeFile(path, bytes.with(60, (bytes[60] ?? 0) ^ 1))
  expect(await kept()).toContain(`${name} is not the file that was recorded`)
  await files.writeFile(path, bytes)
  await files.rename(path, `${folder}.away`)
  expect(await kept()).toContain(name)
  await files.symlink(`${folder}.away`, path)
  expect(await kept()).toContain(name)
  await files.rm(path)
  await files.rename(folder, `${folder}.unmounted`)
  expect(await kept()).toContain(`${folder}: ENOENT`)
  // the next start of a worker says that it is missing
  await expect(files.stat(folder)).rejects.toThrow('ENOENT')
  await files.rename(`${folder}.unmounted`, folder)
  const withoutFolder = { months: MONTHS, archiveDir: undefined, actor: 'background', patience: 0 }
  expect(await retireDuePayments(railyard.world, withoutFolder)).toBe(0)
  expect((await readPlanned(railyard.world.db))?.kept_by).toMatchObject([
    { reason: 'archive_failed', example: expect.stringContaining('ARCHIVE_DIR') },
  ])
  await files.rename(`${folder}.away`, path)
  expect(await retire(railyard)).toBe(5)
  expect(await verifyFindings(railyard)).toEqual([])
})
