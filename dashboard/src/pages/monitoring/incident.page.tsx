import type { MonitoringIncident } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { Card, Detail } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'
import { IncidentLayout } from './incident-layout.tsx'
import { MetricChart } from './metric-chart.tsx'
import { SpecDetails } from './spec-details.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const query = useLoad(
    ['monitoring', 'incidents', id],
    (api, signal) => api.monitoring.incidents.get(id, { signal }),
    { refresh: 60_000 },
  )
  return (
    <Loaded query={query} title={words.incident} lines={10}>
      {(incident) => (
        <IncidentLayout
          name={incident.display_name}
          title={`${words.incident}: ${incident.display_name}`}
          list={{ text: words.incidents, to: 'incidents' }}
          incident={incident}
          notes={{
            save: (api, notes) => api.monitoring.incidents.update(incident.id, { notes }),
            changes: ['monitoring'],
          }}
          details={<AboutMetric incident={incident} />}
          below={
            !incident.closed_at &&
            incident.metric_id && <p className="mt-3 text-sm text-ink-2">{words.closesItself}</p>
          }
        >
          {incident.metric_id && <AroundIncident incident={incident} metricId={incident.metric_id} />}
        </IncidentLayout>
      )}
    </Loaded>
  )
}

const HOUR_MS = 3_600_000

/** The samples from an hour before an incident to an hour after its end; a day at most. */
function intervalAround({ created_at, closed_at }: MonitoringIncident): string {
  const start = new Date(created_at).getTime() - HOUR_MS
  const end = (closed_at ? new Date(closed_at).getTime() : start + HOUR_MS) + HOUR_MS
  const latest = Math.min(end, start + 24 * HOUR_MS)
  return `${new Date(start).toISOString()}/${new Date(latest).toISOString()}`
}

function AroundIncident({
  incident,
  metricId,
}: {
  incident: MonitoringIncident
  metricId: string
}): ReactNode {
  const interval = intervalAround(incident)
  const query = useLoad(['monitoring', 'metrics', metricId, interval], (api, signal) =>
    api.monitoring.metrics.get(metricId, { samples_timestamp_interval: interval }, { signal }),
  )
  return (
    <Card title={words.around}>
      <Loaded query={query}>
        {(metric) =>
          metric.samples_view?.length ? (
            // the policy of the incident, which the metric may have changed since
            <MetricChart metric={{ ...metric, alerting_policy: incident.alerting_policy }} />
          ) : (
            <p className="text-sm text-ink-2">{words.samplesGone}</p>
          )
        }
      </Loaded>
    </Card>
  )
}

function AboutMetric({ incident }: { incident: MonitoringIncident }): ReactNode {
  const { account } = useSignedIn()
  return (
    <>
      <Detail name={words.columns.metric}>
        {incident.metric_id ? (
          <Link className="underline" to={`/${account}/monitoring/metrics/${incident.metric_id}`}>
            {words.toMetric}
          </Link>
        ) : (
          words.deletedMetric
        )}
      </Detail>
      <SpecDetails spec={incident.spec} />
    </>
  )
}
