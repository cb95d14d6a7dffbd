import type { PaymentService, PaymentServiceToken, PaymentServiceTokenCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import type { Column } from '../../parts/lists/data-table.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { OutsideLink } from '../../parts/values/outside-link.tsx'
import { StatusTag } from '../../parts/values/status-tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { memberWords as members } from '../../words/members.ts'
import { storedMethodWords as words } from '../../words/payments/stored-methods.ts'
import { methodLooks } from './stored-method-status.ts'

type About = { is: 'new' } | { is: 'delete'; token: PaymentServiceToken }

/** The tokens by which payment services know a stored card. The tokens themselves are not shown. */
export function ServiceTokens({ method }: { method: string }): ReactNode {
  const { may } = useSignedIn()
  const mayWrite = may('payment-methods.write')
  const maySeeServices = may('payment-services.read')
  const dialog = useDialog<About>()
  const services = useLoad(
    ['payment-services', 'of-cards'],
    (api, signal) => every(api.paymentServices.list({ method: 'card', limit: 100 }, { signal })),
    { enabled: maySeeServices },
  )
  const query = useLoad(['payment-methods', method, 'service-tokens'], (api, signal) =>
    every(api.paymentMethods.paymentServiceTokens.list(method, {}, { signal })),
  )
  const nameOf = (id: string) => services.data?.find((each) => each.id === id)?.display_name ?? id
  const columns: Column<PaymentServiceToken>[] = [
    {
      id: 'service',
      header: members.service,
      cell: ({ payment_service_id }) => nameOf(payment_service_id),
    },
    {
      id: 'status',
      header: members.status,
      cell: ({ status }) => <StatusTag status={status} looks={methodLooks} />,
    },
    {
      id: 'approval',
      header: words.approve,
      wide: true,
      cell: ({ approval_url }) => approval_url && <OutsideLink url={approval_url} />,
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
      cell: (token) =>
        mayWrite && (
          <Button
            look="quiet"
            aria-label={commonWords.of(commonWords.delete, nameOf(token.payment_service_id))}
            onClick={() => dialog.open({ is: 'delete', token })}
          >
            {commonWords.delete}
          </Button>
        ),
    },
  ]
  return (
    <Card title={words.serviceTokens}>
      <Loaded query={query}>
        {(tokens) => (
          <SmallTable
            label={words.serviceTokens}
            columns={mayWrite ? columns : columns.filter(({ id }) => id !== 'actions')}
            rows={tokens}
            rowId={({ id }) => id}
            empty={words.noServiceTokens}
          />
        )}
      </Loaded>
      {mayWrite && maySeeServices && (
        <Button className="mt-3" onClick={() => dialog.open({ is: 'new' })}>
          {words.addServiceToken}
        </Button>
      )}
      {dialog.about?.is === 'new' && (
        <AddToken
          method={method}
          services={(services.data ?? []).filter((each) => each.payment_method_tokenization_enabled)}
          onClose={dialog.close}
        />
      )}
      {dialog.about?.is === 'delete' && (
        <DeleteToken method={method} token={dialog.about.token} onClose={dialog.close} />
      )}
    </Card>
  )
}

function AddToken({
  method,
  services,
  onClose,
}: {
  method: string
  services: readonly PaymentService[]
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const [service, setService] = useState('')
  const [url, setUrl] = useState('')
  const [wasSent, setSent] = useState(false)
  const add = useAction({
    run: (api, body: PaymentServiceTokenCreate, idempotencyKey) =>
      api.paymentMethods.paymentServiceTokens.create(method, body, { idempotencyKey }),
    onDone: () => {
      say(words.added)
      onClose()
    },
    changes: [['payment-methods', method]],
  })
  const problems = problemsOf(add.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.addServiceToken}
      text={words.addServiceTokenText}
      submit={commonWords.create}
      busy={add.isPending}
      error={add.error}
      onSubmit={() => {
        setSent(true)
        if (service) add.mutate({ payment_service_id: service, redirect_url: url.trim() })
      }}
    >
      <SelectField
        label={members.service}
        hint={words.serviceHint}
        problem={problems['/payment_service_id'] ?? (wasSent && !service ? words.chooseService : undefined)}
        value={service}
        options={[
          ['', words.chooseService],
          ...services.map(({ id, display_name }) => [id, display_name] as const),
        ]}
        onChange={setService}
      />
      <TextField
        label={words.returnUrl}
        inputMode="url"
        placeholder="https://"
        value={url}
        problem={problems['/redirect_url']}
        onChange={setUrl}
      />
    </FormDialog>
  )
}

function DeleteToken({
  method,
  token,
  onClose,
}: {
  method: string
  token: PaymentServiceToken
  onClose: () => void
}): ReactNode {
  return (
    <ConfirmDialog
      danger
      title={words.deleteServiceToken}
      submit={commonWords.delete}
      text={words.deleteServiceTokenText}
      done={words.deleted}
      run={(api) => api.paymentMethods.paymentServiceTokens.delete(method, token.id)}
      changes={[['payment-methods', method]]}
      onClose={onClose}
    />
  )
}
