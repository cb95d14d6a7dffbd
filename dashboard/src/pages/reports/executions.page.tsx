import type { ReportExecution } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { reportWords as words } from '../../words/finance/reports.ts'
import { memberWords as members } from '../../words/members.ts'
import { executionColumns } from './execution-columns.tsx'
import { ReportTabs } from './report-tabs.tsx'

const names = words.executionFilters
const filters: Filter[] = [
  { name: 'report_name', label: names.report_name },
  {
    name: 'status',
    label: names.status,
    options: Object.entries(words.states).map(([value, text]) => [value, text ?? value]),
  },
  { name: 'created_at_gte', label: names.created_at_gte, type: 'datetime-local' },
  { name: 'created_at_lte', label: names.created_at_lte, type: 'datetime-local' },
]

const columns: Column<ReportExecution>[] = [
  {
    id: 'report',
    header: words.executionColumns.report,
    cell: ({ report }) => (
      <Link to={`../${report.id}`} relative="path">
        {report.name}
      </Link>
    ),
  },
  ...executionColumns,
]

/** The files of all reports. */
export function Page(): ReactNode {
  const [params] = useSearchParams()
  const filter = filterQuery(params, filters)
  const query = useList(
    ['report-executions', 'list', filter],
    (api, cursor, signal) =>
      api.reportExecutions.list({ ...(filter as object), cursor, limit: 50 }, { signal }).page(),
    { refresh: 30_000 },
  )
  return (
    <Layout title={words.title}>
      <ReportTabs current="files" />
      <FilterBar filters={filters} />
      <DataTable
        label={words.executions}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : (
            <Empty title={words.executionsNone}>{words.executionsNoneText}</Empty>
          )
        }
      />
    </Layout>
  )
}
