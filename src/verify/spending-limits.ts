import { check, comparisonSql } from './finding.ts'

const isRefused = (operation: string) => `${operation}.status in ('declined', 'failed')`

/**
 * What operations have reserved of spending limits and not given back: all but those that were refused. A
 * capture that follows a new authorization counts with that one until it is intended.
 */
const reservedSql = `
select o.merchant_account_id, spending.spending_limit_id, spending.day, counter.buyer, sum(spending.amount) as used, count(*) as count
  from operations o,
       lateral jsonb_to_record(coalesce(o.input->'spending', o.input#>'{then_capture,input,spending}'))
         spending (spending_limit_id uuid, day date, buyer text, amount bigint),
       lateral (values (''), (spending.buyer)) counter (buyer)
 where not ${isRefused('o')}
   and coalesce(o.input->'spending', o.input#>'{then_capture,input,spending}') is not null
   and (o.input->'spending' is not null
        or not exists (select from operations c
                        where c.merchant_account_id = o.merchant_account_id
                          and c.transaction_id = o.transaction_id
                          and c.kind = 'capture'
                          and c.input->'spending' is not null))
 group by o.merchant_account_id, spending.spending_limit_id, spending.day, counter.buyer`

/** What was used of a spending limit in a day is what operations have reserved of it. */
export const spendingUsage = check(
  comparisonSql(
    'u.merchant_account_id',
    'u.spending_limit_id',
    `spending_usage u
  left join (${reservedSql}) r
    on r.merchant_account_id = u.merchant_account_id
   and r.spending_limit_id = u.spending_limit_id
   and r.day = u.day
   and r.buyer = u.buyer`,
    [
      ['spending limit: used in a day', 'u.used', 'coalesce(r.used, 0)'],
      ['spending limit: operations in a day', 'u.count', 'coalesce(r.count, 0)'],
    ],
  ),
)
