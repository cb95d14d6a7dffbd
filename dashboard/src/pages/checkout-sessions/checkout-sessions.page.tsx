import { type CheckoutSession, RailyardError } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { formatDistance } from '../../format/time.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { OpenById } from '../../parts/lists/open-by-id.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Amount, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { checkoutSessionWords as words } from '../../words/payments/checkout-sessions.ts'
import { ContactLines } from '../buyers/contact-lines.tsx'
import { PaymentsOf } from '../payments/payments-of.tsx'

/** A session's id lets a browser enter a card into it, so it is not in this page's address. */
export function Page(): ReactNode {
  const [id, setId] = useState('')
  return (
    <Layout title={words.title} actions={<OpenById label={words.id} onOpen={setId} />}>
      <p className="mb-4 max-w-prose text-sm text-ink-2">{words.about}</p>
      {id && <Session key={id} id={id} onDeleted={() => setId('')} />}
    </Layout>
  )
}

function Session({ id, onDeleted }: { id: string; onDeleted: () => void }): ReactNode {
  const query = useLoad(
    ['checkout-sessions', id],
    (api, signal) => api.checkout.sessions.get(id, { signal }),
    { refresh: 5_000 },
  )
  if (query.error instanceof RailyardError && [400, 404, 422].includes(query.error.status))
    return <Empty title={words.gone}>{words.goneText}</Empty>
  return (
    <Loaded query={query} lines={8}>
      {(session) => (
        <Columns
          main={
            <>
              <SessionDetails session={session} onDeleted={onDeleted} />
              <SessionItems session={session} />
              <PaymentsOf
                filter={{ checkout_session_id: session.id }}
                title={words.payments}
                empty={words.noPayments}
              />
            </>
          }
          side={<Entered session={session} />}
        />
      )}
    </Loaded>
  )
}

function SessionDetails({
  session,
  onDeleted,
}: {
  session: CheckoutSession
  onDeleted: () => void
}): ReactNode {
  const { account } = useSignedIn()
  const { buyer, buyer_id, expires_at } = session
  const isOver = Date.parse(expires_at) <= Date.now()
  return (
    <Card title={words.session} aside={<DeleteSession id={session.id} onDeleted={onDeleted} />}>
      <p className="mb-3">
        <Tag tone={isOver ? 'quiet' : 'info'}>
          {isOver ? words.expired : words.expires(formatDistance(expires_at))}
        </Tag>
      </p>
      <Details>
        <Detail name={words.amount}>
          {session.amount !== null && <Amount of={session.amount} currency={session.currency} />}
        </Detail>
        <Detail name={members.currency}>{session.amount === null && session.currency}</Detail>
        <Detail name={words.service}>{session.payment_service_id}</Detail>
        <Detail name={words.storedBuyer}>
          {buyer_id && (
            <Link className="underline" to={`/${account}/buyers/${buyer_id}`}>
              {words.toBuyer}
            </Link>
          )}
        </Detail>
        <Detail name={members.buyer}>
          {buyer && (
            <>
              {buyer.display_name ?? buyer.external_identifier}
              {buyer.billing_details && <ContactLines details={buyer.billing_details} />}
            </>
          )}
        </Detail>
        <Detail name={words.until}>
          <Time at={expires_at} form="both" />
        </Detail>
        {Object.entries(session.metadata ?? {}).map(([key, value]) => (
          <Detail key={key} name={key}>
            {value}
          </Detail>
        ))}
      </Details>
    </Card>
  )
}

function DeleteSession({ id, onDeleted }: { id: string; onDeleted: () => void }): ReactNode {
  const may = useMay('checkout-sessions.write')
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
          run={(api) => api.checkout.sessions.delete(id)}
          onDone={onDeleted}
          changes={[]}
          onClose={dialog.close}
        />
      )}
    </>
  )
}

type Item = NonNullable<CheckoutSession['cart_items']>[number]

function SessionItems({ session: { cart_items, currency } }: { session: CheckoutSession }): ReactNode {
  const columns: Column<[string, Item]>[] = [
    { id: 'name', header: words.item, cell: ([, { name }]) => name },
    { id: 'quantity', header: words.quantity, align: 'end', cell: ([, { quantity }]) => quantity },
    {
      id: 'price',
      header: words.price,
      align: 'end',
      cell: ([, { unit_amount }]) =>
        currency ? <Amount of={unit_amount} currency={currency} /> : unit_amount,
    },
  ]
  return (
    <Card title={words.items}>
      <SmallTable
        label={words.items}
        columns={columns}
        rows={Object.entries(cart_items ?? [])}
        rowId={([index]) => index}
        empty={words.noItems}
      />
    </Card>
  )
}

function Entered({ session: { payment_method } }: { session: CheckoutSession }): ReactNode {
  const { account } = useSignedIn()
  return (
    <Card title={words.entered}>
      {payment_method ? (
        <Details>
          <Detail name={members.method}>
            {[payment_method.scheme ?? payment_method.method, payment_method.label]
              .filter(Boolean)
              .join(' ·· ')}
          </Detail>
          <Detail name={words.stored}>
            {payment_method.id && (
              <Link className="underline" to={`/${account}/stored-methods/${payment_method.id}`}>
                {members.open}
              </Link>
            )}
          </Detail>
          <Detail name={words.firstDigits}>{payment_method.details?.bin}</Detail>
          <Detail name={words.kind}>{payment_method.details?.card_type}</Detail>
          <Detail name={words.issuer}>{payment_method.details?.card_issuer_name}</Detail>
          <Detail name={words.issuerCountry}>{payment_method.details?.card_country}</Detail>
        </Details>
      ) : (
        <p className="text-sm text-ink-3">{words.noPayment}</p>
      )}
    </Card>
  )
}
