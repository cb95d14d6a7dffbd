import type { InvitedUser, User } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { peopleWords as words } from '../../words/settings/people.ts'
import { LimitsCard } from '../spending-limits/limits-card.tsx'
import { Opens } from './grant-fields.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { PersonForm } from './person-form.tsx'
import { AccountNames, PersonState } from './person-state.tsx'

const notes: Record<string, string | undefined> = words.stateNotes

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['users', id], (api, signal) => api.users.get(id, { signal }))
  return (
    <Loaded query={query} title={words.title} lines={8}>
      {(person) => (
        <Layout
          title={person.name}
          above={[{ text: words.title, to: `/${account}/people` }]}
          heading={
            <Heading>
              {person.name} <PersonState of={person} />
            </Heading>
          }
          actions={<PersonActions person={person} />}
        >
          {notes[person.status] && (
            <div className="mb-4">
              <Notice>{notes[person.status]}</Notice>
            </div>
          )}
          <Columns
            main={
              <>
                <LimitsCard subject={{ type: 'user', id }} accountIds={person.merchant_account_ids} />
                <Roles person={person} />
              </>
            }
            side={<PersonDetails person={person} />}
          />
        </Layout>
      )}
    </Loaded>
  )
}

/** The roles of a person with what each opens. */
function Roles({ person }: { person: User }): ReactNode {
  const query = useLoad(['roles'], (api, signal) => every(api.roles.list({ limit: 100 }, { signal })), {
    enabled: useMay('roles.read'),
  })
  return (
    <Card title={words.columns.roles}>
      <ul className="grid gap-3">
        {person.roles.map(({ id, name }) => {
          const role = query.data?.find((each) => each.id === id)
          return (
            <li key={id} className="text-sm">
              <p className="font-medium">{name}</p>
              {role && (
                <>
                  <p className="text-ink-2">{role.description}</p>
                  <Opens scopes={role.permissions.allow} />
                </>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

const PersonDetails = ({ person }: { person: User }): ReactNode => (
  <Card title={words.details}>
    <Details>
      <Detail name={words.columns.email}>
        <CopyText text={person.email_address} />
      </Detail>
      <Detail name={words.columns.id}>
        <CopyText text={person.id} short />
      </Detail>
      <Detail name={words.columns.accounts}>
        <AccountNames ids={person.merchant_account_ids} />
      </Detail>
      <Detail name={words.columns.secondFactor}>{person.totp_enabled ? words.on : words.off}</Detail>
      <Detail name={words.columns.created}>
        <Time at={person.created_at} form="both" />
      </Detail>
      <Detail name={words.columns.updated}>
        <Time at={person.updated_at} form="both" />
      </Detail>
    </Details>
  </Card>
)

function PersonActions({ person }: { person: User }): ReactNode {
  const mayWrite = useMay('users.write')
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const dialog = useDialog<'edit' | 'again' | 'delete'>()
  const [invited, setInvited] = useState<InvitedUser>()
  const again = useAction({
    run: (api) => api.users.invitation.create(person.id),
    onDone: (result) => {
      dialog.close()
      setInvited(result)
    },
    changes: [['users']],
  })
  if (!mayWrite) return null
  return (
    <>
      <Button onClick={() => dialog.open('again')}>{words.again}</Button>
      <Button onClick={() => dialog.open('edit')}>{commonWords.edit}</Button>
      <Button look="danger" onClick={() => dialog.open('delete')}>
        {commonWords.delete}
      </Button>
      {dialog.about === 'edit' && <PersonForm person={person} onClose={dialog.close} />}
      {dialog.about === 'again' && (
        <FormDialog
          open
          onClose={dialog.close}
          title={words.againTitle(person.name)}
          text={words.againText}
          submit={words.again}
          danger
          busy={again.isPending}
          error={again.error}
          onSubmit={() => again.mutate()}
        />
      )}
      {dialog.about === 'delete' && (
        <ConfirmDialog
          danger
          title={words.deleteTitle(person.name)}
          submit={commonWords.delete}
          text={words.deleteText}
          done={words.deleted}
          run={(api) => api.users.delete(person.id)}
          onDone={() => void navigate(`/${account}/people`)}
          changes={[['users', 'list']]}
          onClose={dialog.close}
        />
      )}
      {invited && <InvitationLink of={invited} onClose={() => setInvited(undefined)} />}
    </>
  )
}
