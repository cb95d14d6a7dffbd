import { type Instance, startInstance } from '../instance.ts'
import type { Generator } from '../load.ts'
import type { Options } from '../options.ts'
import { headersOf, payments } from '../pay/payment.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { fillPayments } from './fill.ts'

const TRANSACTIONS = 1_000_000
const RULES = 50

/**
 * Decides a million card payments again by 50 rules while one shop pays, and measures the same shop without
 * it.
 */
export async function measureReplay(
  generator: Generator,
  { seconds }: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance('postgres')
  const services = [
    await firstService(instance),
    await addService(instance, 'Second'),
    await addService(instance, 'Third'),
  ]
  await fillPayments(instance.place.env['DATABASE_URL'] ?? '', TRANSACTIONS, services)
  const load = { ...payments(instance), connections: 1 }
  const warm = await generator.ask({ ...load, until: { seconds: 2 } })
  const alone = await generator.ask({ ...load, until: { seconds } })
  const quick = await replay(instance, services)
  const paying = generator.ask({ ...load, until: { seconds: Math.max(1, quick.seconds * 0.8) } })
  const busy = await replay(instance, services)
  const beside = await paying
  await instance.close()
  const rows = [
    [
      'replay alone',
      number(quick.seconds),
      number(TRANSACTIONS / quick.seconds),
      number(quick.cpuSeconds),
      number(quick.memoryMb),
      '–',
      '–',
    ],
    [
      'replay beside payments',
      number(busy.seconds),
      number(TRANSACTIONS / busy.seconds),
      // this includes the payments' own
      '–',
      number(busy.memoryMb),
      number(beside.p50),
      number(beside.p99),
    ],
    ['payments alone @ 1', '–', '–', '–', '–', number(alone.p50), number(alone.p99)],
  ]
  console.log('\n### A million payments replayed, PostgreSQL\n')
  console.log(
    table(
      ['', 'seconds', 'decided per second', 'CPU s', 'most MB more', 'payment p50 ms', 'payment p99 ms'],
      rows,
    ),
  )
  const errors = warm.errors + alone.errors + beside.errors
  return {
    goals: [
      {
        name: 'a million payments replayed',
        figure: exactly(quick.seconds),
        unit: 's',
        better: 'lower',
        gate: 30,
      },
    ],
    problems: [
      ...(errors > 0 ? [`${errors} payments failed`] : []),
      ...[quick, busy].flatMap(({ problems }) => problems),
    ],
  }
}

async function firstService(instance: Instance): Promise<string> {
  const answer = await fetch(`${instance.url}/payment-services`, { headers: headersOf(instance) })
  const { items } = (await answer.json()) as { items: { id: string }[] }
  return items[0]?.id ?? addService(instance, 'First')
}

async function addService(instance: Instance, display_name: string): Promise<string> {
  const service = {
    display_name,
    payment_service_definition_id: 'mock-card',
    fields: [{ key: 'merchant_id', value: 'bench' }],
    accepted_currencies: ['USD', 'EUR', 'GBP'],
    accepted_countries: ['US', 'DE', 'GB'],
  }
  const answer = await fetch(`${instance.url}/payment-services`, {
    method: 'POST',
    headers: headersOf(instance),
    body: JSON.stringify(service),
  })
  if (answer.status !== 201)
    throw new Error(`a payment service was answered ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

/** Most payments evaluate all rules: only the last ones match often. */
const rulesOf = (services: readonly string[]) =>
  Array.from({ length: RULES }, (_, index) => ({
    display_name: `Rule ${index}`,
    action: 'route-transaction',
    condition: {
      all: [
        { field: 'currency', operator: 'is', value: ['USD', 'EUR', 'GBP'][index % 3] },
        { field: 'amount', operator: 'gte', value: index < 47 ? 60_000 + index : 100 },
        index % 2 === 0
          ? { field: 'bin', operator: 'starts_with', value: ['4111', '5555'] }
          : { field: 'metadata.channel', operator: 'is', value: 'web' },
      ],
    },
    outcome: {
      split: [
        { percent: 70, attempts: services.map((payment_service_id) => ({ payment_service_id })) },
        {
          percent: 30,
          attempts: services.toReversed().map((payment_service_id) => ({ payment_service_id })),
        },
      ],
    },
  }))

interface Replayed {
  seconds: number
  /** Of the server and the database. */
  cpuSeconds: number
  /** The increase of the server's resident memory at its peak. */
  memoryMb: number
  problems: string[]
}

async function replay(instance: Instance, services: readonly string[]): Promise<Replayed> {
  const before = instance.residentMb()
  let most = before
  const cpu = instance.cpuMs()
  const began = performance.now()
  const answer = await fetch(`${instance.url}/flows/card-transaction/rules/replay`, {
    method: 'POST',
    headers: { ...headersOf(instance), accept: 'application/x-ndjson' },
    body: JSON.stringify({ rules: rulesOf(services), transactions: TRANSACTIONS }),
  })
  if (!answer.ok || !answer.body)
    throw new Error(`the replay was answered ${answer.status}: ${await answer.text()}`)
  let lines = ''
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    most = Math.max(most, instance.residentMb())
    lines = (lines + chunk).split('\n').slice(-2).join('\n')
  }
  const seconds = (performance.now() - began) / 1000
  const cpuSeconds = (instance.cpuMs() - cpu) / 1000
  const { result } = JSON.parse(lines) as { result?: { decisions: { total: number; moved: number } } }
  const problems =
    result?.decisions.total === TRANSACTIONS && result.decisions.moved > 0
      ? []
      : [`the replay ended with ${lines.slice(0, 500)}`]
  return { seconds, cpuSeconds, memoryMb: most - before, problems }
}
