import type { ApiKeyPair } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { SecretDialog } from '../../parts/dialogs/secret-dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { QuietTime, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { apiKeyWords as words } from '../../words/developers/api-keys.ts'
import { ApiKeyForm } from './api-key-form.tsx'

export const KeyState = ({ of: { active } }: { of: ApiKeyPair }): ReactNode => (
  <Tag tone={active ? 'good' : 'quiet'}>{active ? words.active : words.inactive}</Tag>
)

const columns: Column<ApiKeyPair>[] = [
  {
    id: 'name',
    header: words.columns.name,
    cell: ({ id, display_name }) => (
      <Link to={id} className="font-medium">
        {display_name}
      </Link>
    ),
  },
  { id: 'state', header: words.columns.state, cell: (pair) => <KeyState of={pair} /> },
  {
    id: 'roles',
    header: words.columns.roles,
    cell: ({ roles }) => roles.map(({ name }) => name).join(', '),
  },
  {
    id: 'accounts',
    header: words.columns.accounts,
    wide: true,
    cell: ({ merchant_accounts }) =>
      merchant_accounts.map(({ display_name }) => display_name).join(', ') || words.allAccounts,
  },
  { id: 'algorithm', header: words.columns.algorithm, wide: true, cell: ({ algorithm }) => algorithm },
  {
    id: 'lastUsed',
    header: words.columns.lastUsed,
    align: 'end',
    cell: ({ last_used_at }) => (
      <span className="font-normal text-ink-3">
        {last_used_at ? <Time at={last_used_at} /> : words.never}
      </span>
    ),
  },
  {
    id: 'created',
    header: words.columns.created,
    align: 'end',
    wide: true,
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('api-key-pairs.write')
  const form = useDialog()
  const [created, setCreated] = useState<ApiKeyPair>()
  const query = useList(['api-key-pairs', 'list'], (api, cursor, signal) =>
    api.apiKeyPairs.list({ cursor, limit: 50 }, { signal }).page(),
  )
  return (
    <Layout
      title={words.title}
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => form.open(true)}>
            {words.create}
          </Button>
        )
      }
    >
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/api-keys/${id}`}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
      {form.about && (
        <ApiKeyForm
          onClose={form.close}
          onDone={(pair) => {
            form.close()
            if (pair.private_key) setCreated(pair)
          }}
        />
      )}
      {created?.private_key && (
        <SecretDialog
          title={words.privateKeyTitle}
          text={words.privateKeyText}
          label={words.privateKey}
          secret={created.private_key}
          fileName="private_key.pem"
          onClose={() => setCreated(undefined)}
        >
          <p className="mt-3 text-sm text-ink-2">
            {words.detail.thumbprint}: <code className="font-mono break-all">{created.thumbprint}</code>
          </p>
        </SecretDialog>
      )}
    </Layout>
  )
}
