import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { isoOf } from './columns/column.store.ts'
import { type DimensionName, dimensions } from './dimension.ts'
import { authorized, populations, volume } from './measure.ts'
import type { Tally, TallyQuery } from './tally.ts'

/** The answer of `tally`, computed from the payments' rows alone, so that tests can compare the two. */
export async function tallyFromRows(
  db: Kysely<Tables>,
  { account, population, span, filters, by, bucket }: TallyQuery,
): Promise<Tally> {
  const conditions = filters.map(({ name, values }) => sql`and ${hasOneOf(name, values)}`)
  const ms = sql`floor(extract(epoch from t.created_at) * 1000)`
  const key = by
    ? keyOf(by)
    : bucket === undefined
      ? sql`'0'`
      : sql`floor((${ms} - ${sql.lit(span.from)}) / ${sql.lit(bucket)})::text`
  const { rows } = await sql<{
    key: string | null
    transactions: number
    authorized: number
    volume: number
  }>`
    select ${key} as key,
           count(*)::float8 as transactions,
           count(*) filter (where ${sql.raw(authorized)})::float8 as authorized,
           sum(${sql.raw(volume)})::float8 as volume
      from transactions t
     where t.merchant_account_id = ${account}
       and t.created_at >= ${isoOf(span.from)}::timestamptz
       and t.created_at < ${isoOf(span.to)}::timestamptz
       and ${sql.raw(populations[population])}
       ${sql.join(conditions, sql` `)}
     group by 1`.execute(db)
  return new Map(rows.map(({ key, ...sum }) => [key, sum]))
}

const keyOf = (by: NonNullable<TallyQuery['by']>) => {
  const { kind, sql: expression } = dimensions[by]
  return kind === 'set'
    ? sql`unnest(coalesce(${sql.raw(expression)}, array[null]::text[]))`
    : sql.raw(expression)
}

/**
 * The condition that a payment has one of these values; null stands for payments without one. Values are
 * compared as text, so an impossible value matches no payment.
 */
function hasOneOf(name: DimensionName, values: readonly (string | null)[]) {
  const { kind, sql: expression } = dimensions[name]
  const column = sql.raw<string>(expression)
  const texts = values.filter((value) => value !== null)
  const hasText = kind === 'set' ? sql`${column} && ${texts}::text[]` : sql`${column} = any(${texts}::text[])`
  return values.includes(null)
    ? sql`(coalesce(${hasText}, false) or ${column} is null)`
    : sql`coalesce(${hasText}, false)`
}
