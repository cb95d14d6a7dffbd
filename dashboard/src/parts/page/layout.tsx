import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { commonWords as words } from '../../words/common.ts'
import { Amount } from '../values/values.tsx'
import { useTitle } from './use-title.ts'

interface PageProps {
  title: string
  /** What stands in place of the title, such as an amount with a status. */
  heading?: ReactNode
  /** The pages above this one. */
  above?: readonly { text: ReactNode; to: string }[]
  /** Buttons. */
  actions?: ReactNode
  children: ReactNode
}

/** A page: its title, what one can do, and its content. */
export function Page({ title, heading, above = [], actions, children }: PageProps): ReactNode {
  useTitle(title)
  return (
    <>
      <header className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="min-w-0">
          {above.length > 0 && (
            <nav aria-label={words.breadcrumb} className="text-sm text-ink-3">
              {above.map(({ text, to }) => (
                <span key={to}>
                  <Link to={to} className="hover:text-ink hover:underline">
                    {text}
                  </Link>{' '}
                  /{' '}
                </span>
              ))}
            </nav>
          )}
          <h1 className="text-xl font-semibold tracking-tight break-words">{heading ?? title}</h1>
        </div>
        {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </>
  )
}

/** A heading with tags behind it. */
export const Heading = ({ children }: { children: ReactNode }): ReactNode => (
  <span className="flex flex-wrap items-center gap-3">{children}</span>
)

/** A heading of which an amount is the main thing, with tags behind it. */
export const AmountHeading = ({
  of,
  currency,
  children,
}: {
  of: number
  currency: string
  children: ReactNode
}): ReactNode => (
  <Heading>
    <span className="text-2xl font-semibold">
      <Amount of={of} currency={currency} />
    </span>
    {children}
  </Heading>
)

/** A part of a page with a heading. */
export function Card({
  title,
  aside,
  children,
  className = '',
}: {
  title?: string
  /** Beside the heading. */
  aside?: ReactNode
  children: ReactNode
  className?: string
}): ReactNode {
  return (
    <section className={`mb-4 rounded-lg border border-line bg-surface p-4 ${className}`}>
      {title && (
        <div className="mb-3 flex items-center justify-between gap-3">
          <h2 className="font-semibold">{title}</h2>
          {aside && <div className="text-sm text-ink-3">{aside}</div>}
        </div>
      )}
      {children}
    </section>
  )
}

/** Names and values below each other: `Detail`s. */
export const Details = ({ children }: { children: ReactNode }): ReactNode => (
  <dl className="grid grid-cols-[fit-content(45%)_minmax(0,1fr)] gap-x-3 gap-y-[7px] text-sm">{children}</dl>
)

/** A name and its value; nothing if there is no value. */
export function Detail({ name, children }: { name: string; children: ReactNode }): ReactNode {
  if (children === null || children === undefined || children === '' || children === false) return null
  return (
    <div className="contents">
      <dt className="min-w-24 wrap-anywhere text-ink-3">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

/** Figures beside each other, such as amounts: `Figure`s. */
export const Figures = ({ children }: { children: ReactNode }): ReactNode => (
  <dl className="my-4 grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-surface max-sm:[&>:last-child:nth-child(odd)]:col-span-2 sm:grid-cols-[repeat(auto-fit,minmax(150px,1fr))]">
    {children}
  </dl>
)

export const Figure = ({
  name,
  note,
  children,
}: {
  name: string
  /** A remark below, such as the change since yesterday. */
  note?: ReactNode
  children: ReactNode
}): ReactNode => (
  <div className="px-4 py-3 shadow-[0_0_0_1px_var(--line)]">
    <dt className="text-xs text-ink-3">{name}</dt>
    <dd className="text-lg font-semibold">{children}</dd>
    {note && <dd className="text-xs text-ink-3">{note}</dd>}
  </div>
)

/** The wide and the narrow column of a detail page; below each other on a phone. */
export const Columns = ({ main, side }: { main: ReactNode; side: ReactNode }): ReactNode => (
  <div className="grid items-start gap-x-6 lg:grid-cols-[minmax(0,1fr)_316px]">
    <div className="min-w-0">{main}</div>
    <aside className="min-w-0">{side}</aside>
  </div>
)

/** Grey lines in the place of text that is loading. */
export const Skeleton = ({ lines = 3 }: { lines?: number }): ReactNode => (
  <div role="status" aria-label={words.loading} className="grid gap-2">
    {Array.from({ length: lines }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike
      <div key={index} className="skeleton h-4" />
    ))}
  </div>
)
