import type { ServiceCall } from '../../contract/call.ts'
import { type OfferedReports, readReportList } from '../../contract/offered-reports.ts'
import type { SettlementReport } from '../../contract/settlement-report.ts'
import { isSimulated } from '../environment.ts'
import type { Wire } from '../wire.ts'
import { linesOfDay, searchableDays } from './transaction-search.ts'

/** Amounts are decimals, negative where the merchant is charged; the event code gives the kind of a line. */
export const settlementReport: SettlementReport = {
  delimiter: ',',
  columns: {
    line: 'Transaction ID',
    kind: 'Transaction Event Code',
    payment: 'Order ID',
    refund: 'Refund ID',
    gross: 'Gross Transaction Amount',
    grossCurrency: 'Gross Transaction Currency',
    net: 'Net Amount',
    currency: 'Settlement Currency',
    exchangeRate: 'Exchange Rate',
    commission: 'Fee Amount',
    postedAt: 'Transaction Completion Date',
  },
  kinds: {
    T0006: 'settlement',
    T1107: 'refund-settlement',
    T1201: 'chargeback',
    T1202: 'chargeback-reversal',
    T0400: 'ignored',
  },
  amounts: 'decimal-point',
  signs: 'signed',
  dates: { format: 'yyyy/MM/dd HH:mm:ss ZZZ', zone: 'utc' },
}

/**
 * PayPal's transactions, a report for each day that is complete; of the simulator its report files.
 */
export async function offeredReports(
  wire: Wire,
  clock: { now(): number },
  call: ServiceCall,
  since: string,
): Promise<OfferedReports> {
  if (!isSimulated(call.service.fields)) {
    const days = searchableDays(since, clock.now())
    return {
      offered: days.map((day) => ({
        name: `transactions-${day}`,
        version: 'searched',
        lines: () => linesOfDay(wire, call, day),
      })),
    }
  }
  const granted = await wire.freshToken(call)
  if ('code' in granted) return { unavailable: granted.reason }
  const headers = { authorization: `Bearer ${granted.token}` }
  const request = (path: string) => ({ method: 'GET' as const, url: `${wire.base(call)}${path}`, headers })
  return readReportList(
    await call.http(request(`/v1/reporting/settlements?since=${encodeURIComponent(since)}`)),
    request,
  )
}
