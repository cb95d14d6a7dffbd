import type { User } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { AuthenticatorKey } from '../../session/authenticator-key.tsx'
import { profileWords } from '../../words/settings/profile.ts'

const words = profileWords.app

/** The authenticator app: on or off, and the way to the other. */
export function AuthenticatorCard({ me: { totp_enabled } }: { me: User }): ReactNode {
  const dialog = useDialog<{ secret: string; uri: string } | 'remove'>()
  const begin = useAction({
    run: (api) => api.users.me.totp.create(),
    onDone: ({ secret, uri }) => dialog.open({ secret, uri }),
    changes: [],
  })
  const { about } = dialog
  return (
    <Card
      title={words.title}
      aside={
        totp_enabled ? (
          <Button aria-label={words.removeTitle} onClick={() => dialog.open('remove')}>
            {words.remove}
          </Button>
        ) : (
          <Button busy={begin.isPending} aria-label={words.setUpTitle} onClick={() => begin.mutate()}>
            {words.setUp}
          </Button>
        )
      }
    >
      <p className="text-sm text-ink-2">{totp_enabled ? words.on : words.off}</p>
      {begin.error && <ErrorNotice error={begin.error} />}
      {about === 'remove' && <RemoveDialog onClose={dialog.close} />}
      {about && about !== 'remove' && <SetUpDialog {...about} onClose={dialog.close} />}
    </Card>
  )
}

function SetUpDialog({
  secret,
  uri,
  onClose,
}: {
  secret: string
  uri: string
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const [code, setCode] = useState('')
  const confirm = useAction({
    run: (api) => api.users.me.totp.confirm({ code: code.trim() }),
    onDone: () => {
      say(words.turnedOn)
      onClose()
    },
    changes: [['users']],
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.setUpTitle}
      text={words.setUpText}
      submit={words.confirm}
      busy={confirm.isPending}
      error={confirm.error}
      onSubmit={() => confirm.mutate()}
    >
      <AuthenticatorKey secret={secret} uri={uri} />
      <CodeField code={code} onChange={setCode} error={confirm.error} />
    </FormDialog>
  )
}

function RemoveDialog({ onClose }: { onClose: () => void }): ReactNode {
  const say = useSay()
  const [code, setCode] = useState('')
  const remove = useAction({
    run: (api) => api.users.me.totp.delete({ code: code.trim() }),
    onDone: () => {
      say(words.removed)
      onClose()
    },
    changes: [['users']],
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.removeTitle}
      text={words.removeText}
      submit={words.remove}
      danger
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate()}
    >
      <CodeField code={code} onChange={setCode} error={remove.error} />
    </FormDialog>
  )
}

const CodeField = ({
  code,
  onChange,
  error,
}: {
  code: string
  onChange: (code: string) => void
  error: unknown
}): ReactNode => (
  <TextField
    label={words.code}
    inputMode="numeric"
    autoComplete="one-time-code"
    value={code}
    onChange={onChange}
    problem={problemsOf(error)['/code']}
  />
)
