import type { Dispute } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import {
  AmountHeading,
  Card,
  Columns,
  Detail,
  Details,
  Figure,
  Figures,
  Page as Layout,
} from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Amount, CopyText, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { disputeWords as words } from '../../words/payments/disputes.ts'
import { DisputeActions } from './dispute-actions.tsx'
import { describeDeadline, disputeLooks } from './dispute-status.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['disputes', id], (api, signal) => api.disputes.get(id, { signal }), {
    refresh: 10_000,
  })
  return (
    <Loaded query={query} title={words.dispute} lines={10}>
      {(dispute) => {
        const deadline = describeDeadline(dispute)
        return (
          <Layout
            title={words.dispute}
            above={[{ text: words.title, to: `/${account}/disputes` }]}
            heading={
              <AmountHeading of={dispute.amount} currency={dispute.currency}>
                <StatusTag status={dispute.status} looks={disputeLooks} />
                {deadline && <Tag tone={deadline.tone}>{deadline.text}</Tag>}
              </AmountHeading>
            }
            actions={<DisputeActions dispute={dispute} />}
          >
            <WhatNext dispute={dispute} />
            <Figures>
              <Figure name={words.disputed}>
                <Amount of={dispute.amount} currency={dispute.currency} />
              </Figure>
              <Figure name={words.taken}>
                <Amount of={dispute.withdrawn_amount} currency={dispute.currency} />
              </Figure>
              <Figure name={words.returned}>
                <Amount of={dispute.returned_amount} currency={dispute.currency} />
              </Figure>
            </Figures>
            <Columns main={<DisputeDetails dispute={dispute} />} side={<OtherDisputes dispute={dispute} />} />
          </Layout>
        )
      }}
    </Loaded>
  )
}

function WhatNext({ dispute }: { dispute: Dispute }): ReactNode {
  const { status, discrepancy, evidence_submitted_at, closed_at } = dispute
  const isWaiting = evidence_submitted_at && !closed_at && status !== 'under_review'
  const text = isWaiting ? words.submitted : words.next[status as keyof typeof words.next]
  return (
    <div className="grid gap-2">
      {text && <Notice tone={status === 'needs_response' && !isWaiting ? 'warn' : 'info'}>{text}</Notice>}
      {discrepancy && <Notice tone="warn">{words.discrepancy[discrepancy]}</Notice>}
    </div>
  )
}

function DisputeDetails({ dispute }: { dispute: Dispute }): ReactNode {
  const { account } = useSignedIn()
  return (
    <Card title={members.details}>
      <Details>
        <Detail name={members.reason}>{dispute.reason}</Detail>
        <Detail name={words.reasonCode}>{dispute.reason_code}</Detail>
        <Detail name={members.payment}>
          {dispute.transaction_id ? (
            <Link className="underline" to={`/${account}/payments/${dispute.transaction_id}`}>
              {words.toPayment}
            </Link>
          ) : (
            words.unknownPayment
          )}
        </Detail>
        <Detail name={words.evidenceUntil}>
          {dispute.evidence_due_at && <Time at={dispute.evidence_due_at} form="both" />}
        </Detail>
        <Detail name={words.evidenceSent}>
          {dispute.evidence_submitted_at && <Time at={dispute.evidence_submitted_at} form="both" />}
        </Detail>
        <Detail name={words.accepted}>
          {dispute.accepted_at && <Time at={dispute.accepted_at} form="both" />}
        </Detail>
        <Detail name={words.opened}>
          <Time at={dispute.opened_at} form="both" />
        </Detail>
        <Detail name={words.ended}>{dispute.closed_at && <Time at={dispute.closed_at} form="both" />}</Detail>
        <Detail name={words.serviceDispute}>
          <CopyText text={dispute.payment_service_dispute_id} />
        </Detail>
        <Detail name={members.id}>
          <CopyText text={dispute.id} />
        </Detail>
        <Detail name={members.updated}>
          <Time at={dispute.updated_at} form="both" />
        </Detail>
      </Details>
    </Card>
  )
}

function OtherDisputes({ dispute: { id, transaction_id } }: { dispute: Dispute }): ReactNode {
  const { account } = useSignedIn()
  const payment = transaction_id ?? ''
  const query = useLoad(
    ['disputes', 'of', payment],
    (api, signal) => every(api.transactions.disputes.list(payment, { limit: 20 }, { signal })),
    { enabled: payment !== '' },
  )
  if (!payment) return null
  const columns: Column<Dispute>[] = [
    {
      id: 'amount',
      header: members.amount,
      cell: (dispute) => (
        <Link className="underline" to={`/${account}/disputes/${dispute.id}`}>
          <Amount of={dispute.amount} currency={dispute.currency} />
        </Link>
      ),
    },
    {
      id: 'status',
      header: members.status,
      cell: ({ status }) => <StatusTag status={status} looks={disputeLooks} />,
    },
  ]
  return (
    <Card title={words.othersOfPayment}>
      <Loaded query={query}>
        {(all) => (
          <SmallTable
            label={words.othersOfPayment}
            columns={columns}
            rows={all.filter((each) => each.id !== id)}
            rowId={(each) => each.id}
            empty={words.noOthers}
          />
        )}
      </Loaded>
    </Card>
  )
}
