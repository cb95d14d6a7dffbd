import type { ModuleResponse } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { formatOf } from '../../api/metrics.ts'
import { useLoad } from '../../api/use-api.ts'
import { shown } from '../../parts/charts/chart.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { insightWords as words } from '../../words/finance/insights.ts'
import { filterOf, type Module, type Question, queryOf } from './question.ts'

const FIRST_ROWS = 15

/** A metric for each value that payments have, the greatest first. */
export function Breakdown({
  question,
  module,
  currency,
  ask,
}: {
  question: Question
  module: Module
  currency: string | undefined
  ask: (part: Partial<Question>) => void
}): ReactNode {
  const { source, metric, filters } = question
  const [isAll, setAll] = useState(false)
  const asked = queryOf(question, currency)
  const query = useLoad(['metrics-explorer', 'modules', source, metric, module, asked], (api, signal) =>
    api.metricsExplorer.metrics.modules.get(source, metric, module, asked, { signal }),
  )
  const format = formatOf(metric, currency)
  const only = ({ key }: ModuleResponse) => ask({ filters: { ...filters, [filterOf(module)]: [key] } })
  const head = 'py-1 text-xs font-medium text-ink-3'
  return (
    <Card title={words.breakdown(words.modules[module])}>
      <Loaded query={query} lines={4}>
        {(rows) => {
          const most = Math.max(...rows.map(({ value }) => value ?? 0))
          return (
            <>
              <table className="w-full table-fixed text-sm">
                <caption className="sr-only">{words.breakdown(words.modules[module])}</caption>
                <thead>
                  <tr>
                    <th scope="col" className={`${head} text-left`}>
                      {words.modules[module]}
                    </th>
                    <th scope="col" className={`${head} w-28 text-right sm:w-40`}>
                      {words.metrics[metric]}
                    </th>
                    <th aria-hidden className="w-1/3 max-sm:hidden" />
                  </tr>
                </thead>
                <tbody>
                  {(isAll ? rows : rows.slice(0, FIRST_ROWS)).map((row) => (
                    <tr key={row.key} className="border-t border-line">
                      <th scope="row" className="truncate py-1.5 pr-3 text-left font-normal">
                        <button
                          type="button"
                          title={words.onlyThese(row.display_name)}
                          className="max-w-full truncate text-left hover:underline"
                          onClick={() => only(row)}
                        >
                          {row.display_name}
                        </button>
                      </th>
                      <td className="py-1.5 text-right font-medium">{shown(row.value, format)}</td>
                      <td aria-hidden className="pl-4 max-sm:hidden">
                        <div
                          className="h-2 rounded-full bg-accent"
                          style={{ width: `${most > 0 ? (100 * (row.value ?? 0)) / most : 0}%` }}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {rows.length === 0 && <p className="text-sm text-ink-2">{words.none}</p>}
              {!isAll && rows.length > FIRST_ROWS && (
                <Button look="quiet" className="mt-2" onClick={() => setAll(true)}>
                  {words.showAll(rows.length)}
                </Button>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}
