import type { MonitoringIncident } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Loaded } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'

/** Whether an incident is open, in a word. */
export const IncidentState = ({ closedAt }: { closedAt: string | null }): ReactNode => (
  <Tag tone={closedAt ? 'quiet' : 'bad'}>{closedAt ? words.closed : words.open}</Tag>
)

export function IncidentTable({ query }: { query: Loaded<MonitoringIncident> }): ReactNode {
  const { account } = useSignedIn()
  const at = `/${account}/monitoring/incidents`
  const columns: Column<MonitoringIncident>[] = [
    {
      id: 'state',
      header: words.columns.state,
      cell: ({ closed_at }) => <IncidentState closedAt={closed_at} />,
    },
    {
      id: 'metric',
      header: words.columns.metric,
      cell: ({ id, display_name }) => <Link to={`${at}/${id}`}>{display_name}</Link>,
    },
    { id: 'notes', header: words.columns.notes, wide: true, cell: ({ notes }) => notes },
    {
      id: 'opened',
      header: words.columns.opened,
      align: 'end',
      cell: ({ created_at }) => <QuietTime at={created_at} />,
    },
    {
      id: 'closed',
      header: words.columns.closed,
      align: 'end',
      wide: true,
      cell: ({ closed_at }) => <QuietTime at={closed_at} />,
    },
  ]
  return (
    <DataTable
      label={words.incidents}
      columns={columns}
      query={query}
      rowId={({ id }) => id}
      href={({ id }) => `${at}/${id}`}
      empty={<Empty title={words.noIncidents}>{words.noIncidentsText}</Empty>}
    />
  )
}
