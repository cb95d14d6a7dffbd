import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../settings.ts'
import { openDatabase } from './database.ts'
import { openSnapshot } from './in-memory.ts'
import { readTar } from './snapshot.ts'

test('a snapshot that is damaged is erased, so that the start which finds it leaves a whole one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-snapshot-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'migrated.tar')
  writeFileSync(file, Buffer.alloc(1024, 7))
  const settings = readSettings({ DATA_DIR: folder })
  expect(await openSnapshot(settings, file)).toBeUndefined()
  expect(existsSync(file)).toBe(false)
  expect(await openSnapshot(settings, file)).toBeUndefined()
})

test('a snapshot has what was written, and no more than a database opens from', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-snapshot-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'written.tar')
  const settings = readSettings({ DATA_DIR: folder })
  const first = await openDatabase(settings, { inMemory: true })
  await first.run('create table kept as select generate_series(1, 1000) as n', [])
  const archive = (await first.dump?.()) ?? Buffer.alloc(0)
  await first.close()
  writeFileSync(file, archive)
  const names = [...readTar(archive)].map(({ name }) => name.replace(/^\//, ''))
  expect(names).toContain('PG_VERSION')
  expect(names.filter((name) => /^base\/[14]\/|^pg_wal\/0/.test(name))).toHaveLength(1)

  for (const n of [1001, 1002]) {
    const again = await openSnapshot(settings, file)
    await again?.run('insert into kept values ($1)', [n])
    expect(await again?.run('select count(*)::int, max(n) from kept', [])).toEqual([{ count: 1001, max: n }])
    await again?.close()
  }
})
