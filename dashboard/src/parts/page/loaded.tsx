import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from '../messages/notice.tsx'
import { Page, Skeleton } from './layout.tsx'

/** What was loaded, or that it is loading, or why it could not be loaded. */
export function Loaded<Data>({
  query,
  title,
  lines,
  children,
}: {
  query: UseQueryResult<Data>
  /** Of a whole page: its heading until it is loaded. */
  title?: string
  /** How many lines of skeleton. */
  lines?: number
  children: (data: Data) => ReactNode
}): ReactNode {
  if (query.data !== undefined) return children(query.data)
  const instead = query.error ? (
    <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  ) : (
    <Skeleton {...(lines !== undefined && { lines })} />
  )
  return title ? <Page title={title}>{instead}</Page> : instead
}
