import type { DigitalWallet } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { ButtonLink } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { walletWords as words } from '../../words/connections/digital-wallets.ts'

const columns: Column<DigitalWallet>[] = [
  {
    id: 'provider',
    header: words.columns.provider,
    cell: ({ id, provider }) => (
      <Link to={id} className="font-medium">
        {words.providers[provider] ?? provider}
      </Link>
    ),
  },
  { id: 'merchant', header: words.columns.merchant, cell: ({ merchant_name }) => merchant_name },
  {
    id: 'domains',
    header: words.columns.domains,
    wide: true,
    cell: ({ domain_names }) => domain_names.join(', '),
  },
  {
    id: 'certificates',
    header: words.columns.certificates,
    wide: true,
    cell: ({ active_certificate_count, pending_certificate_count, expired_certificate_count }) =>
      words.certificateCounts(active_certificate_count, pending_certificate_count, expired_certificate_count),
  },
  {
    id: 'updated',
    header: words.columns.updated,
    align: 'end',
    wide: true,
    cell: ({ updated_at }) => <Time at={updated_at} />,
  },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('digital-wallets.write')
  const home = `/${account}/digital-wallets`
  const query = useList(['digital-wallets', 'list'], (api, _, signal) =>
    api.digitalWallets.list({ signal }).page(),
  )
  return (
    <Layout
      title={words.title}
      actions={
        mayWrite && (
          <ButtonLink look="primary" to={`${home}/new`}>
            {words.register}
          </ButtonLink>
        )
      }
    >
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
