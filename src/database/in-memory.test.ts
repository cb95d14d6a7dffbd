import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../settings.ts'
import { openSnapshot } from './in-memory.ts'

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
