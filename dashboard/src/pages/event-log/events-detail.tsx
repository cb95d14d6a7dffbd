import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import { Detail } from '../../parts/page/layout.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { eventLogWords as words } from '../../words/developers/event-log.ts'

/** Leads to the events of a resource and to their deliveries, for people who may read them. */
export function EventsDetail({ resource }: { resource: string }): ReactNode {
  const { account, may } = useSignedIn()
  const mayRead = may('webhook-subscriptions.read')
  const { data: subscriptions = [] } = useLoad(
    ['webhook-subscriptions', 'all'],
    (api, signal) => every(api.webhookSubscriptions.list({ limit: 100 }, { signal })),
    { enabled: mayRead },
  )
  if (!mayRead) return null
  return (
    <>
      <Detail name={words.webhooks}>
        <Link className="underline" to={`/${account}/event-log?resource_id=${resource}`}>
          {words.ofResource}
        </Link>
      </Detail>
      <Detail name={words.deliveries}>
        {subscriptions.length > 0 && (
          <ul>
            {subscriptions.map(({ id, url }) => (
              <li key={id}>
                <Link className="underline" to={`/${account}/webhooks/${id}?resource_id=${resource}`}>
                  {url}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Detail>
    </>
  )
}
