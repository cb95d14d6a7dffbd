import { type Instance, startInstance } from '../instance.ts'
import { MAX_SEND_LAG_MS, type OpenGenerator, type OpenLoaded, startOpenGenerator } from '../open-loop.ts'
import type { Engine, Options } from '../options.ts'
import { headersOf, payment } from '../pay/payment.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { figure, median } from '../statistics.ts'

/** The offered rate at which latency is measured. */
const PER_SECOND = 50
/** The steps of the search for the highest sustained rate: each is a quarter more than the one before. */
const STEPS = [100, 125, 160, 200, 250, 320, 400, 500, 640, 800]
const MAX_P99_MS = 100
const WARM_UP_SECONDS = 2
/** Fewer than 300 payments would make a 99th percentile of the worst three. */
const MIN_SECONDS = 6
/**
 * Retries of a round whose generator was late, and of a step that failed: sometimes the machine is the cause.
 */
const TRIES = 3

interface Round extends OpenLoaded {
  /** The provider's average time. */
  providerMs: number
}

/** Measures the latency of payments that arrive at random, and the highest rate that is sustained. */
export async function measureLatency(
  engine: Engine,
  { rounds, seconds }: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance(engine)
  const generator = startOpenGenerator()
  const long = Math.max(MIN_SECONDS, seconds)
  const ask = (perSecond: number) => arrive(instance, generator, perSecond, long)
  await ask(PER_SECOND)
  const calm: Round[] = []
  while (calm.filter(isValid).length < rounds && calm.length < TRIES * rounds)
    calm.push(await ask(PER_SECOND))
  const steps: { perSecond: number; measured: Round }[] = []
  for (const perSecond of STEPS) {
    let measured = await ask(perSecond)
    for (let tries = 1; !isHeld(measured) && tries < TRIES; tries++) measured = await ask(perSecond)
    steps.push({ perSecond, measured })
    if (!isHeld(measured)) break
  }
  generator.stop()
  const problems = await instance.closeAndAudit()
  print(engine, calm, steps)
  return { goals: goalsOf(engine, calm, steps), problems }
}

async function arrive(
  instance: Instance,
  generator: OpenGenerator,
  perSecond: number,
  seconds: number,
): Promise<Round> {
  const before = await providerSeconds(instance)
  const load = {
    url: instance.url,
    path: '/transactions',
    headers: headersOf(instance),
    body: JSON.stringify(payment),
  }
  // the steps ask for tens of milliseconds, and need both cores
  const isPunctual = perSecond === PER_SECOND
  const loaded = await generator.ask({
    ...load,
    perSecond,
    seconds,
    warmUpSeconds: WARM_UP_SECONDS,
    isPunctual,
  })
  const after = await providerSeconds(instance)
  return { ...loaded, providerMs: ((after.sum - before.sum) / (after.count - before.count)) * 1_000 }
}

/** The time that the server has waited for its provider so far, by its own metrics. */
async function providerSeconds({ url }: Instance): Promise<{ sum: number; count: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const total = (suffix: string) =>
    [
      ...text.matchAll(
        new RegExp(`^railyard_provider_request_duration_seconds_${suffix}\\{[^}]*\\} (\\S+)$`, 'gm'),
      ),
    ].reduce((sum, [, value]) => sum + Number(value), 0)
  return { sum: total('sum'), count: total('count') }
}

const isValid = ({ sendLag }: Round) => sendLag <= MAX_SEND_LAG_MS
/**
 * Each latency counts from the time at which the payment was due, so a late generator makes a step look
 * worse, never better.
 */
const isHeld = ({ answered, shed, errors }: Round) =>
  errors === 0 && shed.count === 0 && answered.p99 <= MAX_P99_MS

function print(engine: Engine, calm: Round[], steps: { perSecond: number; measured: Round }[]): void {
  const row = (name: string, { answered, shed, errors, perSecond, sendLag, providerMs }: Round) => [
    name,
    number(perSecond),
    ...[answered.p50, answered.p99, answered.most, providerMs, sendLag].map(number),
    String(shed.count + errors),
  ]
  console.log(`\n### Latency of payments that come when they come, ${engine}\n`)
  console.log(
    table(
      [
        'asked for a second',
        'answered a second',
        'p50 ms',
        'p99 ms',
        'most ms',
        'provider ms',
        'send lag p99 ms',
        'refused',
      ],
      [
        ...calm.map((round) => row(String(PER_SECOND), round)),
        ...steps.map(({ perSecond, measured }) => row(String(perSecond), measured)),
      ],
    ),
  )
}

function goalsOf(engine: Engine, calm: Round[], steps: { perSecond: number; measured: Round }[]): Goal[] {
  const valid = calm.filter(isValid)
  const added = (percentile: 'p50' | 'p99') =>
    figure(valid.map(({ answered, providerMs }) => answered[percentile] - providerMs))
  const held = steps.filter(({ measured }) => isHeld(measured)).at(-1)
  const ms = (name: string, of: Goal['figure'], gate: number, aim: number): Goal => ({
    name,
    figure: of,
    unit: 'ms',
    better: 'lower',
    gate,
    aim,
  })
  if (valid.length === 0)
    console.log(
      `\nNo round at ${PER_SECOND} a second is valid: the generator was ${number(median(calm.map(({ sendLag }) => sendLag)))} ms late (p99)`,
    )
  return [
    ms(`P5 added to the provider’s time at ${PER_SECOND}/s, p50, ${engine}`, added('p50'), 10, 5),
    ms(`P5 added to the provider’s time at ${PER_SECOND}/s, p99, ${engine}`, added('p99'), 40, 20),
    {
      name: `P6 payments a second with p99 ≤ ${MAX_P99_MS} ms and none refused, ${engine}`,
      figure: exactly(held?.perSecond ?? 0),
      unit: '/s',
      better: 'higher',
      gate: 200,
      aim: 300,
    },
  ]
}
