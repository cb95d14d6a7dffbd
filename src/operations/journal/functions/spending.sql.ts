// the part of spending limits (src/spending-limits) in the functions that intend an operation and record its outcome

/** Instead of an `ExceededLimit`: the limit that an operation names does not exist any more. */
export const LIMIT_GONE = 'limit gone'

type Parameters<Name extends string> = Readonly<Record<Name, string>>

/** The variables of `checkSpending` and `countSpending`. */
export const spendingVariables = `
  asked record;
  spending_limit spending_limits;
  counted_buyers text[];
  used_before bigint;
  count_before bigint;
  used_for_buyer bigint;
  exceeded json;`

/**
 * Checks an operation against the spending limit that it names. `spending` is a `SpendingReservation`. The rows
 * that count what is used stay locked until the commit, so that two functions cannot use the same rest. Where
 * the limit would be exceeded, the variable `exceeded` is an `ExceededLimit`; where it was deleted, and another may
 * have taken its place, `exceeded` is `LIMIT_GONE`. Either way the function must write nothing.
 */
export const checkSpending = (p: Parameters<'account' | 'spending'>): string => `
    select * into asked
      from jsonb_to_record(${p.spending}) as given (spending_limit_id uuid, day date, buyer text, amount bigint);
    select * into spending_limit from spending_limits where merchant_account_id = ${p.account} and id = asked.spending_limit_id;
    if not found then
      exceeded := '"${LIMIT_GONE}"';
    end if;
    select array_agg(u.buyer),
           coalesce(sum(u.used) filter (where u.buyer = ''), 0),
           coalesce(sum(u.count) filter (where u.buyer = ''), 0),
           coalesce(sum(u.used) filter (where u.buyer <> ''), 0)
      into counted_buyers, used_before, count_before, used_for_buyer
      from (select buyer, used, count
              from spending_usage
             where merchant_account_id = ${p.account}
               and spending_limit_id = asked.spending_limit_id
               and day = asked.day
               and buyer in ('', asked.buyer)
             order by buyer
               for update) u;
    if asked.amount > spending_limit.per_operation
      or used_before + asked.amount > spending_limit.per_day
      or used_for_buyer + asked.amount > spending_limit.per_buyer_per_day
      or count_before >= spending_limit.count_per_day then
      exceeded := json_build_object('id', spending_limit.id, 'operation', spending_limit.operation, 'currency', spending_limit.currency,
        'day', asked.day, 'amount', asked.amount, 'per_operation', spending_limit.per_operation, 'per_day', spending_limit.per_day,
        'per_buyer_per_day', spending_limit.per_buyer_per_day, 'count_per_day', spending_limit.count_per_day,
        'used', used_before, 'count', count_before, 'used_for_buyer', used_for_buyer);
    end if;`

/**
 * Counts the operation that `checkSpending` has allowed as used. The first operation of a day, and of a buyer,
 * inserts the row that counts: another function at the same time violates `spending_usage_pkey`, and is
 * repeated.
 */
export const countSpending = (p: Parameters<'account'>): string => `
    update spending_usage u
       set used = u.used + asked.amount,
           count = u.count + 1
     where u.merchant_account_id = ${p.account}
       and u.spending_limit_id = spending_limit.id
       and u.day = asked.day
       and u.buyer = any(counted_buyers);
    if '' <> all(coalesce(counted_buyers, '{}')) then
      insert into spending_usage (merchant_account_id, spending_limit_id, day, buyer, used, count)
      values (${p.account}, spending_limit.id, asked.day, '', asked.amount, 1);
    end if;
    if asked.buyer <> all(coalesce(counted_buyers, '{}')) then
      insert into spending_usage (merchant_account_id, spending_limit_id, day, buyer, used, count)
      values (${p.account}, spending_limit.id, asked.day, asked.buyer, asked.amount, 1);
    end if;`

/** Gives back what an operation has reserved, in the commit that records its refusal. `released` is a record. */
export const releaseSpending = (p: Parameters<'account' | 'releasedSpending'>): string => `
    select * into released
      from jsonb_to_record(${p.releasedSpending}) as given (spending_limit_id uuid, day date, buyer text, amount bigint);
    update spending_usage u
       set used = u.used - released.amount,
           count = u.count - 1
     where u.merchant_account_id = ${p.account}
       and u.spending_limit_id = released.spending_limit_id
       and u.day = released.day
       and u.buyer in ('', released.buyer);`
