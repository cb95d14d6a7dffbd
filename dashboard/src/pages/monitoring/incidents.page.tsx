import type { ReactNode } from 'react'
import { useList } from '../../api/use-api.ts'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'
import { IncidentTable } from './incident-table.tsx'
import { MonitoringTabs } from './monitoring-tabs.tsx'

export function Page(): ReactNode {
  const query = useList(
    ['monitoring', 'incidents', 'list'],
    (api, cursor, signal) => api.monitoring.incidents.list({ cursor, limit: 50 }, { signal }).page(),
    { refresh: 60_000 },
  )
  return (
    <Layout title={words.title}>
      <MonitoringTabs current="incidents" />
      <IncidentTable query={query} />
    </Layout>
  )
}
