import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { CopyText, Json, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { webhookWords } from '../../words/developers/webhooks.ts'
import { resourcePath } from '../event-log/resource-path.ts'
import { Attempt } from './attempt.tsx'
import { DeliveryState } from './webhook-state.tsx'

const words = webhookWords.delivery

export function Page(): ReactNode {
  const { id = '', delivery: deliveryId = '' } = useParams()
  const { account } = useSignedIn()
  const mayWrite = useMay('webhook-subscriptions.write')
  const say = useSay()
  const query = useLoad(
    ['webhook-subscriptions', id, 'deliveries', deliveryId],
    (api, signal) => api.webhookSubscriptions.deliveries.get(id, deliveryId, { signal }),
    { refresh: 5_000 },
  )
  const retry = useAction({
    run: (api) => api.webhookSubscriptions.deliveries.retry(id, deliveryId),
    onDone: () => say(words.retried),
    changes: [['webhook-subscriptions']],
  })
  return (
    <Loaded query={query} title={words.title} lines={10}>
      {(delivery) => {
        const path = resourcePath(delivery.event.target)
        return (
          <Layout
            title={delivery.event_name}
            above={[
              { text: webhookWords.title, to: `/${account}/webhooks` },
              { text: webhookWords.deliveries.title, to: `/${account}/webhooks/${id}` },
            ]}
            heading={
              <Heading>
                {delivery.event_name} <DeliveryState of={delivery} />
              </Heading>
            }
            actions={
              mayWrite && (
                <Button busy={retry.isPending} onClick={() => retry.mutate()}>
                  {words.retry}
                </Button>
              )
            }
          >
            {retry.error && <ErrorNotice error={retry.error} />}
            <Columns
              main={
                <>
                  <Card title={words.attempts}>
                    {delivery.attempts.length === 0 && <p className="text-sm">{words.noAttempts}</p>}
                    <ol className="grid gap-4">
                      {delivery.attempts.toReversed().map((attempt) => (
                        <li key={attempt.at}>
                          <Attempt attempt={attempt} />
                        </li>
                      ))}
                    </ol>
                  </Card>
                  <Card title={words.sent}>
                    <Json value={delivery.event} />
                  </Card>
                </>
              }
              side={
                <Card title={webhookWords.details}>
                  <Details>
                    <Detail name={webhookWords.detail.id}>
                      <CopyText text={delivery.id} short />
                    </Detail>
                    <Detail name={webhookWords.deliveries.target}>
                      <CopyText text={delivery.target_id} short />
                    </Detail>
                    <Detail name={words.page}>
                      {path && (
                        <Link className="underline" to={`/${account}/${path}`}>
                          {words.open}
                        </Link>
                      )}
                    </Detail>
                    <Detail name={webhookWords.deliveries.attempts}>{delivery.attempt_count}</Detail>
                    <Detail name={webhookWords.deliveries.next}>
                      {delivery.next_attempt_at && <Time at={delivery.next_attempt_at} form="both" />}
                    </Detail>
                    <Detail name={webhookWords.deliveries.created}>
                      <Time at={delivery.created_at} form="both" />
                    </Detail>
                    <Detail name={words.sequence}>{delivery.event.sequence}</Detail>
                  </Details>
                </Card>
              }
            />
          </Layout>
        )
      }}
    </Loaded>
  )
}
