import type { GiftCard } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'
import { BuyerLink } from '../buyers/buyer-link.tsx'
import { PaymentsOf } from '../payments/payments-of.tsx'
import { Balance } from './balance.tsx'
import { Expiry } from './expiry.tsx'
import { giftCardName } from './gift-card-name.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['gift-cards', id], (api, signal) => api.giftCards.get(id, { signal }))
  return (
    <Loaded query={query} title={words.card} lines={8}>
      {(card) => (
        <Layout
          title={giftCardName(card)}
          above={[{ text: words.title, to: `/${account}/gift-cards` }]}
          actions={<DeleteCard card={card} />}
        >
          <Columns
            main={
              <>
                <AskStoredBalance id={id} />
                <PaymentsOf filter={{ gift_card_id: id }} title={words.payments} empty={words.noPayments} />
              </>
            }
            side={<CardDetails card={card} />}
          />
        </Layout>
      )}
    </Loaded>
  )
}

/** The balance is asked when a person wants it: the service counts and may limit the questions. */
function AskStoredBalance({ id }: { id: string }): ReactNode {
  const ask = useAction({
    run: async (api) => (await api.giftCards.balances.list({ items: [{ id }] }).page()).items[0],
    changes: [],
  })
  return (
    <Card title={words.balance}>
      <div className="grid justify-items-start gap-3">
        <div role="status" className="w-full">
          {ask.data && <Balance card={ask.data} />}
        </div>
        {ask.error && <ErrorNotice error={ask.error} />}
        <Button busy={ask.isPending} onClick={() => ask.mutate()}>
          {words.askBalance}
        </Button>
      </div>
    </Card>
  )
}

function DeleteCard({ card }: { card: GiftCard }): ReactNode {
  const { account } = useSignedIn()
  const may = useMay('gift-cards.write')
  const navigate = useNavigate()
  const dialog = useDialog()
  if (!may) return null
  return (
    <>
      <Button onClick={() => dialog.open(true)}>{words.delete}</Button>
      {dialog.about && (
        <ConfirmDialog
          danger
          title={words.deleteTitle}
          submit={words.delete}
          text={words.deleteText}
          done={words.deleted}
          run={(api) => api.giftCards.delete(card.id)}
          onDone={() => void navigate(`/${account}/gift-cards`)}
          changes={[
            ['gift-cards', 'list'],
            ['gift-cards', 'of'],
          ]}
          onClose={dialog.close}
        />
      )}
    </>
  )
}

function CardDetails({ card }: { card: GiftCard }): ReactNode {
  return (
    <Card title={members.details}>
      <Details>
        <Detail name={members.buyer}>{card.buyer && <BuyerLink buyer={card.buyer} />}</Detail>
        <Detail name={words.service}>{card.gift_card_service.display_name}</Detail>
        <Detail name={words.expires}>{card.expiration_date && <Expiry date={card.expiration_date} />}</Detail>
        <Detail name={words.usage}>{card.usage_count}</Detail>
        <Detail name={words.usedByBuyer}>{card.cit_usage_count}</Detail>
        <Detail name={words.lastUsed}>
          {card.last_used_at && <Time at={card.last_used_at} form="both" />}
        </Detail>
        <Detail name={members.id}>
          <CopyText text={card.id} short />
        </Detail>
        <Detail name={members.created}>
          <Time at={card.created_at} form="both" />
        </Detail>
        <Detail name={members.updated}>
          <Time at={card.updated_at} form="both" />
        </Detail>
      </Details>
    </Card>
  )
}
