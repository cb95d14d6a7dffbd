import type { SpendingLimit } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { approvalWords } from '../../words/approvals/approvals.ts'
import { spendingLimitWords as words } from '../../words/approvals/spending-limits.ts'
import { memberWords as members } from '../../words/members.ts'
import { resourcePath } from '../event-log/resource-path.ts'
import { useLimitActions } from './limit-actions.tsx'
import { limitColumns, nameSubject } from './limit-columns.tsx'
import { operationOptions } from './operation-options.ts'

const filters: Filter[] = [
  { name: 'operation', label: words.operation, options: operationOptions },
  { name: 'subject_id', label: words.subjectId },
]

/** The limits of the merchant account, with what is left of them. */
export function Page(): ReactNode {
  const [params] = useSearchParams()
  const filter = filterQuery(params, filters)
  const query = useList(
    ['spending-limits', 'list', filter],
    (api, cursor, signal) =>
      api.spendingLimits.list({ ...(filter as object), cursor, limit: 50 }, { signal }).page(),
    { refresh: 10_000 },
  )
  const actions = useLimitActions()
  const columns: Column<SpendingLimit>[] = [
    { id: 'subject', header: words.subject, cell: (limit) => <SubjectLink limit={limit} /> },
    ...limitColumns,
    ...(actions.column ? [actions.column] : []),
  ]
  return (
    <Layout
      title={words.title}
      actions={
        actions.set && (
          <Button look="primary" onClick={actions.set}>
            {words.set}
          </Button>
        )
      }
    >
      <p className="mb-3 text-sm text-ink-2">{words.about}</p>
      <FilterBar filters={filters} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
      {actions.dialogs}
    </Layout>
  )
}

function SubjectLink({ limit }: { limit: SpendingLimit }): ReactNode {
  const { account } = useSignedIn()
  const { subject } = limit
  const name = nameSubject(limit)
  const path = subject.name && resourcePath(subject)
  const text = subject.type === 'api-key-pair' ? approvalWords.keyPair(name) : name
  if (!path) return text
  return (
    <Link className="font-medium" to={`/${account}/${path}`}>
      {text}
    </Link>
  )
}
