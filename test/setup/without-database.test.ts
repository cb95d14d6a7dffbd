import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withoutDatabase } from './without-database.ts'

const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
const left = withoutDatabase(files)
/** They name what opens a database, and open none, or one in memory in a process of its own. */
const speakOfIt = [
  'src/database/postgres/hosts.test.ts',
  'src/settings.test.ts',
  'src/testing/fork.test.ts',
  'src/testing/testing.test.ts',
  'test/deploy.test.ts',
  'test/setup/without-database.test.ts',
]

test('a file is left out on a second database only if nothing that it imports, directly or not, could open one', () => {
  expect(left).toContain('src/base/cipher.test.ts')
  expect(left).not.toContain('src/buyers/buyer.test.ts')
  // starts processes, by a file of test/
  expect(left).not.toContain('test/crash.test.ts')
  expect(left).not.toContain('src/cli/bins.test.ts')
})

test('none that starts an instance, opens a database or asks which one there is, is left out', () => {
  const opens =
    /startTestRailyard|startRailyard|openDatabase|ownDatabase|openEmbedded|openVaultDatabase|DATABASE_URL|launch\w*\(/
  const text = (file: string) => readFileSync(file, 'utf8')
  expect(left.filter((file) => opens.test(text(file)) && !speakOfIt.includes(file))).toEqual([])
  expect(files.filter((file) => opens.test(text(file))).length).toBeGreaterThan(50)
})
