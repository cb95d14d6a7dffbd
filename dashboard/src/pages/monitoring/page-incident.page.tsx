import type { PageIncident } from '@railyard/client'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialog.tsx'
import { Card, Columns, Detail, Details, Heading, Page as Layout } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Time } from '../../parts/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { monitoringWords as words } from '../../words/monitoring.ts'
import { IncidentState } from './incident-table.tsx'
import { NotesCard } from './notes-card.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const mayWrite = useMay('monitoring.write')
  const query = useLoad(
    ['hosted-pages', 'incidents', id],
    (api, signal) => api.hostedPages.incidents.get(id, { signal }),
    { refresh: 60_000 },
  )
  return (
    <Loaded query={query} title={words.hostedPages} lines={10}>
      {(incident) => (
        <Layout
          title={words.kinds[incident.kind] ?? incident.kind}
          above={[
            { text: words.title, to: `/${account}/monitoring` },
            { text: words.hostedPages, to: `/${account}/monitoring/hosted-pages` },
          ]}
          heading={
            <Heading>
              {words.kinds[incident.kind] ?? incident.kind}
              <IncidentState closedAt={incident.closed_at} />
            </Heading>
          }
          actions={mayWrite && !incident.closed_at && <CloseButton incident={incident} />}
        >
          <Columns
            main={
              <>
                <Card title={words.pageColumns.subject}>
                  <p className="font-mono text-sm break-all">{incident.subject}</p>
                  <p className="mt-2 text-sm text-ink-2">{words.next[incident.kind] ?? words.nextOther}</p>
                </Card>
                <NotesCard
                  key={incident.id}
                  notes={incident.notes}
                  save={(api, notes) => api.hostedPages.incidents.update(incident.id, { notes })}
                  changes={['hosted-pages']}
                />
              </>
            }
            side={<IncidentDetails incident={incident} />}
          />
        </Layout>
      )}
    </Loaded>
  )
}

function IncidentDetails({ incident }: { incident: PageIncident }): ReactNode {
  const names = words.pageColumns
  return (
    <Card title={words.details}>
      <Details>
        <Detail name={names.page}>{words.pages[incident.page] ?? incident.page}</Detail>
        <Detail name={names.reports}>{incident.reports}</Detail>
        <Detail name={names.last}>
          <Time at={incident.last_reported_at} form="both" />
        </Detail>
        <Detail name={names.opened}>
          <Time at={incident.created_at} form="both" />
        </Detail>
        <Detail name={words.columns.closed}>
          {incident.closed_at && <Time at={incident.closed_at} form="both" />}
        </Detail>
      </Details>
    </Card>
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
