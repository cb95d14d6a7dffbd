import type { ConfiguredGiftCardService } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { ButtonLink } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { giftCardServiceWords as words } from '../../words/connections/gift-card-services.ts'
import { serviceFormWords } from '../../words/connections/service-form.ts'
import { definitionOf } from './definitions.ts'

const columns: Column<ConfiguredGiftCardService>[] = [
  {
    id: 'name',
    header: words.columns.name,
    cell: ({ id, display_name }) => (
      <Link to={id} className="font-medium">
        {display_name}
      </Link>
    ),
  },
  {
    id: 'kind',
    header: words.columns.kind,
    wide: true,
    cell: ({ gift_card_service_definition_id: id }) => definitionOf(id)?.display_name ?? id,
  },
  {
    id: 'state',
    header: words.columns.state,
    cell: ({ active }) => (
      <Tag tone={active ? 'good' : 'warn'}>{active ? serviceFormWords.active : serviceFormWords.paused}</Tag>
    ),
  },
  {
    id: 'created',
    header: words.columns.created,
    align: 'end',
    wide: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    id: 'updated',
    header: words.columns.updated,
    align: 'end',
    shown: false,
    cell: ({ updated_at }) => <Time at={updated_at} />,
  },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('gift-card-services.write')
  const home = `/${account}/gift-card-services`
  const query = useList(['gift-card-services', 'list'], (api, cursor, signal) =>
    api.giftCardServices.list({ cursor, limit: 50 }, { signal }).page(),
  )
  const connect = mayWrite && (
    <ButtonLink look="primary" to={`${home}/new`}>
      {words.connect}
    </ButtonLink>
  )
  return (
    <Layout title={words.title} actions={connect}>
      <p className="mb-3 text-sm text-ink-2">{words.text}</p>
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `${home}/${id}`}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
    </Layout>
  )
}
