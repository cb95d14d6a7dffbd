import type { PageIncident } from '@railyard/client'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Detail } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay } from '../../session/signed-in.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'
import { IncidentLayout } from './incident-layout.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const mayWrite = useMay('monitoring.write')
  const query = useLoad(
    ['hosted-pages', 'incidents', id],
    (api, signal) => api.hostedPages.incidents.get(id, { signal }),
    { refresh: 60_000 },
  )
  return (
    <Loaded query={query} title={words.hostedPages} lines={10}>
      {(incident) => (
        <IncidentLayout
          name={words.kinds[incident.kind] ?? incident.kind}
          list={{ text: words.hostedPages, to: 'hosted-pages' }}
          incident={incident}
          notes={{
            save: (api, notes) => api.hostedPages.incidents.update(incident.id, { notes }),
            changes: ['hosted-pages'],
          }}
          actions={mayWrite && !incident.closed_at && <CloseButton incident={incident} />}
          details={<AboutReports incident={incident} />}
        >
          <Card title={words.pageColumns.subject}>
            <p className="font-mono text-sm break-all">{incident.subject}</p>
            <p className="mt-2 text-sm text-ink-2">{words.next[incident.kind] ?? words.nextOther}</p>
          </Card>
        </IncidentLayout>
      )}
    </Loaded>
  )
}

function AboutReports({ incident }: { incident: PageIncident }): ReactNode {
  const names = words.pageColumns
  return (
    <>
      <Detail name={names.page}>{words.pages[incident.page] ?? incident.page}</Detail>
      <Detail name={names.reports}>{incident.reports}</Detail>
      <Detail name={names.last}>
        <Time at={incident.last_reported_at} form="both" />
      </Detail>
    </>
  )
}

function CloseButton({ incident }: { incident: PageIncident }): ReactNode {
  const dialog = useDialog()
  return (
    <>
      <Button look="primary" onClick={() => dialog.open(true)}>
        {words.closeIncident}
      </Button>
      {dialog.about && (
        <ConfirmDialog
          title={words.closeIncident}
          text={words.closeText}
          done={words.closedNow}
          run={(api) => api.hostedPages.incidents.update(incident.id, { closed: true })}
          changes={[['hosted-pages', 'incidents'], ['attention']]}
          onClose={dialog.close}
        />
      )}
    </>
  )
}
