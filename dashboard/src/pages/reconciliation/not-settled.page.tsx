import type { TransactionSummary } from '@railyard/client'
import { type ReactNode, useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { useServiceNames } from '../../api/use-service-names.ts'
import { SelectField } from '../../parts/forms/field.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar, useFilters } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Amount, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { reconciliationWords as words } from '../../words/finance/reconciliation.ts'
import { memberWords as members } from '../../words/members.ts'
import { describeMethod } from '../payments/payment-status.ts'
import { ReconciliationTabs } from './reconciliation-tabs.tsx'

const DAY_MS = 86_400_000
const ages = [1, 3, 5, 7, 14, 30] as const
const DEFAULT_AGE = 5

const columns: Column<TransactionSummary>[] = [
  {
    id: 'captured',
    header: words.notSettledColumns.captured,
    align: 'end',
    cell: ({ captured_amount, currency }) => <Amount of={captured_amount} currency={currency} />,
  },
  {
    id: 'reference',
    header: words.notSettledColumns.reference,
    cell: ({ id, external_identifier }) => (
      <Link to={`../payments/${id}`}>
        <code className="font-mono text-sm">{external_identifier ?? id}</code>
      </Link>
    ),
  },
  {
    id: 'service',
    header: words.notSettledColumns.service,
    wide: true,
    cell: ({ payment_service }) => payment_service?.display_name,
  },
  { id: 'method', header: words.notSettledColumns.method, wide: true, cell: describeMethod },
  {
    id: 'created',
    header: words.notSettledColumns.created,
    align: 'end',
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const [params, setParams] = useSearchParams()
  const age = Number(params.get('days')) || DEFAULT_AGE
  // the same moment for all pages of the list
  const before = useMemo(() => new Date(Date.now() - age * DAY_MS).toISOString(), [age])
  const filters: Filter[] = [
    { name: 'payment_service_id', label: words.notSettledColumns.service, options: useServiceNames() },
    { name: 'currency', label: words.currency, hint: 'EUR' },
  ]
  const [{ payment_service_id: service, currency }] = useFilters(filters)
  const query = useList(['transactions', 'not-settled', before, service, currency], (api, cursor, signal) =>
    api.transactions
      .list(
        {
          status: ['capture_succeeded'],
          has_settlements: false,
          created_at_lte: before,
          ...(service && { payment_service_id: [service] }),
          ...(currency && { currency: [currency] }),
          cursor,
          limit: 50,
        },
        { signal },
      )
      .page(),
  )
  return (
    <Layout title={words.title}>
      <ReconciliationTabs current="notSettled" />
      <div className="mb-3 w-48">
        <SelectField
          label={words.olderThan}
          value={String(age)}
          options={ages.map((days) => [String(days), words.days(days)])}
          onChange={(days) =>
            setParams((now) => {
              const next = new URLSearchParams(now)
              next.set('days', days)
              return next
            })
          }
        />
      </div>
      <FilterBar filters={filters} />
      <DataTable
        label={words.notSettled}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/payments/${id}`}
        empty={
          service || currency ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : (
            <Empty title={words.notSettledNone}>{words.notSettledNoneText}</Empty>
          )
        }
      />
    </Layout>
  )
}
