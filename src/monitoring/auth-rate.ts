import { canonicalId } from '../api/values/uuid.ts'
import { namedStatement } from '../database/named-statement.ts'
import type { AuthRateSpec } from '../database/tables/monitoring.ts'
import { dimensions } from '../insights/dimension.ts'
import { authorized, populations } from '../insights/measure.ts'
import type { World } from '../world.ts'
import { lookback } from './metric.ts'

/** The numbers of payments of a window that were processed, and of those that were authorized. */
export interface AuthRateCounts {
  processed: number
  authorized: number
}

const { method, payment_method_bin, payment_method_scheme, payment_service_id } = dimensions

/**
 * The condition of a filter; null selects all. The empty text stands for a missing value, since none of these
 * columns has it.
 */
const isChosen = (expression: string, parameter: string) =>
  `(${parameter}::text[] is null or coalesce(${expression}, '') = any(${parameter}::text[]))`

/**
 * Counts the payments of the metrics explorer's source `monitoring`, which leaves out refusals that say
 * nothing about payment services and issuers. Reads the payments that were created in the window by their
 * index: those of an hour at most.
 */
const countPayments = namedStatement(
  ['account', 'from', 'to', 'methods', 'bins', 'schemes', 'paymentServices'],
  (p) => `
select count(*)::int as processed, count(*) filter (where ${authorized})::int as authorized
  from transactions t
 where t.merchant_account_id = ${p.account}
   and t.created_at >= ${p.from}::timestamptz
   and t.created_at < ${p.to}::timestamptz
   and ${populations.monitoring}
   and ${isChosen(method.sql, p.methods)}
   and ${isChosen(payment_method_bin.sql, p.bins)}
   and ${isChosen(payment_method_scheme.sql, p.schemes)}
   and ${isChosen(payment_service_id.sql, p.paymentServices)}`,
)

/**
 * Measures a metric at a time (milliseconds since 1970): counts the payments that were created in the window
 * before it, with their present status.
 */
export async function measureAuthRate(
  world: Pick<World, 'run'>,
  account: string,
  { params: { filters } }: AuthRateSpec,
  at: number,
): Promise<AuthRateCounts> {
  const from = at - (lookback(filters.datetime_range) ?? 0)
  const [row] = await countPayments.run<{ processed: number; authorized: number }>(world, {
    account,
    from: new Date(from).toISOString(),
    to: new Date(at).toISOString(),
    methods: choices(filters.method),
    bins: choices(filters.payment_method_bin),
    schemes: choices(filters.payment_method_scheme),
    paymentServices: choices(filters.payment_service_id?.map((id) => id && canonicalId(id)) ?? null),
  })
  return row ?? { processed: 0, authorized: 0 }
}

/** The values of a filter as `isChosen` takes them; null: all. */
const choices = (list: (string | null)[] | null) =>
  list === null || list.length === 0 ? null : list.map((value) => value ?? '')
