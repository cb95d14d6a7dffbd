import type { PaymentMethod } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { ErrorNotice, Notice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { OutsideLink } from '../../parts/values/outside-link.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { storedMethodWords as words } from '../../words/payments/stored-methods.ts'
import { BuyerLink } from '../buyers/buyer-link.tsx'
import { PaymentsOf } from '../payments/payments-of.tsx'
import { EditMethod } from './edit-method.tsx'
import { NetworkTokens } from './network-tokens.tsx'
import { ServiceTokens } from './service-tokens.tsx'
import { methodLooks, methodName } from './stored-method-status.ts'
import { useAccountUpdater } from './use-account-updater.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['payment-methods', id], (api, signal) => api.paymentMethods.get(id, { signal }))
  return (
    <Loaded query={query} title={words.method} lines={10}>
      {(method) => (
        <Layout
          title={methodName(method)}
          above={[{ text: words.title, to: `/${account}/stored-methods` }]}
          heading={
            <Heading>
              {methodName(method)}
              <StatusTag status={method.status} looks={methodLooks} />
            </Heading>
          }
          actions={<MethodActions method={method} />}
        >
          <WhatNext method={method} />
          <Columns
            main={
              <>
                <PaymentsOf
                  filter={{ payment_method_id: id }}
                  title={words.payments}
                  empty={words.noPayments}
                />
                {method.mode === 'card' && (
                  <>
                    <ServiceTokens method={id} />
                    <NetworkTokens method={id} />
                  </>
                )}
              </>
            }
            side={<MethodDetails method={method} />}
          />
        </Layout>
      )}
    </Loaded>
  )
}

function WhatNext({ method: { status, has_replacement } }: { method: PaymentMethod }): ReactNode {
  const text = words.next[status as keyof typeof words.next]
  if (!text && !has_replacement) return null
  return (
    <div className="mb-4 grid gap-2">
      {text && <Notice tone={status === 'failed' ? 'bad' : 'info'}>{text}</Notice>}
      {has_replacement && <Notice>{words.replacement}</Notice>}
    </div>
  )
}

function MethodActions({ method }: { method: PaymentMethod }): ReactNode {
  const { account } = useSignedIn()
  const may = useMay('payment-methods.write')
  const navigate = useNavigate()
  const dialog = useDialog<'edit' | 'delete'>()
  const update = useAccountUpdater()
  if (!may) return null
  return (
    <>
      {method.mode === 'card' && (
        <>
          <Button busy={update.isPending} onClick={() => update.mutate([method.id])}>
            {words.update}
          </Button>
          <Button onClick={() => dialog.open('edit')}>{words.edit}</Button>
        </>
      )}
      <Button onClick={() => dialog.open('delete')}>{words.delete}</Button>
      {update.error && <ErrorNotice error={update.error} />}
      {dialog.about === 'edit' && <EditMethod method={method} onClose={dialog.close} />}
      {dialog.about === 'delete' && (
        <ConfirmDialog
          danger
          title={words.deleteTitle}
          submit={words.delete}
          text={words.deleteText}
          done={words.deleted}
          run={(api) => api.paymentMethods.delete(method.id)}
          onDone={() => void navigate(`/${account}/stored-methods`)}
          changes={[
            ['payment-methods', 'list'],
            ['payment-methods', 'of'],
          ]}
          onClose={dialog.close}
        />
      )}
    </>
  )
}

function MethodDetails({ method }: { method: PaymentMethod }): ReactNode {
  const { details, additional_schemes } = method
  return (
    <Card title={members.details}>
      <Details>
        <Detail name={words.expiry}>{method.expiration_date}</Detail>
        <Detail name={members.buyer}>{method.buyer && <BuyerLink buyer={method.buyer} />}</Detail>
        <Detail name={members.reference}>
          {method.external_identifier && <CopyText text={method.external_identifier} />}
        </Detail>
        <Detail name={words.kind}>{details?.card_type}</Detail>
        <Detail name={words.issuer}>{details?.card_issuer_name}</Detail>
        <Detail name={words.firstDigits}>{details?.bin}</Detail>
        <Detail name={words.otherSchemes}>{additional_schemes?.join(', ')}</Detail>
        <Detail name={members.country}>{method.country}</Detail>
        <Detail name={members.currency}>{method.currency}</Detail>
        <Detail name={words.approve}>
          {method.approval_url && <OutsideLink url={method.approval_url} />}
        </Detail>
        <Detail name={words.usage}>{method.usage_count}</Detail>
        <Detail name={words.usedByBuyer}>{method.cit_usage_count}</Detail>
        <Detail name={words.lastUsed}>
          {method.last_used_at && <Time at={method.last_used_at} form="both" />}
        </Detail>
        <Detail name={words.lastReplaced}>
          {method.last_replaced_at && <Time at={method.last_replaced_at} form="both" />}
        </Detail>
        <Detail name={words.schemeTransaction}>
          {method.scheme_transaction_id &&
            [method.scheme_transaction_id, method.scheme_transaction_id_scheme].filter(Boolean).join(', ')}
        </Detail>
        <Detail name={words.transactionLink}>{method.transaction_link_id}</Detail>
        <Detail name={words.fingerprint}>
          {method.fingerprint && <CopyText text={method.fingerprint} short />}
        </Detail>
        <Detail name={members.id}>
          <CopyText text={method.id} short />
        </Detail>
        <Detail name={members.created}>
          <Time at={method.created_at} form="both" />
        </Detail>
        <Detail name={members.updated}>
          <Time at={method.updated_at} form="both" />
        </Detail>
      </Details>
    </Card>
  )
}
