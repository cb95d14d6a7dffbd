import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startRailyard } from '../../process/railyard.ts'
import { readSettings } from '../../settings.ts'
import type { Statements } from '../statements.ts'
import { connect, openSession, type Session } from './embedded.ts'
import { openInMemory, openSnapshot } from './in-memory.ts'
import { readTar } from './snapshot.ts'

test('a start deletes a damaged snapshot and stores a new one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-snapshot-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'migrated.tar')
  writeFileSync(file, Buffer.alloc(1024, 7))
  expect(await openSnapshot(file)).toBeUndefined()
  expect(existsSync(file)).toBe(false)
  expect(await openSnapshot(file)).toBeUndefined()
})

test('a snapshot contains the written data and only the files that a database needs to open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-snapshot-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'written.tar')
  const first = await openSession({})
  await ask(first, 'create table kept as select generate_series(1, 1000) as n')
  const archive = await first.dump()
  await first.close()
  writeFileSync(file, archive)
  const names = [...readTar(archive)].map(({ name }) => name.replace(/^\//, ''))
  expect(names).toContain('PG_VERSION')
  expect(names.filter((name) => /^base\/[14]\/|^pg_wal\/0/.test(name))).toHaveLength(1)

  for (const n of [1001, 1002]) {
    const again = (await openSnapshot(file)) ?? expect.fail('it does not open')
    await ask(again, `insert into kept values (${n})`)
    expect(await ask(again, 'select count(*)::int, max(n) from kept')).toEqual([{ count: 1001, max: n }])
    await again.close()
  }
})

test('a reused database has no data of earlier tests, which cannot reach it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-taken-over-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const settings = readSettings({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' })
  const railyard = await startRailyard(settings, { inMemory: true })
  const { run } = railyard.world
  expect(await written(run)).toContain('api_key_pairs')
  const place = await run(PLACE, [])
  await run("set timezone to 'Asia/Tokyo'", [])
  await run('create temporary table of_the_session (id int)', [])
  await railyard.close()

  const next = await openInMemory(settings)
  onTestFinished(next.close)
  expect(await next.run(PLACE, [])).toEqual(place)
  expect(await written(next.run)).toEqual(['kysely_migration', 'kysely_migration_lock'])
  expect(await next.run(LEFT, [])).toEqual([{ zone: 'UTC', triggers: 'origin', temporary: null }])
  await expect(run('select 1', [])).rejects.toThrow(/after calling end/)
})

test.each([
  "delete from kysely_migration where name > '005'",
  'drop table root_secret',
  'create table another (id int)',
])('a session is not reused after: %s', async (change) => {
  const settings = readSettings({})
  const first = await openInMemory(settings)
  const place = await first.run(PLACE, [])
  await first.run(change, [])
  await first.close()
  const next = await openInMemory(settings)
  onTestFinished(next.close)
  expect(await next.run(PLACE, [])).not.toEqual(place)
})

/** Identifies a session by the moment at which it was opened. */
const PLACE = 'select pg_postmaster_start_time()::text as place'
const LEFT = `
select current_setting('timezone') as zone, current_setting('session_replication_role') as triggers, to_regclass('of_the_session') as temporary`

/** The tables that have rows. */
async function written(run: Statements): Promise<string[]> {
  const tables = await run<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
    [],
  )
  const rows = await Promise.all(
    tables.map(async ({ name }) => ((await run(`select from ${name} limit 1`, [])).length > 0 ? [name] : [])),
  )
  return rows.flat()
}

async function ask(session: Session, sql: string): Promise<unknown[]> {
  const pool = connect(session)
  return (await pool.query(sql).finally(() => pool.end())).rows
}

test('rows that are replaced again are those of the original, whatever either has written since', async () => {
  const [original, copy] = [await openInMemory(readSettings({})), await openInMemory(readSettings({}))]
  const names = (of: typeof copy) => of.run('select id, display_name from merchant_accounts order by id', [])
  const add = (to: typeof copy, id: string) =>
    to.run(
      'insert into merchant_accounts (id, display_name, created_at, updated_at) values ($1, $1, now(), now())',
      [id],
    )
  const replace = async () => copy.rows?.replace((await original.rows?.read()) ?? Buffer.alloc(0))
  await add(original, 'a')
  await add(original, 'b')
  for (const change of [
    async () => undefined,
    async () => undefined,
    () => add(copy, 'c'),
    () => copy.run("update merchant_accounts set display_name = 'x'", []),
    () => original.run("update merchant_accounts set display_name = 'y' where id = 'a'", []),
    () => copy.run('delete from merchant_accounts', []),
    () => original.run('delete from merchant_accounts', []),
    () => add(original, 'd'),
  ]) {
    await change()
    await replace()
    expect(await names(copy)).toEqual(await names(original))
  }
  await Promise.all([original.close(), copy.close()])
})
