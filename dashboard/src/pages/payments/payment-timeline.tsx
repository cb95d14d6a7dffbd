import type { Refund, TransactionEvent } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Json, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { paymentWords as words } from '../../words/payments/payments.ts'
import { useRefundsOf } from '../refunds/use-refunds-of.ts'
import { describeEvent, describeRefund, type EventText } from './describe-event.ts'

const dots = { good: 'bg-good', bad: 'bg-bad', warn: 'bg-warn', info: 'bg-info', quiet: 'bg-line-strong' }

interface Entry extends EventText {
  id: string
  at: string
  /** What is known of it. */
  raw: unknown
  /** The page of its own, below the merchant account. */
  page?: string
}

const entryOf = (event: TransactionEvent): Entry => ({
  ...describeEvent(event),
  id: event.id,
  at: event.created_at,
  raw: event.context,
})

const entryOfRefund = (refund: Refund): Entry => ({
  ...describeRefund(refund),
  id: refund.id,
  at: refund.created_at,
  raw: refund,
  page: `refunds/${refund.id}`,
})

/** The newest first. Refunds to gift cards have entries among the events. */
const entriesOf = (events: readonly TransactionEvent[], refunds: readonly Refund[]): Entry[] =>
  [
    ...events.map(entryOf),
    ...refunds.filter(({ target_type }) => target_type === 'payment-method').map(entryOfRefund),
  ].sort((a, b) => b.at.localeCompare(a.at))

/** What happened to a payment, the newest first, with the messages one click away. */
export function PaymentTimeline({ id }: { id: string }): ReactNode {
  const { account } = useSignedIn()
  const [isRaw, setRaw] = useState(false)
  const refunds = useRefundsOf(id)
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
            {entriesOf(events, refunds.data ?? []).map(({ id: key, title, text, tone, at, raw, page }) => (
              <li
                key={key}
                className="relative grid grid-cols-[12px_minmax(0,1fr)_auto] gap-x-3 pb-4 last:pb-0"
              >
                <span aria-hidden className={`z-1 mt-1.5 size-[9px] rounded-full ${dots[tone]}`} />
                <div>
                  <p className="font-medium">
                    {page ? (
                      <Link className="underline" to={`/${account}/${page}`}>
                        {title}
                      </Link>
                    ) : (
                      title
                    )}
                  </p>
                  {text && <p className="text-sm break-words text-ink-2">{text}</p>}
                </div>
                <span className="text-sm text-ink-3">
                  <Time at={at} form="time" />
                </span>
                {isRaw && (
                  <div className="col-start-2 col-end-4 mt-2">
                    <Json value={raw} />
                  </div>
                )}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </Card>
  )
}
