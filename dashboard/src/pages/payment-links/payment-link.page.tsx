import type { PaymentLink } from '@railyard/client'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { formatDistance } from '../../format/time.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { AmountHeading, Card, Columns, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { OutsideLink } from '../../parts/values/outside-link.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { paymentLinkWords as words } from '../../words/payments/payment-links.ts'
import { BuyerLink } from '../buyers/buyer-link.tsx'
import { PaymentsOf } from '../payments/payments-of.tsx'
import { LinkPreview } from './link-preview.tsx'
import { paymentLinkLooks } from './payment-link-status.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['payment-links', id], (api, signal) => api.paymentLinks.get(id, { signal }), {
    refresh: 5_000,
  })
  return (
    <Loaded query={query} title={words.link} lines={10}>
      {(link) => (
        <Layout
          title={link.external_identifier ?? words.link}
          above={[{ text: words.title, to: `/${account}/payment-links` }]}
          heading={
            <AmountHeading of={link.amount} currency={link.currency}>
              <StatusTag status={link.status} looks={paymentLinkLooks} />
            </AmountHeading>
          }
          actions={<LinkActions link={link} />}
        >
          <WhatNext link={link} />
          <Columns
            main={
              <>
                {link.status === 'active' && <LinkAddress link={link} />}
                <PaymentsOf
                  filter={{ payment_link_id: id }}
                  title={words.payments}
                  empty={words.noPayments}
                />
                <LinkDetails link={link} />
              </>
            }
            side={<LinkPreview link={previewOf(link)} />}
          />
        </Layout>
      )}
    </Loaded>
  )
}

const previewOf = (link: PaymentLink) => ({
  amount: link.amount,
  currency: link.currency,
  isReserved: link.intent === 'authorize',
  merchantName: link.merchant_name ?? '',
  message: link.merchant_message ?? '',
  color: link.merchant_color ?? '',
  hasTerms: link.merchant_terms_and_conditions_url !== null,
  items: (link.cart_items ?? []).map(({ name, quantity, unit_amount }, index) => ({
    key: String(index),
    name,
    quantity,
    unitAmount: unit_amount,
  })),
})

function WhatNext({ link: { status, expires_at, intent } }: { link: PaymentLink }): ReactNode {
  const next = words.next[status as keyof typeof words.next]
  if (!next) return null
  const text = typeof next === 'string' ? next : next(expires_at ? formatDistance(expires_at) : undefined)
  const isReserved = status === 'completed' && intent === 'authorize'
  return (
    <div className="mb-4">
      <Notice tone={status === 'processing' || isReserved ? 'warn' : 'info'}>
        {text} {isReserved && words.reserved}
      </Notice>
    </div>
  )
}

/** The address is a credential: it is shown to people who may create links, and kept nowhere. */
function LinkAddress({ link: { url } }: { link: PaymentLink }): ReactNode {
  const say = useSay()
  const isHidden = url.endsWith('***')
  return (
    <Card title={words.address}>
      <p className="mb-2 text-sm text-ink-2">{isHidden ? words.addressHidden : words.addressWhy}</p>
      {!isHidden && (
        <div className="grid gap-3">
          <code className="rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm break-all select-all">
            {url}
          </code>
          <div className="flex flex-wrap items-center gap-3">
            <Button
              look="primary"
              onClick={() => void navigator.clipboard.writeText(url).then(() => say(words.copied))}
            >
              {words.copy}
            </Button>
            <OutsideLink url={url} text={words.openPage} />
          </div>
        </div>
      )}
    </Card>
  )
}

function LinkActions({ link: { id, status } }: { link: PaymentLink }): ReactNode {
  const may = useMay('payment-links.write')
  const dialog = useDialog()
  if (!may) return null
  return (
    <>
      <Button refused={words.refused[status as keyof typeof words.refused]} onClick={() => dialog.open(true)}>
        {words.expire}
      </Button>
      {dialog.about && (
        <ConfirmDialog
          danger
          title={words.expireTitle}
          submit={words.expire}
          text={words.expireText}
          done={words.expireDone}
          run={(api) => api.paymentLinks.expire(id)}
          changes={[['payment-links']]}
          onClose={dialog.close}
        />
      )}
    </>
  )
}

function LinkDetails({ link }: { link: PaymentLink }): ReactNode {
  const form = words.form
  const url = (value: string | null) => value && <OutsideLink url={value} />
  return (
    <Card title={members.details}>
      <Details>
        <Detail name={members.id}>
          <CopyText text={link.id} />
        </Detail>
        <Detail name={members.reference}>
          {link.external_identifier && <CopyText text={link.external_identifier} />}
        </Detail>
        <Detail name={members.buyer}>{link.buyer && <BuyerLink buyer={link.buyer} />}</Detail>
        <Detail name={members.country}>{link.country}</Detail>
        <Detail name={words.intent}>
          {words.intents[link.intent as keyof typeof words.intents] ?? link.intent}
        </Detail>
        <Detail name={words.declines}>{words.declinesOf(link.declines)}</Detail>
        <Detail name={form.store}>{link.store && <span aria-hidden>✓</span>}</Detail>
        <Detail name={form.locale}>{link.locale}</Detail>
        <Detail name={form.website}>{url(link.merchant_url)}</Detail>
        <Detail name={form.terms}>{url(link.merchant_terms_and_conditions_url)}</Detail>
        <Detail name={form.banner}>{url(link.merchant_banner_url)}</Detail>
        <Detail name={form.favicon}>{url(link.merchant_favicon_url)}</Detail>
        <Detail name={form.returnUrl}>{url(link.return_url)}</Detail>
        <Detail name={form.expires}>{link.expires_at && <Time at={link.expires_at} form="both" />}</Detail>
        <Detail name={members.created}>
          <Time at={link.created_at} form="both" />
        </Detail>
        <Detail name={members.updated}>
          <Time at={link.updated_at} form="both" />
        </Detail>
        {Object.entries(link.metadata ?? {}).map(([key, value]) => (
          <Detail key={key} name={key}>
            {value}
          </Detail>
        ))}
      </Details>
    </Card>
  )
}
