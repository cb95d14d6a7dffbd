import type { WebhookDelivery, WebhookSubscription } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList, useLoad } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Card, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { eventNames } from '../../words/developers/event-names.ts'
import { webhookWords } from '../../words/developers/webhooks.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { authenticationText, DeliveryState, WebhookState } from './webhook-state.tsx'

const words = webhookWords.deliveries

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['webhook-subscriptions', id], (api, signal) =>
    api.webhookSubscriptions.get(id, { signal }),
  )
  return (
    <Loaded query={query} title={webhookWords.title} lines={8}>
      {(subscription) => (
        <Layout
          title={subscription.url}
          above={[{ text: webhookWords.title, to: `/${account}/webhooks` }]}
          heading={
            <Heading>
              <span className="break-all">{subscription.url}</span> <WebhookState of={subscription} />
            </Heading>
          }
          actions={<WebhookActions subscription={subscription} />}
        >
          <SubscriptionDetails subscription={subscription} />
          <Deliveries subscription={id} />
        </Layout>
      )}
    </Loaded>
  )
}

const SubscriptionDetails = ({ subscription }: { subscription: WebhookSubscription }): ReactNode => {
  const { id, merchant_account_id, authentication, creator } = subscription
  return (
    <Card title={webhookWords.details}>
      <Details>
        <Detail name={webhookWords.detail.id}>
          <CopyText text={id} />
        </Detail>
        <Detail name={webhookWords.columns.scope}>
          {merchant_account_id ? webhookWords.thisAccount : webhookWords.allAccounts}
        </Detail>
        <Detail name={webhookWords.columns.authentication}>{authenticationText(subscription)}</Detail>
        <Detail name={webhookWords.detail.username}>
          {authentication && 'username' in authentication && authentication.username}
        </Detail>
        <Detail name={webhookWords.detail.tokenUrl}>
          {authentication && 'token_url' in authentication && authentication.token_url}
        </Detail>
        <Detail name={webhookWords.detail.creator}>
          {creator ? `${creator.name} (${creator.email_address})` : webhookWords.detail.key}
        </Detail>
      </Details>
    </Card>
  )
}

const states = ['waiting', 'succeeded', 'failed'] as const
const filters: Filter[] = [
  { name: 'event_name', label: words.event, options: eventNames.map((name) => [name, name]) },
  { name: 'resource_id', label: words.target },
]

const columns: Column<WebhookDelivery>[] = [
  {
    id: 'event',
    header: words.event,
    cell: ({ id, event_name }) => (
      <Link to={`deliveries/${id}`} className="font-medium">
        {event_name}
      </Link>
    ),
  },
  { id: 'state', header: words.state, cell: (delivery) => <DeliveryState of={delivery} /> },
  {
    id: 'answer',
    header: words.answer,
    cell: ({ attempts }) => {
      const last = attempts.at(-1)
      return last && (last.status_code ?? last.error ?? words.noAnswer)
    },
  },
  {
    id: 'target',
    header: words.target,
    wide: true,
    cell: ({ target_id }) => <CopyText text={target_id} short />,
  },
  { id: 'attempts', header: words.attempts, align: 'end', cell: ({ attempt_count }) => attempt_count },
  {
    id: 'next',
    header: words.next,
    align: 'end',
    wide: true,
    cell: ({ next_attempt_at }) => <QuietTime at={next_attempt_at} />,
  },
  {
    id: 'created',
    header: words.created,
    align: 'end',
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
]

function Deliveries({ subscription }: { subscription: string }): ReactNode {
  const { account } = useSignedIn()
  const [params] = useSearchParams()
  const status = states.find((state) => state === params.get('status'))
  const filter = { ...filterQuery(params, filters), ...(status && { status }) }
  const at = `/${account}/webhooks/${subscription}`
  const query = useList(
    ['webhook-subscriptions', subscription, 'deliveries', filter],
    (api, cursor, signal) =>
      api.webhookSubscriptions.deliveries
        .list(subscription, { ...filter, cursor, limit: 50 }, { signal })
        .page(),
    { refresh: 5_000 },
  )
  /** The other filters stay. */
  const tabOf = (state?: string) => {
    const next = new URLSearchParams(params)
    if (state) next.set('status', state)
    else next.delete('status')
    return `${at}?${next}`
  }
  return (
    <section>
      <h2 className="mb-1 font-semibold">{words.title}</h2>
      <TabLinks
        label={words.title}
        tabs={[
          { text: words.all, to: tabOf(), current: !status },
          ...states.map((state) => ({
            text: words[state],
            to: tabOf(state),
            current: state === status,
          })),
        ]}
      />
      <FilterBar filters={filters} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `${at}/deliveries/${id}`}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title={words.noneFound} />
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
    </section>
  )
}
