import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Detail } from '../../parts/layout.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { eventLogWords as words } from '../../words/event-log.ts'

/** Leads to the events of a resource, which webhooks send, for people who may read them. */
export function EventsDetail({ resource }: { resource: string }): ReactNode {
  const { account, may } = useSignedIn()
  if (!may('webhook-subscriptions.read')) return null
  return (
    <Detail name={words.webhooks}>
      <Link className="underline" to={`/${account}/event-log?resource_id=${resource}`}>
        {words.ofResource}
      </Link>
    </Detail>
  )
}
