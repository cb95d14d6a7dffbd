import { setTimeout as wait } from 'node:timers/promises'
import { type Instance, startInstance } from '../instance.ts'
import type { Generator } from '../load.ts'
import { startOpenGenerator } from '../open-loop.ts'
import type { Engine } from '../options.ts'
import { headersOf, payment, payments } from '../pay/payment.ts'
import { exactly, type Goal, number, spread, table } from '../report.ts'
import { quantile } from '../statistics.ts'
import { slope } from './slope.ts'

/** The load, as a share of the capacity. */
const SHARE = 0.5
const CONNECTIONS = 32
const CAPACITY_SECONDS = 8
/** How often a sample is taken. */
const EVERY_SECONDS = 10
/** Every minute. */
const SHOWN_EVERY = 6
/**
 * The warm-up after which a process has most of its permanent memory: compiled code, prepared statements,
 * connections, caches.
 */
const WARM_UP_SHARE = 0.3
const MEGABYTE = 2 ** 20

interface Sample {
  hours: number
  /** Megabytes of the heap, and of memory beside it, after garbage collection. */
  heap: number
  external: number
  rss: number
  handles: number
  loopDelay: number
}

/**
 * Sends half of the payments that an instance can process, and measures what grows meanwhile: memory, handles and the
 * delay of the event loop. Throws a `TypeError` after a soak of less than a minute.
 */
export async function measureSoak(
  engine: Engine,
  generator: Generator,
  minutes: number,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const probe = new URL('./probe.js', import.meta.url).href
  const instance = await startInstance(engine, undefined, ['--expose-gc', '--import', probe])
  const payFor = (seconds: number) =>
    generator.ask({ ...payments(instance), connections: CONNECTIONS, until: { seconds } })
  await payFor(CAPACITY_SECONDS / 2)
  const { requests, seconds } = await payFor(CAPACITY_SECONDS)
  const perSecond = (SHARE * requests) / seconds
  const open = startOpenGenerator()
  let isOver = false
  const load = {
    url: instance.url,
    path: '/transactions',
    headers: headersOf(instance),
    body: JSON.stringify(payment),
  }
  const loaded = open
    // latency is no goal here, and active waiting would take a core for as long as the soak
    .ask({ ...load, perSecond, seconds: minutes * 60, warmUpSeconds: 0, isPunctual: false })
    .finally(() => {
      isOver = true
    })
  const began = performance.now()
  const samples: Sample[] = []
  await instance.loopDelay()
  while (!isOver) {
    await Promise.race([wait(EVERY_SECONDS * 1_000), loaded])
    if (isOver) break
    const sample = await look(instance, (performance.now() - began) / 3_600_000)
    samples.push(sample)
    // a soak that is ended early has told what it saw
    if (samples.length % SHOWN_EVERY === 1) console.log(lineOf(sample))
  }
  const { answered, errors, reasons, shed } = await loaded
  open.stop()
  print(engine, { perSecond, minutes, answered: answered.count, p99: answered.p99 }, samples)
  const goals = goalsOf(engine, samples.slice(Math.ceil(samples.length * WARM_UP_SHARE)))
  const problems = [
    ...(await instance.closeAndAudit()),
    ...(errors + shed.count > 0
      ? [`${errors + shed.count} payments of the soak failed: ${shed.count} shed, ${JSON.stringify(reasons)}`]
      : []),
  ]
  return { goals, problems }
}

const lineOf = ({ hours, heap, external, rss, handles }: Sample): string =>
  `minute ${(hours * 60).toFixed(1)}: heap ${heap.toFixed(1)} MB, beside it ${external.toFixed(1)} MB, RSS ${rss.toFixed(0)} MB, ${handles} handles`

async function look({ server, ...instance }: Instance, hours: number): Promise<Sample> {
  // before the collection, which keeps the loop waiting
  const loopDelay = await instance.loopDelay()
  const [, heap, external, rss, handles] = await server.signal('SIGWINCH', /kept (\d+) (\d+) (\d+) (\d+)/)
  await instance.loopDelay()
  return {
    hours,
    heap: Number(heap) / MEGABYTE,
    external: Number(external) / MEGABYTE,
    rss: Number(rss) / MEGABYTE,
    handles: Number(handles),
    loopDelay,
  }
}

function print(
  engine: Engine,
  { perSecond, minutes, answered, p99 }: Record<'perSecond' | 'minutes' | 'answered' | 'p99', number>,
  samples: Sample[],
): void {
  console.log(`\n### ${number(minutes)} minutes at half of capacity, ${engine}\n`)
  console.log(
    `${number(perSecond)} payments a second, ${answered.toLocaleString('en-US')} in all, p99 ${number(p99)} ms\n`,
  )
  const shown = samples.filter(
    (_, index) => index % Math.ceil(samples.length / 16) === 0 || index === samples.length - 1,
  )
  console.log(
    table(
      ['minute', 'heap after GC MB', 'beside it MB', 'RSS MB', 'handles', 'loop delay p99 ms'],
      shown.map(({ hours, heap, external, rss, handles, loopDelay }) => [
        (hours * 60).toFixed(1),
        heap.toFixed(2),
        external.toFixed(2),
        rss.toFixed(1),
        String(handles),
        number(loopDelay),
      ]),
    ),
  )
}

function goalsOf(engine: Engine, steady: Sample[]): Goal[] {
  if (steady.length < 4) throw new TypeError('a soak needs a minute at least')
  const slopeOf = (pick: (sample: Sample) => number) =>
    slope(steady.map((sample) => [sample.hours, pick(sample)]))
  const heap = slopeOf((sample) => sample.heap)
  const rss = slopeOf((sample) => sample.rss)
  const handles = slopeOf((sample) => sample.handles)
  const delays = Float64Array.from(steady.map(({ loopDelay }) => loopDelay)).sort()
  console.log(
    `\nslopes after the warm-up, an hour, with 95 % intervals: heap after GC ${spread(heap)} MB, RSS ${spread(rss)} MB, handles ${spread(handles)}`,
  )
  return [
    { name: `R15 heap after GC grows, ${engine}`, figure: heap, unit: 'MB/h', better: 'lower', gate: 1 },
    { name: `R15 RSS grows, ${engine}`, figure: rss, unit: 'MB/h', better: 'lower', gate: 1 },
    {
      name: `R15 handles, last ÷ first after the warm-up, ${engine}`,
      figure: exactly((steady.at(-1)?.handles ?? Number.NaN) / (steady[0]?.handles ?? Number.NaN)),
      unit: '',
      better: 'lower',
      gate: 1.5,
    },
    {
      name: `R15 loop delay p99, the median sample, ${engine}`,
      figure: exactly(quantile(delays, 0.5)),
      unit: 'ms',
      better: 'lower',
      gate: 50,
    },
  ]
}
