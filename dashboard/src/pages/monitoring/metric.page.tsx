import type { MonitoringMetric } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { formatPercent } from '../../api/metrics.ts'
import { useList, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'
import { IncidentTable } from './incident-table.tsx'
import { MetricChart, PeriodField, thresholdsOf, usePeriod } from './metric-chart.tsx'
import { MetricDialog } from './metric-dialog.tsx'
import { SpecDetails } from './spec-details.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const mayWrite = useMay('monitoring.write')
  const period = usePeriod()
  const query = useLoad(
    ['monitoring', 'metrics', id, period],
    (api, signal) => api.monitoring.metrics.get(id, { samples_timestamp_interval: period }, { signal }),
    { refresh: 60_000 },
  )
  const incidents = useList(['monitoring', 'metrics', id, 'incidents'], (api, cursor, signal) =>
    api.monitoring.metrics.incidents.list(id, { cursor, limit: 20 }, { signal }).page(),
  )
  return (
    <Loaded query={query} title={words.metrics} lines={12}>
      {(metric) => (
        <Layout
          title={metric.display_name}
          above={[{ text: words.title, to: `/${account}/monitoring` }]}
          actions={mayWrite && <MetricActions metric={metric} />}
        >
          <Columns
            main={
              <>
                <Card>
                  <div className="mb-3">
                    <PeriodField />
                  </div>
                  <MetricChart metric={metric} />
                </Card>
                <h2 className="mb-2 font-semibold">{words.incidents}</h2>
                <IncidentTable query={incidents} />
              </>
            }
            side={<MetricDetails metric={metric} />}
          />
        </Layout>
      )}
    </Loaded>
  )
}

function MetricDetails({ metric }: { metric: MonitoringMetric }): ReactNode {
  const name = words.detail
  const thresholds = thresholdsOf(metric.alerting_policy)
  return (
    <Card title={words.details}>
      <Details>
        <Detail name={name.id}>
          <CopyText text={metric.id} short />
        </Detail>
        <SpecDetails spec={metric.spec} />
        <Detail name={name.threshold}>
          {thresholds.length > 0
            ? thresholds.map(({ name: side, value }) => `${side} ${formatPercent(value)}`).join(', ')
            : words.noThreshold}
        </Detail>
        {metric.incident_policy && (
          <>
            <Detail name={name.opens}>{words.after(metric.incident_policy.params.create_after_n)}</Detail>
            <Detail name={name.closes}>{words.after(metric.incident_policy.params.close_after_n)}</Detail>
          </>
        )}
        <Detail name={name.creator}>{metric.creator_display_name}</Detail>
        <Detail name={name.created}>
          <Time at={metric.created_at} form="both" />
        </Detail>
        <Detail name={name.updated}>
          <Time at={metric.updated_at} form="both" />
        </Detail>
      </Details>
    </Card>
  )
}

function MetricActions({ metric }: { metric: MonitoringMetric }): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const dialog = useDialog<'edit' | 'delete'>()
  return (
    <>
      <Button onClick={() => dialog.open('edit')}>{words.edit}</Button>
      <Button onClick={() => dialog.open('delete')}>{words.remove}</Button>
      {dialog.about === 'edit' && <MetricDialog metric={metric} onClose={dialog.close} />}
      {dialog.about === 'delete' && (
        <ConfirmDialog
          title={words.remove}
          text={words.removeText}
          done={words.removed}
          danger
          run={(api) => api.monitoring.metrics.delete(metric.id)}
          // not the metric itself, which is gone
          changes={[['monitoring', 'metrics', 'list'], ['monitoring', 'incidents'], ['attention']]}
          onDone={() => navigate(`/${account}/monitoring`)}
          onClose={dialog.close}
        />
      )}
    </>
  )
}
