import { namedStatement } from '../../database/named-statement.ts'
import type { World } from '../../world.ts'
import { currentFingerprint } from './card-fingerprint.ts'

type RefreshWorld = Pick<World, 'run' | 'cipher'>

/**
 * A column, or a member of a JSON column, with fingerprints of cards. The primary key of its table is
 * merchant_account_id, id.
 */
interface FingerprintColumn {
  table: string
  /** The expression of the stored fingerprint. */
  read: string
  /** The assignment of the new fingerprint: `fresh.fingerprint`, or `fresh.document` as JSON. */
  write: string
}

const column = (table: string, name: string): FingerprintColumn => ({
  table,
  read: name,
  write: `${name} = fresh.fingerprint`,
})
const snapshot = (table: string): FingerprintColumn => ({
  table,
  read: `payment_method->>'fingerprint'`,
  write: `payment_method = jsonb_set(stored.payment_method, '{fingerprint}', fresh.document)`,
})

/** The small tables first: stored cards are recognized again before old payments are. */
const columnsToRefresh: readonly FingerprintColumn[] = [
  column('payment_methods', 'fingerprint'),
  column('payment_service_tokens', 'fingerprint'),
  column('three_d_secure_scenarios', 'card_fingerprint'),
  snapshot('payouts'),
  snapshot('transactions'),
]

/** A pass for each form of fingerprints. */
const PASS = 'card-fingerprints-1'
const LAST_PASS = 'card-fingerprints-1-again'
const BATCH = 1_000
const MAX_BATCHES = 20

/**
 * Whether no process of the earlier version writes any more: all are replaced within a day of the migration.
 */
const allProcessesReplaced = `
select 1 as one
  from kysely_migration
 where name = '047-card-identity'
   and timestamp::timestamptz < now() - interval '1 day'`

/** Whether a pass ($1) has finished all tables ($2: how many). */
const isPassFinished = `
select 1 as one
  from vault_passes
 where name = $1
   and finished
having count(*) >= $2::int`

/**
 * Brings fingerprints that an earlier version stored into today's form, a batch of rows in one statement. The
 * database has the positions, so that a restart continues there. Processes that do it at the same time only
 * repeat work, as a row is replaced only while it has the value that was read. While processes are replaced,
 * those of the earlier version write more old fingerprints, also before the positions: a day later a second
 * pass goes over every table. Answers how many rows were rewritten.
 */
export async function refreshFingerprints(world: RefreshWorld, batch = BATCH): Promise<number> {
  if ((await world.run(isPassFinished, [LAST_PASS, columnsToRefresh.length])).length > 0) return 0
  const first = await runPass(world, PASS, batch)
  if (!first.finished || (await world.run(allProcessesReplaced, [])).length === 0) return first.rewritten
  return first.rewritten + (await runPass(world, LAST_PASS, batch)).rewritten
}

async function runPass(
  world: RefreshWorld,
  pass: string,
  batch: number,
): Promise<{ rewritten: number; finished: boolean }> {
  const reached = await readPositions(world, pass)
  let rewritten = 0
  let batches = 0
  for (const column of columnsToRefresh) {
    for (let position = reached.get(column.table) ?? START_OF_TABLE; !position.finished; ) {
      if (batches++ === MAX_BATCHES) return { rewritten, finished: false }
      const done = await refreshBatch(world, pass, column, position, batch)
      rewritten += done.rewritten
      position = done.position
    }
  }
  return { rewritten, finished: true }
}

/** How far a pass is in a table: after this row. Null: at the beginning. */
interface Position {
  merchant_account_id: string | null
  id: string | null
  finished: boolean
}

const START_OF_TABLE: Position = { merchant_account_id: null, id: null, finished: false }

async function readPositions({ run }: Pick<World, 'run'>, pass: string): Promise<Map<string, Position>> {
  const rows = await run<Position & { table_name: string }>('select * from vault_passes where name = $1', [
    pass,
  ])
  return new Map(rows.map((row) => [row.table_name, row]))
}

interface Row {
  merchant_account_id: string
  id: string
  fingerprint: string | null
}

async function refreshBatch(
  world: RefreshWorld,
  pass: string,
  { table, read, write }: FingerprintColumn,
  position: Position,
  batch: number,
): Promise<{ rewritten: number; position: Position }> {
  const after = position.id === null ? [] : [position.merchant_account_id, position.id]
  const rows = await world.run<Row & Record<string, unknown>>(nextRows({ table, read }, after.length > 0), [
    batch,
    ...after,
  ])
  const stale = rows.flatMap((row) => {
    const fresh = currentFingerprint(world, row.merchant_account_id, row.fingerprint)
    return fresh === row.fingerprint ? [] : [{ ...row, fresh }]
  })
  const replaced = await replaceStale({ table, read, write }).run(world, {
    accounts: stale.map((row) => row.merchant_account_id),
    ids: stale.map((row) => row.id),
    old: stale.map((row) => row.fingerprint),
    fresh: stale.map((row) => row.fresh),
    documents: stale.map((row) => JSON.stringify(row.fresh)),
  })
  const { merchant_account_id, id } = rows.at(-1) ?? position
  const reached = { merchant_account_id, id, finished: rows.length < batch }
  await savePosition.run(world, { pass, table, account: merchant_account_id, id, finished: reached.finished })
  return { rewritten: replaced.length, position: reached }
}

const nextRows = ({ table, read }: Pick<FingerprintColumn, 'table' | 'read'>, continues: boolean) => `
select stored.merchant_account_id, stored.id, stored.${read} as fingerprint
  from ${table} stored
 ${continues ? 'where (stored.merchant_account_id, stored.id) > ($2, $3)' : ''}
 order by stored.merchant_account_id, stored.id
 limit $1`

/** A row that changed since it was read stays as it is: it was written in today's form. */
const replaceStale = ({ table, read, write }: FingerprintColumn) =>
  namedStatement(
    ['accounts', 'ids', 'old', 'fresh', 'documents'],
    (p) => `
with fresh as (
  select *
    from unnest(${p.accounts}::text[], ${p.ids}::uuid[], ${p.old}::text[], ${p.fresh}::text[], ${p.documents}::jsonb[])
      as each (merchant_account_id, id, old, fingerprint, document)
)
update ${table} stored
   set ${write}
  from fresh
 where stored.merchant_account_id = fresh.merchant_account_id
   and stored.id = fresh.id
   and stored.${read} = fresh.old
returning stored.id`,
  )

const savePosition = namedStatement(
  ['pass', 'table', 'account', 'id', 'finished'],
  (p) => `
insert into vault_passes (name, table_name, merchant_account_id, id, finished)
values (${p.pass}, ${p.table}, ${p.account}, ${p.id}, ${p.finished})
    on conflict (name, table_name) do update
   set merchant_account_id = excluded.merchant_account_id,
       id = excluded.id,
       finished = excluded.finished`,
)
