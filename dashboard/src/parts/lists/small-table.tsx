import type { ReactNode } from 'react'
import type { Column } from './data-table.tsx'

/** A short list within a page, such as the payments of a buyer: no columns to choose, no keys. */
export function SmallTable<Row>({
  label,
  columns,
  rows,
  rowId,
  empty,
}: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  /** What stands there without a row. */
  empty: string
}): ReactNode {
  if (rows.length === 0) return <p className="text-sm text-ink-3">{empty}</p>
  const edge = (align: Column<Row>['align'], wide: boolean | undefined) =>
    `pr-3 last:pr-0 whitespace-nowrap ${align === 'end' ? 'text-right' : 'text-left'} ${wide ? 'max-md:hidden' : ''}`
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="overflow-x-auto" aria-label={label} tabIndex={0}>
      <table className="w-full text-sm">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ id, header, align, wide }) => (
              <th
                key={id}
                scope="col"
                className={`pb-1.5 text-xs font-medium text-ink-3 ${edge(align, wide)}`}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowId(row)}>
              {columns.map(({ id, align, wide, cell }) => (
                <td key={id} className={`max-w-72 truncate border-t border-line py-1.5 ${edge(align, wide)}`}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
