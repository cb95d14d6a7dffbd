import type { Transaction } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { nameAnswer, readable } from '../../format/names.ts'
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
import { Tag } from '../../parts/values/tag.tsx'
import { Amount, CopyText, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { buyerAdvice } from '../../words/payments/buyer-advice.ts'
import { paymentWords as words } from '../../words/payments/payments.ts'
import { ErasureLink } from '../buyers/erasure-link.tsx'
import { EventsDetail } from '../event-log/events-detail.tsx'
import { MoneyMoved } from './money-moved.tsx'
import { PaymentActions } from './payment-actions.tsx'
import { describeMethod, describeStatus, isRefused } from './payment-status.ts'
import { PaymentTimeline } from './payment-timeline.tsx'
import { Proof } from './proof.tsx'
import { WhyHere } from './why-here.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['transactions', id], (api, signal) => api.transactions.get(id, { signal }), {
    refresh: 5_000,
  })
  return (
    <Loaded query={query} title={words.payment} lines={12}>
      {(payment) => {
        const { text, tone } = describeStatus(payment)
        return (
          <Layout
            title={payment.external_identifier ?? words.payment}
            above={[{ text: words.title, to: `/${account}/payments` }]}
            heading={
              <AmountHeading of={payment.amount} currency={payment.currency}>
                <Tag tone={tone}>{text}</Tag>
              </AmountHeading>
            }
            actions={<PaymentActions payment={payment} />}
          >
            <PaymentFigures payment={payment} />
            <Columns
              main={
                <>
                  <PaymentTimeline id={id} />
                  <MoneyMoved payment={payment} />
                </>
              }
              side={
                <>
                  <WhyHere id={id} />
                  <PaymentDetails payment={payment} />
                  <Proof id={id} />
                </>
              }
            />
          </Layout>
        )
      }}
    </Loaded>
  )
}

function PaymentFigures({ payment }: { payment: Transaction }): ReactNode {
  const { currency } = payment
  return (
    <Figures>
      <Figure name={words.figures.authorized}>
        <Amount of={payment.authorized_amount} currency={currency} />
      </Figure>
      <Figure name={words.figures.captured}>
        <Amount of={payment.captured_amount} currency={currency} />
      </Figure>
      <Figure name={words.figures.refunded}>
        <Amount of={payment.refunded_amount} currency={currency} />
      </Figure>
      {payment.disputed_amount > 0 && (
        <Figure name={words.figures.disputed}>
          <Amount of={payment.disputed_amount} currency={currency} />
        </Figure>
      )}
      <Figure name={words.figures.settled}>
        {payment.settled ? (
          <Amount of={payment.settled_amount} currency={payment.settled_currency} />
        ) : (
          commonWords.none
        )}
      </Figure>
    </Figures>
  )
}

function PaymentDetails({ payment }: { payment: Transaction }): ReactNode {
  const { account } = useSignedIn()
  const { external_identifier, payment_method, buyer, payment_service_transaction_id } = payment
  const buyerName = buyer?.display_name ?? buyer?.billing_details?.email_address ?? buyer?.id
  const name = words.detail
  return (
    <Card title={words.details} aside={<ErasureLink payment={payment.id} />}>
      <Details>
        <Detail name={name.id}>
          <CopyText text={payment.id} short />
        </Detail>
        <Detail name={name.reference}>
          {external_identifier && <CopyText text={external_identifier} />}
        </Detail>
        <Detail name={name.shortId}>
          <CopyText text={payment.reconciliation_id} short />
        </Detail>
        <Detail name={name.method}>
          {[describeMethod(payment), payment_method?.expiration_date].filter(Boolean).join(', ')}
        </Detail>
        <Detail name={name.service}>{payment.payment_service?.display_name}</Detail>
        <Detail name={name.serviceId}>
          {payment_service_transaction_id && <CopyText text={payment_service_transaction_id} short />}
        </Detail>
        <Detail name={name.schemeId}>{payment.scheme_transaction_id}</Detail>
        <Detail name={name.buyer}>
          {buyer?.id ? (
            <Link className="underline" to={`/${account}/buyers/${buyer.id}`}>
              {buyerName}
            </Link>
          ) : (
            buyerName
          )}
        </Detail>
        <Detail name={name.error}>{payment.error_code && readable(payment.error_code)}</Detail>
        <Detail name={name.answer}>{nameAnswer(payment)}</Detail>
        <Detail name={name.tellBuyer}>{isRefused(payment) && buyerAdvice(payment.error_code)}</Detail>
        <Detail name={name.threeDS}>{payment.three_d_secure?.status}</Detail>
        <Detail name={name.intent}>{payment.intent}</Detail>
        <Detail name={name.source}>{payment.payment_source}</Detail>
        <Detail name={name.country}>{payment.country}</Detail>
        <Detail name={name.created}>
          <Time at={payment.created_at} form="both" />
        </Detail>
        <Detail name={name.updated}>
          <Time at={payment.updated_at} form="both" />
        </Detail>
        <EventsDetail resource={payment.id} />
        {Object.entries(payment.metadata ?? {}).map(([key, value]) => (
          <Detail key={key} name={key}>
            {value}
          </Detail>
        ))}
      </Details>
    </Card>
  )
}
