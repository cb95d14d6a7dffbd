import type { PayoutMerchantSummary, PayoutSummary } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ErrorNotice, Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { AmountHeading, Card, Columns, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { OutsideLink } from '../../parts/values/outside-link.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { payoutWords as words } from '../../words/payments/payouts.ts'
import { BuyerLink } from '../buyers/buyer-link.tsx'
import { describeCard, payoutLooks } from './payout-status.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['payouts', id], (api, signal) => api.payouts.get(id, { signal }), { refresh: 5_000 })
  return (
    <Loaded query={query} title={words.payout} lines={8}>
      {(payout) => {
        const next = words.next[payout.status as keyof typeof words.next]
        return (
          <Layout
            title={payout.external_identifier ?? words.payout}
            above={[{ text: words.title, to: `/${account}/payouts` }]}
            heading={
              <AmountHeading of={payout.amount} currency={payout.currency}>
                <StatusTag status={payout.status} looks={payoutLooks} />
              </AmountHeading>
            }
            actions={<LookUp payout={payout} />}
          >
            {next && (
              <div className="mb-4">
                <Notice tone={payout.status === 'pending' ? 'warn' : 'bad'}>{next}</Notice>
              </div>
            )}
            {payout.merchant ? (
              <Columns
                main={<PayoutDetails payout={payout} />}
                side={<SenderDetails merchant={payout.merchant} />}
              />
            ) : (
              <PayoutDetails payout={payout} />
            )}
          </Layout>
        )
      }}
    </Loaded>
  )
}

function LookUp({ payout: { id, status } }: { payout: PayoutSummary }): ReactNode {
  const say = useSay()
  const lookUp = useAction({
    run: (api) => api.payouts.sync(id),
    onDone: () => say(words.lookedUp),
    changes: [['payouts']],
  })
  return (
    <>
      {lookUp.error && <ErrorNotice error={lookUp.error} />}
      <Button
        busy={lookUp.isPending}
        refused={status !== 'pending' && words.decided}
        onClick={() => lookUp.mutate()}
      >
        {words.lookUp}
      </Button>
    </>
  )
}

function PayoutDetails({ payout }: { payout: PayoutSummary }): ReactNode {
  const { account, may } = useSignedIn()
  const { payment_method } = payout
  const card = [describeCard(payout), payment_method.expiration_date].filter(Boolean).join(', ')
  const storedCard = may('payment-methods.read') && payment_method.id
  return (
    <Card title={members.details}>
      <Details>
        <Detail name={words.card}>
          {storedCard ? (
            <Link className="underline" to={`/${account}/stored-methods/${storedCard}`}>
              {card}
            </Link>
          ) : (
            card
          )}
        </Detail>
        <Detail name={members.buyer}>{payout.buyer && <BuyerLink buyer={payout.buyer} />}</Detail>
        <Detail name={members.service}>{payout.payment_service.display_name}</Detail>
        <Detail name={members.serviceId}>
          {payout.payment_service_payout_id && <CopyText text={payout.payment_service_payout_id} />}
        </Detail>
        <Detail name={members.reference}>
          {payout.external_identifier && <CopyText text={payout.external_identifier} />}
        </Detail>
        <Detail name={words.category}>{payout.category && words.categories[payout.category]}</Detail>
        <Detail name={members.id}>
          <CopyText text={payout.id} />
        </Detail>
        <Detail name={members.created}>
          <Time at={payout.created_at} form="both" />
        </Detail>
        <Detail name={members.updated}>
          <Time at={payout.updated_at} form="both" />
        </Detail>
      </Details>
    </Card>
  )
}

function SenderDetails({ merchant }: { merchant: PayoutMerchantSummary }): ReactNode {
  const names = words.merchant
  return (
    <Card title={words.sender}>
      <Details>
        <Detail name={names.name}>{merchant.name}</Detail>
        <Detail name={names.identification_number}>{merchant.identification_number}</Detail>
        <Detail name={names.phone_number}>{merchant.phone_number}</Detail>
        <Detail name={names.url}>
          <OutsideLink url={merchant.url} />
        </Detail>
        <Detail name={names.merchant_category_code}>{merchant.merchant_category_code}</Detail>
        <Detail name={names.statement_descriptor}>{merchant.statement_descriptor}</Detail>
      </Details>
    </Card>
  )
}
