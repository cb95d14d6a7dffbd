import { setTimeout as wait } from 'node:timers/promises'
import { Agent } from 'undici'
import type { Instance } from '../instance.ts'
import type { Options } from '../options.ts'
import { headersOf } from '../pay/payment.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { quantile } from '../statistics.ts'
import { commitsOf } from './fill.ts'
import type { BenchReceiver } from './receiver.ts'

/** The rate of events, and the times of a run. */
const EVENTS_PER_SECOND = 200
const WARM_UP_SECONDS = 2
const MIN_SECONDS = 10
const TIMEOUT_MS = 30_000

interface Measured {
  instance: Instance
  receiver: BenchReceiver
  subscriptions: string[]
  setActive(instance: Instance, id: string, active: boolean): Promise<void>
}

/**
 * Buyers are made through the API, 200 a second whether or not the ones before are answered, and every
 * subscription is told of each. From the commit, as PostgreSQL has noted it, to when the receiver has the
 * request.
 */
export async function measureLag(
  { instance, receiver, subscriptions, setActive }: Measured,
  { rounds, seconds }: Options,
) {
  await Promise.all(subscriptions.map((id) => setActive(instance, id, true)))
  await receiver.ask({ ask: 'forget' })
  const long = Math.max(MIN_SECONDS, rounds * seconds)
  const cpu = instance.cpuMs()
  const refused = await makeBuyers(instance, (WARM_UP_SECONDS + long) * EVENTS_PER_SECOND)
  const commits = await commitsOf(instance.place.env['DATABASE_URL'] ?? '', 'buyer.created')
  const expected = commits.size * subscriptions.length
  const { deliveries, arrivals } = await receiver.ask({
    ask: 'wait',
    deliveries: expected,
    withinMs: TIMEOUT_MS,
  })
  const cpuShare = (instance.cpuMs() - cpu) / ((WARM_UP_SECONDS + long) * 1_000)
  const warm = Math.min(...commits.values()) + WARM_UP_SECONDS * 1_000
  const lags = [...arrivals].flatMap(([delivery, at]) => {
    const committed = commits.get(delivery.split(' ')[1] ?? '')
    return committed === undefined || committed < warm ? [] : [at - committed]
  })
  const sorted = Float64Array.from(lags).sort()
  const [p50, p99, most] = [quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)]
  console.log(
    `\n### From commit to the first attempt: ${EVENTS_PER_SECOND} events/s through the API × ${subscriptions.length} subscriptions\n`,
  )
  console.log(
    table(
      ['deliveries', 'p50 ms', 'p99 ms', 'most ms', 'CPU-s a second'],
      [[number(lags.length), number(p50), number(p99), number(most), number(cpuShare)]],
    ),
  )
  const goals: Goal[] = [
    { name: 'P11 commit → first attempt, p50', figure: exactly(p50), unit: 'ms', better: 'lower' },
    {
      name: 'P11 commit → first attempt, p99',
      figure: exactly(p99),
      unit: 'ms',
      better: 'lower',
      gate: 1_000,
      aim: 300,
    },
  ]
  const problems = [
    ...(refused > 0 ? [`${refused} buyers were not made`] : []),
    ...(deliveries < expected ? [`${expected - deliveries} deliveries of ${expected} never came`] : []),
  ]
  return { goals, problems }
}

/** Answers how many were refused. */
async function makeBuyers(instance: Instance, count: number): Promise<number> {
  const agent = new Agent({ connections: 64 })
  const headers = { ...headersOf(instance), 'content-type': 'application/json' }
  const body = JSON.stringify({ display_name: 'Ada Lovelace' })
  let refused = 0
  const make = async () => {
    const answer = await agent
      .request({ origin: instance.url, path: '/buyers', method: 'POST', headers, body })
      .catch(() => undefined)
    await answer?.body.dump()
    if (answer?.statusCode !== 201) refused += 1
  }
  const began = performance.now()
  const making: Promise<void>[] = []
  while (making.length < count) {
    const due = Math.min(count, ((performance.now() - began) / 1_000) * EVENTS_PER_SECOND)
    while (making.length < due) making.push(make())
    await wait(5)
  }
  await Promise.all(making)
  await agent.close()
  return refused
}
