import { Plus, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { commonWords as words } from '../../words/common.ts'
import { Dialog } from '../dialogs/dialog.tsx'
import { SelectField, TextField } from '../forms/field.tsx'
import { TimeField } from '../forms/time-field.tsx'
import { Button } from '../page/button.tsx'
import { Time } from '../values/values.tsx'

/** A filter of a list: a member of its query. */
export interface Filter {
  /** As the API names it. */
  name: string
  label: string
  /** Choices; without them a person types. `[value, text]`. */
  options?: readonly (readonly [value: string, text: string])[]
  hint?: string
  /** `datetime-local`: a moment, which the address has in UTC, so that colleagues see the same. */
  type?: 'text' | 'number' | 'datetime-local'
}

export type FilterValues = Record<string, string | undefined>

/** The values of filters in the address, and how to change one. Empty: the filter is off. */
export function useFilters(
  filters: readonly Filter[],
): [FilterValues, (name: string, value: string) => void] {
  const [params, setParams] = useSearchParams()
  const values = Object.fromEntries(filters.map(({ name }) => [name, params.get(name) ?? undefined]))
  const change = (name: string, value: string) =>
    setParams((before) => {
      const after = new URLSearchParams(before)
      if (value === '') after.delete(name)
      else after.set(name, value)
      return after
    })
  return [values, change]
}

/** The filters that are on, as chips, and a way to the others. */
export function FilterBar({
  filters,
  children,
}: {
  filters: readonly Filter[]
  children?: ReactNode
}): ReactNode {
  const [values, change] = useFilters(filters)
  const [editing, setEditing] = useState<Filter | 'new'>()
  const on = filters.filter(({ name }) => values[name] !== undefined)
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      {on.map((filter) => (
        <span
          key={filter.name}
          className="inline-flex items-center rounded-full border border-line-strong bg-surface text-sm"
        >
          <button type="button" className="rounded-full py-[3px] pl-2.5" onClick={() => setEditing(filter)}>
            {filter.label}{' '}
            <b className="font-medium">
              {filter.type === 'datetime-local' && isTime(values[filter.name]) ? (
                <Time at={values[filter.name]} form="both" />
              ) : (
                shownValue(filter, values[filter.name] ?? '')
              )}
            </b>
          </button>
          <button
            type="button"
            aria-label={words.removeFilter(filter.label)}
            className="rounded-full p-1.5 text-ink-3 hover:text-ink"
            onClick={() => change(filter.name, '')}
          >
            <X aria-hidden size={13} />
          </button>
        </span>
      ))}
      <button
        type="button"
        className="inline-flex items-center gap-1 rounded-full border border-dashed border-line-strong px-2.5 py-[3px] text-sm text-ink-2"
        onClick={() => setEditing('new')}
      >
        <Plus aria-hidden size={13} /> {words.filter}
      </button>
      {children && <div className="ml-auto text-xs text-ink-3">{children}</div>}
      {editing && (
        <FilterDialog
          filters={filters}
          first={editing === 'new' ? undefined : editing}
          values={values}
          onClose={() => setEditing(undefined)}
          onApply={change}
        />
      )}
    </div>
  )
}

const isTime = (value: string | undefined): boolean => !Number.isNaN(Date.parse(value ?? ''))

const shownValue = ({ options }: Filter, value: string): string =>
  options?.find(([each]) => each === value)?.[1] ?? value

function FilterDialog({
  filters,
  first,
  values,
  onClose,
  onApply,
}: {
  filters: readonly Filter[]
  first: Filter | undefined
  values: FilterValues
  onClose: () => void
  onApply: (name: string, value: string) => void
}): ReactNode {
  const [name, setName] = useState(first?.name ?? filters[0]?.name ?? '')
  const filter = filters.find((each) => each.name === name)
  const [value, setValue] = useState(values[name] ?? '')
  const send = (event: FormEvent) => {
    event.preventDefault()
    onApply(name, value.trim())
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={words.filter}>
      <form onSubmit={send} className="mt-4 grid gap-4">
        <SelectField
          label={words.filter}
          value={name}
          options={filters.map((each) => [each.name, each.label])}
          onChange={(next) => {
            setName(next)
            setValue(values[next] ?? '')
          }}
        />
        {filter?.options ? (
          <SelectField
            label={filter.label}
            value={value}
            options={[['', words.any], ...filter.options]}
            onChange={setValue}
          />
        ) : filter?.type === 'datetime-local' ? (
          <TimeField label={filter.label} hint={filter.hint} value={value} onChange={setValue} />
        ) : (
          <TextField
            label={filter?.label ?? ''}
            hint={filter?.hint}
            type={filter?.type ?? 'text'}
            value={value}
            onChange={setValue}
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" look="primary">
            {words.apply}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
