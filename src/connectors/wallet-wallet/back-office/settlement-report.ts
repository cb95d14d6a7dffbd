import type { ServiceCall } from '../../contract/call.ts'
import { type OfferedReports, readReportList } from '../../contract/offered-reports.ts'
import type { SettlementReport } from '../../contract/settlement-report.ts'
import { isSimulated } from '../environment.ts'
import type { Wire } from '../wire.ts'

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
 * The simulator's reports. The provider itself puts reports on an SFTP server, from which merchants bring
 * them.
 */
export async function offeredReports(wire: Wire, call: ServiceCall, since: string): Promise<OfferedReports> {
  if (!isSimulated(call.service.fields)) return { offered: [] }
  const granted = await wire.freshToken(call)
  if ('code' in granted) return { unavailable: granted.reason }
  const headers = { authorization: `Bearer ${granted.token}` }
  const request = (path: string) => ({ method: 'GET' as const, url: `${wire.base(call)}${path}`, headers })
  return readReportList(
    await call.http(request(`/v1/reporting/settlements?since=${encodeURIComponent(since)}`)),
    request,
  )
}
