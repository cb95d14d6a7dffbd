import type { ProposalSummary } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Amount, QuietTime } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { approvalOperations, approvalWords as words } from '../../words/approvals/approvals.ts'
import { commonWords } from '../../words/common.ts'
import { memberWords as members } from '../../words/members.ts'
import { describeOperations, describeRequester, proposalLooks } from './proposal-status.ts'

const filters: Filter[] = [
  { name: 'status', label: members.status, options: Object.entries(words.status) },
  { name: 'operation', label: words.operation, options: Object.entries(approvalOperations) },
]
const waiting: Filter = {
  name: 'waiting_for_me',
  label: words.waitingForMe,
  options: [['true', commonWords.yes]],
}

const columns: Column<ProposalSummary>[] = [
  {
    id: 'status',
    header: members.status,
    cell: ({ status }) => <StatusTag status={status} looks={proposalLooks} />,
  },
  {
    id: 'operation',
    header: words.operation,
    cell: (proposal) => (
      <Link to={proposal.id} className="font-medium">
        {describeOperations(proposal)}
      </Link>
    ),
  },
  {
    id: 'amount',
    header: members.amount,
    align: 'end',
    cell: ({ amount, currency }) => amount !== null && currency && <Amount of={amount} currency={currency} />,
  },
  { id: 'requester', header: words.requester, cell: describeRequester },
  { id: 'reason', header: members.reason, wide: true, cell: ({ reason }) => reason },
  {
    id: 'created',
    header: members.created,
    align: 'end',
    wide: true,
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayDecide = useMay('approvals.write')
  const offered = mayDecide ? [...filters, waiting] : filters
  const [params] = useSearchParams()
  const filter = filterQuery(params, offered)
  const query = useList(
    ['proposals', 'list', filter],
    (api, cursor, signal) =>
      api.proposals.list({ ...(filter as object), cursor, limit: 50 }, { signal }).page(),
    { refresh: 10_000 },
  )
  return (
    <Layout title={words.title}>
      <p className="mb-3 text-sm text-ink-2">{words.about}</p>
      <FilterBar filters={offered} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/approvals/${id}`}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
    </Layout>
  )
}
