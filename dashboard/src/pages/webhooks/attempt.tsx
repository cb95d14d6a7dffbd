import type { WebhookAttempt } from '@railyard/client'
import type { ReactNode } from 'react'
import { Tag } from '../../parts/values/tag.tsx'
import { Json, Time } from '../../parts/values/values.tsx'
import { webhookWords } from '../../words/developers/webhooks.ts'

const words = webhookWords.delivery

/** An attempt to deliver an event, with the beginning of the answer. */
export const Attempt = ({ attempt }: { attempt: WebhookAttempt }): ReactNode => {
  const { at, status_code, error, latency_ms, response } = attempt
  return (
    <div className="grid gap-2">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Tag tone={error ? 'bad' : 'good'}>{status_code ?? webhookWords.deliveries.noAnswer}</Tag>
        <Time at={at} form="both" />
        <span className="text-ink-3">{words.latency(latency_ms)}</span>
      </p>
      {error && <p className="text-sm break-words text-bad">{error}</p>}
      {status_code !== null && (
        <>
          <p className="text-xs text-ink-3">{words.answer}</p>
          {response ? <Json value={response} /> : <p className="text-sm text-ink-2">{words.noBody}</p>}
        </>
      )}
    </div>
  )
}
