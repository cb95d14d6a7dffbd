import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { SearchBox } from '../../parts/lists/search-box.tsx'
import { Empty, ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Page as Layout, Skeleton } from '../../parts/page/layout.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'
import { MetricChart, newest, PeriodField, usePeriod } from './metric-chart.tsx'
import { MetricDialog } from './metric-dialog.tsx'
import { MonitoringTabs } from './monitoring-tabs.tsx'

const MINUTE_MS = 60_000

/** The metrics that are watched, each with its chart. */
export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('monitoring.write')
  const dialog = useDialog()
  const period = usePeriod()
  const search = useSearchParams()[0].get('search') ?? ''
  const query = useList(
    ['monitoring', 'metrics', 'list', period, search],
    (api, cursor, signal) =>
      api.monitoring.metrics
        .list(
          { samples_timestamp_interval: period, ...(search && { search }), cursor, limit: 10 },
          { signal },
        )
        .page(),
    { refresh: MINUTE_MS },
  )
  const metrics = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Layout
      title={words.title}
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => dialog.open(true)}>
            {words.create}
          </Button>
        )
      }
    >
      <MonitoringTabs current="metrics" />
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <PeriodField />
        <SearchBox placeholder={words.metrics} />
      </div>
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton lines={8} />}
      {query.isSuccess && metrics.length === 0 && (
        <Empty title={search ? words.noneFound : words.noMetrics}>{!search && words.noMetricsText}</Empty>
      )}
      <div className="grid gap-x-4 lg:grid-cols-2">
        {metrics.map((metric) => (
          <Card key={metric.id} className="min-w-0">
            <div className="mb-2 flex items-baseline justify-between gap-3">
              <h2 className="min-w-0 font-semibold break-words">
                <Link className="hover:underline" to={`/${account}/monitoring/metrics/${metric.id}`}>
                  {metric.display_name}
                </Link>
              </h2>
              <span className="text-lg font-semibold">{newest(metric)}</span>
            </div>
            <MetricChart metric={metric} height={160} />
          </Card>
        ))}
      </div>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {commonWords.loadMore}
        </Button>
      )}
      {dialog.about && <MetricDialog onClose={dialog.close} />}
    </Layout>
  )
}
