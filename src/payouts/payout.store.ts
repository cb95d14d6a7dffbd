import { type SelectQueryBuilder, sql } from 'kysely'
import { notFound } from '../api/errors.ts'
import type { PageRequest } from '../api/pagination.ts'
import { lastUpdatedFirst } from '../database/rows/newest-first.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import type { PayoutRow } from './payout.row.ts'
import type { PayoutQuery } from './payout.schema.ts'

const selectPayout =
  'select row_to_json(p) as payout from payouts p where merchant_account_id = $1 and id = $2'

/** Throws 404 if the account has no such payout. */
export async function readPayout(world: World, account: string, id: string): Promise<PayoutRow> {
  const [row] = await world.run<{ payout: PayoutRow }>(selectPayout, [account, id])
  if (!row) throw notFound()
  return row.payout
}

export type PayoutFilters = Omit<PayoutQuery, 'cursor' | 'limit'>
type Query = SelectQueryBuilder<Tables, 'payouts', object>

/** Adds the filters to a query. A filter that is null does not apply. */
function withFilters(query: Query, filters: PayoutFilters): Query {
  const {
    status,
    external_identifier,
    payment_service_payout_id,
    created_at_gte,
    created_at_lte,
    updated_at_gte,
    updated_at_lte,
  } = filters
  return (
    query
      // `=` for a single value: the index that continues with `updated_at` then gives the rows in the list's
      // order
      .$if(status?.length === 1, (all) => all.where('status', '=', status?.[0] ?? ''))
      .$if(status != null && status.length !== 1, (all) =>
        all.where(sql<boolean>`status = any(${status}::text[])`),
      )
      .$if(external_identifier != null, (all) =>
        all.where('external_identifier', '=', external_identifier ?? ''),
      )
      .$if(payment_service_payout_id != null, (all) =>
        all.where('payment_service_payout_id', '=', payment_service_payout_id ?? ''),
      )
      .$if(created_at_gte != null, (all) => all.where('created_at', '>=', created_at_gte ?? ''))
      .$if(created_at_lte != null, (all) => all.where('created_at', '<=', created_at_lte ?? ''))
      .$if(updated_at_gte != null, (all) => all.where('updated_at', '>=', updated_at_gte ?? ''))
      .$if(updated_at_lte != null, (all) => all.where('updated_at', '<=', updated_at_lte ?? ''))
  )
}

/**
 * Up to `limit + 1` payouts of the account from the page's position on, the most recently updated first
 * (semantics §1.11).
 */
export async function listPayouts(
  world: World,
  account: string,
  filters: PayoutFilters,
  page: PageRequest,
): Promise<PayoutRow[]> {
  const base: Query = world.db.selectFrom('payouts').where('merchant_account_id', '=', account)
  const rows = await withFilters(base, filters)
    .select(sql<PayoutRow>`row_to_json(payouts)`.as('payout'))
    .$call(lastUpdatedFirst(page))
    .execute()
  return rows.map(({ payout }) => payout)
}
