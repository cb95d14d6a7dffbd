import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'

/** A query of transactions that has selected nothing yet. */
export type TransactionSelection = SelectQueryBuilder<Tables, 'transactions', object>

/** A list of transactions: the ones with an outcome that match its filters, and their order. */
export interface Listing {
  account: string
  /** The filters of the list that have a value, by their names. */
  filters: { created_at_gte?: string | null | undefined; created_at_lte?: string | null | undefined }
  decided: TransactionSelection
  order: 'asc' | 'desc'
  limit: number
}

/** To the letter, as the indexes have it that leave out payments without an outcome. */
export const hasOutcome = sql<SqlBool>`status <> 'processing'`

const DAY_MS = 86_400_000
const MONTH_MS = 31 * DAY_MS

/** Filters on columns of the index `transactions_by_period`. */
const periodFilters = ['created_at_gte', 'created_at_lte', 'updated_at_gte', 'updated_at_lte']

/**
 * The ids of a list's first rows with an outcome, if filters on the time of creation narrow the list.
 * PostgreSQL assumes that creation and update are independent, and would walk back through every later update
 * to find an old day's payments: 2.7 s in a million. Undefined: that walk is the shortest way, since it meets
 * matching rows at once when today's payments match.
 */
export function narrowByCreation(world: World, listing: Listing): ReturnType<typeof byPeriod> | undefined {
  const { filters } = listing
  const { created_at_gte: from, created_at_lte: to } = filters
  if (!to) return undefined
  const isWindow = !!from && Date.parse(to) - Date.parse(from) <= MONTH_MS
  const isPast = Date.parse(to) < world.clock.now() - DAY_MS
  const hasOtherFilters = Object.entries(filters).some(
    ([name, value]) => !periodFilters.includes(name) && value !== null && value !== undefined,
  )
  if (!hasOtherFilters && (isWindow || isPast)) return byPeriod(listing, from ?? null, to)
  return isWindow ? wholeWindow(listing) : undefined
}

/**
 * The expression of the index `transactions_by_period`, to the letter: PostgreSQL uses the index for no
 * other.
 */
const periodOf = (time: unknown) => sql`date_bin('4 hours', ${time}, timestamptz '2000-01-01 00:00:00+00')`
const period = periodOf(sql`created_at`)

/**
 * The first keys of each period of four hours, and of those the first ones of the list. It costs the same
 * with ten million payments as with ten thousand, plus at most one period's keys at either end. The index has
 * the keys of one period in the list's order, but not those of a longer time. An account without payments has
 * no first period, and its series is empty.
 */
function byPeriod({ account, decided, order, limit }: Listing, from: string | null, to: string) {
  const firstOfPeriod = decided
    .where(sql<boolean>`${period} = period`)
    .select(['id', 'updated_at'])
    .orderBy('updated_at', order)
    .orderBy('id', order)
    .limit(limit)
  return sql<string>`(
    select key.id
      from (select min(${period}) as first, max(${period}) as last, ${periodOf(sql`${from}::timestamptz`)} as wanted
              from transactions where merchant_account_id = ${account} and ${hasOutcome}) as span,
           generate_series(case when first < wanted then wanted else first end, least(last, ${to}::timestamptz), '4 hours') as period,
           lateral ${firstOfPeriod} as key
     order by ${firstKeys(order, limit)})`
}

/** `offset 0` makes PostgreSQL find all matching rows of the window first, and sort them afterwards. */
function wholeWindow({ decided, order, limit }: Listing) {
  const keys = decided.select(['id', 'updated_at']).offset(0)
  return sql<string>`(select key.id from ${keys} as key order by ${firstKeys(order, limit)})`
}

const firstKeys = (order: 'asc' | 'desc', limit: number) =>
  sql`key.updated_at ${sql.raw(order)}, key.id ${sql.raw(order)} limit ${limit}`
