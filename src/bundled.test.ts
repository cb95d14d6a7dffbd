import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** A package of one file, and what `npm run build` would have written of it. */
let folder: string
let bundled: typeof import('./bundled.js')
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'railyard-bundled-'))
  await mkdir(join(folder, 'src'))
  await mkdir(join(folder, 'dist'))
  await cp(new URL('./bundled.js', import.meta.url), join(folder, 'src/bundled.js'))
  bundled = await import(pathToFileURL(join(folder, 'src/bundled.js')).href)
})
afterAll(() => rm(folder, { recursive: true }))

const source = 'src/cli.ts'
beforeEach(async () => {
  await writeFile(join(folder, source), 'console.log(1)')
  await writeFile(join(folder, 'dist', bundled.SOURCES), JSON.stringify([bundled.sourceNow(source)]))
  await writeFile(join(folder, 'dist/program.js'), '')
})

test('a bundle is run while it is made of the files that are there', () => {
  expect(bundled.bundledProgram()).toBe(pathToFileURL(join(folder, 'dist/program.js')).href)
})

test.each<[string, () => Promise<void>]>([
  ['nobody has made a bundle', () => rm(join(folder, 'dist', bundled.SOURCES))],
  ['the bundle has lost its program', () => rm(join(folder, 'dist/program.js'))],
  [
    'nothing can be read of what it was made of',
    () => writeFile(join(folder, 'dist', bundled.SOURCES), '[["src/c'),
  ],
  ['a file has grown', () => writeFile(join(folder, source), 'console.log(12)')],
  ['a file was written again, as long as before', () => utimes(join(folder, source), 0, 0)],
  ['a file is gone', () => rm(join(folder, source))],
])('the source is run where %s', async (_, change) => {
  await change()
  expect(bundled.bundledProgram()).toBeUndefined()
})
