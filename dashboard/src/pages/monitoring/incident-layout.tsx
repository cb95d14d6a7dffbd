import type { ReactNode } from 'react'
import { Card, Columns, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'
import { IncidentState } from './incident-table.tsx'
import { NotesCard } from './notes-card.tsx'

/** What every page of an incident has: where it is from, its state, its notes, and when it opened and closed. */
export function IncidentLayout({
  name,
  title = name,
  list,
  incident,
  notes,
  actions,
  details,
  below,
  children,
}: {
  name: string
  /** Of the document, if it is another than the name. */
  title?: string
  /** The list that it is in. */
  list: { text: string; to: string }
  incident: { id: string; notes: string | null; created_at: string; closed_at: string | null }
  /** How notes are saved. */
  notes: Pick<Parameters<typeof NotesCard>[0], 'save' | 'changes'>
  actions?: ReactNode
  /** `Detail`s. */
  details: ReactNode
  /** A remark below the details. */
  below?: ReactNode
  /** Above the notes. */
  children: ReactNode
}): ReactNode {
  const { account } = useSignedIn()
  const root = `/${account}/monitoring`
  return (
    <Layout
      title={title}
      above={[
        { text: words.title, to: root },
        { text: list.text, to: `${root}/${list.to}` },
      ]}
      heading={
        <Heading>
          <span className="min-w-0 break-words">{name}</span>
          <IncidentState closedAt={incident.closed_at} />
        </Heading>
      }
      actions={actions}
    >
      <Columns
        main={
          <>
            {children}
            <NotesCard key={incident.id} notes={incident.notes} {...notes} />
          </>
        }
        side={
          <Card title={words.details}>
            <Details>
              {details}
              <Detail name={words.columns.opened}>
                <Time at={incident.created_at} form="both" />
              </Detail>
              <Detail name={words.columns.closed}>
                {incident.closed_at && <Time at={incident.closed_at} form="both" />}
              </Detail>
            </Details>
            {below}
          </Card>
        }
      />
    </Layout>
  )
}
