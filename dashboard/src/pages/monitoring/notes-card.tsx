import type { Railyard } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { TextArea } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { useMay } from '../../session/signed-in.ts'
import { monitoringWords as words } from '../../words/finance/monitoring.ts'

/** What people have noted about an incident. */
export function NotesCard({
  notes,
  save,
  changes,
}: {
  notes: string | null
  save: (api: Railyard, notes: string | null) => Promise<unknown>
  changes: string[]
}): ReactNode {
  const mayWrite = useMay('monitoring.write')
  const say = useSay()
  const [text, setText] = useState(notes ?? '')
  const act = useAction({
    run: (api, next: string | null) => save(api, next),
    onDone: () => say(words.notesSaved),
    changes: [changes],
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    act.mutate(text.trim() || null)
  }
  return (
    <Card title={words.notes}>
      {mayWrite ? (
        <form onSubmit={send} className="grid gap-3">
          <TextArea
            label={words.notes}
            hint={words.notesHint}
            maxLength={1000}
            value={text}
            onChange={setText}
            problem={problemsOf(act.error)['/notes']}
          />
          {act.error && <ErrorNotice error={act.error} />}
          <Button type="submit" className="justify-self-start" busy={act.isPending}>
            {words.saveNotes}
          </Button>
        </form>
      ) : (
        <p className="break-words whitespace-pre-wrap">{notes ?? words.noNotes}</p>
      )}
    </Card>
  )
}
