import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { CHECK_VIOLATION } from '../error-codes.ts'
import { FIRST_LINE } from '../function-versions.ts'
import type { Tables } from '../tables.ts'
import { momentOf, type PartitionedTable, partitionedTables } from './partitioned-tables.ts'
import { type Partition, readPartitions } from './read-partitions.ts'
import { lockTables, quote, runScript as run, underLock } from './table-locks.ts'

/** `later`: there are ids beyond the bound, it is too near, or the lock was not to be had in time. */
export type CutResult = 'cut' | 'cut before' | 'later'

export interface CutOptions {
  /** How long to try to get the lock, in milliseconds. */
  patience: number
  /**
   * How far ahead of the server's time the bound must be at the end, in milliseconds: processes must not have
   * payments beyond it in a partition that they know (`payment-partitions.ts`).
   */
  ahead: number
}

async function serverTime(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db)
  return Date.parse(rows[0]?.now ?? '')
}

/** A partition that ends at the bound is proved to have no id outside its range, so that PostgreSQL reads nothing under the lock. */
const proofName = (name: string): string => `${name}_ends`
/** A regular expression for the names of all proofs. A proof is there while a cut is under way, or was left by a process that died. */
export const PROOF_NAMES = `^(${partitionedTables.map(({ table }) => table).join('|')})(_p[0-9]+)?_ends$`

/**
 * Ends the newest partition of a table at `bound`, and adds one behind it for every id from there on. A table
 * without partitions becomes the first one of a new table of its name: its rows, its indexes and its files stay
 * where they are.
 *
 * From the first step on, the newest partition takes no id beyond the bound. Whatever happens, the table takes
 * every id afterwards.
 */
export async function cutTable(
  db: Kysely<Tables>,
  table: PartitionedTable,
  bound: string,
  { patience, ahead }: CutOptions,
): Promise<CutResult> {
  const newest = await newestPartition(db, table)
  if (newest.from !== null && newest.from >= bound) return 'cut before'
  const until = performance.now() + patience
  await removeProofs(db, until)
  if (momentOf(bound) < (await serverTime(db)) + ahead + patience) return 'later'
  if (!newest.isPartition) await validateConstraints(db, newest)
  try {
    const isProved = await prove(db, table, newest, { bound, until })
    if (isProved && (await underLock(until, () => split(db, table, newest, bound)))) return 'cut'
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === CHECK_VIOLATION)) throw error
  } finally {
    await removeProofs(db, Number.POSITIVE_INFINITY)
  }
  return 'later'
}

async function newestPartition(db: Kysely<Tables>, { table }: PartitionedTable): Promise<Partition> {
  const newest = (await readPartitions(db)).filter((partition) => partition.table === table).at(-1)
  if (!newest) throw new Error(`the table ${table} is not there`)
  return newest
}

/**
 * A scan of a large table takes longer than a statement may. Nothing waits behind it, also while it waits for
 * autovacuum, which gives way after a second.
 */
const patiently = `set local statement_timeout = 0;
set local lock_timeout = '10min';
`

/** A constraint of a partition that was not validated cannot be its parent's. Payments go on meanwhile. */
async function validateConstraints(db: Kysely<Tables>, { name }: Partition): Promise<void> {
  const { rows } = await sql<{ conname: string }>`
    select conname
      from pg_constraint
     where conrelid = to_regclass(${name})
       and not convalidated`.execute(db)
  for (const { conname } of rows)
    await db
      .transaction()
      .execute((tx) =>
        run(tx, `${patiently}alter table ${quote(name)} validate constraint ${quote(conname)}`),
      )
}

/** False: the lock was not to be had. Throws where an id is beyond the bound. */
async function prove(
  db: Kysely<Tables>,
  { key }: PartitionedTable,
  { name, from }: Partition,
  { bound, until }: { bound: string; until: number },
): Promise<boolean> {
  const proof = quote(proofName(name))
  const conditions = [
    ...(from === null ? [] : [`${key} >= ${pg.escapeLiteral(from)}`]),
    `${key} < ${pg.escapeLiteral(bound)}`,
  ]
  const isAdded = await underLock(until, () =>
    db.transaction().execute(async (tx) => {
      await lockTables(tx, [name])
      await run(
        tx,
        `alter table ${quote(name)} add constraint ${proof} check (${conditions.join(' and ')}) not valid`,
      )
    }),
  )
  if (isAdded)
    await db
      .transaction()
      .execute((tx) => run(tx, `${patiently}alter table ${quote(name)} validate constraint ${proof}`))
  return isAdded
}

/** Removes the proofs of all tables, those of a process that died among them: their tables take every id again. */
export async function removeProofs(db: Kysely<Tables>, until: number): Promise<void> {
  const { rows } = await sql<{ name: string; proof: string }>`
    select relname as name,
           conname as proof
      from pg_constraint
      join pg_class
        on pg_class.oid = conrelid
     where contype = 'c'
       and connamespace = current_schema()::regnamespace
       and conname ~ ${PROOF_NAMES}`.execute(db)
  for (const { name, proof } of rows)
    await underLock(until, () =>
      db.transaction().execute(async (tx) => {
        await lockTables(tx, [name])
        await run(tx, `alter table ${quote(name)} drop constraint ${quote(proof)}`)
      }),
    )
}

const numbered = (table: string, number: number): string => `${table}_p${number}`
const firstName = (table: string): string => numbered(table, 1)

/** One short transaction: PostgreSQL changes its catalog and reads no row. */
const split = (
  db: Kysely<Tables>,
  { table, key }: PartitionedTable,
  newest: Partition,
  bound: string,
): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await lockTables(tx, newest.isPartition ? [table, newest.name] : [table])
    const before = newest.isPartition
      ? { name: newest.name, script: `alter table ${quote(table)} detach partition ${quote(newest.name)};` }
      : { name: firstName(table), script: await makeFirstPartition(tx, table, key) }
    const number = Number(/_p(\d+)$/.exec(before.name)?.[1])
    const next = numbered(table, number + 1)
    await run(
      tx,
      `${before.script}
alter table ${quote(table)} attach partition ${quote(before.name)}
  for values from (${newest.from === null ? 'minvalue' : pg.escapeLiteral(newest.from)}) to (${pg.escapeLiteral(bound)});
alter table ${quote(before.name)} drop constraint ${quote(proofName(newest.name))};
create table ${quote(next)} (like ${quote(before.name)} including all);
${await ownParts(tx, { of: newest.name, table, next })}
alter table ${quote(table)} attach partition ${quote(next)} for values from (${pg.escapeLiteral(bound)}) to (maxvalue);`,
    )
  })

interface Part {
  name: string
  definition: string
}

const partsOf = async (db: Kysely<Tables>, select: string, table: string): Promise<Part[]> =>
  (await sql<Part>`${sql.raw(select)} = to_regclass(${table})`.execute(db)).rows

/** Indexes of no constraint, and their definitions, which name the table. */
const selectIndexes = `
select relname as name, pg_get_indexdef(indexrelid) as definition
  from pg_index
  join pg_class on pg_class.oid = indexrelid
 where not exists (select from pg_constraint where conindid = indexrelid)
   and indrelid`

const selectKeys = `
select conname as name, pg_get_constraintdef(oid) as definition
  from pg_constraint
 where contype in ('p', 'u')
   and conrelid`

/** A partition gets the triggers for each row from its parent, and none of those for each statement. */
const selectTriggers = (isForEachRow: boolean) => `
select tgname as name, pg_get_triggerdef(oid) as definition
  from pg_trigger
 where not tgisinternal
   and tgtype & 1 = ${Number(isForEachRow)}
   and tgrelid`

/** Who owns the table, and what other roles may do with it or with columns of it. */
const selectRights = `
select '' as name,
       unnest(format('alter table %I owner to %I', relname, pg_get_userbyid(relowner)) ||
              array(select format('grant %s on table %I to %s%s', acl.privilege_type || columns, relname,
                                  case acl.grantee when 0 then 'public' else acl.grantee::regrole::text end,
                                  case when acl.is_grantable then ' with grant option' end)
                      from (select '' as columns, relacl as given
                             union all
                            select format(' (%I)', attname), attacl
                              from pg_attribute
                             where attrelid = pg_class.oid
                               and attacl is not null) as part,
                           aclexplode(part.given) as acl
                     where acl.grantee <> relowner)) as definition
  from pg_class
 where oid`

/** Variables of functions (`sql-function.ts`) are rows of the table by its identity, which it changes: all sessions compile them anew. */
const selectFunctions = `
select proname as name, pg_get_functiondef(oid) as definition
  from pg_proc
 where pronamespace = current_schema()::regnamespace
   and prosrc like '%${FIRST_LINE}%'`

/**
 * The script that makes the table the first partition of a new one. A name of an index or a constraint stays
 * that of the table, so that migrations find it; the partition's gets its number. A key without the column of
 * the ranges cannot be one of the whole table: each partition keeps its own.
 */
async function makeFirstPartition(tx: Kysely<Tables>, table: string, key: string): Promise<string> {
  const indexes = await partsOf(tx, selectIndexes, table)
  const keys = await partsOf(tx, selectKeys, table)
  const rowTriggers = await partsOf(tx, selectTriggers(true), table)
  const triggers = [...rowTriggers, ...(await partsOf(tx, selectTriggers(false), table))]
  const rights = await partsOf(tx, selectRights, table)
  const { rows: functions } = await sql.raw<Part>(selectFunctions).execute(tx)
  const first = quote(firstName(table))
  const hasKey = ({ definition }: Part) => new RegExp(`\\b${key}\\b`).test(definition)
  return `${[
    ...rowTriggers.map(({ name }) => `drop trigger ${quote(name)} on ${quote(table)}`),
    `alter table ${quote(table)} rename to ${first}`,
    ...[...indexes, ...keys].map(
      ({ name }) => `alter index ${quote(name)} rename to ${quote(numbered(name, 1))}`,
    ),
    `create table ${quote(table)} (like ${first} including all excluding indexes excluding statistics) partition by range (${key})`,
    `alter table ${quote(table)} drop constraint ${quote(proofName(table))}`,
    ...keys
      .filter(hasKey)
      .map(
        ({ name, definition }) => `alter table ${quote(table)} add constraint ${quote(name)} ${definition}`,
      ),
    ...indexes.map(({ definition }) => definition),
    ...triggers.map(({ definition }) => definition),
    ...rights.map(({ definition }) => definition),
    ...functions.map(({ definition }) => definition),
  ].join(';\n')};`
}

/** What `like` does not copy to the next partition. `of`: the name that the partition before had. */
async function ownParts(
  tx: Kysely<Tables>,
  { of, table, next }: { of: string; table: string; next: string },
): Promise<string> {
  const triggers = await partsOf(tx, selectTriggers(false), of)
  const rights = await partsOf(tx, selectRights, of)
  const { rows } = await sql<{ options: string | null }>`
    select array_to_string(reloptions, ', ') as options
      from pg_class
     where oid = to_regclass(${of})`.execute(tx)
  const options = rows[0]?.options
  return [
    ...triggers.map(({ definition }) =>
      definition.replace(new RegExp(`( ON \\S*?)\\b(${of}|${table})\\b`), `$1${next}`),
    ),
    ...rights.map(({ definition }) =>
      definition
        .replace(` table ${quote(of)} `, ` table ${next} `)
        .replace(` table ${of} `, ` table ${next} `),
    ),
    ...(options ? [`alter table ${quote(next)} set (${options})`] : []),
  ]
    .map((statement) => `${statement};`)
    .join('\n')
}
