import type { SandboxClockAdvanced } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField } from '../../parts/forms/field.tsx'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { ErrorNotice, Notice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Detail, Details } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay } from '../../session/signed-in.ts'
import { sandboxWords } from '../../words/developers/sandbox.ts'

const words = sandboxWords.clock

/** The time of the merchant account, and a way to move it forward. */
export function ClockTab(): ReactNode {
  const mayWrite = useMay('merchant-accounts.write')
  const dialog = useDialog()
  const [advanced, setAdvanced] = useState<SandboxClockAdvanced & { to: string }>()
  const query = useLoad(['sandbox', 'clock'], (api, signal) => api.sandbox.clock.get({ signal }), {
    refresh: 10_000,
  })
  const advance = useAction({
    run: async (api, to: string) => ({ ...(await api.sandbox.clock.advance({ to })), to }),
    onDone: (result) => {
      setAdvanced(result)
      dialog.close()
    },
  })
  const isShort = advanced && Date.parse(advanced.now) < Date.parse(advanced.to)
  return (
    <div className="max-w-2xl">
      <Card title={words.title}>
        <p className="mb-3 text-sm text-ink-2">{words.text}</p>
        <Loaded query={query}>
          {({ now, ahead_seconds }) => (
            <>
              <Details>
                <Detail name={words.now}>
                  <Time at={now} form="both" />
                </Detail>
                <Detail name={words.ahead}>{span(ahead_seconds)}</Detail>
              </Details>
              {mayWrite && (
                <Button className="mt-4" onClick={() => dialog.open(true)}>
                  {words.advance}
                </Button>
              )}
              {dialog.about && (
                <AdvanceDialog
                  now={now}
                  busy={advance.isPending}
                  error={advance.error}
                  onClose={dialog.close}
                  onAdvance={advance.mutate}
                />
              )}
            </>
          )}
        </Loaded>
      </Card>
      {advanced && (
        <Card title={words.jobs}>
          <Jobs jobs={advanced.jobs} />
          {isShort && (
            <div className="mt-3 grid justify-items-start gap-2">
              <Notice tone="warn">{words.short}</Notice>
              <Button busy={advance.isPending} onClick={() => advance.mutate(advanced.to)}>
                {words.goOn}
              </Button>
              {advance.error && <ErrorNotice error={advance.error} />}
            </div>
          )}
        </Card>
      )}
    </div>
  )
}

const Jobs = ({ jobs }: { jobs: Record<string, number> }): ReactNode =>
  Object.keys(jobs).length === 0 ? (
    <p className="text-sm">{words.noJobs}</p>
  ) : (
    <Details>
      {Object.entries(jobs).map(([kind, count]) => (
        <Detail key={kind} name={kind}>
          {count}
        </Detail>
      ))}
    </Details>
  )

/** How long a number of seconds is, in days, hours and minutes. */
function span(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  const parts = [
    [Math.floor(minutes / 1440), words.days],
    [Math.floor(minutes / 60) % 24, words.hours],
    [minutes % 60, words.minutes],
  ] as const
  const texts = parts.flatMap(([count, text]) => (count > 0 ? [text(count)] : []))
  return texts.join(', ') || words.inStep
}

function AdvanceDialog({
  now,
  busy,
  error,
  onClose,
  onAdvance,
}: {
  now: string
  busy: boolean
  error: unknown
  onClose: () => void
  onAdvance: (to: string) => void
}): ReactNode {
  const [by, setBy] = useState('86400')
  const [to, setTo] = useState('')
  const [wasSent, setSent] = useState(false)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.advance}
      text={words.confirm}
      submit={words.advance}
      busy={busy}
      error={error}
      onSubmit={() => {
        setSent(true)
        if (by !== 'to') onAdvance(new Date(Date.parse(now) + Number(by) * 1000).toISOString())
        else if (to) onAdvance(to)
      }}
    >
      <SelectField label={words.by} value={by} onChange={setBy} options={words.choices} />
      {by === 'to' && (
        <TimeField
          label={words.to}
          value={to}
          onChange={setTo}
          problem={problemsOf(error)['/to'] ?? (wasSent && !to ? words.toNeeded : undefined)}
        />
      )}
    </FormDialog>
  )
}
