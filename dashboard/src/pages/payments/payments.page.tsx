import type { ListTransactionsQuery, TransactionSummary } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { useServiceNames } from '../../api/use-service-names.ts'
import { readable } from '../../format/names.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { ListViews } from '../../parts/lists/saved-views.tsx'
import { SearchBox } from '../../parts/lists/search-box.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Amount, CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { paymentWords as words } from '../../words/payments/payments.ts'
import { BulkActions } from './bulk-actions.tsx'
import { ExportPayments } from './export-payments.tsx'
import { describeMethod, describeStatus } from './payment-status.ts'
import { readSearch } from './read-search.ts'

const yesNo = [
  ['true', commonWords.yes],
  ['false', commonWords.no],
] as const

const statuses = [
  'processing',
  'buyer_approval_pending',
  'authorization_succeeded',
  'authorization_declined',
  'authorization_failed',
  'authorization_voided',
  'authorization_void_pending',
  'capture_pending',
  'capture_succeeded',
] as const

const names = words.filters
const filters = (services: readonly (readonly [string, string])[]): Filter[] => [
  {
    name: 'status',
    label: names.status,
    options: statuses.map((status) => [status, readable(status)]),
  },
  { name: 'created_at_gte', label: names.created_at_gte, type: 'datetime-local' },
  { name: 'created_at_lte', label: names.created_at_lte, type: 'datetime-local' },
  { name: 'currency', label: names.currency, hint: 'EUR' },
  { name: 'amount_gte', label: names.amount_gte, type: 'number', hint: names.amountHint },
  { name: 'amount_lte', label: names.amount_lte, type: 'number', hint: names.amountHint },
  { name: 'method', label: names.method, hint: 'card' },
  { name: 'payment_service_id', label: names.payment_service_id, options: services },
  { name: 'error_code', label: names.error_code, hint: 'insufficient_funds' },
  { name: 'buyer_email_address', label: names.buyer_email_address },
  { name: 'buyer_external_identifier', label: names.buyer_external_identifier },
  { name: 'external_identifier', label: names.external_identifier },
  { name: 'payment_service_transaction_id', label: names.payment_service_transaction_id },
  { name: 'payment_method_scheme', label: names.payment_method_scheme, hint: 'visa' },
  { name: 'payment_method_label', label: names.payment_method_label, hint: '1111' },
  { name: 'payment_method_bin', label: names.payment_method_bin, hint: '411111' },
  { name: 'country', label: names.country, hint: 'DE' },
  { name: 'ip_address', label: names.ip_address },
  { name: 'payment_link_id', label: names.payment_link_id },
  { name: 'checkout_session_id', label: names.checkout_session_id },
  ...(
    [
      'pending_review',
      'disputed',
      'has_refunds',
      'has_unknown_operations',
      'has_settlements',
      'used_3ds',
      'merchant_initiated',
      'has_gift_card_redemptions',
    ] as const
  ).map((name) => ({ name, label: names[name], options: yesNo })),
]

/** The query of the list, from the address. */
export function queryOf(params: URLSearchParams, known: readonly Filter[]): ListTransactionsQuery {
  const search = params.get('search')
  return { ...filterQuery(params, known), ...(search && readSearch(search)) }
}

const columns: Column<TransactionSummary>[] = [
  {
    id: 'status',
    header: words.columns.status,
    cell: (payment) => {
      const { text, tone } = describeStatus(payment)
      return <Tag tone={tone}>{text}</Tag>
    },
  },
  {
    id: 'amount',
    header: words.columns.amount,
    align: 'end',
    cell: ({ amount, currency, id }) => (
      <Link to={id} tabIndex={0}>
        <Amount of={amount} currency={currency} />
      </Link>
    ),
  },
  {
    id: 'note',
    header: words.columns.note,
    wide: true,
    cell: (payment) => <span className="text-sm text-ink-3">{describeStatus(payment).note}</span>,
  },
  { id: 'method', header: words.columns.method, cell: describeMethod, wide: true },
  {
    id: 'reference',
    header: words.columns.reference,
    cell: ({ external_identifier }) => <code className="font-mono text-sm">{external_identifier}</code>,
  },
  {
    id: 'buyer',
    header: words.columns.buyer,
    wide: true,
    cell: ({ buyer }) => buyer?.billing_details?.email_address ?? buyer?.display_name,
  },
  {
    id: 'service',
    header: words.columns.service,
    wide: true,
    cell: ({ payment_service }) => payment_service?.display_name,
  },
  {
    id: 'created',
    header: words.columns.created,
    align: 'end',
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
  {
    id: 'updated',
    header: words.columns.updated,
    align: 'end',
    shown: false,
    cell: ({ updated_at }) => <QuietTime at={updated_at} />,
  },
  {
    id: 'captured',
    header: words.columns.captured,
    align: 'end',
    shown: false,
    cell: ({ captured_amount, currency }) => <Amount of={captured_amount} currency={currency} />,
  },
  {
    id: 'refunded',
    header: words.columns.refunded,
    align: 'end',
    shown: false,
    cell: ({ refunded_amount, currency }) => <Amount of={refunded_amount} currency={currency} />,
  },
  { id: 'country', header: words.columns.country, shown: false, cell: ({ country }) => country },
  { id: 'id', header: words.columns.id, shown: false, cell: ({ id }) => <CopyText text={id} short /> },
]

const views = [
  [words.viewAll, ''],
  [words.viewToCapture, 'status=authorization_succeeded'],
  [words.viewWaiting, 'has_unknown_operations=true'],
  [words.viewReview, 'pending_review=true'],
  [words.viewDisputed, 'disputed=true'],
] as const

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const [params] = useSearchParams()
  const mayAct = useMay('transactions.write')
  const known = filters(useServiceNames())
  const filter = queryOf(params, known)
  const query = useList(
    ['transactions', 'list', filter],
    (api, cursor, signal) => api.transactions.list({ ...filter, cursor, limit: 50 }, { signal }).page(),
    { refresh: 10_000 },
  )
  const current = params.toString()
  return (
    <Layout
      title={words.title}
      actions={
        <>
          <SearchBox placeholder={words.searchHint} />
          <ExportPayments filter={filter} />
        </>
      }
    >
      <ListViews list="payments" builtIn={views} />
      <FilterBar filters={known} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/payments/${id}`}
        selection={mayAct ? (rows, clear) => <BulkActions rows={rows} clear={clear} /> : undefined}
        empty={
          current ? (
            <Empty title={words.noneFound}>{words.noneFoundText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
    </Layout>
  )
}
