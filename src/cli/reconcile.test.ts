import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { launch } from '../../test/crash/process.ts'
import { makeInstance } from '../../test/support/prepared-instance.ts'

vi.setConfig({ testTimeout: 300_000 })

test('reconcile --missing takes an age with its unit, and refuses a number alone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-reconcile-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await makeInstance(folder)
  const missing = (age: string) =>
    launch(['src/main.js', 'reconcile', '--missing', '--older-than', age], { DATA_DIR: folder }, /(?!)/).ended
  expect(await missing('5')).toEqual({
    code: 1,
    output: 'railyard: --older-than 5 is no duration with a unit, such as 5d or 12h\n',
  })
  expect(await missing('5d')).toMatchObject({ code: 0, output: expect.stringMatching(/^0 payments /) })
})
