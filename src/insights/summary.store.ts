import { momentSql } from '../database/partitions/partitioned-tables.ts'
import { timestamp } from '../database/timestamp.ts'
import { isSucceededRefundSql } from '../operations/operation.ts'
import type { World } from '../world.ts'
import { isoOf, type TimeRange } from './columns/column.store.ts'
import type { MetricsExplorerSummary } from './summary.schema.ts'
import { tally } from './tally.ts'

/**
 * Refunds and disputes belong to the moment of their own creation, and there are few: unlike payments they are
 * counted from their rows.
 */
const selectReturned = `
select currency,
       count(*) filter (where is_refund)::int as refunds,
       coalesce(sum(amount) filter (where is_refund), 0)::float8 as refunded,
       count(*) filter (where not is_refund)::int as disputes,
       coalesce(sum(amount) filter (where not is_refund), 0)::float8 as disputed
  from (
    select true as is_refund, currency, effective_amount as amount
      from operations
     where merchant_account_id = $1
       and created_at >= $2::timestamptz
       and created_at < $3::timestamptz
       and ${isSucceededRefundSql}
    union all
    select false, currency, amount
      from disputes
     where merchant_account_id = $1
       and created_at >= $2::timestamptz
       and created_at < $3::timestamptz
  ) as returned
 group by currency`

interface Refunded {
  currency: string
  refunds: number
  refunded: number
}

interface Returned extends Refunded {
  disputes: number
  disputed: number
}

/**
 * Refunds of retired payments whose own time is kept: each retirement has their sums by hour. What is before the
 * newest bound is left out, as the payments of that time are gone.
 */
const selectRetiredRefunds = `
select sums.currency,
       sum(sums.refunds)::int as refunds,
       sum(sums.refunded)::float8 as refunded
  from retirements r,
       json_to_recordset(r.counts->'refunds') sums (account text, currency text, hour timestamptz, refunds int, refunded numeric)
 where r.retired_at > $2::timestamptz
   and sums.account = $1
   and sums.hour >= $2::timestamptz
   and sums.hour < $3::timestamptz
   and sums.hour >= ${momentSql('retired_below()')}
 group by sums.currency`

/** What an account took and gave back in a period, by currency. */
export async function readSummary(
  world: Pick<World, 'db' | 'run'>,
  account: string,
  span: TimeRange,
): Promise<MetricsExplorerSummary> {
  const [from, to] = [isoOf(span.from), isoOf(span.to)]
  const [taken, returned, retired] = await Promise.all([
    tally(world, {
      account,
      population: 'authorization',
      span,
      filters: [],
      by: 'currency',
      withVolume: true,
    }),
    world.run<Returned>(selectReturned, [account, from, to]),
    world.run<Refunded>(selectRetiredRefunds, [account, from, to]),
  ])
  const returnedByCurrency = new Map(returned.map((row) => [row.currency, row]))
  const retiredByCurrency = new Map(retired.map((row) => [row.currency, row]))
  const currencies = [...taken.keys(), ...returnedByCurrency.keys(), ...retiredByCurrency.keys()].filter(
    (currency) => currency !== null,
  )
  return {
    type: 'metrics-explorer.summary',
    from: timestamp(from),
    to: timestamp(to),
    currencies: [...new Set(currencies)]
      .map((currency) => {
        const { transactions = 0, authorized = 0, volume = 0 } = taken.get(currency) ?? {}
        const {
          refunds = 0,
          refunded = 0,
          disputes = 0,
          disputed = 0,
        } = returnedByCurrency.get(currency) ?? {}
        const gone = retiredByCurrency.get(currency)
        return {
          currency,
          transactions,
          authorized,
          volume,
          refunds: {
            count: refunds + (gone?.refunds ?? 0),
            amount: refunded + (gone?.refunded ?? 0),
          },
          disputes: { count: disputes, amount: disputed },
        }
      })
      .sort((a, b) => b.transactions - a.transactions || (a.currency < b.currency ? -1 : 1)),
  }
}
