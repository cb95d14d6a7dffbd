import currencyCodes from 'currency-codes'
import { settlementScenarioOf } from './amounts.ts'
import type { Books } from './books.ts'
import { documentStore } from './documents.ts'
import type { Result } from './operation.ts'

interface BookKeeper {
  books: Books
}

/**
 * A line of a provider's settlement report, before the provider words it. Amounts in the smallest unit, never
 * negative.
 */
export interface SettlementLine {
  id: string
  kind: 'settlement' | 'refund' | 'chargeback' | 'chargeback-reversal'
  payment: string
  /** The refund's id; null on other lines. */
  refund: string | null
  gross: number
  grossCurrency: string
  /** What the merchant receives or is charged, in `currency` like the amounts below. */
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

/** The number of days after the money moved until a line is posted. */
const DAYS_UNTIL_POSTED = {
  settlement: 1,
  refund: 1,
  chargeback: 2,
  'chargeback-reversal': 3,
} as const satisfies Record<SettlementLine['kind'], number>

/**
 * The lines of one service's reports from `from` up to, but without, `to`. They depend on the books alone.
 */
export function settlementLines(
  { books }: BookKeeper,
  service: string,
  from: number,
  to: number,
): SettlementLine[] {
  const scripted = postedLinesOf(service)
    .list({ books })
    .map(({ document }) => document)
  const isScripted = ({ kind, payment, refund }: SettlementLine) =>
    scripted.some((line) => line.kind === kind && line.payment === payment && line.refund === refund)
  return [...books.operations.values()]
    .filter(
      ({ payment_service_id, result }) => payment_service_id === service && result.status === 'approved',
    )
    .flatMap(({ result }) => linesOf(result))
    .filter((line) => !isScripted(line))
    .concat(scripted)
    .filter(({ postedAt }) => postedAt >= from && postedAt < to)
    .sort((a, b) => a.postedAt - b.postedAt || (a.id < b.id ? -1 : 1))
}

function linesOf(result: Result): SettlementLine[] {
  if (result.kind === 'refund') return [line(result, 'refund', result.amount)]
  if (result.kind !== 'sale' && result.kind !== 'capture') return []
  const { amount } = result
  switch (settlementScenarioOf(amount)) {
    case 'in-two-parts': {
      const first = Math.floor(amount / 2)
      return [line(result, 'settlement', first, 'a'), line(result, 'settlement', amount - first, 'b')]
    }
    case 'charged-back':
      return [line(result, 'settlement', amount), line(result, 'chargeback', amount)]
    case 'charged-back-and-reversed':
      return [
        line(result, 'settlement', amount),
        line(result, 'chargeback', amount),
        line(result, 'chargeback-reversal', amount),
      ]
    default:
      return [line(result, 'settlement', amount)]
  }
}

const RATE = 1.1

function line(result: Result, kind: SettlementLine['kind'], gross: number, part = ''): SettlementLine {
  const converts = settlementScenarioOf(result.amount) === 'in-another-currency'
  const currency = converts ? (result.currency === 'EUR' ? 'USD' : 'EUR') : result.currency
  return {
    id: `${kind}_${result.id}${part}`,
    payment: result.payment_id,
    refund: kind === 'refund' ? result.id : null,
    ...withFees({
      kind,
      gross,
      grossCurrency: result.currency,
      currency,
      exchangeRate: converts ? RATE : null,
    }),
    postedAt: Date.parse(result.processed_at) + DAYS_UNTIL_POSTED[kind] * DAY_MS,
  }
}

type Fees = Pick<SettlementLine, 'interchange' | 'markup' | 'schemeFee'>

/**
 * The net amount and the fees of a gross amount. Without `fees` the sandbox's usual ones apply: a settlement
 * has fees, a chargeback costs a fixed fee, and a refund nothing.
 */
export function withFees(
  line: Pick<SettlementLine, 'kind' | 'gross' | 'grossCurrency' | 'currency' | 'exchangeRate'>,
  fees?: Fees,
): Pick<
  SettlementLine,
  'kind' | 'gross' | 'grossCurrency' | 'net' | 'currency' | 'exchangeRate' | 'commission'
> &
  Fees {
  const { kind, gross, grossCurrency, currency, exchangeRate } = line
  const digits = (code: string) => currencyCodes.code(code)?.digits ?? 2
  const received =
    exchangeRate === null
      ? gross
      : Math.round(gross * exchangeRate * 10 ** (digits(currency) - digits(grossCurrency)))
  const share = (basisPoints: number) =>
    kind === 'settlement' ? Math.floor((received * basisPoints) / 10_000) : 0
  const applied = fees ?? {
    interchange: share(100),
    markup: kind === 'chargeback' ? 1500 : share(30),
    schemeFee: share(15),
  }
  const commission = applied.interchange + applied.markup + applied.schemeFee
  const isPaid = kind === 'settlement' || kind === 'chargeback-reversal'
  return { ...line, net: isPaid ? received - commission : received + commission, commission, ...applied }
}

const postedLinesOf = (service: string) => documentStore<SettlementLine>(`settlement-line/${service}`)

/** Posts a line on request. It replaces the lines of its kind that the payment would have had by itself. */
export function storePostedLine(sandbox: BookKeeper, service: string, posted: SettlementLine): void {
  postedLinesOf(service).store(sandbox, posted.id, posted)
}
