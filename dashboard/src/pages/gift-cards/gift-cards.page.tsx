import type { GiftCard } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { memberWords as members } from '../../words/members.ts'
import { giftCardWords as words } from '../../words/payments/gift-cards.ts'
import { buyerName } from '../buyers/buyer-name.ts'
import { ActivateGiftCard } from './activate-gift-card.tsx'
import { AskBalance } from './ask-balance.tsx'
import { Expiry } from './expiry.tsx'
import { giftCardName } from './gift-card-name.ts'
import { IssueGiftCard } from './issue-gift-card.tsx'
import { StoreGiftCard } from './store-gift-card.tsx'

const filters: Filter[] = [{ name: 'buyer_external_identifier', label: words.buyerReference }]

const columns: Column<GiftCard>[] = [
  { id: 'card', header: words.columns.card, cell: (card) => <Link to={card.id}>{giftCardName(card)}</Link> },
  { id: 'buyer', header: members.buyer, cell: ({ buyer }) => buyer && buyerName(buyer) },
  {
    id: 'service',
    header: words.columns.service,
    wide: true,
    cell: ({ gift_card_service }) => gift_card_service.display_name,
  },
  {
    id: 'expires',
    header: words.columns.expires,
    wide: true,
    cell: ({ expiration_date }) => <Expiry date={expiration_date} />,
  },
  {
    id: 'usage',
    header: words.columns.usage,
    align: 'end',
    wide: true,
    cell: ({ usage_count }) => usage_count,
  },
  {
    id: 'used',
    header: words.columns.used,
    align: 'end',
    wide: true,
    cell: ({ last_used_at }) => <QuietTime at={last_used_at} />,
  },
  {
    id: 'created',
    header: members.created,
    align: 'end',
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
  { id: 'id', header: members.id, shown: false, cell: ({ id }) => <CopyText text={id} short /> },
]

export function Page(): ReactNode {
  const { account, may } = useSignedIn()
  const [params] = useSearchParams()
  const dialog = useDialog<'balance' | 'activate' | 'issue' | 'store'>()
  const filter = filterQuery(params, filters)
  const query = useList(['gift-cards', 'list', filter], (api, cursor, signal) =>
    api.giftCards.list({ ...filter, cursor, limit: 50 }, { signal }).page(),
  )
  return (
    <Layout
      title={words.title}
      actions={
        <>
          <Button onClick={() => dialog.open('balance')}>{words.askBalance}</Button>
          {may('gift-cards.write') && (
            <Menu
              label={commonWords.more}
              items={[
                { text: words.store, onSelect: () => dialog.open('store') },
                { text: words.activate, onSelect: () => dialog.open('activate') },
                { text: words.issue, onSelect: () => dialog.open('issue') },
              ]}
            />
          )}
        </>
      }
    >
      <FilterBar filters={filters} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/gift-cards/${id}`}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
      {dialog.about === 'balance' && <AskBalance onClose={dialog.close} />}
      {dialog.about === 'store' && <StoreGiftCard onClose={dialog.close} />}
      {dialog.about === 'activate' && <ActivateGiftCard onClose={dialog.close} />}
      {dialog.about === 'issue' && <IssueGiftCard onClose={dialog.close} />}
    </Layout>
  )
}
