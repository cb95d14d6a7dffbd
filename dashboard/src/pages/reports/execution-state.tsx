import { type ReactNode, useState } from 'react'
import { useAction, useLoad } from '../../api/use-api.ts'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Tag, type Tone } from '../../parts/values/tag.tsx'
import { reportWords as words } from '../../words/finance/reports.ts'

interface Execution {
  id: string
  status: string
}

const REFRESH_MS = 2_000
const steps = ['pending', 'dispatched', 'processing', 'succeeded']
const tones: Record<string, Tone | undefined> = { succeeded: 'good', failed: 'bad', processing: 'info' }

const isRunning = (status: string): boolean => status !== 'succeeded' && status !== 'failed'

/** The present status of an execution, which is asked for until it is done. */
export function useExecutionStatus(execution: Execution): string {
  const [known, setKnown] = useState(execution.status)
  const query = useLoad(
    ['report-executions', execution.id],
    (api, signal) => api.reportExecutions.get(execution.id, { signal }),
    { enabled: isRunning(known), refresh: REFRESH_MS },
  )
  const status = isRunning(execution.status) ? (query.data?.status ?? execution.status) : execution.status
  if (status !== known) setKnown(status)
  return status
}

export function ExecutionState({ execution }: { execution: Execution }): ReactNode {
  const status = useExecutionStatus(execution)
  return (
    <span
      className="inline-flex items-center gap-2"
      title={status === 'failed' ? words.failedNow : undefined}
    >
      <Tag tone={tones[status]}>{words.states[status] ?? status}</Tag>
      {isRunning(status) && (
        <progress
          aria-label={words.progress}
          className="h-1.5 w-16 accent-(--accent)"
          max={steps.length}
          value={steps.indexOf(status) + 1}
        />
      )}
    </span>
  )
}

/** Fetches a file by a link that only this click uses: everyone who has the link can read the file. */
export function DownloadButton({
  reportId,
  execution,
}: {
  reportId: string
  execution: Execution
}): ReactNode {
  const status = useExecutionStatus(execution)
  const say = useSay()
  const download = useAction({
    run: (api) => api.reports.executions.url.create(reportId, execution.id, { expires_in: 1 }),
    onDone: ({ url }) => {
      follow(url)
      say(words.downloading)
    },
    changes: [],
  })
  if (status !== 'succeeded') return null
  return (
    <>
      <Button look="quiet" busy={download.isPending} onClick={() => download.mutate()}>
        {words.download}
      </Button>
      {download.error && (
        <Dialog open onClose={download.reset} title={words.downloadFailed}>
          <div className="mt-4">
            <ErrorNotice error={download.error} />
          </div>
        </Dialog>
      )}
    </>
  )
}

/** The link is in no element of the page, nor in its history. */
function follow(url: string): void {
  const { protocol } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.referrerPolicy = 'no-referrer'
  link.click()
}
