import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { formatPercent, timesOf } from '../../api/metrics.ts'
import { useLoad } from '../../api/use-api.ts'
import { formatAmount } from '../../format/amount.ts'
import { formatTime } from '../../format/time.ts'
import { useZone } from '../../format/zone.tsx'
import { Sparkline } from '../../parts/charts/sparkline.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Card, Figure, Figures as FigureList } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { commonWords } from '../../words/common.ts'
import { homeWords } from '../../words/home.ts'
import { type CurrencyFigures, countsOf, type Figures, loadFigures, type Period, periods } from './figures.ts'

const words = homeWords.figures
const whole = new Intl.NumberFormat()
const signed = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
})
const points = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, signDisplay: 'exceptZero' })

const formatRate = (rate: number | null): string => (rate === null ? commonWords.none : formatPercent(rate))

/** How a value has changed since the period before; undefined: there was none in either. */
function describeChange(
  value: number,
  before: number,
  format: (value: number) => string,
): string | undefined {
  if (before === 0) return value === 0 ? undefined : words.noneBefore
  return words.from(signed.format(value / before - 1), format(before))
}

const describeRateChange = (rate: number | null, before: number | null): string | undefined =>
  rate === null || before === null
    ? undefined
    : words.from(words.points(points.format((rate - before) * 100)), formatRate(before))

/** Payments, approval rate, refunds and disputes of a period, against the one before. */
export function FiguresCard(): ReactNode {
  const [params] = useSearchParams()
  const { zone } = useZone()
  const period = periods.find((each) => each === params.get('period')) ?? '7d'
  const query = useLoad(['figures', period, zone], (api, signal) => loadFigures(api, period, zone, signal), {
    refresh: 60_000,
  })
  return (
    <Card title={words.title} aside={<PeriodLinks current={period} />}>
      <p className="text-sm text-ink-3">{words.against[period]}</p>
      <Loaded query={query} lines={6}>
        {(figures) => (
          <div className={query.isPlaceholderData ? 'opacity-55' : ''} aria-busy={query.isPlaceholderData}>
            <Counts figures={figures} />
            <Amounts figures={figures} />
            <OverTime figures={figures} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const PeriodLinks = ({ current }: { current: Period }): ReactNode => (
  <nav aria-label={words.period} className="flex gap-1">
    {periods.map((period) => (
      <Link
        key={period}
        to={`?period=${period}`}
        replace
        aria-current={period === current ? 'true' : undefined}
        className="rounded-md px-2 py-1 text-ink-2 hover:text-ink aria-[current=true]:bg-quiet-soft aria-[current=true]:font-medium aria-[current=true]:text-ink pointer-coarse:py-3"
      >
        {words.periods[period]}
      </Link>
    ))}
  </nav>
)

function Counts({ figures: { current, previous, payments, rate } }: { figures: Figures }): ReactNode {
  const now = countsOf(current)
  const before = countsOf(previous)
  const count = (name: 'transactions' | 'refunds' | 'disputes') => ({
    note: describeChange(now[name], before[name], whole.format),
    children: whole.format(now[name]),
  })
  return (
    <FigureList>
      <Figure name={words.payments} note={count('transactions').note}>
        {count('transactions').children}
        <Sparkline values={payments.values} />
      </Figure>
      <Figure name={words.approvalRate} note={describeRateChange(now.rate, before.rate)}>
        {formatRate(now.rate)}
        <Sparkline values={rate.values} />
      </Figure>
      <Figure name={words.refunds} {...count('refunds')} />
      <Figure name={words.disputes} {...count('disputes')} />
    </FigureList>
  )
}

const nothing = (currency: string): CurrencyFigures => ({
  currency,
  transactions: 0,
  authorized: 0,
  volume: 0,
  refunds: { count: 0, amount: 0 },
  disputes: { count: 0, amount: 0 },
})

/** An amount of a currency in both periods. */
type Amount = (of: CurrencyFigures) => number

interface Row {
  now: CurrencyFigures
  before: CurrencyFigures
}

const amountColumn = (header: string, amount: Amount): Column<Row> => ({
  id: header,
  header,
  align: 'end',
  cell: ({ now, before }) => {
    const format = (value: number) => formatAmount(value, now.currency)
    const change = describeChange(amount(now), amount(before), format)
    return (
      <>
        <div>{format(amount(now))}</div>
        {change && <div className="text-xs text-ink-3">{change}</div>}
      </>
    )
  },
})

const amountColumns: Column<Row>[] = [
  { id: 'currency', header: words.currency, cell: ({ now }) => now.currency },
  amountColumn(words.volume, ({ volume }) => volume),
  amountColumn(words.refunded, ({ refunds }) => refunds.amount),
  amountColumn(words.disputed, ({ disputes }) => disputes.amount),
]

function Amounts({ figures: { current, previous } }: { figures: Figures }): ReactNode {
  const inBoth = new Set([...current.currencies, ...previous.currencies].map(({ currency }) => currency))
  const of = ({ currencies }: Figures['current'], currency: string) =>
    currencies.find((each) => each.currency === currency) ?? nothing(currency)
  return (
    <SmallTable
      label={words.byCurrency}
      columns={amountColumns}
      rows={[...inBoth].map((currency) => ({ now: of(current, currency), before: of(previous, currency) }))}
      rowId={({ now }) => now.currency}
      empty={words.none}
    />
  )
}

interface Interval {
  at: string
  payments: number | null
  rate: number | null
}

/** The values of the two curves, for people who do not see them. */
function OverTime({ figures: { payments, rate } }: { figures: Figures }): ReactNode {
  const { name } = useZone()
  const times = timesOf(payments)
  const rows = payments.values.map((value, index) => ({
    at: new Date(times[index] ?? 0).toISOString(),
    payments: value,
    rate: rate.values[index] ?? null,
  }))
  const columns: Column<Interval>[] = [
    { id: 'at', header: commonWords.time, cell: ({ at }) => formatTime(at, name) },
    {
      id: 'payments',
      header: words.payments,
      align: 'end',
      cell: ({ payments: count }) => whole.format(count ?? 0),
    },
    {
      id: 'rate',
      header: words.approvalRate,
      align: 'end',
      cell: ({ rate: share }) => formatRate(share),
    },
  ]
  return (
    <details className="mt-3 text-sm">
      <summary className="cursor-pointer py-1 text-ink-3 pointer-coarse:py-3">{words.overTime}</summary>
      <div className="mt-2 max-h-80 overflow-y-auto">
        <SmallTable
          label={words.overTime}
          columns={columns}
          rows={rows}
          rowId={({ at }) => at}
          empty={words.none}
        />
      </div>
    </details>
  )
}
