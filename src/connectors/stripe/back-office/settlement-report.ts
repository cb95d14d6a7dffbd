import { Type } from 'typebox'
import type { ServiceCall } from '../../contract/call.ts'
import type { FailedReport, OfferedReport, OfferedReports } from '../../contract/offered-reports.ts'
import type { SettlementReport } from '../../contract/settlement-report.ts'
import { Compile } from '../../wire/compile.ts'
import { listAll } from '../payment/list.ts'
import type { Wire } from '../wire.ts'

/** The report that Stripe makes of one payout. */
const REPORT_TYPE = 'payout_reconciliation.by_id.itemized.4'

const columns = {
  line: 'balance_transaction_id',
  kind: 'reporting_category',
  payment: 'payment_intent_id',
  refund: 'source_id',
  gross: 'customer_facing_amount',
  grossCurrency: 'customer_facing_currency',
  net: 'net',
  currency: 'currency',
  commission: 'fee',
  postedAt: 'created_utc',
} as const satisfies SettlementReport['columns']

/** Categories of lines that belong to no payment of ours, or move no money of one. */
const ignored = [
  ...['advance', 'advance_funding', 'anticipation_repayment', 'charge_failure', 'climate_order_purchase'],
  ...['climate_order_refund', 'connect_collection_transfer', 'connect_reserved_funds', 'contribution'],
  ...['fee', 'financing_paydown', 'financing_paydown_reversal', 'financing_payout'],
  ...['financing_payout_reversal', 'issuing_authorization_hold', 'issuing_authorization_release'],
  ...['issuing_dispute', 'issuing_transaction', 'network_cost', 'other_adjustment'],
  ...['partial_capture_reversal', 'payout', 'payout_minimum_balance_hold', 'payout_reversal'],
  ...['platform_earning', 'platform_earning_refund', 'refund_failure', 'risk_reserved_funds', 'tax', 'topup'],
  ...['topup_reversal', 'transfer', 'transfer_reversal', 'unreconciled_customer_funds'],
]

export const settlementReport: SettlementReport = {
  delimiter: ',',
  columns,
  kinds: {
    charge: 'settlement',
    refund: 'refund-settlement',
    dispute: 'chargeback',
    dispute_reversal: 'chargeback-reversal',
    ...Object.fromEntries(ignored.map((category) => [category, 'ignored' as const])),
  },
  amounts: 'decimal-point',
  signs: 'signed-net',
  dates: { format: 'yyyy-MM-dd HH:mm:ss', zone: 'utc' },
}

const Payout = Compile(
  Type.Object({
    id: Type.String({ minLength: 1 }),
    automatic: Type.Boolean(),
    reconciliation_status: Type.String(),
  }),
)
type Payout = { id: string; automatic: boolean; reconciliation_status: string }

const Run = Compile(
  Type.Object({
    id: Type.String({ minLength: 1 }),
    status: Type.String(),
    error: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    result: Type.Optional(
      Type.Union([
        Type.Object({ url: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
        Type.Null(),
      ]),
    ),
  }),
)

/**
 * A report for each automatic payout since then, once Stripe has made it. A report that is asked for is made in
 * minutes, so that it is offered a round later. Manual payouts do not say what they consist of.
 */
export async function offeredReports(wire: Wire, call: ServiceCall, since: string): Promise<OfferedReports> {
  const created = { gte: Math.floor(Date.parse(since) / 1000) }
  const payouts = await listAll<Payout>(
    wire,
    call,
    { path: '/v1/payouts', query: { status: 'paid', created } },
    (item) => (Payout.Check(item) ? item : undefined),
  )
  if (!payouts) return { unavailable: 'the payouts cannot be read' }
  const offered: OfferedReport[] = []
  const failed: FailedReport[] = []
  let isPartial = false
  for (const payout of payouts) {
    if (!payout.automatic || payout.reconciliation_status !== 'completed') continue
    const report = await reportOf(wire, call, payout.id)
    if (!report) isPartial = true
    else if ('reason' in report) failed.push(report)
    else offered.push(report)
  }
  return { offered, isPartial, ...(failed.length > 0 && { failed }) }
}

/**
 * The key makes one report of a payout within a day, however often it is asked for. Undefined: the report is not
 * made yet, or could not be asked for.
 */
async function reportOf(
  wire: Wire,
  call: ServiceCall,
  payout: string,
): Promise<OfferedReport | FailedReport | undefined> {
  const parameters = { payout, columns: Object.values(columns) }
  const asked = await wire.post(
    call,
    '/v1/reporting/report_runs',
    { report_type: REPORT_TYPE, parameters },
    `railyard-report-${payout}`,
  )
  if (asked.lost || asked.status !== 200 || !Run.Check(asked.body)) return undefined
  const run = await wire.get(call, `/v1/reporting/report_runs/${encodeURIComponent(asked.body.id)}`)
  if (run.lost || run.status !== 200 || !Run.Check(run.body)) return undefined
  const name = `${payout}.csv`
  if (run.body.status === 'failed') return { name, reason: run.body.error ?? 'the report run failed' }
  if (run.body.status !== 'succeeded') return undefined
  const url = run.body.result?.url
  if (!url || !wire.isOurs(url)) return undefined
  // a payout never changes, and neither does its report
  return {
    name,
    version: payout,
    request: { method: 'GET', url, headers: wire.headers(call) },
  }
}
