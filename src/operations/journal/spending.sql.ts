// the part of spending limits (src/spending-limits) in the statements that intend an operation and record its outcome

/**
 * CTEs that check an operation against the spending limit that it names. `from` is a CTE with a row if the
 * operation may be done otherwise; `spending` is the parameter with a `SpendingReservation`, as JSON. The rows
 * that count what is used stay locked until the commit, so that two statements cannot use the same rest. A row
 * in `exceeded`: the limit would be exceeded, and the statement must write nothing.
 */
export const checkSpending = (from: string, p: Readonly<Record<'account' | 'spending', string>>): string => `
spending as (
  select asked.*
    from ${from},
         jsonb_to_record(${p.spending}::jsonb) asked (spending_limit_id uuid, day date, buyer text, amount bigint)
), usage_before as (
  select u.buyer, u.used, u.count
    from spending s
    join spending_usage u
      on u.merchant_account_id = ${p.account}
     and u.spending_limit_id = s.spending_limit_id
     and u.day = s.day
     and u.buyer in ('', s.buyer)
   order by u.buyer
     for update of u
), used as (
  select coalesce(sum(used) filter (where buyer = ''), 0) as used,
         coalesce(sum(count) filter (where buyer = ''), 0) as count,
         coalesce(sum(used) filter (where buyer <> ''), 0) as used_for_buyer
    from usage_before
), spending_limit as (
  select l.*, s.day, s.buyer, s.amount
    from spending s
    join spending_limits l
      on l.merchant_account_id = ${p.account}
     and l.id = s.spending_limit_id
), exceeded as (
  select l.id, l.operation, l.currency, l.day::text as day, l.amount,
         l.per_operation, l.per_day, l.per_buyer_per_day, l.count_per_day,
         used.used, used.count, used.used_for_buyer
    from spending_limit l, used
   where l.amount > l.per_operation
      or used.used + l.amount > l.per_day
      or used.used_for_buyer + l.amount > l.per_buyer_per_day
      or used.count >= l.count_per_day
)`

/**
 * CTEs that count the operation as used if the CTE `reserved` has a row. The first operation of a day, and of
 * a buyer, inserts the row that counts: another statement at the same time violates `spending_usage_pkey`, and
 * is repeated.
 */
export const countSpending = (reserved: string): string => `
counted as (
  update spending_usage u
     set used = u.used + l.amount,
         count = u.count + 1
    from ${reserved},
         spending_limit l
   where u.merchant_account_id = l.merchant_account_id
     and u.spending_limit_id = l.id
     and u.day = l.day
     and u.buyer in ('', l.buyer)
), counted_first as (
  insert into spending_usage (merchant_account_id, spending_limit_id, day, buyer, used, count)
  select l.merchant_account_id,
         l.id,
         l.day,
         counter.buyer,
         l.amount,
         1
    from ${reserved},
         spending_limit l,
         lateral (values (''), (l.buyer)) counter (buyer)
   where not exists (select from usage_before u where u.buyer = counter.buyer)
)`

/**
 * A CTE that gives back what an operation has reserved, in the commit that records its refusal. `recorded` is
 * the CTE with the row of the recorded outcome.
 */
export const releaseSpending = (
  recorded: string,
  p: Readonly<Record<'account' | 'releasedSpending', string>>,
): string => `
released as (
  update spending_usage u
     set used = u.used - released.amount,
         count = u.count - 1
    from ${recorded},
         jsonb_to_record(${p.releasedSpending}::jsonb) released (spending_limit_id uuid, day date, buyer text, amount bigint)
   where u.merchant_account_id = ${p.account}
     and u.spending_limit_id = released.spending_limit_id
     and u.day = released.day
     and u.buyer in ('', released.buyer)
)`
