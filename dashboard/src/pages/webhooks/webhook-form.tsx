import type { WebhookSubscription, WebhookSubscriptionCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { commonWords } from '../../words/common.ts'
import { webhookWords } from '../../words/developers/webhooks.ts'

const words = webhookWords.form

const members = {
  basic: ['username', 'password'],
  oauth_client_credentials: ['client_id', 'client_secret', 'token_url', 'scope'],
  oauth_password: ['client_id', 'client_secret', 'token_url', 'scope', 'username', 'password'],
} as const
type Kind = keyof typeof members
type Member = (typeof members)[Kind][number]

const texts: Record<Member, string> = {
  username: words.username,
  password: words.password,
  client_id: words.clientId,
  client_secret: words.clientSecret,
  token_url: words.tokenUrl,
  scope: words.scope,
}
const isSecret = (member: Member) => member === 'password' || member === 'client_secret'

/** Adds a subscription, or changes the one that is given. */
export function WebhookForm({
  subscription,
  onClose,
  onDone,
}: {
  subscription?: WebhookSubscription
  onClose: () => void
  onDone: (subscription: WebhookSubscription) => void
}): ReactNode {
  const say = useSay()
  const [url, setUrl] = useState(subscription?.url ?? '')
  const [kind, setKind] = useState<Kind | ''>(subscription?.authentication?.kind ?? '')
  const [values, setValues] = useState<Partial<Record<Member, string | null>>>({
    ...subscription?.authentication,
  })
  const save = useAction({
    run: (api) => {
      const authentication =
        kind === ''
          ? null
          : ({
              kind,
              ...Object.fromEntries(
                members[kind].map((member) => [
                  member,
                  values[member] || (member === 'scope' ? null : (values[member] ?? '')),
                ]),
              ),
            } as WebhookSubscriptionCreate['authentication'])
      const body = { url: url.trim(), authentication }
      return subscription
        ? api.webhookSubscriptions.update(subscription.id, body)
        : api.webhookSubscriptions.create(body)
    },
    onDone: (result) => {
      say(subscription ? webhookWords.saved : webhookWords.created)
      onDone(result)
    },
    changes: [['webhook-subscriptions']],
  })
  const problems = problemsOf(save.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={subscription ? words.editTitle : words.createTitle}
      text={!subscription && words.createText}
      submit={subscription ? commonWords.save : commonWords.create}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
    >
      <TextField
        label={words.url}
        hint={words.urlHint}
        type="url"
        value={url}
        onChange={setUrl}
        problem={problems['/url']}
      />
      <SelectField
        label={words.authentication}
        value={kind}
        onChange={(next) => setKind(next as Kind | '')}
        options={[['', words.none], ...Object.entries(webhookWords.authenticationKinds)]}
      />
      {kind !== '' &&
        members[kind].map((member) => (
          <TextField
            key={member}
            label={texts[member]}
            optional={member === 'scope'}
            type={isSecret(member) ? 'password' : 'text'}
            autoComplete={isSecret(member) ? 'new-password' : 'off'}
            hint={isSecret(member) && subscription?.authentication?.kind === kind && words.keepSecret}
            value={values[member] ?? ''}
            onChange={(value) => setValues((before) => ({ ...before, [member]: value }))}
            problem={problems[`/authentication/${member}`]}
          />
        ))}
    </FormDialog>
  )
}
