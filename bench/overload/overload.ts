import { startInstance } from '../instance.ts'
import type { Generator } from '../load.ts'
import { startOpenGenerator } from '../open-loop.ts'
import type { Engine, Options } from '../options.ts'
import { headersOf, payment, payments } from '../pay/payment.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Figure, figure, quantile } from '../statistics.ts'
import { probeHealth } from './probe-health.ts'

const TIMES = 3
const CONNECTIONS = 32
const MIN_SECONDS = 6
/** The warm-up until the server's code is compiled: a new server is overloaded by less. */
const WARM_UP = { seconds: 12 }
/** The time in which an initial burst, which is admitted in full, is done. */
const BURST_SECONDS = 3

/**
 * Offers three times as many payments as the server can process: the share that it processes, how fast it refuses
 * the others, and how fast it answers health checks.
 */
export async function measureOverload(
  engine: Engine,
  generator: Generator,
  { rounds, seconds }: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance(engine)
  const open = startOpenGenerator()
  const long = Math.max(MIN_SECONDS, seconds)
  const closed = (until = { seconds: long / 2 }) =>
    generator.ask({ ...payments(instance), connections: CONNECTIONS, until })
  const load = {
    url: instance.url,
    path: '/transactions',
    headers: headersOf(instance),
    body: JSON.stringify(payment),
  }
  await closed(WARM_UP)
  const measured = []
  for (let round = 0; round < rounds; round++) {
    // the throughput under overload is compared with that just before and just after
    const before = await closed()
    const health = probeHealth(instance.url)
    const loaded = await open.ask({
      ...load,
      perSecond: (TIMES * before.requests) / before.seconds,
      seconds: long,
      warmUpSeconds: BURST_SECONDS,
      // on a machine of two cores an active wait would take the core that the server needs
      isPunctual: false,
    })
    const healthMs = quantile(await health.ended(), 0.99)
    const after = await closed()
    const peak = (before.requests + after.requests) / (before.seconds + after.seconds)
    measured.push({ ...loaded, peak, healthMs, residentMb: instance.residentMb() })
  }
  open.stop()
  const problems = await instance.closeAndAudit()
  console.log(`\n### ${TIMES} times as many payments as it can make, ${engine}\n`)
  console.log(
    table(
      [
        'peak /s',
        'made in time /s',
        '÷ peak',
        'p50 ms',
        'p99 ms',
        'shed',
        'shed p99 ms',
        'health p99 ms',
        'errors',
        'send lag p99 ms',
        'RSS MB',
      ],
      measured.map(({ peak, perSecond, answered, shed, healthMs, errors, sendLag, residentMb }) => [
        number(peak),
        number(perSecond),
        number(perSecond / peak),
        number(answered.p50),
        number(answered.p99),
        String(shed.count),
        number(shed.p99),
        number(healthMs),
        String(errors),
        number(sendLag),
        number(residentMb),
      ]),
    ),
  )
  const reasons = measured.filter(({ errors }) => errors > 0).map((round) => JSON.stringify(round.reasons))
  if (reasons.length > 0) console.log(`\nerrors: ${reasons.join(', ')}`)
  const goodput = figure(measured.map(({ perSecond, peak }) => perSecond / peak))
  const shed = measured.filter((round) => round.shed.count > 0).map((round) => round.shed.p99)
  if (shed.length === 0) console.log(`\nNo payment was shed: all waited, at ${spread(goodput)} of the peak.`)
  return {
    problems,
    goals: [
      {
        name: `P18 made of ${TIMES} × capacity ÷ peak, ${engine}`,
        figure: goodput,
        unit: '',
        better: 'higher',
        gate: 0.8,
        aim: 0.95,
      },
      ...(shed.length > 0 ? [shedGoal(engine, figure(shed))] : []),
    ],
  }
}

const shedGoal = (engine: Engine, p99: Figure): Goal => ({
  name: `P18 answers to shed payments, p99, ${engine}`,
  figure: p99,
  unit: 'ms',
  better: 'lower',
  gate: 50,
})
