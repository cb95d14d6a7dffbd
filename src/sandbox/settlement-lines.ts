import currencyCodes from 'currency-codes'
import { reportedAs } from './amounts.ts'
import type { Result } from './operation.ts'
import type { Sandbox } from './sandbox.ts'

/** A line of a provider's settlement report, before the provider words it. Amounts in the smallest unit, never negative. */
export interface SettlementLine {
  id: string
  kind: 'settlement' | 'refund' | 'chargeback' | 'chargeback-reversal'
  payment: string
  /** Of a refund. */
  refund: string | null
  gross: number
  grossCurrency: string
  /** What the merchant receives, or is charged: in `currency`, as all that follow. */
  net: number
  currency: string
  exchangeRate: number | null
  commission: number
  interchange: number
  markup: number
  schemeFee: number
  /** Milliseconds since 1970, UTC. */
  postedAt: number
}

export const DAY_MS = 86_400_000

/** How many days after the money moved a line is posted. */
const POSTED = { settlement: 1, refund: 1, chargeback: 2, 'chargeback-reversal': 3 } as const satisfies Record<SettlementLine['kind'], number>

/** What one service's reports say of a time, `to` not among it: a function of the books alone, so the same each time. */
export function settlementLines({ books }: Sandbox, service: string, from: number, to: number): SettlementLine[] {
  return [...books.operations.values()]
    .filter(({ payment_service_id, result }) => payment_service_id === service && result.status === 'approved')
    .flatMap(({ result }) => linesOf(result))
    .filter(({ postedAt }) => postedAt >= from && postedAt < to)
    .sort((a, b) => a.postedAt - b.postedAt || (a.id < b.id ? -1 : 1))
}

function linesOf(result: Result): SettlementLine[] {
  if (result.kind === 'refund') return [line(result, 'refund', result.amount)]
  if (result.kind !== 'sale' && result.kind !== 'capture') return []
  const { amount } = result
  switch (reportedAs(amount)) {
    case 'in-two-parts': {
      const first = Math.floor(amount / 2)
      return [line(result, 'settlement', first, 'a'), line(result, 'settlement', amount - first, 'b')]
    }
    case 'charged-back':
      return [line(result, 'settlement', amount), line(result, 'chargeback', amount)]
    case 'charged-back-and-reversed':
      return [line(result, 'settlement', amount), line(result, 'chargeback', amount), line(result, 'chargeback-reversal', amount)]
    default:
      return [line(result, 'settlement', amount)]
  }
}

const RATE = 1.1

/** Fees are taken where money is paid out; what is charged back costs a fixed fee, and a refund nothing. */
function line(result: Result, kind: SettlementLine['kind'], gross: number, part = ''): SettlementLine {
  const converts = reportedAs(result.amount) === 'in-another-currency'
  const currency = converts ? (result.currency === 'EUR' ? 'USD' : 'EUR') : result.currency
  const digits = (code: string) => currencyCodes.code(code)?.digits ?? 2
  const received = converts ? Math.round(gross * RATE * 10 ** (digits(currency) - digits(result.currency))) : gross
  const share = (basisPoints: number) => (kind === 'settlement' ? Math.floor((received * basisPoints) / 10_000) : 0)
  const [interchange, markup, schemeFee] = [share(100), kind === 'chargeback' ? 1500 : share(30), share(15)]
  const commission = interchange + markup + schemeFee
  const isPaid = kind === 'settlement' || kind === 'chargeback-reversal'
  return {
    id: `${kind}_${result.id}${part}`,
    kind,
    payment: result.payment_id,
    refund: kind === 'refund' ? result.id : null,
    gross,
    grossCurrency: result.currency,
    net: isPaid ? received - commission : received + commission,
    currency,
    exchangeRate: converts ? RATE : null,
    commission,
    interchange,
    markup,
    schemeFee,
    postedAt: Date.parse(result.processed_at) + POSTED[kind] * DAY_MS,
  }
}
