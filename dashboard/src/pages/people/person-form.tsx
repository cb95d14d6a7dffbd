import type { InvitedUser, User } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { peopleWords as words } from '../../words/settings/people.ts'
import { AccountsField, RolesField } from './grant-fields.tsx'

/** Invites a person, or changes the one that is given. */
export function PersonForm({
  person,
  onClose,
  onInvited,
}: {
  person?: User
  onClose: () => void
  onInvited?: (person: InvitedUser) => void
}): ReactNode {
  const { session } = useSignedIn()
  const say = useSay()
  const [email, setEmail] = useState('')
  const [name, setName] = useState(person?.name ?? '')
  const [roles, setRoles] = useState(person?.roles.map(({ id }) => id) ?? [])
  // a person who is limited to some accounts can give others those only
  const [accounts, setAccounts] = useState<string[]>(
    person?.merchant_account_ids ?? session.user.merchant_account_ids,
  )
  const save = useAction({
    run: async (api): Promise<InvitedUser | undefined> => {
      const grants = { name: name.trim(), role_ids: roles, merchant_account_ids: accounts }
      if (!person) return api.users.create({ ...grants, email_address: email.trim() })
      await api.users.update(person.id, grants)
      return undefined
    },
    onDone: (invited) => {
      say(invited ? words.invited : words.saved)
      if (invited) onInvited?.(invited)
      else onClose()
    },
    changes: [['users']],
  })
  const problems = problemsOf(save.error)
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={person ? words.form.editTitle : words.form.inviteTitle}
      text={person ? words.form.editText : words.form.inviteText}
      submit={person ? commonWords.save : words.form.submit}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={words.columns.name} value={name} onChange={setName} problem={problems['/name']} />
        {!person && (
          <TextField
            label={words.columns.email}
            type="email"
            value={email}
            onChange={setEmail}
            problem={problems['/email_address']}
          />
        )}
      </div>
      <RolesField
        assignee="user"
        chosen={roles}
        onChange={setRoles}
        problem={problems['/role_ids'] ?? problems['/role_ids/0']}
      />
      <AccountsField chosen={accounts} onChange={setAccounts} problem={problems['/merchant_account_ids']} />
    </FormDialog>
  )
}
