import type { Refund } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Column } from '../../parts/lists/data-table.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Amount, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { refundLooks } from './refund-status.ts'

/** Refunds of one payment, each with a link. */
export function RefundTable({
  label,
  refunds,
  empty,
}: {
  label: string
  refunds: readonly Refund[]
  empty: string
}): ReactNode {
  const { account } = useSignedIn()
  const columns: Column<Refund>[] = [
    {
      id: 'amount',
      header: members.amount,
      cell: ({ id, amount, currency }) => (
        <Link className="underline" to={`/${account}/refunds/${id}`}>
          <Amount of={amount} currency={currency} />
        </Link>
      ),
    },
    {
      id: 'status',
      header: members.status,
      cell: ({ status }) => <StatusTag status={status} looks={refundLooks} />,
    },
    { id: 'reason', header: members.reason, wide: true, cell: ({ reason }) => reason },
    {
      id: 'created',
      header: members.created,
      align: 'end',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
  return <SmallTable label={label} columns={columns} rows={refunds} rowId={({ id }) => id} empty={empty} />
}
