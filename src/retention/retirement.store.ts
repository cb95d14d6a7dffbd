import { type Kysely, sql } from 'kysely'
import type { AmountSum } from '../archive/rows-summary.ts'
import { retiredTables, timeOfId } from '../database/partitions/partitioned-tables.ts'
import type { KeptBy } from '../database/tables/retention.ts'
import type { Tables } from '../database/tables.ts'
import { isSucceededRefundSql } from '../operations/operation.ts'

/** A retirement that is under way. */
export interface PlannedRetirement {
  number: number
  below: string
  actor: string
  started_at: string
  kept_by: KeptBy[] | null
}

const planned = ['number', 'below', 'actor', 'started_at', 'kept_by'] as const

/** The retirement that is under way. Undefined: none is. */
export const readPlanned = (db: Kysely<Tables>): Promise<PlannedRetirement | undefined> =>
  db.selectFrom('retirements').select(planned).where('retired_at', 'is', null).executeTakeFirst()

/** The last retirement that is complete, with the names of its files. */
export async function lastRetirement(
  db: Kysely<Tables>,
): Promise<
  { number: number; below: string; actor: string; retired_at: string | null; files: string[] } | undefined
> {
  const last = await db
    .selectFrom('retirements')
    .select(['number', 'below', 'actor', 'retired_at'])
    .where('retired_at', 'is not', null)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last) return undefined
  const files = await db
    .selectFrom('archived_files')
    .select('name')
    .where('retirement', '=', last.number)
    .orderBy('kind')
    .execute()
  return { ...last, files: files.map(({ name }) => name) }
}

/** The lowest id that a payment which was not retired may have. */
export async function retiredBelow(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ below: string }>`select retired_below() as below`.execute(db)
  return rows[0]?.below ?? ''
}

/**
 * Begins a retirement, or begins the one anew that a process left: what it had computed may be of another time.
 */
export const planRetirement = (
  db: Kysely<Tables>,
  { below, actor, startedAt }: { below: string; actor: string; startedAt: string },
): Promise<PlannedRetirement> =>
  db.transaction().execute(async (tx) => {
    await tx.deleteFrom('retirements').where('retired_at', 'is', null).execute()
    const { number } = await tx
      .selectFrom('retirements')
      .select(({ fn }) => sql<number>`coalesce(${fn.max('number')}, 0) + 1`.as('number'))
      .executeTakeFirstOrThrow()
    await tx.deleteFrom('retired_links').where('retirement', '=', number).execute()
    await tx.deleteFrom('archived_files').where('retirement', '=', number).execute()
    return tx
      .insertInto('retirements')
      .values({ number, below, actor, started_at: startedAt })
      .returning(planned)
      .executeTakeFirstOrThrow()
  })

/** Nothing is to be retired any more, such as after a change of the setting. */
export const forgetPlanned = (db: Kysely<Tables>) =>
  db.deleteFrom('retirements').where('retired_at', 'is', null).execute()

/** Stores what keeps the payments of a retirement that is under way. */
export const storeKeepers = (db: Kysely<Tables>, number: number, keptBy: readonly KeptBy[]) =>
  db
    .updateTable('retirements')
    .set({ kept_by: JSON.stringify(keptBy) })
    .where('number', '=', number)
    .where('retired_at', 'is', null)
    .execute()

/** What is retired: rows of each table, and payments and amounts of each account and currency. */
interface RetiredCounts {
  rows: Record<string, number>
  amounts: AmountSum[]
  /** Refunds of these payments that were made at a time of payments which stay. Summaries of that time count them. */
  refunds: RefundSum[]
}

/** The refunds of an account in a currency that were made in an hour. */
interface RefundSum {
  account: string
  currency: string
  hour: string
  refunds: number
  refunded: string
}

/** Counts the rows of payments below an id. Sums are text, since they may be larger than a number holds. */
export async function countRetired(db: Kysely<Tables>, below: string): Promise<RetiredCounts> {
  const rows: Record<string, number> = {}
  for (const { table, key } of retiredTables) {
    const { rows: counted } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where ${sql.ref(key)} < ${below}::uuid`.execute(db)
    rows[table] = counted[0]?.count ?? 0
  }
  const { rows: amounts } = await sql<AmountSum>`
    select merchant_account_id as account,
           currency,
           count(*) as payments,
           sum(authorized_amount)::text as authorized,
           sum(captured_amount)::text as captured,
           sum(refunded_amount)::text as refunded
      from transactions
     where id < ${below}::uuid
     group by merchant_account_id, currency
     order by merchant_account_id collate "C", currency collate "C"`.execute(db)
  const { rows: refunds } = await sql<RefundSum>`
    select merchant_account_id as account,
           currency,
           date_trunc('hour', created_at, 'UTC') as hour,
           count(*)::int as refunds,
           sum(effective_amount)::text as refunded
      from operations
     where transaction_id < ${below}::uuid
       and created_at >= ${timeOfId(below)}::timestamptz
       and ${sql.raw(isSucceededRefundSql)}
     group by 1, 2, 3
     order by merchant_account_id collate "C", currency collate "C", hour`.execute(db)
  return { rows, amounts, refunds }
}
