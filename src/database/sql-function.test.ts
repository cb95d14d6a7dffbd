import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openShop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { openEmpty } from './empty.fixture.ts'
import { createFunctions } from './function-versions.ts'
import { migrate } from './migrate.ts'
import { byParentTables } from './partitions/payment-partitions.ts'
import { sqlFunction } from './sql-function.ts'
import type { Statements } from './statements.ts'

const railyard = await startRailyardForFile()
const { world } = railyard
const shop = await openShop(railyard)

const versions = async (name: string, { run }: { run: Statements } = world): Promise<string[]> =>
  (
    await run<{ proname: string }>('select proname from pg_proc where proname like $1 order by proname', [
      `${name}\\_%`,
    ])
  ).map(({ proname }) => proname)

const dropVersions = async (name: string) => {
  for (const version of await versions(name)) await sql`drop function ${sql.table(version)}`.execute(world.db)
}

test('parameters are numbered in the order in which they are declared, and the first row is the result', async () => {
  const swap = sqlFunction({
    name: 'swap_for_test',
    parameters: { first: 'text', second: 'int' },
    returns: 'json',
    body: (p) => `
begin
  return json_build_object('second', ${p.second}, 'first', ${p.first}, 'again', ${p.second});
end`,
  })
  expect(swap.names).toEqual(['first', 'second'])
  expect(await swap.call(world, { second: 2, first: 'one' })).toEqual({ second: 2, first: 'one', again: 2 })
  expect(await swap.call(world, { second: null, first: 'one' })).toEqual({
    second: null,
    first: 'one',
    again: null,
  })
})

test('the compiler refuses a parameter that is missing, unknown or not declared', async () => {
  const echo = sqlFunction({
    name: 'echo_for_test',
    // the first one is the account on Citus, which ends if it is null
    parameters: { account: 'text', said: 'text' },
    returns: 'text',
    // @ts-expect-error not declared
    body: (p) => `\nbegin return ${p.said} || '${p.other}'; end`,
  })
  // @ts-expect-error missing
  expect(await echo.call<string>(world, { account: 'shop' })).toBeNull()
  // @ts-expect-error unknown
  expect(await echo.call<string>(world, { account: 'shop', said: 'a', other: 2 })).toBe('aundefined')
})

test('two functions cannot have one name', () => {
  const define = () =>
    sqlFunction({
      name: 'twice_for_test',
      parameters: { said: 'text' },
      returns: 'text',
      body: () => 'begin end',
    })
  define()
  expect(define).toThrow('twice_for_test')
})

test('a start creates the functions of its version, and leaves those of other versions', async () => {
  const database = await openEmpty()
  await migrate(database)
  const [created = ''] = await versions('intend_payment', database)
  await sql`drop function ${sql.table(created)}`.execute(database.db)
  await sql`create function intend_payment_of_before() returns text language sql as 'select null::text'`.execute(
    database.db,
  )
  await migrate(database)
  expect(await versions('intend_payment', database)).toEqual([created, 'intend_payment_of_before'])
})

test('a role that may not create functions starts where they are, and says what to do where they are not', async () => {
  const database = await openEmpty()
  await migrate(database)
  const refusing = {
    query: async (text: string, values?: unknown[]) => {
      if (!text.includes('create or replace function'))
        return { rows: await database.run(text, values ?? []) }
      throw Object.assign(new pg.DatabaseError('permission denied for schema public', 0, 'error'), {
        code: '42501',
      })
    },
  } as never
  const partitions = { everyText: (text: string) => [byParentTables(text)] }
  const start = () => migrate({ ...database, createFunctions: () => createFunctions(refusing, partitions) })
  expect(await start()).toEqual([])
  const [created = ''] = await versions('intend_payment', database)
  await sql`drop function ${sql.table(created)}`.execute(database.db)
  await expect(start()).rejects.toThrow('run railyard migrate with the role')
})

test('a function that was dropped is created by the payment that needs it', async () => {
  await dropVersions('intend_payment')
  await dropVersions('record_outcome')
  const payments = await Promise.all(Array.from({ length: 8 }, () => shop.pay(12_00)))
  expect(payments.map(({ status, body }) => [status, body.status])).toEqual(
    payments.map(() => [201, 'authorization_succeeded']),
  )
})
