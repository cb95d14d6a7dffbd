import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { type LogPosition, START_OF_LOG } from '../../events/event-log.ts'
import type { DimensionName } from '../dimension.ts'
import { type ColumnName, type CompleteHour, columnNames, type PackedHour } from './packed-hour.ts'
import { factColumns, type PaymentFacts, readFacts } from './payment-facts.ts'

/** Every change of a payment that was told up to this place of the account's event log is in the columns. */
export async function readProgress(db: Kysely<Tables>, account: string): Promise<LogPosition> {
  const row = await db
    .selectFrom('insight_progress')
    .select(['position', 'sequence', 'event_id as id'])
    .where('merchant_account_id', '=', account)
    .executeTakeFirst()
  return row ?? START_OF_LOG
}

/** Milliseconds since 1970, the end excluded. */
export interface TimeRange {
  from: number
  to: number
}

export const isoOf = (ms: number) => new Date(ms).toISOString()

export interface ChangedPaymentsQuery {
  account: string
  /** Told after this place of the log. */
  after: LogPosition
  /** Told below this position; absent: whatever can be seen. */
  below?: number
  /** Of their creation; absent: any. */
  created?: TimeRange | undefined
  names?: readonly DimensionName[] | undefined
  /** Events. */
  limit: number
}

/** An event of the log, and the payment that it is about as that is now; undefined: it is about something else, or about a payment that was told before in this page. */
export interface ChangedPayment {
  position: LogPosition
  payment: PaymentFacts | undefined
}

/**
 * What the event log tells of payments, in the order of commits. Whatever changes what the explorer counts of a payment writes an event of it in the same commit
 * (SEMANTICS §15.4), so no date of a process is needed to find it.
 */
export async function readChangedPayments(
  db: Kysely<Tables>,
  { account, after, below, created, names, limit }: ChangedPaymentsQuery,
): Promise<ChangedPayment[]> {
  const final = below === undefined ? sql`` : sql`and position < ${below}::bigint`
  const { rows: told } = await sql<LogPosition & { target_id: string }>`
    select position, sequence, id, target_id from events
     where merchant_account_id = ${account}
       and (position, sequence, id) > (${after.position}::bigint, ${after.sequence}::int, ${after.id}::uuid) ${final}
     order by position, sequence, id limit ${sql.lit(limit)}`.execute(db)
  const ids = [...new Set(told.map(({ target_id }) => target_id))]
  const payments = new Map(ids.length === 0 ? [] : (await paymentsById(db, account, ids, { created, names })).map((facts) => [facts.uuid, facts]))
  return told.map(({ target_id, ...position }) => {
    const payment = payments.get(target_id)
    payments.delete(target_id)
    return { position, payment }
  })
}

/** What the explorer counts of these payments as they are now. `created`: of those that were created within it alone. */
export async function paymentsById(
  db: Kysely<Tables>,
  account: string,
  ids: readonly string[],
  { created, names }: Pick<ChangedPaymentsQuery, 'created' | 'names'> = {},
): Promise<PaymentFacts[]> {
  const within = created ? sql`and t.created_at >= ${isoOf(created.from)}::timestamptz and t.created_at < ${isoOf(created.to)}::timestamptz` : sql``
  const { rows } = await sql<Parameters<typeof readFacts>[0]>`
    select ${factColumns(names)}
      from transactions t
     where t.merchant_account_id = ${account} and t.id = any(${ids}::uuid[]) ${within}`.execute(db)
  return rows.map(readFacts)
}

/** Takes the account's columns in hand until the database transaction `db` ends. False: another process has them. */
export async function holdColumns(db: Kysely<Tables>, account: string): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`insights ${account}`}, 0)) as mine`.execute(db)
  return rows[0]?.mine === true
}

/** Columns of these hours, or of the first ones within a span; an hour without payments is left out. `rare`: columns that are read of some hours only, which are named. */
export async function readHours(
  db: Kysely<Tables>,
  account: string,
  which: (TimeRange & { limit: number }) | readonly number[],
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
export async function writeHours(db: Kysely<Tables>, account: string, hours: ReadonlyMap<number, CompleteHour>): Promise<void> {
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

/** Everything that was told up to this place is there. Only whoever has the account in hand writes it. */
export const writeProgress = (db: Kysely<Tables>, account: string, { position, sequence, id }: LogPosition) =>
  sql`insert into insight_progress (merchant_account_id, position, sequence, event_id) values (${account}, ${position}, ${sequence}, ${id})
      on conflict (merchant_account_id) do update
         set position = excluded.position, sequence = excluded.sequence, event_id = excluded.event_id`.execute(db)
