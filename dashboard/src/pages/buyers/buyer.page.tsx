import { type Buyer, RailyardError } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { Empty, Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { memberWords as members } from '../../words/members.ts'
import { buyerWords as words } from '../../words/payments/buyers.ts'
import { PaymentsOf } from '../payments/payments-of.tsx'
import { BuyerDialog } from './buyer-dialog.tsx'
import { buyerName } from './buyer-name.ts'
import { ContactLines } from './contact-lines.tsx'
import { ShippingCard } from './shipping-card.tsx'
import { GiftCardsOfBuyer, MethodsOfBuyer } from './stored-for-buyer.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account, may } = useSignedIn()
  const query = useLoad(['buyers', id], (api, signal) => api.buyers.get(id, { signal }))
  if (query.error instanceof RailyardError && query.error.status === 404)
    return (
      <Layout title={words.buyer} above={[{ text: words.title, to: `/${account}/buyers` }]}>
        <Empty title={words.gone}>
          <p className="mb-3">{words.goneText}</p>
          <ButtonLink to="erasure">{words.toErasure}</ButtonLink>
        </Empty>
      </Layout>
    )
  return (
    <Loaded query={query} title={words.buyer} lines={12}>
      {(buyer) => (
        <Layout
          title={buyerName(buyer)}
          above={[{ text: words.title, to: `/${account}/buyers` }]}
          actions={<BuyerActions buyer={buyer} />}
        >
          {!may('buyers.billing-details.read') && (
            <div className="mb-4">
              <Notice>{words.hidden}</Notice>
            </div>
          )}
          <Columns
            main={
              <>
                <PaymentsOf filter={{ buyer_id: id }} title={words.payments} empty={words.noPayments} />
                <MethodsOfBuyer buyer={id} />
                <GiftCardsOfBuyer buyer={id} />
              </>
            }
            side={
              <>
                <BuyerDetails buyer={buyer} />
                <ShippingCard buyer={id} />
              </>
            }
          />
        </Layout>
      )}
    </Loaded>
  )
}

function BuyerActions({ buyer }: { buyer: Buyer }): ReactNode {
  const { account, may } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const dialog = useDialog<'edit' | 'delete'>()
  if (!may('buyers.write')) return null
  return (
    <>
      <Button onClick={() => dialog.open('edit')}>{words.edit}</Button>
      <Menu
        label={commonWords.more}
        items={[
          { text: words.delete, danger: true, onSelect: () => dialog.open('delete') },
          ...(may('erasures.write')
            ? [{ text: words.erase, danger: true, onSelect: () => void navigate('erasure') }]
            : []),
        ]}
      />
      {dialog.about === 'edit' && (
        <BuyerDialog
          buyer={buyer}
          onClose={dialog.close}
          onDone={() => {
            say(words.saved)
            dialog.close()
          }}
        />
      )}
      {dialog.about === 'delete' && (
        <ConfirmDialog
          danger
          title={words.deleteTitle}
          submit={words.delete}
          text={words.deleteText}
          done={words.deleted}
          run={(api) => api.buyers.delete(buyer.id)}
          onDone={() => void navigate(`/${account}/buyers`)}
          changes={[['buyers', 'list'], ['buyers', 'search'], ['payment-methods']]}
          onClose={dialog.close}
        />
      )}
    </>
  )
}

function BuyerDetails({ buyer }: { buyer: Buyer }): ReactNode {
  const { billing_details } = buyer
  const taxId = billing_details?.tax_id
  return (
    <Card title={members.details}>
      <Details>
        <Detail name={members.id}>
          <CopyText text={buyer.id} short />
        </Detail>
        <Detail name={members.reference}>
          {buyer.external_identifier && <CopyText text={buyer.external_identifier} />}
        </Detail>
        <Detail name={members.shortId}>
          <CopyText text={buyer.reconciliation_id} short />
        </Detail>
        <Detail name={words.billing}>{billing_details && <ContactLines details={billing_details} />}</Detail>
        <Detail name={words.person.tax_id}>{taxId && `${taxId.value} (${taxId.kind})`}</Detail>
        <Detail name={words.person.account_number}>{buyer.account_number}</Detail>
        <Detail name={members.created}>
          <Time at={buyer.created_at} form="both" />
        </Detail>
        <Detail name={members.updated}>
          <Time at={buyer.updated_at} form="both" />
        </Detail>
      </Details>
    </Card>
  )
}
