import type { ReactNode } from 'react'
import { useLoad } from '../../api/use-api.ts'
import { Card, Detail, Details, Figure, Figures } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { commonWords } from '../../words/common.ts'
import { serviceHealthWords as words } from '../../words/connections/service-health.ts'
import { describeHealth, milliseconds } from './describe-health.ts'

/** How well a payment service answers just now. */
export function ServiceHealth({ id }: { id: string }): ReactNode {
  const query = useLoad(
    ['payment-services', id, 'health'],
    (api, signal) => api.paymentServices.health.get(id, { signal }),
    { refresh: 5_000 },
  )
  return (
    <Card title={words.title}>
      <Loaded query={query}>
        {(health) => {
          const { text, tone, meaning } = describeHealth(health)
          const { calls, failed, slow, failure_rate, p50_ms, p95_ms } = health.window
          return (
            <>
              <p className="text-sm">
                <Tag tone={tone}>{text}</Tag> <span className="text-ink-2">{meaning}</span>
              </p>
              <Figures>
                <Figure name={words.calls}>{calls}</Figure>
                <Figure
                  name={words.failed}
                  note={failure_rate !== null && `${words.failureRate} ${(failure_rate * 100).toFixed(1)} %`}
                >
                  {failed}
                </Figure>
                <Figure name={words.p50}>{milliseconds(p50_ms) ?? commonWords.none}</Figure>
                <Figure name={words.p95} note={slow > 0 && words.slow(slow)}>
                  {milliseconds(p95_ms) ?? commonWords.none}
                </Figure>
              </Figures>
              <Details>
                <Detail name={words.since}>
                  <Time at={health.since} form="both" />
                </Detail>
                <Detail name={words.nextProbe}>
                  {health.next_probe_at && <Time at={health.next_probe_at} form="both" />}
                </Detail>
              </Details>
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}
