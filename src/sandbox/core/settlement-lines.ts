import currencyCodes from 'currency-codes'
import { settlementScenarioOf } from './amounts.ts'
import { type Books, record } from './books.ts'
import type { Result } from './operation.ts'

interface BookKeeper {
  books: Books
}

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
const DAYS_UNTIL_POSTED = { settlement: 1, refund: 1, chargeback: 2, 'chargeback-reversal': 3 } as const satisfies Record<
  SettlementLine['kind'],
  number
>

/** What one service's reports say of a time, `to` not among it: a function of the books alone. */
export function settlementLines({ books }: BookKeeper, service: string, from: number, to: number): SettlementLine[] {
  const scripted = postedLines({ books }, service)
  const isScripted = ({ kind, payment, refund }: SettlementLine) =>
    scripted.some((line) => line.kind === kind && line.payment === payment && line.refund === refund)
  return [...books.operations.values()]
    .filter(({ payment_service_id, result }) => payment_service_id === service && result.status === 'approved')
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
      return [line(result, 'settlement', amount), line(result, 'chargeback', amount), line(result, 'chargeback-reversal', amount)]
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
    ...withFees({ kind, gross, grossCurrency: result.currency, currency, exchangeRate: converts ? RATE : null }),
    postedAt: Date.parse(result.processed_at) + DAYS_UNTIL_POSTED[kind] * DAY_MS,
  }
}

type Fees = Pick<SettlementLine, 'interchange' | 'markup' | 'schemeFee'>

/** What is left of the gross amount. Where nobody says which fees there are, they are taken where money is paid out; what is charged back costs a fixed fee, and a refund nothing. */
export function withFees(
  told: Pick<SettlementLine, 'kind' | 'gross' | 'grossCurrency' | 'currency' | 'exchangeRate'>,
  fees?: Fees,
): Pick<SettlementLine, 'kind' | 'gross' | 'grossCurrency' | 'net' | 'currency' | 'exchangeRate' | 'commission'> & Fees {
  const { kind, gross, grossCurrency, currency, exchangeRate } = told
  const digits = (code: string) => currencyCodes.code(code)?.digits ?? 2
  const received = exchangeRate === null ? gross : Math.round(gross * exchangeRate * 10 ** (digits(currency) - digits(grossCurrency)))
  const share = (basisPoints: number) => (kind === 'settlement' ? Math.floor((received * basisPoints) / 10_000) : 0)
  const taken = fees ?? { interchange: share(100), markup: kind === 'chargeback' ? 1500 : share(30), schemeFee: share(15) }
  const commission = taken.interchange + taken.markup + taken.schemeFee
  const isPaid = kind === 'settlement' || kind === 'chargeback-reversal'
  return { ...told, net: isPaid ? received - commission : received + commission, commission, ...taken }
}

const lineKey = (service: string, id: string) => `settlement-line/${service}/${id}`

/** Only `storePostedLine` writes under these names. */
const postedLines = ({ books }: BookKeeper, service: string) =>
  [...books.documents].flatMap(([key, document]) => (key.startsWith(lineKey(service, '')) ? [document as SettlementLine] : []))

/** Posts a line because somebody said so. The lines of this kind that the payment would have had by itself are posted no more. */
export function storePostedLine({ books }: BookKeeper, service: string, posted: SettlementLine): void {
  record(books, { entry: 'document', id: lineKey(service, posted.id), document: posted })
}
