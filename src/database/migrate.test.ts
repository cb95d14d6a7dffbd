import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openEmpty } from './empty.fixture.ts'
import { migrate, migrationFiles, migrationFolder, statementsOf } from './migrate.ts'

test('migrations run without a statement timeout, and the connection has its timeout again afterwards', async () => {
  const database = await openEmpty()
  const { db } = database
  const timeout = async () =>
    (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db)).rows
  const before = await timeout()
  await sql`create table seen (timeout text)`.execute(db)
  // functions of Citus have a search_path of their own
  await sql`create function see() returns event_trigger language plpgsql as 'begin insert into public.seen values (current_setting(''statement_timeout'')); end'`.execute(
    db,
  )
  await sql`create event trigger watch on ddl_command_start execute function see()`.execute(db)
  expect((await migrate(database)).length).toBeGreaterThan(1)
  expect((await sql`select distinct timeout from seen`.execute(db)).rows).toEqual([{ timeout: '0' }])
  expect(await timeout()).toEqual(before)
})

test('a database opened without timeout has no statement timeout', async () => {
  const { db } = await openEmpty({ withoutTimeout: true })
  expect((await sql`show statement_timeout`.execute(db)).rows).toEqual([{ statement_timeout: '0' }])
})

test('a process starts on the schema of the next version, so that an upgrade can be rolling and can be undone', async () => {
  const database = await openEmpty()
  await migrate(database)
  await sql`insert into kysely_migration (name, timestamp) values ('999-of-the-next-version', now()::text)`.execute(
    database.db,
  )
  expect(await migrate(database)).toEqual([])
  const { rows } = await sql`select 1 from kysely_migration where name = '999-of-the-next-version'`.execute(
    database.db,
  )
  expect(rows).toHaveLength(1)
})

test('the statements of a migration are told apart, whatever their comments and texts have', () => {
  const statements = [
    `-- it's; two\ninsert into a values ('one; ''two''', "b;c")`,
    '\n-- a comment; of its own\ncreate function f() as $body$ begin; select $$;$$; end; $body$',
    ' drop table a',
  ]
  expect(statementsOf(`${statements.join(';')};\n-- the end;\n`)).toEqual(statements)
})

test('every migration is made of statements', async () => {
  for (const file of await migrationFiles())
    for (const statement of statementsOf(await readFile(new URL(file, migrationFolder), 'utf8')))
      expect(statement.replaceAll(/--[^\n]*/g, '').trim()).toMatch(
        /^(create|alter|drop|insert|update|delete|comment) /,
      )
})
