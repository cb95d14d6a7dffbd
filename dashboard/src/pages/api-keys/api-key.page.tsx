import type { ApiKeyPair } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { apiKeyWords as words } from '../../words/developers/api-keys.ts'
import { Opens } from '../people/grant-fields.tsx'
import { LimitsCard } from '../spending-limits/limits-card.tsx'
import { ApiKeyForm } from './api-key-form.tsx'
import { KeyState } from './api-keys.page.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['api-key-pairs', id], (api, signal) => api.apiKeyPairs.get(id, { signal }))
  return (
    <Loaded query={query} title={words.title} lines={8}>
      {(pair) => (
        <Layout
          title={pair.display_name}
          above={[{ text: words.title, to: `/${account}/api-keys` }]}
          heading={
            <Heading>
              {pair.display_name} <KeyState of={pair} />
            </Heading>
          }
          actions={<KeyActions pair={pair} />}
        >
          <Columns
            main={
              <>
                <LimitsCard
                  subject={{ type: 'api-key-pair', id }}
                  accountIds={pair.merchant_accounts.map((each) => each.id)}
                />
                <Roles pair={pair} />
              </>
            }
            side={<KeyDetails pair={pair} />}
          />
        </Layout>
      )}
    </Loaded>
  )
}

const Roles = ({ pair }: { pair: ApiKeyPair }): ReactNode => (
  <Card title={words.columns.roles}>
    <ul className="grid gap-3">
      {pair.roles.map(({ id, name, description, permissions }) => (
        <li key={id} className="text-sm">
          <p className="font-medium">{name}</p>
          <p className="text-ink-2">{description}</p>
          <Opens scopes={permissions.allow} />
        </li>
      ))}
    </ul>
  </Card>
)

const KeyDetails = ({ pair }: { pair: ApiKeyPair }): ReactNode => (
  <Card title={words.detailsTitle}>
    <Details>
      <Detail name={words.detail.id}>
        <CopyText text={pair.id} short />
      </Detail>
      <Detail name={words.detail.thumbprint}>
        <CopyText text={pair.thumbprint} short />
      </Detail>
      <Detail name={words.columns.algorithm}>{pair.algorithm}</Detail>
      <Detail name={words.columns.accounts}>
        {pair.merchant_accounts.map(({ display_name }) => display_name).join(', ') || words.allAccounts}
      </Detail>
      {pair.merchant_accounts.length !== 1 && (
        <Detail name={words.detail.accountRequired}>
          {pair.merchant_account_required ? words.detail.accountRequiredYes : words.detail.accountRequiredNo}
        </Detail>
      )}
      <Detail name={words.columns.lastUsed}>
        {pair.last_used_at ? <Time at={pair.last_used_at} form="both" /> : words.never}
      </Detail>
      <Detail name={words.detail.creator}>
        {pair.creator ? pair.creator.name : words.detail.commandLine}
      </Detail>
      <Detail name={words.columns.created}>
        <Time at={pair.created_at} form="both" />
      </Detail>
    </Details>
  </Card>
)

function KeyActions({ pair }: { pair: ApiKeyPair }): ReactNode {
  const mayWrite = useMay('api-key-pairs.write')
  const dialog = useDialog<'edit' | 'switch' | 'delete'>()
  if (!mayWrite) return null
  return (
    <>
      <Button onClick={() => dialog.open('switch')}>{pair.active ? words.deactivate : words.activate}</Button>
      <Button onClick={() => dialog.open('edit')}>{commonWords.edit}</Button>
      <Button look="danger" onClick={() => dialog.open('delete')}>
        {commonWords.delete}
      </Button>
      {dialog.about === 'edit' && <ApiKeyForm pair={pair} onClose={dialog.close} onDone={dialog.close} />}
      {dialog.about === 'switch' && <SwitchDialog pair={pair} onClose={dialog.close} />}
      {dialog.about === 'delete' && <DeleteDialog pair={pair} onClose={dialog.close} />}
    </>
  )
}

interface DialogProps {
  pair: ApiKeyPair
  onClose: () => void
}

function SwitchDialog({ pair, onClose }: DialogProps): ReactNode {
  const { id, active, display_name } = pair
  return (
    <ConfirmDialog
      danger={active}
      title={active ? words.deactivateTitle(display_name) : words.activate}
      submit={active ? words.deactivate : words.activate}
      text={active && words.deactivateText}
      done={active ? words.deactivated : words.activated}
      run={(api) => api.apiKeyPairs.update(id, { active: !active })}
      changes={[['api-key-pairs']]}
      onClose={onClose}
    >
      <LastUse of={pair} />
    </ConfirmDialog>
  )
}

function DeleteDialog({ pair, onClose }: DialogProps): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  return (
    <ConfirmDialog
      danger
      title={words.deleteTitle(pair.display_name)}
      submit={commonWords.delete}
      text={words.deleteText}
      done={words.deleted}
      run={(api) => api.apiKeyPairs.delete(pair.id)}
      onDone={() => void navigate(`/${account}/api-keys`)}
      changes={[['api-key-pairs', 'list']]}
      onClose={onClose}
    >
      <LastUse of={pair} />
    </ConfirmDialog>
  )
}

const LastUse = ({ of: { last_used_at } }: { of: ApiKeyPair }): ReactNode => (
  <p className="text-sm">
    {last_used_at ? (
      <>
        {words.lastUsed} <Time at={last_used_at} form="both" />
      </>
    ) : (
      words.neverUsed
    )}
  </p>
)
