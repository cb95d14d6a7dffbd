import type { FlowVersion } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { routingWords } from '../../words/connections/routing.ts'
import type { Flow } from './flows.ts'

const words = routingWords.versions

/** Every version of a flow's rules. */
export function VersionList({ flow }: { flow: Flow }): ReactNode {
  const { account } = useSignedIn()
  const query = useList(['flows', flow, 'versions'], (api, cursor, signal) =>
    api.flows.versions.list(flow, { cursor, limit: 50 }, { signal }).page(),
  )
  const href = ({ version }: FlowVersion) => `/${account}/routing/${flow}/versions/${version}`
  const columns: Column<FlowVersion>[] = [
    {
      id: 'version',
      header: words.version,
      cell: (each) => <Link to={href(each)}>{words.name(each.version)}</Link>,
    },
    {
      id: 'state',
      header: words.state,
      cell: ({ state }) => (
        <Tag tone={state === 'live' ? 'good' : state === 'draft' ? 'warn' : 'quiet'}>
          {words.states[state] ?? state}
        </Tag>
      ),
    },
    { id: 'rules', header: words.rules, align: 'end', cell: ({ rules }) => rules },
    {
      id: 'published',
      header: words.published,
      align: 'end',
      cell: ({ published_at }) => <Time at={published_at} />,
    },
    {
      id: 'created',
      header: words.created,
      align: 'end',
      wide: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
  return (
    <DataTable
      label={words.title}
      columns={columns}
      query={query}
      rowId={({ version }) => String(version)}
      href={href}
      empty={<Empty title={words.none}>{words.noneText}</Empty>}
    />
  )
}
