import { type FormEvent, type ReactNode, useState } from 'react'
import { formatDelta, formatForAxis, formatOf, timesOf, useCurrencies, useTotals } from '../../api/metrics.ts'
import { Chart } from '../../parts/charts/chart.tsx'
import { CheckField, SelectField, TextField } from '../../parts/forms/field.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Figure, Figures, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { commonWords } from '../../words/common.ts'
import { insightWords as words } from '../../words/finance/insights.ts'
import { Breakdown } from './breakdown.tsx'
import { InsightFilters } from './insight-filters.tsx'
import { Presets } from './presets.tsx'
import { type Module, modules, type Question, queryOf, useQuestion } from './question.ts'

export function Page(): ReactNode {
  const [question, ask] = useQuestion()
  const currencies = useCurrencies(question.range, question.metric === 'volume') ?? []
  const currency =
    question.metric === 'volume' ? (question.filters['currency']?.[0] ?? currencies[0]) : undefined
  return (
    <Layout title={words.title} actions={<Presets question={question} currency={currency} />}>
      <Choices question={question} ask={ask} currency={currency} currencies={currencies} />
      <InsightFilters question={question} ask={ask} />
      <Answer question={question} currency={currency} hasCurrency={currencies.length > 0} />
      {question.by && (question.metric !== 'volume' || currency) && (
        <Breakdown question={question} module={question.by} currency={currency} ask={ask} />
      )}
    </Layout>
  )
}

interface ChoiceProps {
  question: Question
  ask: (part: Partial<Question>) => void
  /** Of a volume. */
  currency: string | undefined
  currencies: readonly string[]
}

function Choices({ question, ask, currency, currencies }: ChoiceProps): ReactNode {
  const { metric, source, range, by, compare } = question
  const isCustom = !Object.hasOwn(words.periods, range)
  const [isChoosing, setChoosing] = useState(isCustom)
  return (
    <div className="mb-3 grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-[repeat(auto-fit,minmax(150px,1fr))]">
      <SelectField
        label={words.metric}
        value={metric}
        options={Object.entries(words.metrics)}
        onChange={(next) => ask({ metric: next as Question['metric'] })}
      />
      {metric === 'volume' && currency && (
        <SelectField
          label={words.currency}
          value={currency}
          options={[...new Set([currency, ...currencies])].map((each) => [each, each])}
          onChange={(next) => ask({ filters: { ...question.filters, currency: [next] } })}
        />
      )}
      <SelectField
        label={words.period}
        value={isChoosing || isCustom ? 'custom' : range}
        options={Object.entries(words.periods)}
        onChange={(next) => {
          setChoosing(next === 'custom')
          if (next !== 'custom') ask({ range: next })
        }}
      />
      <SelectField
        label={words.by}
        value={by}
        options={[
          ['', commonWords.none],
          ...modules.map((module) => [module, words.modules[module]] as const),
        ]}
        onChange={(next) => ask({ by: next as Module | '' })}
      />
      <SelectField
        label={words.source}
        value={source}
        options={Object.entries(words.sources)}
        onChange={(next) => ask({ source: next as Question['source'] })}
      />
      <div className="pb-1.5">
        <CheckField label={words.compare} checked={compare} onChange={(next) => ask({ compare: next })} />
      </div>
      {(isChoosing || isCustom) && <CustomPeriod range={range} onChange={(next) => ask({ range: next })} />}
    </div>
  )
}

const DAY_MS = 86_400_000

/** The day so many days after another one; both as 2026-03-01. */
const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** A period of days in UTC, as the API counts them. A person names the last day, the API the end of it. */
function CustomPeriod({ range, onChange }: { range: string; onChange: (range: string) => void }): ReactNode {
  const [first = '', last = ''] = range.split('/')
  const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
  const [from, setFrom] = useState(isDay(first) ? first : '')
  const [to, setTo] = useState(isDay(last) ? dayAfter(last, -1) : '')
  const [isTried, setTried] = useState(false)
  const problem = isDay(from) ? undefined : words.fromMissing
  const toProblem = to && from > to ? words.toTooEarly : undefined
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem && !toProblem) onChange(`${from}/${isDay(to) ? dayAfter(to, 1) : 'now'}`)
  }
  return (
    <form
      onSubmit={send}
      noValidate
      className="col-span-full grid items-start gap-3 sm:grid-cols-[200px_200px_auto]"
    >
      <TextField
        label={words.from}
        type="date"
        hint={words.daysHint}
        problem={isTried ? problem : undefined}
        value={from}
        onChange={setFrom}
      />
      <TextField
        label={words.to}
        type="date"
        hint={words.toHint}
        problem={isTried ? toProblem : undefined}
        value={to}
        onChange={setTo}
      />
      <Button type="submit" className="justify-self-start sm:mt-[22px]">
        {words.apply}
      </Button>
    </form>
  )
}

/** The whole period in figures, and over time. */
function Answer({
  question,
  currency,
  hasCurrency,
}: {
  question: Question
  currency: string | undefined
  hasCurrency: boolean
}): ReactNode {
  const { source, metric, compare } = question
  const query = useTotals(
    source,
    metric,
    { ...queryOf(question, currency), exclude_previous: !compare },
    metric !== 'volume' || currency !== undefined,
  )
  const empty = <Empty title={words.none}>{words.noneText}</Empty>
  if (metric === 'volume' && !currency && !hasCurrency) return empty
  const format = formatOf(metric, currency)
  return (
    <Loaded query={query} lines={8}>
      {({ series, summary }) => {
        const { current, previous, delta } = summary
        const isNothing = (value: number | null | undefined) =>
          metric === 'auth_rate' ? value === null || value === undefined : !value
        if (isNothing(current.value) && isNothing(previous?.value)) return empty
        return (
          <>
            <Figures>
              <Figure name={`${words.metrics[metric]}, ${words.current.toLowerCase()}`}>
                {current.value === null ? commonWords.none : format(current.value)}
              </Figure>
              {previous && (
                <Figure name={words.previous}>
                  {previous.value === null ? commonWords.none : format(previous.value)}
                </Figure>
              )}
              {previous && (
                <Figure name={words.delta}>
                  {delta === null ? (
                    <span className="font-normal text-ink-3">{words.noChange}</span>
                  ) : (
                    formatDelta(metric, delta, words.points)
                  )}
                </Figure>
              )}
            </Figures>
            <Card title={words.overTime}>
              <Chart
                label={`${words.metrics[metric]}. ${words.overTime}`}
                times={timesOf(series.current)}
                format={format}
                formatAxis={formatForAxis(metric, currency)}
                least={0}
                {...(metric === 'auth_rate' && { most: 1 })}
                series={[
                  { name: words.current, values: series.current.values },
                  ...(series.previous
                    ? [{ name: words.previous, values: series.previous.values, look: 'before' as const }]
                    : []),
                ]}
              />
            </Card>
          </>
        )
      }}
    </Loaded>
  )
}
