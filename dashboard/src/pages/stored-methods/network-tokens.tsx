import type { NetworkToken, NetworkTokenCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { CheckField } from '../../parts/forms/field.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { type StatusLooks, StatusTag } from '../../parts/values/status-tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { memberWords as members } from '../../words/members.ts'
import { storedMethodWords as words } from '../../words/payments/stored-methods.ts'

const looks: StatusLooks = {
  active: [words.tokenStatus.active, 'good'],
  inactive: [words.tokenStatus.inactive, 'quiet'],
  suspended: [words.tokenStatus.suspended, 'warn'],
  deleted: [words.tokenStatus.deleted, 'quiet'],
}

/** The number that pays in place of the card's is as confidential as a card number: its last digits are shown. */
const shortToken = (token: string): string => `·· ${token.slice(-4)}`

type About = { is: 'new' } | { is: 'delete'; token: NetworkToken }

/** The numbers that the card's scheme has made in place of the card's. */
export function NetworkTokens({ method }: { method: string }): ReactNode {
  const mayWrite = useMay('payment-methods.write')
  const dialog = useDialog<About>()
  const query = useLoad(
    ['payment-methods', method, 'network-tokens'],
    async (api, signal) => (await api.paymentMethods.networkTokens.list(method, { signal }).page()).items,
  )
  const columns: Column<NetworkToken>[] = [
    { id: 'token', header: words.columns.token, cell: ({ token }) => shortToken(token) },
    {
      id: 'status',
      header: members.status,
      cell: ({ status }) => <StatusTag status={status} looks={looks} />,
    },
    {
      id: 'expires',
      header: words.columns.expires,
      wide: true,
      cell: ({ expiration_date }) => expiration_date,
    },
    {
      id: 'created',
      header: members.created,
      align: 'end',
      wide: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      id: 'actions',
      header: commonWords.actions,
      align: 'end',
      cell: (token) => (
        <TokenActions method={method} token={token} onDelete={() => dialog.open({ is: 'delete', token })} />
      ),
    },
  ]
  return (
    <Card title={words.networkTokens}>
      <Loaded query={query}>
        {(tokens) => (
          <>
            <SmallTable
              label={words.networkTokens}
              columns={mayWrite ? columns : columns.filter(({ id }) => id !== 'actions')}
              rows={tokens}
              rowId={({ id }) => id}
              empty={words.noNetworkTokens}
            />
            {mayWrite && tokens.every(({ status }) => status === 'deleted') && (
              <Button className="mt-3" onClick={() => dialog.open({ is: 'new' })}>
                {words.addNetworkToken}
              </Button>
            )}
          </>
        )}
      </Loaded>
      {dialog.about?.is === 'new' && <AddToken method={method} onClose={dialog.close} />}
      {dialog.about?.is === 'delete' && (
        <DeleteToken method={method} token={dialog.about.token} onClose={dialog.close} />
      )}
    </Card>
  )
}

function TokenActions({
  method,
  token,
  onDelete,
}: {
  method: string
  token: NetworkToken
  onDelete: () => void
}): ReactNode {
  const say = useSay()
  const isSuspended = token.status === 'suspended'
  const change = useAction({
    run: (api, action: 'suspend' | 'resume') =>
      action === 'suspend'
        ? api.paymentMethods.networkTokens.suspend(method, token.id)
        : api.paymentMethods.networkTokens.resume(method, token.id),
    onDone: (_token, action) => say(action === 'suspend' ? words.suspended : words.resumed),
    changes: [['payment-methods', method]],
  })
  if (token.status !== 'active' && !isSuspended) return null
  return (
    <span className="inline-flex flex-wrap justify-end gap-1">
      <Button
        look="quiet"
        aria-label={commonWords.of(isSuspended ? words.resume : words.suspend, shortToken(token.token))}
        busy={change.isPending}
        onClick={() => change.mutate(isSuspended ? 'resume' : 'suspend')}
      >
        {isSuspended ? words.resume : words.suspend}
      </Button>
      <Button
        look="quiet"
        aria-label={commonWords.of(commonWords.delete, shortToken(token.token))}
        onClick={onDelete}
      >
        {commonWords.delete}
      </Button>
      {change.error && <ErrorNotice error={change.error} />}
    </span>
  )
}

function AddToken({ method, onClose }: { method: string; onClose: () => void }): ReactNode {
  const say = useSay()
  const [isMerchants, setMerchants] = useState(false)
  const [isSubsequent, setSubsequent] = useState(false)
  const add = useAction({
    run: (api, body: NetworkTokenCreate, idempotencyKey) =>
      api.paymentMethods.networkTokens.create(method, body, { idempotencyKey }),
    onDone: () => {
      say(words.addedNetworkToken)
      onClose()
    },
    changes: [['payment-methods', method]],
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.addNetworkToken}
      text={words.addNetworkTokenText}
      submit={commonWords.create}
      busy={add.isPending}
      error={add.error}
      onSubmit={() => add.mutate({ merchant_initiated: isMerchants, is_subsequent_payment: isSubsequent })}
    >
      <CheckField label={words.merchantInitiated} checked={isMerchants} onChange={setMerchants} />
      <CheckField label={words.subsequent} checked={isSubsequent} onChange={setSubsequent} />
    </FormDialog>
  )
}

function DeleteToken({
  method,
  token,
  onClose,
}: {
  method: string
  token: NetworkToken
  onClose: () => void
}): ReactNode {
  return (
    <ConfirmDialog
      danger
      title={words.deleteNetworkToken}
      submit={commonWords.delete}
      text={words.deleteNetworkTokenText}
      done={words.deleted}
      run={(api) => api.paymentMethods.networkTokens.delete(method, token.id)}
      changes={[['payment-methods', method]]}
      onClose={onClose}
    />
  )
}
