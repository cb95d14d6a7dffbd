import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { commonWords as words } from '../../words/common.ts'
import { Button } from '../page/button.tsx'
import { CheckField } from './field.tsx'

/** Several choices of many, such as currencies: closed it names them, opened it has a box for each. */
export function ChoicesField({
  label,
  hint,
  problem,
  options,
  values,
  onChange,
  allText,
  noneText = words.noneChosen,
}: {
  label: string
  hint?: string | undefined
  problem?: string | undefined
  options: readonly (readonly [value: string, text: string])[]
  values: readonly string[]
  onChange: (values: string[]) => void
  /** What stands there when every option is chosen. */
  allText?: string
  noneText?: string
}): ReactNode {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const found = options.filter(([value, text]) => `${value} ${text}`.toLowerCase().includes(wanted))
  const isAll = values.length > 0 && values.length === options.length
  const names = values.map((value) => options.find(([each]) => each === value)?.[1] ?? value)
  const summary = isAll
    ? (allText ?? words.all(options.length))
    : names.length === 0
      ? noneText
      : names.length > 6
        ? `${names.slice(0, 5).join(', ')} ${words.andMore(names.length - 5)}`
        : names.join(', ')
  return (
    <fieldset className="grid content-start gap-1" aria-describedby={problem && `${id}-problem`}>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-label={`${label}: ${summary}`}
        className={`flex min-h-8 w-full items-center justify-between gap-2 rounded-md border bg-surface px-3 py-1 text-left pointer-coarse:min-h-11 ${problem ? 'border-bad' : 'border-line-strong'}`}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="min-w-0 break-words">{summary}</span>
        <ChevronDown aria-hidden size={14} className="shrink-0 text-ink-3" />
      </button>
      {isOpen && (
        <div className="grid gap-2 rounded-md border border-line bg-sunken p-2">
          <div className="flex flex-wrap gap-2">
            <input
              type="search"
              aria-label={words.searchIn(label)}
              placeholder={words.search}
              value={search}
              className="h-8 min-w-32 flex-1 rounded-md border border-line-strong bg-surface px-3 pointer-coarse:h-11"
              onChange={({ target }) => setSearch(target.value)}
            />
            <Button onClick={() => onChange([...new Set([...values, ...found.map(([value]) => value)])])}>
              {words.chooseAll}
            </Button>
            <Button
              onClick={() => onChange(values.filter((value) => !found.some(([each]) => each === value)))}
            >
              {words.chooseNone}
            </Button>
          </div>
          <div className="grid max-h-56 gap-x-4 gap-y-1.5 overflow-y-auto p-1 sm:grid-cols-2">
            {found.map(([value, text]) => (
              <CheckField
                key={value}
                label={text}
                checked={values.includes(value)}
                onChange={(checked) =>
                  onChange(checked ? [...values, value] : values.filter((each) => each !== value))
                }
              />
            ))}
          </div>
        </div>
      )}
      {hint && <p className="text-xs text-ink-3">{hint}</p>}
      {problem && (
        <p id={`${id}-problem`} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
