import type { WebhookSubscription } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { SecretDialog } from '../../parts/dialogs/secret-dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { webhookWords as words } from '../../words/developers/webhooks.ts'
import { WebhookForm } from './webhook-form.tsx'
import { authenticationText, WebhookState } from './webhook-state.tsx'

const columns: Column<WebhookSubscription>[] = [
  {
    id: 'url',
    header: words.columns.url,
    cell: ({ id, url }) => (
      <Link to={id} className="font-medium" title={url}>
        {url}
      </Link>
    ),
  },
  {
    id: 'state',
    header: words.columns.state,
    cell: (subscription) => <WebhookState of={subscription} />,
  },
  {
    id: 'scope',
    header: words.columns.scope,
    wide: true,
    cell: ({ merchant_account_id }) => (merchant_account_id ? words.thisAccount : words.allAccounts),
  },
  { id: 'authentication', header: words.columns.authentication, wide: true, cell: authenticationText },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('webhook-subscriptions.write')
  const form = useDialog()
  const [secret, setSecret] = useState<string>()
  const query = useList(['webhook-subscriptions', 'list'], (api, cursor, signal) =>
    api.webhookSubscriptions.list({ cursor, limit: 50 }, { signal }).page(),
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
        href={({ id }) => `/${account}/webhooks/${id}`}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
      {form.about && (
        <WebhookForm
          onClose={form.close}
          onDone={(created) => {
            form.close()
            setSecret(created.secret ?? undefined)
          }}
        />
      )}
      {secret && <SigningSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </Layout>
  )
}

export const SigningSecret = ({ secret, onClose }: { secret: string; onClose: () => void }): ReactNode => (
  <SecretDialog
    title={words.secretTitle}
    text={words.secretText}
    label={words.secret}
    secret={secret}
    onClose={onClose}
  />
)
