import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import { hasBuyerData } from '../buyers/buyer-search.ts'
import { lastUpdatedFirst } from '../database/rows/newest-first.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import type { PaymentLinkQuery, PaymentLinkStatus } from './payment-link.schema.ts'
import { selectLinks } from './payment-link.store.ts'
import type { PaymentLinkRow } from './payment-link.ts'

type Filters = Omit<PaymentLinkQuery, 'cursor' | 'limit'>
type Condition = ReturnType<typeof sql<SqlBool>>

const compare = (column: string, operator: '=' | '<=' | '>=') => (value: unknown) =>
  sql<SqlBool>`${sql.ref(column)} ${sql.raw(operator)} ${value}`

/**
 * The rows of each status. A link whose time is over counts as expired, even if its row still says active.
 */
const statusConditions: Record<PaymentLinkStatus, (now: string) => Condition> = {
  active: (now) => sql<SqlBool>`(status = 'active' and expires_at > ${now}::timestamptz)`,
  expired: (now) =>
    sql<SqlBool>`(status = 'expired' or (status = 'active' and expires_at <= ${now}::timestamptz))`,
  processing: () => sql<SqlBool>`status = 'processing'`,
  completed: () => sql<SqlBool>`status = 'completed'`,
}

/** Each filter as an SQL condition. */
const conditions: {
  [Name in keyof Filters]-?: (value: NonNullable<Filters[Name]>, now: string) => Condition
} = {
  created_at_lte: compare('created_at', '<='),
  created_at_gte: compare('created_at', '>='),
  updated_at_lte: compare('updated_at', '<='),
  updated_at_gte: compare('updated_at', '>='),
  currency: (values) => sql<SqlBool>`currency = any(${values})`,
  amount_eq: compare('amount', '='),
  amount_gte: compare('amount', '>='),
  amount_lte: compare('amount', '<='),
  status: (values, now) =>
    sql<SqlBool>`(false or ${sql.join(
      values.map((status) => statusConditions[status](now)),
      sql` or `,
    )})`,
  buyer_search: (values) => hasBuyerData('payment_links.buyer', values),
}

/** Up to `limit + 1` links of the account from the page's position on, the most recently changed first. */
export function listPaymentLinks(
  world: World,
  account: string,
  filters: Filters,
  page: PageRequest,
): Promise<PaymentLinkRow[]> {
  const now = timeOf(world.clock)
  return selectLinks(world.db, now)
    .where('merchant_account_id', '=', account)
    .where(({ and }: ExpressionBuilder<Tables, 'payment_links'>) => and(conditionsOf(filters, now)))
    .$call(lastUpdatedFirst(page))
    .execute()
}

function conditionsOf(filters: Filters, now: string): Condition[] {
  return Object.entries(filters).flatMap(([name, value]) => {
    const condition = conditions[name as keyof Filters] as
      | ((value: unknown, now: string) => Condition)
      | undefined
    return condition && value !== null && value !== undefined ? [condition(value, now)] : []
  })
}
