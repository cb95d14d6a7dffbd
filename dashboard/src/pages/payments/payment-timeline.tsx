import { type ReactNode, useState } from 'react'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import { Card } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Json, Time } from '../../parts/values.tsx'
import { paymentWords as words } from '../../words/payments.ts'
import { describeEvent } from './describe-event.ts'

const dots = { good: 'bg-good', bad: 'bg-bad', warn: 'bg-warn', info: 'bg-info', quiet: 'bg-line-strong' }

/** What happened to a payment, the newest first, with the messages one click away. */
export function PaymentTimeline({ id }: { id: string }): ReactNode {
  const [isRaw, setRaw] = useState(false)
  const query = useLoad(
    ['transactions', id, 'events'],
    (api, signal) => every(api.transactions.events.list(id, { limit: 100 }, { signal })),
    { refresh: 5_000 },
  )
  return (
    <Card
      title={words.whatHappened}
      aside={
        <button type="button" className="underline" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          {isRaw ? words.hideRaw : words.showRaw}
        </button>
      }
    >
      <Loaded query={query} lines={6}>
        {(events) => (
          <ol>
            {events.map((event) => {
              const { title, text, tone } = describeEvent(event)
              return (
                <li
                  key={event.id}
                  className="relative grid grid-cols-[12px_minmax(0,1fr)_auto] gap-x-3 pb-4 last:pb-0"
                >
                  <span aria-hidden className={`z-1 mt-1.5 size-[9px] rounded-full ${dots[tone]}`} />
                  <div>
                    <p className="font-medium">{title}</p>
                    {text && <p className="text-sm break-words text-ink-2">{text}</p>}
                  </div>
                  <span className="text-sm text-ink-3">
                    <Time at={event.created_at} form="time" />
                  </span>
                  {isRaw && (
                    <div className="col-start-2 col-end-4 mt-2">
                      <Json value={event.context} />
                    </div>
                  )}
                </li>
              )
            })}
          </ol>
        )}
      </Loaded>
    </Card>
  )
}
