import type { ModuleResponse } from '@railyard/client'
import type { UseQueryResult } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useLoad } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import { commonWords } from '../../words/common.ts'
import { insightWords as words } from '../../words/finance/insights.ts'
import { filterOf, type Module, moduleOf, modules, type Question } from './question.ts'

/** The values that payments of the period have, with the names that people know. */
const useValues = ({ source, range }: Question, module: Module): UseQueryResult<ModuleResponse[]> =>
  useLoad(['metrics-explorer', 'values', source, range, module], (api, signal) =>
    api.metricsExplorer.metrics.modules.get(
      source,
      'transactions',
      module,
      { datetime_range: range },
      { signal },
    ),
  )

interface FilterProps {
  question: Question
  ask: (part: Partial<Question>) => void
}

/** Which payments count: a chip for each filter, and a way to another one. */
export function InsightFilters({ question, ask }: FilterProps): ReactNode {
  const [isAdding, setAdding] = useState(false)
  const { filters, metric } = question
  const set = (name: string, values: readonly string[]) => {
    const { [name]: _, ...others } = filters
    ask({ filters: values.length > 0 ? { ...others, [name]: values } : others })
  }
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      {Object.entries(filters)
        // the currency of a volume is chosen above
        .filter(([name]) => metric !== 'volume' || name !== 'currency')
        .map(([name, values]) => {
          const module = moduleOf(name)
          return (
            module && (
              <Chip
                key={name}
                question={question}
                module={module}
                values={values}
                onRemove={() => set(name, [])}
              />
            )
          )
        })}
      <button
        type="button"
        className="inline-flex items-center gap-1 rounded-full border border-dashed border-line-strong px-2.5 py-[3px] text-sm text-ink-2"
        onClick={() => setAdding(true)}
      >
        <Plus aria-hidden size={13} /> {words.addFilter}
      </button>
      {isAdding && (
        <FilterDialog
          question={question}
          onClose={() => setAdding(false)}
          onApply={(name, value) => set(name, [...new Set([...(filters[name] ?? []), value])])}
        />
      )}
    </div>
  )
}

function Chip({
  question,
  module,
  values,
  onRemove,
}: {
  question: Question
  module: Module
  values: readonly string[]
  onRemove: () => void
}): ReactNode {
  const { data = [] } = useValues(question, module)
  const names = values.map(
    (value) => data.find(({ key }) => key === value)?.display_name ?? value.replace('\0', commonWords.none),
  )
  return (
    <span className="inline-flex max-w-full items-center rounded-full border border-line-strong bg-surface text-sm">
      <span className="truncate py-[3px] pl-2.5">
        {words.modules[module]} <b className="font-medium">{names.join(', ')}</b>
      </span>
      <button
        type="button"
        aria-label={words.removeFilter(words.modules[module])}
        className="rounded-full p-1.5 text-ink-3 hover:text-ink"
        onClick={onRemove}
      >
        <X aria-hidden size={13} />
      </button>
    </span>
  )
}

function FilterDialog({
  question,
  onClose,
  onApply,
}: {
  question: Question
  onClose: () => void
  onApply: (name: string, value: string) => void
}): ReactNode {
  const [module, setModule] = useState<Module>('payment_service')
  const [chosen, setChosen] = useState<string>()
  const { data = [], error, isPending } = useValues(question, module)
  const value = chosen ?? data[0]?.key
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.addFilter}
      submit={commonWords.apply}
      busy={isPending}
      error={error}
      onSubmit={() => {
        if (value !== undefined) onApply(filterOf(module), value)
        onClose()
      }}
    >
      <SelectField
        label={words.filterBy}
        value={module}
        options={modules.map((each) => [each, words.modules[each]])}
        onChange={(next) => {
          setModule(next as Module)
          setChosen(undefined)
        }}
      />
      {data.length > 0 ? (
        <SelectField
          label={words.filterValue}
          value={value ?? ''}
          options={data.map(({ key, display_name }) => [key, display_name])}
          onChange={setChosen}
        />
      ) : (
        !isPending && <p className="text-sm text-ink-2">{words.noValues}</p>
      )}
    </FormDialog>
  )
}
