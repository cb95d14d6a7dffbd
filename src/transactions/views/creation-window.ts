import { type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'

type Query = SelectQueryBuilder<Tables, 'transactions', object>

/** A list of the transactions that fit, and which of them come first in it. */
export interface Listing {
  account: string
  /** The filters of the list that have a value, by their names. */
  filters: { created_at_gte?: string | null | undefined; created_at_lte?: string | null | undefined }
  matching: Query
  order: 'asc' | 'desc'
  limit: number
}

const DAY_MS = 86_400_000
const MONTH_MS = 31 * DAY_MS

/** Filters that `transactions_by_period` answers by itself. */
const indexed = ['created_at_gte', 'created_at_lte', 'updated_at_gte', 'updated_at_lte']

/**
 * The ids of a list's first rows where creation narrows it. PostgreSQL takes creation and update for independent, and would walk back through
 * every update since to find an old day's payments: 2.7 s in a million. Undefined where that walk is the shortest way: it meets rows that fit
 * at once when payments of today do.
 */
export function narrowByCreation(world: World, listing: Listing): ReturnType<typeof byPeriod> | undefined {
  const { filters } = listing
  const { created_at_gte: from, created_at_lte: to } = filters
  if (!to) return undefined
  const isWindow = !!from && Date.parse(to) - Date.parse(from) <= MONTH_MS
  const isPast = Date.parse(to) < world.clock.now() - DAY_MS
  const asksMore = Object.entries(filters).some(([name, value]) => !indexed.includes(name) && value !== null && value !== undefined)
  if (!asksMore && (isWindow || isPast)) return byPeriod(listing, from ?? null, to)
  return isWindow ? wholeWindow(listing) : undefined
}

/** The expression of the index `transactions_by_period`, letter by letter. */
const periodOf = (time: unknown) => sql`date_bin('4 hours', ${time}, timestamptz '2000-01-01 00:00:00+00')`
const period = periodOf(sql`created_at`)

/**
 * The first keys of each four hours, and of those the first: as much work in a shop of ten million payments as in one of ten thousand, and at most a
 * period's keys more at either end. A period holds its keys in the list's order, which a longer stretch of creation does not.
 * An account without payments has no first period, and its series is empty.
 */
function byPeriod({ account, matching, order, limit }: Listing, from: string | null, to: string) {
  const firstOfPeriod = matching
    .where(sql<boolean>`${period} = period`)
    .select(['id', 'updated_at'])
    .orderBy('updated_at', order)
    .orderBy('id', order)
    .limit(limit)
  return sql<string>`(
    select key.id
      from (select min(${period}) as first, max(${period}) as last, ${periodOf(sql`${from}::timestamptz`)} as wanted
              from transactions where merchant_account_id = ${account}) as span,
           generate_series(case when first < wanted then wanted else first end, least(last, ${to}::timestamptz), '4 hours') as period,
           lateral ${firstOfPeriod} as key
     order by ${firstKeys(order, limit)})`
}

/** `offset 0` makes PostgreSQL find all that fits in the window first, and sort it then. */
function wholeWindow({ matching, order, limit }: Listing) {
  const keys = matching.select(['id', 'updated_at']).offset(0)
  return sql<string>`(select key.id from ${keys} as key order by ${firstKeys(order, limit)})`
}

const firstKeys = (order: 'asc' | 'desc', limit: number) => sql`key.updated_at ${sql.raw(order)}, key.id ${sql.raw(order)} limit ${limit}`
