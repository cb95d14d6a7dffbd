import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/**
 * What disputes have taken of each of these payments, in the smallest unit of its currency: of what report lines and
 * notices say, the larger sum. Null: the payment has no dispute. The caller has locked the payments.
 */
export async function readDisputedAmounts(
  db: Kysely<Tables>,
  account: string,
  payments: readonly string[],
): Promise<{ id: string; amount: number | null }[]> {
  if (payments.length === 0) return []
  const { rows } = await sql<{ id: string; amount: number | null }>`
    select t.id,
           case when greatest(line.taken, notice.taken) > 0
                then greatest(line.taken, notice.taken) - greatest(line.returned, notice.returned) end as amount
      from transactions t
      left join (select transaction_id,
                        coalesce(sum(gross_amount) filter (where type = 'chargeback'), 0)::bigint as taken,
                        coalesce(sum(gross_amount) filter (where type = 'chargeback-reversal'), 0)::bigint as returned
                   from settlements
                  where merchant_account_id = ${account}
                    and transaction_id = any(${payments}::uuid[])
                  group by transaction_id) line
        on line.transaction_id = t.id
      left join (select transaction_id,
                        currency,
                        sum(withdrawn_amount)::bigint as taken,
                        sum(returned_amount)::bigint as returned
                   from disputes
                  where merchant_account_id = ${account}
                    and transaction_id = any(${payments}::uuid[])
                  group by transaction_id, currency) notice
        on notice.transaction_id = t.id
       and notice.currency = t.currency
     where t.merchant_account_id = ${account}
       and t.id = any(${payments}::uuid[])`.execute(db)
  return rows
}
