import type { PayoutSummary } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Amount, CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { payoutWords as words } from '../../words/payments/payouts.ts'
import { buyerName } from '../buyers/buyer-name.ts'
import { CreatePayout } from './create-payout.tsx'
import { describeCard, payoutLooks } from './payout-status.ts'

const filters: Filter[] = [
  { name: 'status', label: members.status, options: Object.entries(words.status) },
  { name: 'created_at_gte', label: members.createdFrom, type: 'datetime-local' },
  { name: 'created_at_lte', label: members.createdUntil, type: 'datetime-local' },
  { name: 'external_identifier', label: members.reference },
  { name: 'payment_service_payout_id', label: members.serviceId },
]

const columns: Column<PayoutSummary>[] = [
  {
    id: 'status',
    header: members.status,
    cell: ({ status }) => <StatusTag status={status} looks={payoutLooks} />,
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
  { id: 'card', header: words.card, cell: describeCard },
  { id: 'buyer', header: members.buyer, wide: true, cell: ({ buyer }) => buyer && buyerName(buyer) },
  {
    id: 'reference',
    header: members.reference,
    wide: true,
    cell: ({ external_identifier }) => <code className="font-mono text-sm">{external_identifier}</code>,
  },
  {
    id: 'service',
    header: members.service,
    wide: true,
    cell: ({ payment_service }) => payment_service.display_name,
  },
  {
    id: 'created',
    header: members.created,
    align: 'end',
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
  { id: 'id', header: members.id, shown: false, cell: ({ id }) => <CopyText text={id} short /> },
]

export function Page(): ReactNode {
  const { account, may } = useSignedIn()
  const [params] = useSearchParams()
  const dialog = useDialog()
  const filter = filterQuery(params, filters)
  const query = useList(
    ['payouts', 'list', filter],
    (api, cursor, signal) =>
      api.payouts.list({ ...(filter as object), cursor, limit: 50 }, { signal }).page(),
    { refresh: 10_000 },
  )
  const create = may('payouts.write') && may('payment-services.read') && (
    <Button look="primary" onClick={() => dialog.open(true)}>
      {words.create}
    </Button>
  )
  return (
    <Layout title={words.title} actions={create}>
      <FilterBar filters={filters} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/payouts/${id}`}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
      {dialog.about && <CreatePayout onClose={dialog.close} />}
    </Layout>
  )
}
