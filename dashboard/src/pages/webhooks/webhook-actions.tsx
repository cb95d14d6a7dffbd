import type { WebhookSubscription, WebhookTest } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { Dialog, FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { CheckList } from '../../parts/forms/check-list.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { ErrorNotice, Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { eventNames } from '../../words/developers/event-names.ts'
import { webhookWords as words } from '../../words/developers/webhooks.ts'
import { Attempt } from './attempt.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { SigningSecret } from './webhooks.page.tsx'

type Action = 'edit' | 'switch' | 'rotate' | 'replay' | 'delete'

interface Props {
  subscription: WebhookSubscription
  onClose: () => void
}

/** What a person may do with a subscription. */
export function WebhookActions({ subscription }: { subscription: WebhookSubscription }): ReactNode {
  const mayWrite = useMay('webhook-subscriptions.write')
  const dialog = useDialog<Action>()
  const [secret, setSecret] = useState<string>()
  const [result, setResult] = useState<WebhookTest>()
  const test = useAction({
    run: (api) => api.webhookSubscriptions.test(subscription.id),
    onDone: setResult,
    changes: [],
  })
  if (!mayWrite) return null
  const props = { subscription, onClose: dialog.close }
  return (
    <>
      <Button busy={test.isPending} onClick={() => test.mutate()}>
        {words.test}
      </Button>
      <Button onClick={() => dialog.open('replay')}>{words.replay}</Button>
      <Button onClick={() => dialog.open('edit')}>{commonWords.edit}</Button>
      <Menu
        label={commonWords.more}
        items={[
          {
            text: subscription.active ? words.pause : words.resume,
            onSelect: () => dialog.open('switch'),
          },
          { text: words.rotate, onSelect: () => dialog.open('rotate') },
          { text: words.delete, danger: true, onSelect: () => dialog.open('delete') },
        ]}
      />
      {dialog.about === 'edit' && <WebhookForm {...props} onDone={dialog.close} />}
      {dialog.about === 'switch' && <SwitchDialog {...props} />}
      {dialog.about === 'rotate' && <RotateDialog {...props} onSecret={setSecret} />}
      {dialog.about === 'replay' && <ReplayDialog {...props} />}
      {dialog.about === 'delete' && <DeleteDialog {...props} />}
      {secret && <SigningSecret secret={secret} onClose={() => setSecret(undefined)} />}
      {(result || test.error) && (
        <Dialog
          open
          wide
          title={words.testTitle}
          onClose={() => {
            setResult(undefined)
            test.reset()
          }}
        >
          <div className="mt-3 grid gap-3">
            {test.error ? <ErrorNotice error={test.error} /> : null}
            {result && (
              <>
                <Notice tone={result.succeeded ? 'good' : 'bad'}>
                  {result.succeeded ? words.testGood : words.testBad}
                </Notice>
                <Attempt attempt={result.attempt} />
              </>
            )}
          </div>
        </Dialog>
      )}
    </>
  )
}

function SwitchDialog({ subscription: { id, active }, onClose }: Props): ReactNode {
  return (
    <ConfirmDialog
      title={active ? words.pauseTitle : words.resume}
      submit={active ? words.pause : words.resume}
      text={active ? words.pauseText : words.resumeText}
      done={active ? words.pausedNow : words.resumedNow}
      run={(api) => api.webhookSubscriptions.update(id, { active: !active })}
      changes={[['webhook-subscriptions']]}
      onClose={onClose}
    />
  )
}

function RotateDialog({
  subscription: { id },
  onClose,
  onSecret,
}: Props & { onSecret: (secret: string | undefined) => void }): ReactNode {
  const [minutes, setMinutes] = useState('1440')
  const act = useAction({
    run: (api) => api.webhookSubscriptions.rotateSecret(id, { delta: Number(minutes) }),
    onDone: ({ secret }) => {
      onClose()
      onSecret(secret ?? undefined)
    },
    changes: [['webhook-subscriptions']],
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.rotate}
      text={words.rotateText}
      submit={words.rotate}
      busy={act.isPending}
      error={act.error}
      onSubmit={() => act.mutate()}
    >
      <SelectField
        label={words.rotateFor}
        value={minutes}
        onChange={setMinutes}
        options={words.rotateChoices}
      />
    </FormDialog>
  )
}

function ReplayDialog({ subscription: { id }, onClose }: Props): ReactNode {
  const say = useSay()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [names, setNames] = useState<string[]>([])
  const [wasSent, setSent] = useState(false)
  const act = useAction({
    run: (api) =>
      api.webhookSubscriptions.replay(id, {
        from,
        // the clock of a sandbox account may be years ahead
        to: to || '2999-01-01T00:00:00Z',
        event_names: names,
      }),
    onDone: ({ count }) => {
      say(words.replayed(count))
      onClose()
    },
    changes: [['webhook-subscriptions']],
  })
  const problems = problemsOf(act.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.replayTitle}
      text={words.replayText}
      submit={words.replay}
      busy={act.isPending}
      error={act.error}
      onSubmit={() => {
        setSent(true)
        if (from) act.mutate()
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TimeField
          label={words.from}
          step={1}
          value={from}
          onChange={setFrom}
          problem={problems['/from'] ?? (wasSent && !from ? words.fromNeeded : undefined)}
        />
        <TimeField
          label={words.to}
          step={1}
          optional
          hint={words.toHint}
          value={to}
          onChange={setTo}
          problem={problems['/to']}
        />
      </div>
      <CheckList
        label={words.events}
        hint={words.eventsHint}
        choices={eventNames.map((name) => ({ value: name, text: name }))}
        chosen={names}
        onChange={setNames}
      />
    </FormDialog>
  )
}

function DeleteDialog({ subscription: { id, url }, onClose }: Props): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  return (
    <ConfirmDialog
      danger
      title={words.deleteTitle}
      submit={words.delete}
      text={words.deleteText}
      done={words.deleted}
      run={(api) => api.webhookSubscriptions.delete(id)}
      onDone={() => void navigate(`/${account}/webhooks`)}
      changes={[['webhook-subscriptions', 'list']]}
      onClose={onClose}
    >
      <p className="text-sm font-medium break-all">{url}</p>
    </ConfirmDialog>
  )
}
