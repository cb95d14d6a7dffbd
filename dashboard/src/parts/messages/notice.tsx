import { RailyardError } from '@railyard/client'
import { lazy, type ReactNode, Suspense } from 'react'
import { requestToApprove } from '../../api/client.ts'
import { commonWords as words } from '../../words/common.ts'
import { Button } from '../page/button.tsx'
import type { Tone } from '../values/tag.tsx'

/** Loaded where a request is refused for want of an approval. */
const AskForApproval = lazy(() => import('../dialogs/ask-for-approval.tsx'))

/** Says what went wrong, what to do, and the id by which operators find the request. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactNode {
  const { text, requestId } = readError(error)
  const request = requestToApprove(error)
  const notice = (
    <div role="alert" className="rounded-md border border-bad/30 bg-bad-soft px-4 py-3 text-sm text-bad">
      <p className="font-medium">{text}</p>
      {requestId && (
        <p className="mt-1 text-xs">
          {words.requestId} <code className="font-mono select-all">{requestId}</code>
        </p>
      )}
      {onRetry && (
        <Button className="mt-2" onClick={onRetry}>
          {words.retry}
        </Button>
      )}
    </div>
  )
  if (!request) return notice
  return (
    <div className="grid gap-3">
      {notice}
      <Suspense>
        <AskForApproval key={requestId} request={request} />
      </Suspense>
    </div>
  )
}

function readError(error: unknown): { text: string; requestId?: string | undefined } {
  if (!(error instanceof RailyardError)) return { text: words.failed }
  const { status, code, requestId, message, details } = error
  if (status === 0) return { text: words.offline }
  if (code === 'approval_required') return { text: words.needsApproval, requestId }
  if (code === 'spending_limit_exceeded') return { text: words.beyondLimit, requestId }
  if (status === 403) return { text: `${words.forbidden} ${message}`, requestId }
  if (status === 404) return { text: words.notFound, requestId }
  if (status === 429 || status >= 500) return { text: words.tryLater, requestId }
  const about = details.map(({ pointer, message: each }) => `${(pointer ?? '').slice(1)} ${each}`.trim())
  return { text: about.length ? about.join('. ') : message, requestId }
}

/** What stands where a list has nothing: why, and the first step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className="px-6 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-md text-sm text-ink-2">{children}</div>}
    </div>
  )
}

const tones = {
  info: 'border-info/25 bg-info-soft text-info',
  warn: 'border-warn/25 bg-warn-soft text-warn',
  bad: 'border-bad/25 bg-bad-soft text-bad',
  good: 'border-good/25 bg-good-soft text-good',
} as const satisfies Partial<Record<Tone, string>>

/** A remark above what it is about. */
export const Notice = ({
  tone = 'info',
  children,
}: {
  tone?: keyof typeof tones
  children: ReactNode
}): ReactNode => <div className={`rounded-md border px-4 py-2.5 text-sm ${tones[tone]}`}>{children}</div>
