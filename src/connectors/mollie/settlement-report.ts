import { type Static, Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import {
  type OfferedReport,
  type OfferedReports,
  type ReportLines,
  ReportUnavailable,
} from '../contract/offered-reports.ts'
import type { SettlementReport } from '../contract/settlement-report.ts'
import { Compile } from '../wire/compile.ts'
import { type BalanceFees, balanceFees, settledFee } from './balance-fees.ts'
import type { MollieOptions } from './environment.ts'
import { fromMoney, signedMoney } from './money.ts'
import { access, pages } from './organization.ts'
import { paymentPath, send } from './wire.ts'

const columns = {
  line: 'id',
  kind: 'resource',
  payment: 'payment_id',
  refund: 'id',
  gross: 'amount',
  grossCurrency: 'currency',
  net: 'settlement_amount',
  currency: 'settlement_currency',
  commission: 'fee',
  postedAt: 'settled_at',
} as const satisfies SettlementReport['columns']

export const settlementReport: SettlementReport = {
  delimiter: ',',
  columns,
  kinds: {
    payment: 'settlement',
    capture: 'settlement',
    refund: 'refund-settlement',
    chargeback: 'chargeback',
  },
  amounts: 'decimal-point',
  signs: 'signed-net',
  dates: 'iso',
}

const text = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Money = Type.Object({ currency: Type.String(), value: Type.String() })
const money = Type.Optional(Type.Union([Money, Type.Null()]))

const Settlement = Type.Object({ id: Type.String(), status: Type.String(), createdAt: text, settledAt: text })
type Settlement = Static<typeof Settlement>

/** A payment, capture, refund or chargeback. One without an amount becomes a line that cannot be read. */
const Entry = Type.Object({
  id: Type.String(),
  paymentId: text,
  method: text,
  amount: money,
  settlementAmount: money,
  createdAt: text,
})
type Entry = Static<typeof Entry>

const settlement = Compile(Settlement)
const entry = Compile(Entry)
const payment = Compile(Type.Object({ method: text }))
/** A settlement that is paid out never changes: its id is its version. */
export async function offeredReports(
  options: MollieOptions,
  call: ServiceCall,
  method: string,
  since: string,
): Promise<OfferedReports> {
  const offered: OfferedReport[] = []
  const fees = balanceFees(options, call)
  for await (const items of pages(options, call, '/settlements')) {
    if (!items) return { unavailable: 'the settlements cannot be read' }
    for (const item of items) {
      if (!settlement.Check(item)) return { unavailable: 'a settlement cannot be read' }
      const at = item.settledAt ?? item.createdAt
      // newest first; those that are not paid out have no time yet
      if (at && Date.parse(at) < Date.parse(since)) return { offered }
      if (item.status === 'paidout')
        offered.push({
          name: `${item.id}.csv`,
          version: item.id,
          lines: () => linesOf(options, call, method, item, fees),
        })
    }
  }
  return { offered }
}

const resources = ['captures', 'payments', 'refunds', 'chargebacks'] as const
type Resource = (typeof resources)[number]

/** The lines of a settlement that are of this method. */
async function* linesOf(
  options: MollieOptions,
  call: ServiceCall,
  method: string,
  paid: Settlement,
  fees: BalanceFees,
): ReportLines {
  const methods = new Map<string, string>()
  const captured = new Set<string>()
  for (const resource of resources)
    for await (const items of pages(
      options,
      call,
      `/settlements/${encodeURIComponent(paid.id)}/${resource}`,
    )) {
      if (!items) throw new ReportUnavailable(`the ${resource} of the settlement cannot be read`)
      for (const item of items) {
        if (!entry.Check(item)) throw new ReportUnavailable(`one of the ${resource} cannot be read`)
        const id = item.paymentId ?? item.id
        const itsMethod = item.method ?? methods.get(id) ?? (await methodOfPayment(options, call, id))
        if (itsMethod === null) throw new ReportUnavailable('a payment of the settlement cannot be read')
        methods.set(id, itsMethod)
        if (resource === 'captures') captured.add(id)
        // a payment that was captured in parts is settled by its captures
        const isCounted = resource === 'payments' && captured.has(id)
        if (itsMethod !== method || isCounted) continue
        const fee = await fees(item.id, item.createdAt ?? null)
        if (fee === undefined) throw new ReportUnavailable('the transactions of the balance cannot be read')
        yield lineOf(
          resource,
          item,
          id,
          paid,
          settledFee(fee, (item.settlementAmount ?? item.amount)?.currency),
        )
      }
    }
}

async function methodOfPayment(
  options: MollieOptions,
  call: ServiceCall,
  id: string,
): Promise<string | null> {
  const answer = await send(options, call, access(call, paymentPath(id), {}))
  return answer !== null && !answer.lost && answer.status === 200 && payment.Check(answer.body)
    ? (answer.body.method ?? null)
    : null
}

/** `fee`: in the smallest unit of the settled currency; positive where it is charged. */
function lineOf(
  resource: Resource,
  { id, amount, settlementAmount }: Entry,
  paymentId: string,
  { settledAt, createdAt }: Settlement,
  fee: number,
): Record<(typeof columns)[keyof typeof columns], string> {
  const settled = settlementAmount ?? amount
  const isCharge = resource === 'refunds' || resource === 'chargebacks'
  // the provider writes refunds without a sign, and what it settles of them with one
  const value = settled && fromMoney({ ...settled, value: settled.value.replace(/^-/, '') }, settled.currency)
  return {
    id,
    resource: resource.slice(0, -1),
    payment_id: paymentId,
    amount: amount?.value.replace(/^-/, '') ?? '',
    currency: amount?.currency ?? '',
    settlement_amount:
      typeof value === 'number' && settled
        ? signedMoney((isCharge ? -value : value) - fee, settled.currency)
        : '',
    settlement_currency: settled?.currency ?? '',
    fee: signedMoney(fee, settled?.currency ?? ''),
    settled_at: settledAt ?? createdAt ?? '',
  }
}
