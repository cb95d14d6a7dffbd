import { SlidersHorizontal } from 'lucide-react'
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useNavigate } from 'react-router'
import type { Loaded } from '../../api/use-api.ts'
import { commonWords as words } from '../../words/common.ts'
import { Dialog } from '../dialogs/dialog.tsx'
import { CheckField } from '../forms/field.tsx'
import { ErrorNotice } from '../messages/notice.tsx'
import { Button } from '../page/button.tsx'
import { useShortcut } from '../page/shortcuts.ts'

export interface Column<Row> {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** `end`: for numbers. */
  align?: 'end'
  /** False: shown once a person chooses it. */
  shown?: boolean
  /** Left out on a phone. */
  wide?: boolean
}

interface DataTableProps<Row> {
  /** What the rows are; chosen columns are kept under it. */
  label: string
  columns: readonly Column<Row>[]
  query: Loaded<Row>
  rowId: (row: Row) => string
  /** Where a row leads. */
  href?: (row: Row) => string
  /** What stands there without a row. */
  empty: ReactNode
  /** What can be done with selected rows; without it none can be selected. */
  selection?: ((rows: Row[], clear: () => void) => ReactNode) | undefined
  /** What else the element of a row has, such as being draggable. */
  rowProps?: (row: Row, index: number) => HTMLAttributes<HTMLElement>
}

/**
 * A list with columns to choose and rows to select. Keys: `j` and `k` move, `Enter` opens, `x` selects. A row is
 * a link in its first cell, too, so that it can be opened in another tab.
 */
export function DataTable<Row>({
  label,
  columns,
  query,
  rowId,
  href,
  empty,
  selection,
  rowProps,
}: DataTableProps<Row>): ReactNode {
  const navigate = useNavigate()
  const [visibility, setVisibility] = useStoredColumns(label, columns)
  const [selected, setSelected] = useState<Record<string, boolean>>({})
  const [isChoosing, setChoosing] = useState(false)
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const shown = columns.filter(({ id }) => visibility[id] !== false)
  const chosen = rows.filter((row) => selected[rowId(row)])
  const move = (step: number) => {
    const all = [...(body.current?.querySelectorAll<HTMLElement>('tr[data-row]') ?? [])]
    const at = all.indexOf(document.activeElement?.closest('tr') as HTMLElement)
    all[Math.max(0, Math.min(all.length - 1, at + step))]?.focus()
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))

  const pressed = (event: KeyboardEvent, row: Row) => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter' && href) navigate(href(row))
    else if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'x' && selection)
      setSelected((before) => ({ ...before, [rowId(row)]: !before[rowId(row)] }))
    else return
    event.preventDefault()
  }
  const isEmpty = query.isSuccess && rows.length === 0

  return (
    <div>
      {selection && chosen.length > 0 && (
        <div
          role="status"
          className="mb-2 flex flex-wrap items-center gap-2 rounded-md bg-accent-soft px-3 py-2"
        >
          <span className="mr-auto font-medium">{words.selected(chosen.length)}</span>
          {selection(chosen, () => setSelected({}))}
          <Button look="quiet" onClick={() => setSelected({})}>
            {words.clear}
          </Button>
        </div>
      )}
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      <div
        className="relative overflow-x-auto rounded-lg border border-line bg-surface"
        aria-busy={query.isFetching}
        // what scrolls must be reachable by keyboard, also without a row
        tabIndex={isEmpty ? 0 : undefined}
      >
        <table className="w-full border-separate border-spacing-0">
          <caption className="sr-only">{label}</caption>
          <thead>
            <tr>
              {selection && (
                <th scope="col" className="h-8 w-8 border-b border-line bg-sunken pl-3 text-left">
                  <input
                    type="checkbox"
                    aria-label={words.selectAll}
                    checked={rows.length > 0 && chosen.length === rows.length}
                    className="accent-(--accent)"
                    onChange={({ target }) =>
                      setSelected(
                        target.checked ? Object.fromEntries(rows.map((row) => [rowId(row), true])) : {},
                      )
                    }
                  />
                </th>
              )}
              {shown.map(({ id, header, align, wide }) => (
                <th
                  key={id}
                  scope="col"
                  className={`h-8 border-b border-line bg-sunken px-3 text-xs font-medium whitespace-nowrap text-ink-3 ${align === 'end' ? 'text-right' : 'text-left'} ${wide ? 'max-md:hidden' : ''}`}
                >
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {query.isPending && <SkeletonRows columns={shown.length + (selection ? 1 : 0)} />}
            {rows.map((row, index) => {
              const name = rowId(row)
              return (
                <tr
                  {...rowProps?.(row, index)}
                  key={name}
                  data-row={name}
                  tabIndex={-1}
                  aria-selected={selection ? Boolean(selected[name]) : undefined}
                  onKeyDown={(event) => pressed(event, row)}
                  onClick={(event) => {
                    const isControl = (event.target as Element).closest('a, button, input, label')
                    if (href && !isControl && !getSelection()?.toString()) navigate(href(row))
                  }}
                  className={`${href ? 'cursor-pointer hover:bg-sunken' : ''} focus:bg-accent-soft focus:outline-none aria-selected:bg-accent-soft [&:last-child>td]:border-b-0`}
                >
                  {selection && (
                    <td className="h-(--row) border-b border-line pl-3">
                      <input
                        type="checkbox"
                        aria-label={words.selectRow(name)}
                        checked={Boolean(selected[name])}
                        className="accent-(--accent)"
                        onChange={() => setSelected((before) => ({ ...before, [name]: !before[name] }))}
                      />
                    </td>
                  )}
                  {shown.map((column) => (
                    <td
                      key={column.id}
                      className={`h-(--row) max-w-56 truncate border-b border-line px-3 whitespace-nowrap ${column.align === 'end' ? 'text-right font-medium' : ''} ${column.wide ? 'max-md:hidden' : ''}`}
                    >
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
        {isEmpty && empty}
      </div>
      <div className="mt-2 flex items-center justify-between gap-2">
        <Button look="quiet" onClick={() => setChoosing(true)}>
          <SlidersHorizontal aria-hidden size={14} /> {words.columns}
        </Button>
        {query.hasNextPage && (
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {words.loadMore}
          </Button>
        )}
      </div>
      <Dialog open={isChoosing} onClose={() => setChoosing(false)} title={words.columns}>
        <div className="mt-4 grid gap-2">
          {columns.map(({ id, header }) => (
            <CheckField
              key={id}
              label={header}
              checked={visibility[id] !== false}
              onChange={(checked) => setVisibility({ ...visibility, [id]: checked })}
            />
          ))}
          <Button className="mt-2 justify-self-end" onClick={() => setChoosing(false)}>
            {words.close}
          </Button>
        </div>
      </Dialog>
    </div>
  )
}

const SkeletonRows = ({ columns }: { columns: number }): ReactNode =>
  Array.from({ length: 8 }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike
    <tr key={row} aria-hidden>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cells are alike
        <td key={column} className="h-(--row) border-b border-line px-3">
          <div className="skeleton h-3.5" />
        </td>
      ))}
    </tr>
  ))

/** The columns that this browser shows of a list. */
function useStoredColumns<Row>(
  label: string,
  columns: readonly Column<Row>[],
): [Record<string, boolean>, (next: Record<string, boolean>) => void] {
  const place = `railyard.columns.${label}`
  const [stored, setStored] = useState<Record<string, boolean>>(() => readStored(place))
  useEffect(() => localStorage.setItem(place, JSON.stringify(stored)), [place, stored])
  const all = Object.fromEntries(columns.map(({ id, shown = true }) => [id, stored[id] ?? shown]))
  return [all, setStored]
}

function readStored(place: string): Record<string, boolean> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? '{}')
    return typeof stored === 'object' && stored !== null ? (stored as Record<string, boolean>) : {}
  } catch {
    return {}
  }
}
