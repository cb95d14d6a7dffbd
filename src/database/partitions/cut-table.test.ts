import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import { card, stopBackground } from '../../../test/support/railyard.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { verify } from '../../verify/verify.ts'
import { cutDueTables } from './cut-due-tables.ts'
import { cutTable } from './cut-table.ts'
import { lowestIdOf, partitionedTables } from './partitioned-tables.ts'
import { readPartitions } from './read-partitions.ts'

// An instance before and after its tables are divided: everything that a merchant does with payments of before.

const { railyard, shop } = await startShop()
const { world } = railyard
await stopBackground(railyard)

const payment = { amount: 1299, currency: 'USD', country: 'US', payment_method: card }
const pay = (more = {}) => shop.post('/transactions', { ...payment, ...more })

/** What a table, or a partition of it, checks and does. */
const selectParts = `
select (select array_agg(concat_ws(' ', attname, atttypid::regtype, attnotnull, attstorage) order by attname)
          from pg_attribute
         where attrelid = this and attnum > 0 and not attisdropped) as columns,
       (select array_agg(a.attname || ' ' || pg_get_expr(d.adbin, d.adrelid) order by 1)
          from pg_attrdef d
          join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
         where d.adrelid = this) as defaults,
       (select array_agg(conname || ' ' || pg_get_constraintdef(oid) order by conname)
          from pg_constraint
         where conrelid = this and contype = 'c') as checks,
       (select array_agg(regexp_replace(pg_get_indexdef(indexrelid), '^.* USING', '') || ' ' || indisunique::text || indisvalid::text order by 1)
          from pg_index
         where indrelid = this) as indexes,
       (select array_agg(regexp_replace(pg_get_triggerdef(oid), 'ON .* (FOR|EXECUTE)', '') order by 1)
          from pg_trigger
         where tgrelid = this and not tgisinternal) as triggers,
       (select array_agg(statistics order by statistics)
          from (select regexp_replace(pg_get_statisticsobjdef(oid), 'STATISTICS .* ON (.*) FROM .*', '\\1') as statistics
                  from pg_statistic_ext where stxrelid = this) as extended) as statistics,
       (select array_agg(concat_ws(' ', grantee, privilege_type, is_grantable)) from pg_class, aclexplode(relacl) where oid = this) as rights,
       (select array_agg(concat_ws(' ', attname, grantee, privilege_type, is_grantable))
          from pg_attribute, aclexplode(attacl)
         where attrelid = this) as "columnRights",
       (select reloptions from pg_class where oid = this) as options
  from (select to_regclass($1)::oid as this) as named`

const partsOf = async (name: string) => {
  const [row] = await world.run<Record<string, string[] | null>>(selectParts, [name])
  // a constraint that an upgrade did not validate holds for every row all the same
  const sorted = (parts: string[] | null) => parts?.map((part) => part.replace(' NOT VALID', '')).sort()
  return Object.fromEntries(Object.entries(row ?? {}).map(([kind, parts]) => [kind, sorted(parts)]))
}

/** Only a test may do so: no other process has payments beyond the bound, and this one reads the partitions again. */
const atOnce = { patience: 10_000, ahead: Number.NEGATIVE_INFINITY }

/** Cuts every table at this moment. */
async function cutNow(): Promise<void> {
  const bound = lowestIdOf(Date.now() + 1)
  for (const table of partitionedTables) expect(await cutTable(world.db, table, bound, atOnce)).toBe('cut')
  await wait(2)
  await world.partitions.load()
}

const tables: Record<string, Awaited<ReturnType<typeof partsOf>>> = {}
const before: Record<'authorized' | 'captured' | 'keyed', string> = {
  authorized: '',
  captured: '',
  keyed: '',
}
beforeAll(async () => {
  for (const { table, key } of partitionedTables) {
    await world.run(`grant select on ${table} to public`, [])
    await world.run(`grant update, delete on ${table} to pg_monitor with grant option`, [])
    await world.run(`grant insert (merchant_account_id, ${key}) on ${table} to public`, [])
    await world.run(`alter table ${table} set (autovacuum_vacuum_scale_factor = 0.05)`, [])
  }
  for (const { table } of partitionedTables) tables[table] = await partsOf(table)
  before.authorized = (await pay()).body.id
  before.captured = (await pay({ intent: 'capture' })).body.id
  before.keyed = (await shop.post('/transactions', payment, { 'idempotency-key': 'of before' })).body.id
  await cutNow()
  await pay()
  await cutNow()
})

test.for(partitionedTables)(
  'partitions of $table check, index and do what the table did',
  async ({ table }) => {
    const names = (await readPartitions(world.db)).filter((partition) => partition.table === table)
    expect(names.map(({ name }) => name)).toEqual([`${table}_p1`, `${table}_p2`, `${table}_p3`])
    for (const { name } of names) expect(await partsOf(name)).toEqual(tables[table])
  },
)

test('a payment of before the cuts is captured, refunded, voided and shown with its timeline', async () => {
  const { authorized, captured } = before
  expect(await shop.post(`/transactions/${captured}/refunds`, { amount: 299 })).toMatchObject({ status: 201 })
  expect(await shop.get(`/transactions/${captured}`)).toMatchObject({
    status: 200,
    body: { refunded_amount: 299 },
  })
  expect(await shop.post(`/transactions/${authorized}/void`)).toMatchObject({
    status: 200,
    body: { status: 'authorization_voided' },
  })
  const { body } = await shop.get(`/transactions/${authorized}/events`)
  expect(body.items.length).toBeGreaterThan(1)
})

test('a payment is read and refunded although its partitions have other names than this process knows', async () => {
  const path = `/transactions/${before.captured}`
  for (const [from, to] of [
    ['p1', 'p9'],
    ['p9', 'p1'],
  ]) {
    await world.run(`alter table transactions_${from} rename to transactions_${to}`, [])
    await world.run(`alter table operations_${from} rename to operations_${to}`, [])
    expect(await shop.post(`${path}/refunds`, { amount: 1 })).toMatchObject({ status: 201 })
    expect(await shop.get(path)).toMatchObject({ status: 200 })
  }
})

test('an idempotency key of before the cuts is answered with the payment of before', async () => {
  const repeated = await shop.post('/transactions', payment, { 'idempotency-key': 'of before' })
  expect(repeated.body.id).toBe(before.keyed)
})

test('lists, newest first, go through all partitions', async () => {
  const { body: newest } = await pay()
  const { body: page } = await shop.get('/transactions?limit=100')
  const ids = page.items.map(({ id }: { id: string }) => id)
  expect(ids[0]).toBe(newest.id)
  expect(ids).toEqual(expect.arrayContaining(Object.values(before)))
})

test('an audit entry of any partition can be neither changed nor deleted', async () => {
  for (const name of ['audit_entries', 'audit_entries_p1', 'audit_entries_p3'])
    await expect(world.run(`delete from ${name} where false`, [])).rejects.toThrow('is only added to')
})

test('where ids are beyond the bound already the cut is put off, and payments go on', async () => {
  const [table] = partitionedTables
  const count = async () => (await readPartitions(world.db)).length
  const had = await count()
  await pay()
  const bound = lowestIdOf(Date.now() - 1)
  await pay()
  expect(await cutTable(world.db, table, bound, atOnce)).toBe('later')
  expect(await count()).toBe(had)
  expect(await pay()).toMatchObject({ status: 201 })
})

test('where a process died in a cut, the next one ends it', async () => {
  const [{ table, key }] = partitionedTables
  const bound = lowestIdOf(Date.now() + 1)
  await world.run(
    `alter table transactions_p3 add constraint transactions_p3_ends check (${key} < '${bound}')`,
    [],
  )
  expect(await cutTable(world.db, { table, key }, bound, atOnce)).toBe('cut')
  await wait(2)
  await world.partitions.load()
  expect(await pay()).toMatchObject({ status: 201 })
})

test('where a process died in a cut whose bound is too near by now, ids beyond it are taken again', async () => {
  const [table] = partitionedTables
  const near = lowestIdOf(Date.now() - 1)
  const newest = (await readPartitions(world.db)).findLast((partition) => partition.table === table.table)
  await world.run(
    `alter table ${newest?.name} add constraint ${newest?.name}_ends check (id < '${near}') not valid`,
    [],
  )
  expect(await pay()).toMatchObject({ status: 500 })
  expect(await cutTable(world.db, table, near, { patience: 0, ahead: 0 })).toBe('later')
  expect(await pay()).toMatchObject({ status: 201 })
})

test('a bound that is less than a day and a half ahead is not used any more', async () => {
  const [table] = partitionedTables
  const near = lowestIdOf(Date.now() + 1.4 * 86_400_000)
  expect(await cutTable(world.db, table, near, { patience: 0, ahead: 1.5 * 86_400_000 })).toBe('later')
})

test('where one table was cut alone, all have the same newest partition after the next cut', async () => {
  expect(await cutDueTables(world, { wanted: 1_000_000, dividesSmall: false })).toBeGreaterThanOrEqual(
    partitionedTables.length,
  )
  const newest = Map.groupBy(await readPartitions(world.db), ({ table }) => table)
  expect(new Set([...newest.values()].map((partitions) => partitions.at(-1)?.from)).size).toBe(1)
  expect(await cutDueTables(world, { wanted: 1_000_000, dividesSmall: false })).toBe(0)
})

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Subplans Removed'?: number
  Plans?: Plan[]
  'Target Tables'?: Plan[]
}

/** The tables that a plan reads or changes, and what it opens first and leaves out then. */
function tablesOf({ Plans = [], 'Target Tables': targets = [], ...plan }: Plan): string[] {
  const own = [
    ...('Operation' in plan && plan.Operation === 'Insert' ? [] : [plan['Relation Name'] ?? '']),
    ...(plan['Subplans Removed'] ? [`${plan['Subplans Removed']} subplans removed`] : []),
  ]
  return [...own, ...[...Plans, ...targets].flatMap(tablesOf)].filter(
    (name) =>
      /^(transactions|operations|transaction_events|settlements|events|audit_entries)(_p|$)/.test(name) ||
      / removed$/.test(name),
  )
}

test('every statement of a payment reads and changes rows of one partition of each table', async () => {
  const sent = new Map<string, unknown[]>()
  const { query } = pg.Client.prototype
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...all: unknown[]) {
    const [statement] = all
    if (typeof statement === 'object' && statement !== null && 'name' in statement && 'values' in statement)
      sent.set(String((statement as { text?: unknown } & object)['text']), statement.values as unknown[])
    return Reflect.apply(query, this, all)
  })
  const { body: paid } = await pay({ intent: 'capture' })
  const { body: authorized } = await pay()
  await shop.post(`/transactions/${authorized.id}/capture`, { amount: 1299 })
  await shop.post(`/transactions/${paid.id}/refunds`, { amount: 99 })
  await shop.post(`/transactions/${before.keyed}/void`)
  await shop.get(`/transactions/${paid.id}`)
  await shop.get(`/transactions/${paid.id}/events`)
  vi.restoreAllMocks()
  const called = new Map<string, string>()
  for (const [text] of sent) {
    const name = /^select (\w+)\((?:\$\d+, )*\$\d+\) as result$/.exec(text)?.[1]
    if (name) called.set(text, await sourceOf(name))
  }
  const concerned = [...sent].filter(([text]) => /_p\d/.test(called.get(text) ?? text))
  expect(concerned.length).toBeGreaterThanOrEqual(8)
  for (const source of called.values()) {
    // a payment that is renewed may be of another month
    const ofThePayment = source.replace(/update transactions\s+set capture_closed/, '')
    const touched = [
      ...new Set(
        [
          ...ofThePayment.matchAll(/\b(?:update|from) ((?:transactions|operations|transaction_events)\w*)/g),
        ].map(([, table = '']) => table),
      ),
    ]
    expect(
      touched.filter((table) => !/_p\d+$/.test(table)),
      source,
    ).toEqual([])
    expect(new Set(touched.map((table) => table.replace(/_p\d+$/, ''))).size, source).toBe(touched.length)
  }
  for (const [text, values] of sent) {
    if (called.has(text)) continue
    const plan = await genericPlan(text, values)
    const touched = [...new Set(tablesOf(plan))]
    const ofOneTable = Object.groupBy(touched, (name) => name.replace(/_p\d+$/, ''))
    expect(
      Object.values(ofOneTable).every((names) => names?.length === 1),
      `${touched} of ${text}`,
    ).toBe(true)
    expect(touched.join(), text).not.toMatch(/removed/)
  }
})

/** The block of a function. */
async function sourceOf(name: string): Promise<string> {
  const [row] = await world.run<{ source: string }>(
    'select prosrc as source from pg_proc where proname = $1',
    [name],
  )
  return row?.source ?? expect.fail(`there is no function ${name}`)
}

/** The plan that PostgreSQL makes for all values of the parameters. */
const genericPlan = (text: string, values: readonly unknown[]): Promise<Plan> =>
  world.db.connection().execute(async (connection) => {
    const send = async (statement: string) =>
      (
        await connection.executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>({
          sql: statement,
          parameters: [],
        } as never)
      ).rows
    await send('set plan_cache_mode = force_generic_plan')
    await send(`prepare explained as ${text}`)
    const literals = values.map(literal)
    const [row] = await send(
      `explain (format json) execute explained${literals.length > 0 ? `(${literals.join(', ')})` : ''}`,
    )
    await send('deallocate explained')
    await send('reset plan_cache_mode')
    const plan = row?.['QUERY PLAN'][0]?.Plan
    if (!plan) throw new Error(`no plan of ${text}`)
    return plan
  })

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.join(',')}}`)
  return pg.escapeLiteral(String(value))
}

test('the journal, the audit log and every payment are as they should be', async () => {
  expect((await verify(world.run)).findings).toEqual([])
})
