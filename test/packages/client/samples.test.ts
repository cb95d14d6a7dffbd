import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../support/start-railyard.ts'

const railyard = await startRailyardForFile()

interface Sampled {
  operationId: string
  'x-codeSamples'?: { lang: string; label: string; source: string }[]
}
const { body } = await railyard.send('GET', '/openapi.json')
const document: { paths: Record<string, Record<string, Sampled>> } = body
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))

test('every operation of the API reference has an example of the client', () => {
  const without = operations.filter(
    (operation) => operation['x-codeSamples']?.[0]?.label !== '@railyard/client',
  )
  expect(without.map(({ operationId }) => operationId)).toEqual([])
})

test('the examples of the API reference compile in a strict project', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-samples-'))
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  const functions = operations.map(
    (operation) =>
      `export async function ${operation.operationId}() {\n${operation['x-codeSamples']?.[0]?.source}\n}`,
  )
  await writeFile(
    join(folder, 'samples.mts'),
    `import type { Railyard } from '@railyard/client'\ndeclare const railyard: Railyard\n${functions.join('\n')}`,
  )
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
    lib: ['es2022', 'dom'],
  }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['samples.mts'] }),
  )
  const compiled = await promisify(execFile)('node', ['node_modules/typescript/bin/tsc'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error)
  await rm(folder, { recursive: true, force: true })
  expect(compiled.stdout).toBe('')
})
