import currencyCodes from 'currency-codes'
import { type Static, Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import { ReportUnavailable } from '../contract/offered-reports.ts'
import { Compile } from '../wire/compile.ts'
import type { Wire } from './wire.ts'

const text = Type.Optional(Type.String())

const Payout = Type.Object({ payment_reference: Type.String({ minLength: 1 }), payout_date: text })
type Payout = Static<typeof Payout>

const Transaction = Type.Object({
  amount: Type.Integer(),
  type: text,
  detailed_type: text,
  order_id: text,
  capture_id: text,
  refund_id: text,
  currency_code: text,
  settlement_currency: text,
  sale_date: text,
  capture_date: text,
})
type Transaction = Static<typeof Transaction>

const payoutPage = Compile(Type.Object({ payouts: Type.Array(Payout) }))
const transactionPage = Compile(Type.Object({ transactions: Type.Array(Transaction) }))

const PAGE = 100
/** More pages than this come from a provider that repeats itself. */
const MAX_PAGES = 1_000

/** The payouts since a time, whose payment references name their reports. */
export async function payoutsSince(
  wire: Wire,
  call: ServiceCall,
  since: string,
): Promise<Payout[] | { unavailable: string }> {
  try {
    return await readPages(
      wire,
      call,
      `/settlements/v1/payouts?start_date=${encodeURIComponent(since)}`,
      (body) => (payoutPage.Check(body) ? body.payouts : undefined),
    )
  } catch (error) {
    if (error instanceof ReportUnavailable) return { unavailable: error.message }
    throw error
  }
}

async function readPages<Item>(
  wire: Wire,
  call: ServiceCall,
  path: string,
  read: (body: unknown) => Item[] | undefined,
): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await wire.send(call, {
      method: 'GET',
      path: `${path}&size=${PAGE}&offset=${page * PAGE}`,
    })
    if (answer.lost) throw new ReportUnavailable(answer.reason)
    const found = answer.status === 200 ? read(answer.body) : undefined
    if (!found) throw new ReportUnavailable(`HTTP ${answer.status}`)
    items.push(...found)
    if (found.length < PAGE) return items
  }
  throw new ReportUnavailable(`there are more than ${MAX_PAGES} pages`)
}

/** The lines of a payout, as `settlementReport` reads them. A fee belongs to the sale or return of its capture or refund. */
export async function* linesOfPayout(wire: Wire, call: ServiceCall, payout: string) {
  const path = `/settlements/v1/transactions?payment_reference=${encodeURIComponent(payout)}`
  const all = await readPages(wire, call, path, (body) =>
    transactionPage.Check(body) ? body.transactions : undefined,
  )
  const fees = Map.groupBy(all.filter(isFee), entryOf)
  for (const transaction of all) {
    const kind = kindOf(transaction)
    if (!kind) continue
    // a fee is booked once, with the first line of its entry
    const own = fees.get(entryOf(transaction)) ?? []
    fees.delete(entryOf(transaction))
    const fee = own.reduce((sum, each) => sum + feeOf(each), 0)
    yield { ...lineOf(transaction, kind, fee), payment_reference: payout }
  }
}

type Kind = 'SALE' | 'RETURN' | 'CHARGEBACK' | 'REVERSAL'

/**
 * Klarna's type as the report's: its reversals are what a lost dispute takes, except those that its merchant
 * protection pays. Null: the transaction is of no payment.
 */
function kindOf({ type, detailed_type: detail }: Transaction): Kind | null {
  if (type === 'SALE' || type === 'RETURN') return type
  if (type !== 'REVERSAL') return null
  return detail?.includes('MERCHANT_PROTECTION') ? 'REVERSAL' : 'CHARGEBACK'
}

const isFee = ({ type }: Transaction) => type === 'FEE' || type === 'FEE_REFUND'

const feeOf = ({ type, amount }: Transaction) => (type === 'FEE' ? 1 : -1) * Math.abs(amount)

/** The order with the capture or refund that a transaction is of. */
const entryOf = ({ order_id: order, capture_id: capture, refund_id: refund }: Transaction) =>
  [order, refund ?? capture].join('/')

const isIncome = (kind: Kind) => kind === 'SALE' || kind === 'REVERSAL'

function lineOf(transaction: Transaction, kind: Kind, fee: number): Record<string, string> {
  const { order_id = '', capture_id = '', refund_id = '', currency_code: currency = '' } = transaction
  const payout = transaction.settlement_currency ?? currency
  const gross = (isIncome(kind) ? 1 : -1) * Math.abs(transaction.amount)
  return {
    type: kind,
    order_id,
    refund_id,
    amount: decimal(gross, currency),
    purchase_currency: currency,
    // without an exchange rate the amount in another currency is not known: the line is reported as unreadable
    settled_amount: payout === currency ? decimal(gross - fee, payout) : '',
    payout_currency: payout,
    exchange_rate: '',
    fee: fee === 0 ? '' : decimal(-fee, payout),
    sale_date: dayOf(transaction.capture_date ?? transaction.sale_date),
    capture_id,
  }
}

function decimal(amount: number, currency: string): string {
  const digits = currencyCodes.code(currency)?.digits ?? 2
  return (amount / 10 ** digits).toFixed(digits).replace('.', ',')
}

/** A day in the report's form and time zone, such as `01.06.2026`; empty: it cannot be read. */
function dayOf(time: string | undefined): string {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms)
    ? ''
    : new Date(ms).toLocaleDateString('de-DE', {
        timeZone: 'Europe/Berlin',
        day: '2-digit',
        month: '2-digit',
        year: 'numeric',
      })
}
