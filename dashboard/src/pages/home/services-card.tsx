import type { PaymentServiceHealth } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { every } from '../../api/every.ts'
import { formatPercent } from '../../api/metrics.ts'
import { useLoad } from '../../api/use-api.ts'
import { useServiceNames } from '../../api/use-service-names.ts'
import { Card } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { useMay } from '../../session/signed-in.ts'
import { homeWords } from '../../words/home.ts'
import { describeHealth, milliseconds } from '../payment-services/describe-health.ts'

const words = homeWords.services
const MAX_SHOWN = 6

const severity: Readonly<Record<string, number>> = { open: 2, half_open: 1 }
const byCondition = (a: PaymentServiceHealth, b: PaymentServiceHealth): number =>
  (severity[b.state] ?? 0) - (severity[a.state] ?? 0) ||
  (b.window.failure_rate ?? 0) - (a.window.failure_rate ?? 0) ||
  b.window.calls - a.window.calls

/** How well the payment services answer just now, the worst first. */
export default function ServicesCard(): ReactNode {
  const names = new Map(useServiceNames())
  const mayWrite = useMay('payment-services.write')
  const query = useLoad(
    ['payment-services', 'health'],
    (api, signal) => every(api.paymentServiceHealth.list({ limit: 100 }, { signal })),
    { refresh: 10_000 },
  )
  return (
    <Card title={words.title} aside={<Link to="payment-services">{words.all}</Link>}>
      <Loaded query={query}>
        {(services) =>
          services.length === 0 ? (
            <p className="text-sm text-ink-3">
              {words.none}.{' '}
              {mayWrite && (
                <Link to="payment-services/new" className="underline">
                  {words.connect}
                </Link>
              )}
            </p>
          ) : (
            <ul className="-my-2 divide-y divide-line">
              {[...services]
                .sort(byCondition)
                .slice(0, MAX_SHOWN)
                .map((health) => (
                  <Service
                    key={health.payment_service_id}
                    health={health}
                    name={names.get(health.payment_service_id) ?? health.payment_service_id}
                  />
                ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function Service({ health, name }: { health: PaymentServiceHealth; name: string }): ReactNode {
  const { text, tone } = describeHealth(health)
  const { failure_rate: failing, p50_ms } = health.window
  const notes = [failing ? words.failing(formatPercent(failing)) : undefined, milliseconds(p50_ms)]
  return (
    <li className="flex items-center gap-2 py-2">
      <span className="min-w-0">
        <Link to={`payment-services/${health.payment_service_id}`} className="wrap-anywhere hover:underline">
          {name}
        </Link>
        <span className="block text-xs text-ink-3">{notes.filter(Boolean).join(' · ')}</span>
      </span>
      <span className="ml-auto">
        <Tag tone={tone}>{text}</Tag>
      </span>
    </li>
  )
}
