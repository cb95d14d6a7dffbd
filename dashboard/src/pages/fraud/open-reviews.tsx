import type { TransactionSummary } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Amount, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { fraudWords } from '../../words/connections/fraud.ts'
import { describeMethod } from '../payments/payment-status.ts'
import { TabIntro } from './tab-intro.tsx'

const words = fraudWords.reviews

/** The payments that an anti-fraud service has not decided about. */
export function OpenReviews(): ReactNode {
  const { account } = useSignedIn()
  const query = useList(
    ['transactions', 'in review'],
    (api, cursor, signal) =>
      api.transactions.list({ pending_review: true, cursor, limit: 50 }, { signal }).page(),
    { refresh: 10_000 },
  )
  const href = ({ id }: TransactionSummary) => `/${account}/payments/${id}`
  const columns: Column<TransactionSummary>[] = [
    {
      id: 'amount',
      header: words.amount,
      align: 'end',
      cell: (payment) => (
        <Link to={href(payment)}>
          <Amount of={payment.amount} currency={payment.currency} />
        </Link>
      ),
    },
    {
      id: 'reference',
      header: words.reference,
      cell: ({ external_identifier }) => <code className="font-mono text-sm">{external_identifier}</code>,
    },
    {
      id: 'buyer',
      header: words.buyer,
      cell: ({ buyer }) => buyer?.billing_details?.email_address ?? buyer?.display_name,
    },
    { id: 'method', header: words.method, wide: true, cell: describeMethod },
    {
      id: 'service',
      header: words.service,
      wide: true,
      cell: ({ payment_service }) => payment_service?.display_name,
    },
    {
      id: 'created',
      header: words.created,
      align: 'end',
      cell: ({ created_at }) => (
        <span className="font-normal text-ink-3">
          <Time at={created_at} />
        </span>
      ),
    },
  ]
  return (
    <>
      <TabIntro text={words.text} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={href}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
    </>
  )
}
