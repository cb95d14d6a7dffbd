import type { World } from '../world.ts'
import type { ServiceReference } from './matchable-payments.ts'

/** A captured payment that was not settled, or not whole. Amounts in the smallest unit of `currency`, gross. */
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

const missing = `
select t.id as transaction_id, t.payment_service_transaction_id, t.external_identifier, t.captured_at, t.currency, t.captured_amount as captured, told.gross as settled
  from transactions t
  cross join lateral (select coalesce(sum(s.gross_amount), 0)::bigint as gross from settlements s
                       where s.merchant_account_id = t.merchant_account_id and s.transaction_id = t.id and s.type = 'settlement') told
 where t.merchant_account_id = $1 and t.payment_service_id = $2 and t.id > $3 and t.captured_amount > told.gross and t.captured_at < $4
 order by t.id limit ${PAGE}`

/** What should have been in a report by now: captured before `before`, and settled for less than that. */
export async function* missingSettlements(
  { run }: Pick<World, 'run'>,
  { account, service }: ServiceReference,
  before: Date,
): AsyncGenerator<MissingSettlement> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await run<MissingSettlement>(missing, [account, service, after, before.toISOString()])
    yield* rows
    const last = rows.at(-1)
    if (rows.length < PAGE || !last) return
    after = last.transaction_id
  }
}
