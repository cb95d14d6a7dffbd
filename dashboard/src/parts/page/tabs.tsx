import type { ReactNode } from 'react'
import { Link } from 'react-router'

/** Tabs that are addresses, so that a tab can be bookmarked and sent. */
export function TabLinks({
  label,
  tabs,
  children,
}: {
  label: string
  tabs: readonly { text: string; to: string; current: boolean }[]
  /** Behind the tabs. */
  children?: ReactNode
}): ReactNode {
  return (
    <nav aria-label={label} className="mb-3 flex flex-wrap items-center gap-x-4 border-b border-line">
      {tabs.map(({ text, to, current }) => (
        <Link
          key={to}
          to={to}
          aria-current={current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent py-2 text-ink-2 aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {text}
        </Link>
      ))}
      {children}
    </nav>
  )
}
