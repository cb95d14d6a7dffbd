import { namedStatement } from '../database/named-statement.ts'
import type { World } from '../world.ts'
import type { ServiceReference } from './matchable-payments.ts'

/**
 * A captured payment that was not settled, or only a part of it. Amounts in the smallest unit of `currency`,
 * gross.
 */
export interface MissingSettlement {
  transaction_id: string
  payment_service_transaction_id: string | null
  external_identifier: string | null
  captured_at: string
  currency: string
  captured: number
  settled: number
}

const PAGE = 1_000

const selectMissing = namedStatement(
  ['account', 'service', 'after', 'before'],
  (p) => `
select t.id as transaction_id, t.payment_service_transaction_id, t.external_identifier, t.captured_at, t.currency,
       t.captured_amount as captured, settlement.gross as settled
  from transactions t
 cross join lateral (select coalesce(sum(s.gross_amount), 0)::bigint as gross
                       from settlements s
                      where s.merchant_account_id = t.merchant_account_id
                        and s.transaction_id = t.id
                        and s.type = 'settlement') settlement
 where t.merchant_account_id = ${p.account}
   and t.payment_service_id = ${p.service}
   and t.id > ${p.after}
   and t.captured_amount > settlement.gross
   and t.captured_at < ${p.before}
 order by t.id
 limit ${PAGE}`,
)

/**
 * The payments that should have been in a report by now: captured before `before`, and settled for less than
 * the captured amount.
 */
export async function* missingSettlements(
  world: Pick<World, 'run'>,
  { account, service }: ServiceReference,
  before: Date,
): AsyncGenerator<MissingSettlement> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await selectMissing.run<MissingSettlement>(world, {
      account,
      service,
      after,
      before: before.toISOString(),
    })
    yield* rows
    const last = rows.at(-1)
    if (rows.length < PAGE || !last) return
    after = last.transaction_id
  }
}
