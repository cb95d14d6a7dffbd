import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { type LogPosition, START_OF_LOG } from '../../events/event-log.ts'
import type { World } from '../../world.ts'
import type { DimensionName } from '../dimension.ts'
import { type ColumnName, type CompleteHour, columnNames, type PackedHour } from './packed-hour.ts'
import { factColumns, type PaymentFacts, readFacts } from './payment-facts.ts'

/** The position of the account's event log up to which all changes of payments are in the columns. */
export async function readProgress(db: Kysely<Tables>, account: string): Promise<LogPosition> {
  const row = await db
    .selectFrom('insight_progress')
    .select(['position', 'sequence', 'event_id as id'])
    .where('merchant_account_id', '=', account)
    .executeTakeFirst()
  return row ?? START_OF_LOG
}

/** A span of time in milliseconds since 1970; `to` does not belong to it. */
export interface TimeRange {
  from: number
  to: number
}

export const isoOf = (ms: number) => new Date(ms).toISOString()

interface ChangedPaymentsQuery {
  account: string
  /** Events after this position. */
  after: LogPosition
  /** Events below this position; absent: all events. */
  below?: number
  /** When the payments were created; absent: at any time. */
  created?: TimeRange | undefined
  names?: readonly DimensionName[] | undefined
  /** The number of events. */
  limit: number
}

/** An event of the log with its payment. */
export interface ChangedPayment {
  position: LogPosition
  /**
   * The payment as it is now. Undefined: the event is about another resource, or about a payment of an
   * earlier event of this page.
   */
  payment: PaymentFacts | undefined
}

/**
 * The changes of payments in the event log, in the order of commits. Each change of what the explorer counts
 * writes an event of the payment in the same commit (semantics §15.4), so that changes are found without
 * comparing times, which processes with wrong clocks may have written.
 */
export async function readChangedPayments(
  db: Kysely<Tables>,
  { account, after, below, created, names, limit }: ChangedPaymentsQuery,
): Promise<ChangedPayment[]> {
  const isBelow = below === undefined ? sql`` : sql`and position < ${below}::bigint`
  const { rows: events } = await sql<LogPosition & { target_id: string }>`
    select position, sequence, id, target_id
      from events
     where merchant_account_id = ${account}
       and (position, sequence, id) > (${after.position}::bigint, ${after.sequence}::int, ${after.id}::uuid)
       ${isBelow}
     order by position, sequence, id
     limit ${sql.lit(limit)}`.execute(db)
  const ids = [...new Set(events.map(({ target_id }) => target_id))]
  const payments = new Map(
    ids.length === 0
      ? []
      : (await paymentsById(db, account, ids, { created, names })).map((facts) => [facts.uuid, facts]),
  )
  return events.map(({ target_id, ...position }) => {
    const payment = payments.get(target_id)
    payments.delete(target_id)
    return { position, payment }
  })
}

/** The facts of these payments as they are now. `created`: only of payments that were created within it. */
export async function paymentsById(
  db: Kysely<Tables>,
  account: string,
  ids: readonly string[],
  { created, names }: Pick<ChangedPaymentsQuery, 'created' | 'names'> = {},
): Promise<PaymentFacts[]> {
  const within = created
    ? sql`and t.created_at >= ${isoOf(created.from)}::timestamptz and t.created_at < ${isoOf(created.to)}::timestamptz`
    : sql``
  const { rows } = await sql<Parameters<typeof readFacts>[0]>`
    select ${factColumns(names)}
      from transactions t
     where t.merchant_account_id = ${account}
       and t.id = any(${ids}::uuid[])
       ${within}`.execute(db)
  return rows.map(readFacts)
}

/**
 * Runs `work` in a database transaction that locks the account's columns. Undefined: another process has
 * locked them, and `work` does not run.
 */
export const withLockedColumns = <T>(
  { db }: Pick<World, 'db'>,
  account: string,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T | undefined> =>
  db
    .transaction()
    .execute(async (transaction) =>
      (await lockColumns(transaction, account)) ? work(transaction) : undefined,
    )

async function lockColumns(db: Kysely<Tables>, account: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`insights ${account}`}, 0)) as locked`.execute(db)
  return rows[0]?.locked === true
}

/**
 * Reads columns of these hours, or of the first `limit` hours within a span. Hours without payments are left
 * out. `rare`: further columns, each read of the named hours only.
 */
export async function readHours(
  db: Kysely<Tables>,
  account: string,
  selection: (TimeRange & { limit: number }) | readonly number[],
  names: readonly ColumnName[],
  rare: Partial<Record<ColumnName, readonly number[]>> = {},
): Promise<Map<number, PackedHour>> {
  const rareColumns = Object.entries(rare).map(
    ([name, hours]) =>
      sql`case when hour = any(${hours.map(isoOf)}::timestamptz[]) then ${sql.ref(name)} end as ${sql.ref(name)}`,
  )
  const isSelected =
    'from' in selection
      ? sql`hour >= ${isoOf(selection.from)}::timestamptz and hour < ${isoOf(selection.to)}::timestamptz order by hour limit ${sql.lit(selection.limit)}`
      : sql`hour = any(${selection.map(isoOf)}::timestamptz[])`
  const { rows } = await sql<{ start: number } & Partial<Record<ColumnName, Buffer | null>>>`
    select extract(epoch from hour)::float8 * 1000 as start, ${sql.join([...names.map((name) => sql.ref(name)), ...rareColumns])}
      from insight_hours
     where merchant_account_id = ${account}
       and ${isSelected}`.execute(db)
  return new Map(
    rows.map(({ start, ...columns }) => [
      start,
      Object.fromEntries(Object.entries(columns).filter(([, packed]) => packed !== null)),
    ]),
  )
}

/** Inserts or replaces the columns of these hours. */
export async function writeHours(
  db: Kysely<Tables>,
  account: string,
  hours: ReadonlyMap<number, CompleteHour>,
): Promise<void> {
  if (hours.size === 0) return
  const rows = [...hours].map(([start, hour]) => ({
    merchant_account_id: account,
    hour: isoOf(start),
    ...hour,
  }))
  await db
    .insertInto('insight_hours')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['merchant_account_id', 'hour'])
        .doUpdateSet((set) =>
          Object.fromEntries(columnNames.map((name) => [name, set.ref(`excluded.${name}`)])),
        ),
    )
    .execute()
}

/**
 * Records that the columns have all changes up to this position. The account's columns must be locked in
 * `db`.
 */
export const writeProgress = (db: Kysely<Tables>, account: string, { position, sequence, id }: LogPosition) =>
  sql`
    insert into insight_progress (merchant_account_id, position, sequence, event_id)
    values (${account}, ${position}, ${sequence}, ${id})
    on conflict (merchant_account_id) do update
       set position = excluded.position,
           sequence = excluded.sequence,
           event_id = excluded.event_id`.execute(db)
