import { canonicalId } from '../api/values/uuid.ts'
import type { AuthRateSpec } from '../database/tables/monitoring.ts'
import { dimensions } from '../insights/dimension.ts'
import { authorized, populations } from '../insights/measure.ts'
import type { World } from '../world.ts'
import { lookback } from './metric.ts'

/** How many payments of a window were processed, and how many of those authorized. */
export interface AuthRateCounts {
  processed: number
  authorized: number
}

const { method, payment_method_bin, payment_method_scheme, payment_service_id } = dimensions

/** An absent value is the empty text, which none of these columns has. */
const chosen = (expression: string, parameter: string) => `(${parameter}::text[] is null or coalesce(${expression}, '') = any(${parameter}::text[]))`

/**
 * What the source `monitoring` of the metrics explorer counts: payments whose refusal tells nothing of payment services and issuers are not among them. Reads what was
 * created in the window by its index, an hour's payments at most.
 */
const tally = `
select count(*)::int as processed, count(*) filter (where ${authorized})::int as authorized
  from transactions t
 where t.merchant_account_id = $1 and t.created_at >= $2::timestamptz and t.created_at < $3::timestamptz
   and ${populations.monitoring}
   and ${chosen(method.sql, '$4')}
   and ${chosen(payment_method_bin.sql, '$5')}
   and ${chosen(payment_method_scheme.sql, '$6')}
   and ${chosen(payment_service_id.sql, '$7')}`

/** What a metric measures at a time: of the payments created in the window before it, as they stand now. */
export async function measureAuthRate(
  world: Pick<World, 'run'>,
  account: string,
  { params: { filters } }: AuthRateSpec,
  at: number,
): Promise<AuthRateCounts> {
  const since = at - (lookback(filters.datetime_range) ?? 0)
  const [row] = await world.run<{ processed: number; authorized: number }>(tally, [
    account,
    new Date(since).toISOString(),
    new Date(at).toISOString(),
    choices(filters.method),
    choices(filters.payment_method_bin),
    choices(filters.payment_method_scheme),
    choices(filters.payment_service_id?.map((id) => id && canonicalId(id)) ?? null),
  ])
  return row ?? { processed: 0, authorized: 0 }
}

/** Null: all. */
const choices = (list: (string | null)[] | null) => (list === null || list.length === 0 ? null : list.map((value) => value ?? ''))
