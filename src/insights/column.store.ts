import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { DimensionName } from './dimension.ts'
import { type ColumnName, columnNames, type PackedHour, type WholeHour } from './packed-hour.ts'
import { factColumns, type PaymentFacts, readFacts } from './payment-facts.ts'

/** Before every payment: nothing is in the columns yet. */
export const NEVER = '1970-01-01T00:00:00.000000+00:00'

/** Every change before then is in the columns (`updated_at`). */
export async function completeUntil(db: Kysely<Tables>, account: string): Promise<string> {
  const row = await db.selectFrom('insight_progress').select('complete_until').where('merchant_account_id', '=', account).executeTakeFirst()
  return row?.complete_until ?? NEVER
}

/** Milliseconds since 1970, the end excluded. */
export interface Span {
  from: number
  to: number
}

export const isoOf = (ms: number) => new Date(ms).toISOString()

/** Where a page of changed payments begins: after this one. */
export interface ChangePlace {
  updatedAt: string
  uuid: string
}

export interface ChangedPayments {
  account: string
  /** Changed then or later. */
  since: string
  after?: ChangePlace | undefined
  /** Of their creation; absent: any. */
  created?: Span
  names?: readonly DimensionName[]
  limit: number
}

/** Payments that changed, the earliest change first. */
export async function changedPayments(
  db: Kysely<Tables>,
  { account, since, after, created, names, limit }: ChangedPayments,
): Promise<PaymentFacts[]> {
  const beyond = after ? sql`and (t.updated_at, t.id) > (${after.updatedAt}::timestamptz, ${after.uuid}::uuid)` : sql``
  const within = created ? sql`and t.created_at >= ${isoOf(created.from)}::timestamptz and t.created_at < ${isoOf(created.to)}::timestamptz` : sql``
  const { rows } = await sql<Parameters<typeof readFacts>[0]>`
    select ${factColumns(names)}
      from transactions t
     where t.merchant_account_id = ${account} and t.updated_at >= ${since}::timestamptz ${beyond} ${within}
     order by t.updated_at, t.id limit ${sql.lit(limit)}`.execute(db)
  return rows.map(readFacts)
}

/** Columns of these hours, or of the first ones within a span; an hour without payments is left out. `rare`: columns that are read of some hours only, which are named. */
export async function readHours(
  db: Kysely<Tables>,
  account: string,
  which: (Span & { limit: number }) | readonly number[],
  names: readonly ColumnName[],
  rare: Partial<Record<ColumnName, readonly number[]>> = {},
): Promise<Map<number, PackedHour>> {
  const wanted = Object.entries(rare).map(
    ([name, hours]) => sql`case when hour = any(${hours.map(isoOf)}::timestamptz[]) then ${sql.ref(name)} end as ${sql.ref(name)}`,
  )
  const when =
    'from' in which
      ? sql`hour >= ${isoOf(which.from)}::timestamptz and hour < ${isoOf(which.to)}::timestamptz order by hour limit ${sql.lit(which.limit)}`
      : sql`hour = any(${which.map(isoOf)}::timestamptz[])`
  const { rows } = await sql<{ start: number } & Partial<Record<ColumnName, Buffer | null>>>`
    select extract(epoch from hour)::float8 * 1000 as start, ${sql.join([...names.map((name) => sql.ref(name)), ...wanted])}
      from insight_hours where merchant_account_id = ${account} and ${when}`.execute(db)
  return new Map(rows.map(({ start, ...columns }) => [start, Object.fromEntries(Object.entries(columns).filter(([, packed]) => packed !== null))]))
}

/** In place of what the hours had. */
export async function writeHours(db: Kysely<Tables>, account: string, hours: ReadonlyMap<number, WholeHour>): Promise<void> {
  if (hours.size === 0) return
  const rows = [...hours].map(([start, hour]) => ({ merchant_account_id: account, hour: isoOf(start), ...hour }))
  await db
    .insertInto('insight_hours')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['merchant_account_id', 'hour'])
        .doUpdateSet((set) => Object.fromEntries(columnNames.map((name) => [name, set.ref(`excluded.${name}`)]))),
    )
    .execute()
}

/** All changes before `until` are there; that is never taken back. */
export const noteComplete = (db: Kysely<Tables>, account: string, until: string) =>
  sql`insert into insight_progress (merchant_account_id, complete_until) values (${account}, ${until})
      on conflict (merchant_account_id) do update set complete_until = greatest(insight_progress.complete_until, excluded.complete_until)`.execute(db)
