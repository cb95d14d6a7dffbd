import type { User } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { profileWords as words } from '../../words/settings/profile.ts'
import { AccountNames } from '../people/person-state.tsx'
import { OwnLimitsCard } from '../spending-limits/own-limits-card.tsx'
import { AuthenticatorCard } from './authenticator-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

/** A person's own name and ways to sign in. */
export function Page(): ReactNode {
  const query = useLoad(['users', 'me'], (api, signal) => api.users.me.get({ signal }))
  return (
    <Layout title={words.title}>
      <Loaded query={query} lines={8}>
        {(me) => (
          <div className="grid items-start gap-x-6 lg:grid-cols-2">
            <div>
              <YouCard me={me} />
              <PasswordCard />
              <AuthenticatorCard me={me} />
            </div>
            <div>
              <OwnLimitsCard />
              <PasskeysCard me={me} />
              <SessionsCard />
            </div>
          </div>
        )}
      </Loaded>
    </Layout>
  )
}

function YouCard({ me }: { me: User }): ReactNode {
  const { reload } = useSignedIn()
  const say = useSay()
  const dialog = useDialog()
  const [name, setName] = useState(me.name)
  const save = useAction({
    run: (api) => api.users.me.update({ name: name.trim() }),
    onDone: () => {
      say(words.saved)
      dialog.close()
      // the name is beside the navigation, too
      void reload()
    },
    changes: [['users']],
  })
  return (
    <Card title={words.you} aside={<Button onClick={() => dialog.open(true)}>{words.editName}</Button>}>
      <Details>
        <Detail name={words.name}>{me.name}</Detail>
        <Detail name={words.email}>{me.email_address}</Detail>
        <Detail name={words.roles}>{me.roles.map((role) => role.name).join(', ')}</Detail>
        <Detail name={words.accounts}>
          <AccountNames ids={me.merchant_account_ids} />
        </Detail>
      </Details>
      {dialog.about && (
        <FormDialog
          open
          onClose={dialog.close}
          title={words.editName}
          submit={commonWords.save}
          busy={save.isPending}
          error={save.error}
          onSubmit={() => save.mutate()}
        >
          <TextField
            label={words.name}
            autoComplete="name"
            value={name}
            onChange={setName}
            problem={problemsOf(save.error)['/name']}
          />
        </FormDialog>
      )}
    </Card>
  )
}

function PasswordCard(): ReactNode {
  const dialog = useDialog()
  return (
    <Card
      title={words.password.title}
      aside={<Button onClick={() => dialog.open(true)}>{words.password.change}</Button>}
    >
      <p className="text-sm text-ink-2">{words.password.text}</p>
      {dialog.about && <PasswordDialog onClose={dialog.close} />}
    </Card>
  )
}

function PasswordDialog({ onClose }: { onClose: () => void }): ReactNode {
  const say = useSay()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useAction({
    run: (api) => api.users.me.update({ password: next, current_password: current }),
    onDone: () => {
      say(words.password.changed)
      onClose()
    },
    changes: [['users']],
  })
  const problems = problemsOf(change.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.password.change}
      text={words.password.text}
      submit={words.password.change}
      busy={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate()}
    >
      <TextField
        label={words.password.current}
        type="password"
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
        problem={problems['/current_password']}
      />
      <TextField
        label={words.password.next}
        hint={words.password.hint}
        type="password"
        autoComplete="new-password"
        value={next}
        onChange={setNext}
        problem={problems['/password']}
      />
    </FormDialog>
  )
}
