import type { ListReportsQuery, Report } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar, useFilters } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { ButtonLink } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { QuietTime } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { reportWords as words } from '../../words/finance/reports.ts'
import { ExecutionState } from './execution-state.tsx'
import { ReportTabs } from './report-tabs.tsx'

const filters: Filter[] = [
  { name: 'name', label: words.filters.name },
  {
    name: 'schedule',
    label: words.filters.schedule,
    options: Object.entries(words.schedules).map(([value, text]) => [value, text ?? value]),
  },
  {
    name: 'schedule_enabled',
    label: words.filters.schedule_enabled,
    options: [
      ['true', commonWords.yes],
      ['false', commonWords.no],
    ],
  },
]

const columns: Column<Report>[] = [
  { id: 'name', header: words.columns.name, cell: ({ id, name }) => <Link to={id}>{name}</Link> },
  {
    id: 'latest',
    header: words.columns.latest,
    cell: ({ latest_execution: latest }) => latest && <ExecutionState execution={latest} />,
  },
  {
    id: 'model',
    header: words.columns.model,
    wide: true,
    cell: ({ spec: { model } }) => words.models[model] ?? model,
  },
  {
    id: 'schedule',
    header: words.columns.schedule,
    cell: ({ schedule, schedule_enabled }) => (
      <>
        {words.schedules[schedule] ?? schedule}{' '}
        {schedule !== 'once' && !schedule_enabled && <Tag>{words.paused}</Tag>}
      </>
    ),
  },
  {
    id: 'next',
    header: words.columns.next,
    align: 'end',
    wide: true,
    cell: ({ next_execution_at, schedule_enabled }) => (
      <QuietTime at={schedule_enabled ? next_execution_at : null} />
    ),
  },
  {
    id: 'creator',
    header: words.columns.creator,
    wide: true,
    cell: ({ creator_display_name }) => creator_display_name,
  },
  {
    id: 'created',
    header: words.columns.created,
    align: 'end',
    shown: false,
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('reports.write')
  const [params] = useSearchParams()
  const [{ name, schedule, schedule_enabled: enabled }] = useFilters(filters)
  const filter: ListReportsQuery = {
    ...(name && { name }),
    ...(schedule && { schedule: [schedule] }),
    ...(enabled && { schedule_enabled: enabled === 'true' }),
  }
  const query = useList(
    ['reports', 'list', filter],
    (api, cursor, signal) => api.reports.list({ ...filter, cursor, limit: 50 }, { signal }).page(),
    { refresh: 30_000 },
  )
  const isFiltered = params.size > 0
  return (
    <Layout
      title={words.title}
      actions={
        mayWrite && (
          <ButtonLink look="primary" to={`/${account}/reports/new`}>
            {words.create}
          </ButtonLink>
        )
      }
    >
      <ReportTabs current="reports" />
      <FilterBar filters={filters} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/reports/${id}`}
        empty={
          <Empty title={isFiltered ? words.noneFound : words.none}>
            {isFiltered ? words.noneFoundText : words.noneText}
          </Empty>
        }
      />
    </Layout>
  )
}
