import type { PaymentMethod } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty, ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { storedMethodWords as words } from '../../words/payments/stored-methods.ts'
import { buyerName } from '../buyers/buyer-name.ts'
import { methodLooks, methodName } from './stored-method-status.ts'
import { useAccountUpdater } from './use-account-updater.ts'

const filters: Filter[] = [
  { name: 'status', label: members.status, options: Object.entries(words.status) },
  { name: 'buyer_external_identifier', label: words.buyerReference },
  { name: 'external_identifier', label: members.reference },
]

const columns: Column<PaymentMethod>[] = [
  {
    id: 'method',
    header: members.method,
    cell: (method) => <Link to={method.id}>{methodName(method)}</Link>,
  },
  {
    id: 'status',
    header: members.status,
    cell: ({ status }) => <StatusTag status={status} looks={methodLooks} />,
  },
  { id: 'expires', header: words.columns.expires, cell: ({ expiration_date }) => expiration_date },
  { id: 'buyer', header: members.buyer, wide: true, cell: ({ buyer }) => buyer && buyerName(buyer) },
  {
    id: 'reference',
    header: members.reference,
    wide: true,
    cell: ({ external_identifier }) => <code className="font-mono text-sm">{external_identifier}</code>,
  },
  {
    id: 'usage',
    header: words.columns.usage,
    align: 'end',
    wide: true,
    cell: ({ usage_count }) => usage_count,
  },
  {
    id: 'used',
    header: words.columns.used,
    align: 'end',
    wide: true,
    cell: ({ last_used_at }) => <QuietTime at={last_used_at} />,
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
  const filter = filterQuery(params, filters)
  const query = useList(['payment-methods', 'list', filter], (api, cursor, signal) =>
    api.paymentMethods.list({ ...(filter as object), cursor, limit: 50 }, { signal }).page(),
  )
  const update = useAccountUpdater()
  return (
    <Layout title={words.title}>
      <p className="mb-3 text-sm text-ink-2">{words.noNumbers}</p>
      <FilterBar filters={filters} />
      {update.error && <ErrorNotice error={update.error} />}
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/stored-methods/${id}`}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
        selection={
          may('payment-methods.write')
            ? (rows, clear) => (
                <Button
                  busy={update.isPending}
                  onClick={() =>
                    update.mutate(
                      rows.map(({ id }) => id),
                      { onSuccess: clear },
                    )
                  }
                >
                  {words.update}
                </Button>
              )
            : undefined
        }
      />
    </Layout>
  )
}
