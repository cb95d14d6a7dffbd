import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startRailyardForFile } from '../support/start-railyard.ts'

const railyard = await startRailyardForFile()

/** Those of the section on tables, in the order of the alphabet. */
function tablesOfArchitecture(): string[] {
  const text = readFileSync('ARCHITECTURE.md', 'utf8')
  const section = text.slice(text.indexOf('\n## Tables\n'), text.indexOf('\n## Two databases'))
  const names = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
  return names.sort()
}

test('ARCHITECTURE.md names every table, and no other', async () => {
  const tables = await railyard.world.run<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely_migration%'`,
    [],
  )
  expect(tablesOfArchitecture()).toEqual(tables.map(({ name }) => name).sort())
})
