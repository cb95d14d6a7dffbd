import type { PaymentLink } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { ButtonLink } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Amount, CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { paymentLinkWords as words } from '../../words/payments/payment-links.ts'
import { buyerName } from '../buyers/buyer-name.ts'
import { paymentLinkLooks } from './payment-link-status.ts'

const names = words.filters
const filters: Filter[] = [
  { name: 'status', label: members.status, options: Object.entries(words.status) },
  { name: 'created_at_gte', label: members.createdFrom, type: 'datetime-local' },
  { name: 'created_at_lte', label: members.createdUntil, type: 'datetime-local' },
  { name: 'currency', label: members.currency, hint: 'EUR' },
  { name: 'amount_gte', label: names.amount_gte, type: 'number', hint: names.amountHint },
  { name: 'amount_lte', label: names.amount_lte, type: 'number', hint: names.amountHint },
]
/** Refused by the server to people who may not see who buyers are. */
const buyerFilter: Filter = { name: 'buyer_search', label: names.buyer_search }

const columns: Column<PaymentLink>[] = [
  {
    id: 'status',
    header: members.status,
    cell: ({ status }) => <StatusTag status={status} looks={paymentLinkLooks} />,
  },
  {
    id: 'amount',
    header: members.amount,
    align: 'end',
    cell: ({ id, amount, currency }) => (
      <Link to={id}>
        <Amount of={amount} currency={currency} />
      </Link>
    ),
  },
  {
    id: 'reference',
    header: members.reference,
    cell: ({ external_identifier }) => <code className="font-mono text-sm">{external_identifier}</code>,
  },
  { id: 'buyer', header: members.buyer, wide: true, cell: ({ buyer }) => buyer && buyerName(buyer) },
  {
    id: 'merchant',
    header: words.columns.merchant,
    wide: true,
    cell: ({ merchant_name }) => merchant_name,
  },
  {
    id: 'expires',
    header: words.columns.expires,
    align: 'end',
    wide: true,
    cell: ({ expires_at }) => <QuietTime at={expires_at} />,
  },
  {
    id: 'created',
    header: words.columns.created,
    align: 'end',
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
  { id: 'id', header: members.id, shown: false, cell: ({ id }) => <CopyText text={id} short /> },
]

export function Page(): ReactNode {
  const { account, may } = useSignedIn()
  const [params] = useSearchParams()
  const known = may('buyers.billing-details.read') ? [...filters, buyerFilter] : filters
  const filter = filterQuery(params, known)
  const query = useList(
    ['payment-links', 'list', filter],
    (api, cursor, signal) =>
      api.paymentLinks.list({ ...(filter as object), cursor, limit: 50 }, { signal }).page(),
    { refresh: 10_000 },
  )
  const create = may('payment-links.write') && (
    <ButtonLink look="primary" to="new">
      {words.create}
    </ButtonLink>
  )
  return (
    <Layout title={words.title} actions={create}>
      <FilterBar filters={known} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/payment-links/${id}`}
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
