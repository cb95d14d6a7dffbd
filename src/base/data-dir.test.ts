import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { writeSecretOnce } from './data-dir.ts'

test('processes that start together on a new folder all read the same whole secret', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-secret-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'key.pem')
  const secrets = Array.from({ length: 8 }, (_, count) => `${count} `.repeat(500).trim())
  const writing = Promise.all(secrets.map((secret) => writeSecretOnce(file, secret)))
  while (!existsSync(file)) await turn()
  const first = readFileSync(file, 'utf8')
  expect(secrets).toContain(first.trim())
  await writing
  expect(readFileSync(file, 'utf8')).toBe(first)
  expect(await readdir(folder)).toEqual(['key.pem'])
})
