import type { ReportLineKind } from '../../connectors/contract/settlement-report.ts'
import type { World } from '../../world.ts'

/** The gross amounts in the transaction's booked report lines. */
export interface ReportedAmounts {
  of: (kind: Exclude<ReportLineKind, 'refund-settlement'>) => number
  ofRefund: (id: string) => number
}

const booked = `
select type, refund_id, sum(gross_amount)::bigint as gross
  from settlements
 where merchant_account_id = $1
   and transaction_id = $2
 group by type, refund_id`

export async function readReportedAmounts(
  { run }: Pick<World, 'run'>,
  account: string,
  transaction: string,
): Promise<ReportedAmounts> {
  const rows = await run<{ type: ReportLineKind; refund_id: string | null; gross: number }>(booked, [
    account,
    transaction,
  ])
  return {
    of: (kind) => Number(rows.find(({ type }) => type === kind)?.gross ?? 0),
    ofRefund: (id) => Number(rows.find(({ refund_id }) => refund_id === id)?.gross ?? 0),
  }
}
