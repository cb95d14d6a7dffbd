import type { FreshProof, Passkey, User } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Time } from '../../parts/values/values.tsx'
import { addPasskey, isRefusedByBrowser, knowsPasskeys } from '../../session/passkey.ts'
import { ProofFields } from '../../session/proof-fields.tsx'
import { sessionWords } from '../../words/session.ts'
import { profileWords } from '../../words/settings/profile.ts'

const words = profileWords.passkeys

/** The passkeys of a person. Adding and removing one needs a proof that it is the person. */
export function PasskeysCard({ me }: { me: User }): ReactNode {
  const dialog = useDialog<Passkey | 'add'>()
  const query = useLoad(['users', 'me', 'passkeys'], (api, signal) =>
    every(api.users.me.passkeys.list({ limit: 100 }, { signal })),
  )
  const { about } = dialog
  return (
    <Card
      title={words.title}
      aside={
        <Button refused={!knowsPasskeys() && words.unsupported} onClick={() => dialog.open('add')}>
          {words.add}
        </Button>
      }
    >
      <p className="mb-3 text-sm text-ink-2">{words.text}</p>
      <Loaded query={query}>
        {(passkeys) =>
          passkeys.length === 0 ? (
            <p className="text-sm">{words.none}</p>
          ) : (
            <ul className="grid gap-3">
              {passkeys.map((passkey) => (
                <li key={passkey.id} className="flex items-center justify-between gap-3 text-sm">
                  <div className="min-w-0">
                    <p className="font-medium break-words">{passkey.name}</p>
                    <p className="text-xs text-ink-3">
                      {words.created} <Time at={passkey.created_at} /> · {words.lastUsed}{' '}
                      {passkey.last_used_at ? <Time at={passkey.last_used_at} /> : words.never}
                    </p>
                  </div>
                  <Button
                    aria-label={`${words.remove}: ${passkey.name}`}
                    onClick={() => dialog.open(passkey)}
                  >
                    {words.remove}
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {about === 'add' && <AddDialog me={me} onClose={dialog.close} />}
      {about && about !== 'add' && <RemoveDialog me={me} passkey={about} onClose={dialog.close} />}
    </Card>
  )
}

function AddDialog({ me, onClose }: { me: User; onClose: () => void }): ReactNode {
  const say = useSay()
  const [name, setName] = useState('')
  const [proof, setProof] = useState<FreshProof>({ password: '' })
  const add = useAction({
    run: (api) => addPasskey(api, name.trim(), proof),
    onDone: () => {
      say(words.added)
      onClose()
    },
    changes: [['users']],
  })
  const isRefused = isRefusedByBrowser(add.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.add}
      text={words.addText}
      submit={words.add}
      busy={add.isPending}
      error={isRefused ? undefined : add.error}
      onSubmit={() => add.mutate()}
    >
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        problem={problemsOf(add.error)['/name']}
      />
      <ProofFields me={me} value={proof} onChange={setProof} error={add.error} />
      {isRefused && <Notice tone="bad">{sessionWords.passkeyFailed}</Notice>}
    </FormDialog>
  )
}

function RemoveDialog({
  me,
  passkey,
  onClose,
}: {
  me: User
  passkey: Passkey
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const [proof, setProof] = useState<FreshProof>({ password: '' })
  const remove = useAction({
    run: (api) => api.users.me.passkeys.delete(passkey.id, proof),
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
      title={words.removeTitle(passkey.name)}
      text={words.removeText}
      submit={words.remove}
      danger
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate()}
    >
      <ProofFields me={me} value={proof} onChange={setProof} error={remove.error} />
    </FormDialog>
  )
}
