import type { GiftCard, PaymentMethod } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { buyerWords as words } from '../../words/payments/buyers.ts'
import { Expiry } from '../gift-cards/expiry.tsx'
import { giftCardName } from '../gift-cards/gift-card-name.ts'
import { methodLooks, methodName } from '../stored-methods/stored-method-status.ts'

/** What the buyer has stored to pay with. */
export function MethodsOfBuyer({ buyer }: { buyer: string }): ReactNode {
  const { account, may } = useSignedIn()
  const mayRead = may('payment-methods.read')
  const query = useLoad(
    ['payment-methods', 'of', buyer],
    (api, signal) => every(api.paymentMethods.list({ buyer_id: buyer, limit: 100 }, { signal })),
    { enabled: mayRead },
  )
  if (!mayRead) return null
  const columns: Column<PaymentMethod>[] = [
    {
      id: 'method',
      header: words.method,
      cell: (method) => (
        <Link className="underline" to={`/${account}/stored-methods/${method.id}`}>
          {methodName(method)}
        </Link>
      ),
    },
    { id: 'expires', header: words.expires, cell: ({ expiration_date }) => expiration_date },
    {
      id: 'status',
      header: words.status,
      cell: ({ status }) => <StatusTag status={status} looks={methodLooks} />,
    },
    {
      id: 'used',
      header: words.usedAt,
      align: 'end',
      wide: true,
      cell: ({ last_used_at }) => <Time at={last_used_at} />,
    },
  ]
  return (
    <Card title={words.methods}>
      <Loaded query={query}>
        {(methods) => (
          <SmallTable
            label={words.methods}
            columns={columns}
            rows={methods}
            rowId={({ id }) => id}
            empty={words.noMethods}
          />
        )}
      </Loaded>
    </Card>
  )
}

/** The gift cards that are stored for the buyer; their service is not asked. */
export function GiftCardsOfBuyer({ buyer }: { buyer: string }): ReactNode {
  const { account, may } = useSignedIn()
  const mayRead = may('gift-cards.read')
  const query = useLoad(
    ['gift-cards', 'of', buyer],
    (api, signal) => every(api.giftCards.list({ buyer_id: buyer, limit: 100 }, { signal })),
    { enabled: mayRead },
  )
  if (!mayRead) return null
  const columns: Column<GiftCard>[] = [
    {
      id: 'card',
      header: words.card,
      cell: (card) => (
        <Link className="underline" to={`/${account}/gift-cards/${card.id}`}>
          {giftCardName(card)}
        </Link>
      ),
    },
    {
      id: 'expires',
      header: words.expires,
      cell: ({ expiration_date }) => <Expiry date={expiration_date} />,
    },
    {
      id: 'used',
      header: words.usedAt,
      align: 'end',
      cell: ({ last_used_at }) => <Time at={last_used_at} />,
    },
  ]
  return (
    <Card title={words.giftCards}>
      <Loaded query={query}>
        {(cards) => (
          <SmallTable
            label={words.giftCards}
            columns={columns}
            rows={cards}
            rowId={({ id }) => id}
            empty={words.noGiftCards}
          />
        )}
      </Loaded>
    </Card>
  )
}
