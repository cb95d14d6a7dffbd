import type { TransactionSummary } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { OpenById } from '../../parts/lists/open-by-id.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Amount, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { refundWords as words } from '../../words/payments/refunds.ts'
import { describeStatus } from '../payments/payment-status.ts'

const filters: Filter[] = [
  { name: 'created_at_gte', label: members.createdFrom, type: 'datetime-local' },
  { name: 'created_at_lte', label: members.createdUntil, type: 'datetime-local' },
  { name: 'currency', label: members.currency, hint: 'EUR' },
  { name: 'external_identifier', label: members.reference },
]

const columns: Column<TransactionSummary>[] = [
  {
    id: 'status',
    header: members.status,
    cell: (payment) => {
      const { text, tone } = describeStatus(payment)
      return <Tag tone={tone}>{text}</Tag>
    },
  },
  {
    id: 'refunded',
    header: words.refunded,
    align: 'end',
    cell: ({ id, refunded_amount, currency }) => (
      <Link to={`../payments/${id}/refunds`}>
        <Amount of={refunded_amount} currency={currency} />
      </Link>
    ),
  },
  {
    id: 'captured',
    header: words.captured,
    align: 'end',
    wide: true,
    cell: ({ captured_amount, currency }) => <Amount of={captured_amount} currency={currency} />,
  },
  {
    id: 'reference',
    header: members.reference,
    cell: ({ external_identifier }) => <code className="font-mono text-sm">{external_identifier}</code>,
  },
  {
    id: 'buyer',
    header: members.buyer,
    wide: true,
    cell: ({ buyer }) => buyer?.billing_details?.email_address ?? buyer?.display_name,
  },
  {
    id: 'service',
    header: members.service,
    wide: true,
    cell: ({ payment_service }) => payment_service?.display_name,
  },
  {
    id: 'updated',
    header: words.lastChange,
    align: 'end',
    cell: ({ updated_at }) => <QuietTime at={updated_at} />,
  },
]

/** Payments with refunds: the API has no list of refunds themselves. */
export function Page(): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const filter = filterQuery(params, filters)
  const query = useList(
    ['transactions', 'with-refunds', filter],
    (api, cursor, signal) =>
      api.transactions
        .list({ ...(filter as object), has_refunds: true, cursor, limit: 50 }, { signal })
        .page(),
    { refresh: 10_000 },
  )
  return (
    <Layout
      title={words.title}
      actions={<OpenById label={words.openById} onOpen={(id) => navigate(encodeURIComponent(id))} />}
    >
      <p className="mb-3 text-sm text-ink-2">{words.about}</p>
      <FilterBar filters={filters} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/payments/${id}/refunds`}
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
