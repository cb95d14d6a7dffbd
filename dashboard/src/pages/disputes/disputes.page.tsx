import type { Dispute, Railyard } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { type ListPage, useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty, Notice } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Amount, CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { disputeWords as words } from '../../words/payments/disputes.ts'
import { byDeadline, describeDeadline, disputeLooks } from './dispute-status.ts'

const filters: Filter[] = [
  { name: 'evidence_due_before', label: words.dueBefore, type: 'datetime-local' },
  { name: 'transaction_id', label: members.payment, hint: members.id },
]

/** The tabs: the name in the address, the text, the statuses. */
const views = [
  ['', words.viewOpen, ['needs_response', 'inquiry']],
  ['under-review', words.viewReview, ['under_review']],
  ['ended', words.viewEnded, ['won', 'lost', 'accepted', 'closed']],
  ['all', words.viewAll, []],
] as const

const columns: Column<Dispute>[] = [
  {
    id: 'deadline',
    header: words.deadline,
    cell: (dispute) => {
      const deadline = describeDeadline(dispute)
      return deadline && <Tag tone={deadline.tone}>{deadline.text}</Tag>
    },
  },
  {
    id: 'amount',
    header: members.amount,
    align: 'end',
    cell: ({ amount, currency, id }) => (
      <Link to={id}>
        <Amount of={amount} currency={currency} />
      </Link>
    ),
  },
  {
    id: 'status',
    header: members.status,
    cell: ({ status }) => <StatusTag status={status} looks={disputeLooks} />,
  },
  { id: 'reason', header: members.reason, cell: ({ reason }) => reason },
  { id: 'code', header: words.reasonCode, wide: true, cell: ({ reason_code }) => reason_code },
  {
    id: 'service-id',
    header: words.serviceDispute,
    shown: false,
    cell: ({ payment_service_dispute_id }) => <CopyText text={payment_service_dispute_id} short />,
  },
  {
    id: 'opened',
    header: words.opened,
    align: 'end',
    wide: true,
    cell: ({ opened_at }) => <QuietTime at={opened_at} />,
  },
]

type Query = NonNullable<Parameters<Railyard['disputes']['list']>[0]>

/** How many of the disputes that wait for an answer are sorted by their deadlines. */
const SORTED = 1000

/** The API lists the newest first: what waits for an answer is read as a whole, and sorted here. */
async function loadByDeadline(api: Railyard, query: Query, signal: AbortSignal): Promise<ListPage<Dispute>> {
  const items: Dispute[] = []
  for await (const dispute of api.disputes.list({ ...query, limit: 100 }, { signal })) {
    // the status follows once the payment service tells of it
    if (dispute.accepted_at || dispute.evidence_submitted_at) continue
    items.push(dispute)
    if (items.length >= SORTED) break
  }
  return { items: items.sort(byDeadline) }
}

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const [params] = useSearchParams()
  const [view, , statuses] = views.find(([name]) => name === (params.get('view') ?? '')) ?? views[0]
  const filter: Query = {
    ...filterQuery(params, filters),
    ...(statuses.length > 0 && { status: [...statuses] }),
  }
  const query = useList(
    ['disputes', 'list', view, filter],
    (api, cursor, signal) =>
      view === ''
        ? loadByDeadline(api, filter, signal)
        : api.disputes.list({ ...filter, cursor, limit: 50 }, { signal }).page(),
    { refresh: 30_000 },
  )
  return (
    <Layout title={words.title}>
      <TabLinks
        label={words.views}
        tabs={views.map(([name, text]) => ({
          text,
          to: `/${account}/disputes${name && `?view=${name}`}`,
          current: name === view,
        }))}
      />
      <FilterBar filters={filters} />
      {view === '' && query.data?.pages[0]?.items.length === SORTED && (
        <div className="mb-3">
          <Notice>{words.moreOpen(SORTED)}</Notice>
        </div>
      )}
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/disputes/${id}`}
        empty={
          Object.keys(filterQuery(params, filters)).length > 0 ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : view === '' ? (
            <Empty title={words.noneOpen}>{words.noneOpenText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
    </Layout>
  )
}
