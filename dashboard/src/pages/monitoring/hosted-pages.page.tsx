import type { HostedPageScript, PageIncident } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useList, useLoad } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Card, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'
import { IncidentState } from './incident-table.tsx'
import { MonitoringTabs } from './monitoring-tabs.tsx'

const columns: Column<PageIncident>[] = [
  {
    id: 'state',
    header: words.pageColumns.state,
    cell: ({ closed_at }) => <IncidentState closedAt={closed_at} />,
  },
  {
    id: 'kind',
    header: words.pageColumns.kind,
    cell: ({ id, kind }) => <Link to={id}>{words.kinds[kind] ?? kind}</Link>,
  },
  {
    id: 'subject',
    header: words.pageColumns.subject,
    cell: ({ subject }) => <code className="font-mono text-sm">{subject}</code>,
  },
  {
    id: 'page',
    header: words.pageColumns.page,
    wide: true,
    cell: ({ page }) => words.pages[page] ?? page,
  },
  {
    id: 'reports',
    header: words.pageColumns.reports,
    align: 'end',
    wide: true,
    cell: ({ reports }) => reports,
  },
  {
    id: 'last',
    header: words.pageColumns.last,
    align: 'end',
    wide: true,
    cell: ({ last_reported_at }) => <QuietTime at={last_reported_at} />,
  },
]

/** What protects the pages that buyers see: what was blocked there, and which scripts they run. */
export function Page(): ReactNode {
  const { account } = useSignedIn()
  const query = useList(
    ['hosted-pages', 'incidents', 'list'],
    (api, cursor, signal) => api.hostedPages.incidents.list({ cursor, limit: 50 }, { signal }).page(),
    { refresh: 60_000 },
  )
  return (
    <Layout title={words.title}>
      <MonitoringTabs current="hostedPages" />
      <h2 className="font-semibold">{words.pageIncidents}</h2>
      <p className="mt-1 mb-3 max-w-3xl text-sm text-ink-2">{words.pageIncidentsText}</p>
      <DataTable
        label={words.pageIncidents}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/monitoring/hosted-pages/${id}`}
        empty={<Empty title={words.noPageIncidents}>{words.noPageIncidentsText}</Empty>}
      />
      <Scripts />
    </Layout>
  )
}

function Scripts(): ReactNode {
  const query = useLoad(['hosted-pages', 'scripts'], (api, signal) =>
    api.hostedPages.scripts.list({ signal }).page(),
  )
  return (
    <Card title={words.scripts} className="mt-6">
      <p className="mb-3 max-w-3xl text-sm text-ink-2">{words.scriptsText}</p>
      <Loaded query={query}>
        {({ items }) => (
          <SmallTable
            label={words.scripts}
            columns={scriptColumns}
            rows={items}
            rowId={({ page, url, purpose, integrity }) => [page, url, purpose, integrity].join(' ')}
            empty={words.noScripts}
          />
        )}
      </Loaded>
    </Card>
  )
}

const scriptNames = words.scriptColumns
const scriptColumns: Column<HostedPageScript>[] = [
  { id: 'page', header: scriptNames.page, cell: ({ page }) => words.pages[page] ?? page },
  {
    id: 'purpose',
    header: scriptNames.purpose,
    cell: ({ purpose }) => <span className="whitespace-normal">{purpose}</span>,
  },
  {
    id: 'place',
    header: scriptNames.place,
    cell: ({ url }) =>
      url === null ? words.inline : <span className="break-all whitespace-normal">{url}</span>,
  },
  {
    id: 'hash',
    header: scriptNames.hash,
    cell: ({ integrity }) =>
      integrity === null ? (
        <span className="whitespace-normal">{words.noHash}</span>
      ) : (
        <CopyText text={integrity} short />
      ),
  },
  { id: 'size', header: scriptNames.size, align: 'end', cell: ({ size }) => size ?? commonWords.none },
]
