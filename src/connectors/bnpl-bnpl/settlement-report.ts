import type { ServiceCall } from '../contract/call.ts'
import { type OfferedReports, readReportList } from '../contract/offered-reports.ts'
import type { SettlementReport } from '../contract/settlement-report.ts'
import { linesOfPayout, payoutsSince } from './settlements.ts'
import { authorizationOf, type Wire } from './wire.ts'

/**
 * Semicolons, decimal commas, the day first and no time; lines have no ids. The transactions of Klarna's
 * settlements API are written so, too (`settlements.ts`).
 */
export const settlementReport: SettlementReport = {
  delimiter: ';',
  columns: {
    kind: 'type',
    payment: 'order_id',
    refund: 'refund_id',
    gross: 'amount',
    grossCurrency: 'purchase_currency',
    net: 'settled_amount',
    currency: 'payout_currency',
    exchangeRate: 'exchange_rate',
    commission: 'fee',
    postedAt: 'sale_date',
  },
  // an order may have two captures of one amount on one day, and a capture may be charged back in parts
  identifiers: ['capture_id', 'payment_reference'],
  kinds: {
    SALE: 'settlement',
    RETURN: 'refund-settlement',
    CHARGEBACK: 'chargeback',
    REVERSAL: 'chargeback-reversal',
    FEE: 'ignored',
  },
  amounts: 'decimal-comma',
  signs: 'signed',
  dates: { format: 'dd.MM.yyyy', zone: 'Europe/Berlin' },
}

const REPORTS = '/settlements/v1/reports'

/** Klarna's payouts, each with its transactions; of the simulator its report files. */
export async function offeredReports(wire: Wire, call: ServiceCall, since: string): Promise<OfferedReports> {
  const base = wire.url(call, '')
  if (!base) return { unavailable: 'the service is not configured for this environment' }
  if (call.service.fields['environment'] !== 'simulator') {
    const payouts = await payoutsSince(wire, call, since)
    if (!Array.isArray(payouts)) return payouts
    return {
      offered: payouts.map(({ payment_reference: name, payout_date: version = 'paid' }) => ({
        name,
        version,
        lines: () => linesOfPayout(wire, call, name),
      })),
    }
  }
  const answer = await wire.send(call, {
    method: 'GET',
    path: `${REPORTS}?since=${encodeURIComponent(since)}`,
  })
  return readReportList(answer, (path) => ({
    method: 'GET',
    url: `${base}${path}`,
    headers: { authorization: authorizationOf(call) },
  }))
}
