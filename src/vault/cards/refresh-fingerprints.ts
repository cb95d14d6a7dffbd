import type { World } from '../../world.ts'
import { currentFingerprint } from './card-fingerprint.ts'

type RefreshWorld = Pick<World, 'run' | 'cipher'>

/** A table that keeps fingerprints of cards, and the expression by which. Its primary key is merchant_account_id, id. */
interface FingerprintColumn {
  table: string
  read: string
  /** The assignment of the new one, `fresh.fingerprint`. */
  write: string
}

const column = (table: string, name: string): FingerprintColumn => ({ table, read: name, write: `${name} = fresh.fingerprint` })
const snapshot = (table: string): FingerprintColumn => ({
  table,
  read: `payment_method->>'fingerprint'`,
  write: `payment_method = jsonb_set(stored.payment_method, '{fingerprint}', to_jsonb(fresh.fingerprint))`,
})

/** The small ones first: stored cards are known again before old payments are. */
const columnsToRefresh: readonly FingerprintColumn[] = [
  column('payment_methods', 'fingerprint'),
  column('payment_service_tokens', 'fingerprint'),
  column('three_d_secure_scenarios', 'card_fingerprint'),
  snapshot('payouts'),
  snapshot('transactions'),
]

/** By form of fingerprints: another form is another pass. */
const PASS = 'card-fingerprints-1'
const LAST_PASS = 'card-fingerprints-1-again'
const BATCH = 1_000
const MAX_BATCHES = 20

/** Whether no process of the version before writes any more: they are replaced within a day of the migration that began this. */
const allProcessesReplaced = `
select 1 as one from kysely_migration where name = '047-card-identity' and timestamp::timestamptz < now() - interval '1 day'`

/** Whether nothing is left to do, as it is for ever after. $1 pass, $2 tables. */
const isOver = 'select 1 as one from vault_passes where name = $1 and finished having count(*) >= $2::int'

/**
 * Brings fingerprints that an earlier version stored into the form of today, a batch of rows in one statement. How far it is, is in the database, so that it goes on after a restart; processes
 * that do the same beside each other only repeat work, as a row is replaced where it still holds what was read. While processes are replaced, those of the version before write more
 * of them, also behind the place that was reached: a day later every table is gone over once more. Answers how many rows were rewritten.
 */
export async function refreshFingerprints(world: RefreshWorld, batch = BATCH): Promise<number> {
  if ((await world.run(isOver, [LAST_PASS, columnsToRefresh.length])).length > 0) return 0
  const first = await runPass(world, PASS, batch)
  if (!first.finished || (await world.run(allProcessesReplaced, [])).length === 0) return first.rewritten
  return first.rewritten + (await runPass(world, LAST_PASS, batch)).rewritten
}

async function runPass(world: RefreshWorld, pass: string, batch: number): Promise<{ rewritten: number; finished: boolean }> {
  const reached = await readPositions(world, pass)
  let rewritten = 0
  let batches = 0
  for (const place of columnsToRefresh) {
    for (let position = reached.get(place.table) ?? START_OF_TABLE; !position.finished; ) {
      if (batches++ === MAX_BATCHES) return { rewritten, finished: false }
      const done = await refreshBatch(world, pass, place, position, batch)
      rewritten += done.rewritten
      position = done.position
    }
  }
  return { rewritten, finished: true }
}

/** How far a table is: after this row. Null: at its beginning. */
interface Position {
  merchant_account_id: string | null
  id: string | null
  finished: boolean
}

const START_OF_TABLE: Position = { merchant_account_id: null, id: null, finished: false }

async function readPositions({ run }: Pick<World, 'run'>, pass: string): Promise<Map<string, Position>> {
  const rows = await run<Position & { table_name: string }>('select * from vault_passes where name = $1', [pass])
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
  place: FingerprintColumn,
  position: Position,
  batch: number,
): Promise<{ rewritten: number; position: Position }> {
  const after = position.id === null ? [] : [position.merchant_account_id, position.id]
  const rows = await world.run<Row & Record<string, unknown>>(nextRows(place, after.length > 0), [batch, ...after])
  const stale = rows.flatMap((row) => {
    const fresh = currentFingerprint(world, row.merchant_account_id, row.fingerprint)
    return fresh === row.fingerprint ? [] : [{ ...row, fresh }]
  })
  const replaced = await world.run(replace(place), [
    stale.map((row) => row.merchant_account_id),
    stale.map((row) => row.id),
    stale.map((row) => row.fingerprint),
    stale.map((row) => row.fresh),
  ])
  const { merchant_account_id, id } = rows.at(-1) ?? position
  const reached = { merchant_account_id, id, finished: rows.length < batch }
  await world.run(savePosition, [pass, place.table, merchant_account_id, id, reached.finished])
  return { rewritten: replaced.length, position: reached }
}

const nextRows = ({ table, read }: FingerprintColumn, goesOn: boolean) => `
select stored.merchant_account_id, stored.id, stored.${read} as fingerprint
  from ${table} stored
 ${goesOn ? 'where (stored.merchant_account_id, stored.id) > ($2, $3)' : ''}
 order by stored.merchant_account_id, stored.id
 limit $1`

/** A row that was changed since it was read keeps what it has: it was written in the form of today. */
const replace = ({ table, read, write }: FingerprintColumn) => `
with fresh as (
  select * from unnest($1::text[], $2::uuid[], $3::text[], $4::text[]) as each (merchant_account_id, id, old, fingerprint)
)
update ${table} stored
   set ${write}
  from fresh
 where stored.merchant_account_id = fresh.merchant_account_id
   and stored.id = fresh.id
   and stored.${read} = fresh.old
returning stored.id`

const savePosition = `
insert into vault_passes (name, table_name, merchant_account_id, id, finished)
values ($1, $2, $3, $4, $5)
on conflict (name, table_name) do update
   set merchant_account_id = excluded.merchant_account_id,
       id = excluded.id,
       finished = excluded.finished`
