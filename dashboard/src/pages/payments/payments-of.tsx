import type { ListTransactionsQuery, TransactionSummary } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useList } from '../../api/use-api.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Skeleton } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Amount, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { paymentsOfWords as words } from '../../words/payments/payments-of.ts'
import { describeMethod, describeStatus } from './payment-status.ts'

/** The payments of something else, such as a buyer or a payment link, the most recently changed first. */
export function PaymentsOf({
  filter,
  title,
  empty,
}: {
  filter: ListTransactionsQuery
  title: string
  empty: string
}): ReactNode {
  const { account, may } = useSignedIn()
  const mayRead = may('transactions.read')
  const query = useList(
    ['transactions', 'of', filter],
    (api, cursor, signal) => api.transactions.list({ ...filter, cursor, limit: 10 }, { signal }).page(),
    { enabled: mayRead, refresh: 10_000 },
  )
  if (!mayRead) return null
  const columns: Column<TransactionSummary>[] = [
    {
      id: 'status',
      header: words.status,
      cell: (payment) => {
        const { text, tone } = describeStatus(payment)
        return <Tag tone={tone}>{text}</Tag>
      },
    },
    {
      id: 'amount',
      header: words.amount,
      align: 'end',
      cell: ({ id, amount, currency }) => (
        <Link className="underline" to={`/${account}/payments/${id}`}>
          <Amount of={amount} currency={currency} />
        </Link>
      ),
    },
    { id: 'method', header: words.method, wide: true, cell: describeMethod },
    {
      id: 'reference',
      header: words.reference,
      wide: true,
      cell: ({ external_identifier }) => external_identifier,
    },
    {
      id: 'created',
      header: words.created,
      align: 'end',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
  return (
    <Card title={title}>
      {query.isPending ? (
        <Skeleton />
      ) : query.error ? (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SmallTable
          label={title}
          columns={columns}
          rows={query.data.pages.flatMap(({ items }) => items)}
          rowId={({ id }) => id}
          empty={empty}
        />
      )}
      {query.hasNextPage && (
        <Button className="mt-3" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {commonWords.loadMore}
        </Button>
      )}
    </Card>
  )
}
