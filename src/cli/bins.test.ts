import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launch } from '../../test/crash/process.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'railyard-bins-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const importing = (file: string) =>
  launch(['src/main.js', 'bins', 'import', file], { DATA_DIR: join(folder, 'data') }, /(?!)/).ended

test('bins import reads a file of BINs, and refuses a wrong file with one line that names its place', async () => {
  const file = join(folder, 'bins.csv')
  writeFileSync(
    file,
    'bin,scheme,card_type,issuer,country\n497010,carte-bancaire visa,debit,"Banque Un, Paris",FR\n497011,visa,,,\n',
  )
  expect(await importing(file)).toEqual({ code: 0, output: '2 BINs imported\n' })
  writeFileSync(file, 'bin,scheme,card_type,issuer,country\n49,visa,,,\n')
  expect(await importing(file)).toEqual({
    code: 1,
    output: `railyard: ${file}, line 2: bin must have 6 to 8 digits; nothing was imported\n`,
  })
  const missing = join(folder, 'missing.csv')
  expect((await importing(missing)).output).toMatch(`railyard: ${missing} cannot be read: ENOENT`)
})
