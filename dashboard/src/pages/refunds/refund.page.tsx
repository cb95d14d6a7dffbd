import type { Refund } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { nameAnswer, readable } from '../../format/names.ts'
import { Notice } from '../../parts/messages/notice.tsx'
import { AmountHeading, Card, Columns, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Amount, CopyText, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { memberWords as members } from '../../words/members.ts'
import { refundWords as words } from '../../words/payments/refunds.ts'
import { EventsDetail } from '../event-log/events-detail.tsx'
import { refundLooks } from './refund-status.ts'
import { RefundTable } from './refund-table.tsx'
import { useRefundsOf } from './use-refunds-of.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['refunds', id], (api, signal) => api.refunds.get(id, { signal }), { refresh: 5_000 })
  return (
    <Loaded query={query} title={words.refund} lines={8}>
      {(refund) => (
        <Layout
          title={refund.external_identifier ?? words.refund}
          above={[
            { text: words.title, to: `/${account}/refunds` },
            { text: members.payment, to: `/${account}/payments/${refund.transaction_id}` },
          ]}
          heading={
            <AmountHeading of={refund.amount} currency={refund.currency}>
              <StatusTag status={refund.status} looks={refundLooks} />
            </AmountHeading>
          }
        >
          <WhatNext refund={refund} />
          <Columns main={<RefundDetails refund={refund} />} side={<OtherRefunds refund={refund} />} />
        </Layout>
      )}
    </Loaded>
  )
}

function WhatNext({ refund: { status } }: { refund: Refund }): ReactNode {
  const text = words.next[status as keyof typeof words.next]
  if (!text) return null
  return (
    <div className="mb-4">
      <Notice tone={status === 'processing' ? 'warn' : 'bad'}>{text}</Notice>
    </div>
  )
}

function RefundDetails({ refund }: { refund: Refund }): ReactNode {
  const { account } = useSignedIn()
  const { creator, target_type } = refund
  return (
    <Card title={members.details}>
      <Details>
        <Detail name={members.id}>
          <CopyText text={refund.id} />
        </Detail>
        <Detail name={members.payment}>
          <Link className="underline" to={`/${account}/payments/${refund.transaction_id}`}>
            {refund.transaction_external_identifier ?? refund.transaction_reconciliation_id}
          </Link>
        </Detail>
        <Detail name={members.reason}>{refund.reason}</Detail>
        <Detail name={words.target}>
          {words.targets[target_type as keyof typeof words.targets] ?? target_type}
        </Detail>
        <Detail name={members.reference}>
          {refund.external_identifier && <CopyText text={refund.external_identifier} />}
        </Detail>
        <Detail name={members.shortId}>
          <CopyText text={refund.reconciliation_id} />
        </Detail>
        <Detail name={members.serviceId}>
          {refund.payment_service_refund_id && <CopyText text={refund.payment_service_refund_id} />}
        </Detail>
        <Detail name={members.error}>{refund.error_code && readable(refund.error_code)}</Detail>
        <Detail name={members.answer}>{nameAnswer(refund)}</Detail>
        <Detail name={words.settled}>
          {refund.settled ? (
            <Amount of={refund.settled_amount} currency={refund.settled_currency} />
          ) : (
            commonWords.no
          )}
        </Detail>
        <Detail name={words.creator}>{creator && (creator.name || creator.email_address)}</Detail>
        <Detail name={members.created}>
          <Time at={refund.created_at} form="both" />
        </Detail>
        <Detail name={members.updated}>
          <Time at={refund.updated_at} form="both" />
        </Detail>
        <EventsDetail resource={refund.id} />
      </Details>
    </Card>
  )
}

function OtherRefunds({ refund }: { refund: Refund }): ReactNode {
  const query = useRefundsOf(refund.transaction_id)
  return (
    <Card title={words.others}>
      <Loaded query={query}>
        {(refunds) => (
          <RefundTable
            label={words.others}
            refunds={refunds.filter(({ id }) => id !== refund.id)}
            empty={words.noOthers}
          />
        )}
      </Loaded>
    </Card>
  )
}
