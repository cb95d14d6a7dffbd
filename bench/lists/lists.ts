import type { Cipher } from '../../src/base/cipher.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { type Instance, startInstance } from '../instance.ts'
import type { Generator, Load } from '../load.ts'
import type { Options } from '../options.ts'
import { measureLoad } from '../pay/measure.ts'
import { headersOf, payments } from '../pay/payment.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Contender, failures, interleave, over, type Results } from '../rounds.ts'
import { type Figure, figure } from '../statistics.ts'
import { cases } from './cases.ts'
import { fillTransactions, type Sample } from './fill.ts'

const SMALL = 10_000
/** One request at a time: the figure is latency, not throughput. */
const CONNECTIONS = 1
const MAX_SECONDS = 1
const CREATE = 'create a payment'

/** Numbers of payments, and their names in tables. */
interface Size {
  count: number
  name: string
}

const sizeOf = (count: number): Size => ({
  count,
  name: count >= 1_000_000 ? `${count / 1_000_000} M` : `${count / 1_000} k`,
})

interface Filled {
  instance: Instance
  sample: Sample
  cipher: Cipher
}

/** Lists over a small and a large shop on the same PostgreSQL, one after the other in every round. */
export async function measureLists(
  generator: Generator,
  options: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const sizes = [sizeOf(SMALL), sizeOf(options.transactions)] as const
  const small = await fill(SMALL)
  const large = await fill(options.transactions)
  const names = [...Object.keys(cases), CREATE]
  const contenders = names.flatMap((name) => [
    listing(generator, name, small, sizes[0]),
    listing(generator, name, large, sizes[1]),
  ])
  const results = await interleave(contenders, {
    ...options,
    seconds: Math.min(options.seconds, MAX_SECONDS),
  })
  const goals = names.flatMap((name) => goalsOf(name, results, sizes))
  print(names, results, sizes)
  // these payments have no operations, so there is nothing to verify
  for (const { instance } of [small, large]) await instance.close()
  return { goals, problems: failures(results) }
}

async function fill(count: number): Promise<Filled> {
  const instance = await startInstance('postgres')
  const { env } = instance.place
  const sample = await fillTransactions(env['DATABASE_URL'] ?? '', count)
  const settings = readSettings(env)
  const database = await openDatabase(settings)
  const { cipher, masterKeys } = await openVault(database.db, settings)
  await masterKeys.close().finally(database.close)
  return { instance, sample, cipher }
}

const at = (name: string, size: Size) => `${name} @ ${size.name}`

function listing(
  generator: Generator,
  name: string,
  { instance, sample, cipher }: Filled,
  size: Size,
): Contender {
  const paths = cases[name]?.(sample, cipher) ?? []
  const asked: Omit<Load, 'until' | 'connections'> =
    name === CREATE
      ? payments(instance)
      : { url: instance.url, method: 'GET', paths, headers: headersOf(instance) }
  const load = { ...asked, connections: CONNECTIONS }
  return {
    name: at(name, size),
    async measure(seconds) {
      const measured = await measureLoad(generator, { ...load, until: { seconds } }, instance.cpuMs)
      // a list that takes longer than the round counts too
      return Number.isNaN(measured.p50)
        ? measureLoad(generator, { ...load, until: { requests: 1 } }, instance.cpuMs)
        : measured
    },
  }
}

const p50 = (results: Results, name: string, size: Size): Figure =>
  over(results, at(name, size), (measured) => measured.p50)
const p99 = (results: Results, name: string, size: Size): Figure =>
  over(results, at(name, size), (measured) => measured.p99)

/** Compared by their p50: on a busy machine a p99 measures the machine. */
function growth(results: Results, name: string, [smaller, larger]: readonly [Size, Size]): Figure {
  const small = results.get(at(name, smaller)) ?? []
  return figure(
    (results.get(at(name, larger)) ?? []).map(
      (large, round) => (large.p50 ?? Number.NaN) / (small[round]?.p50 ?? Number.NaN),
    ),
  )
}

function print(names: string[], results: Results, sizes: readonly [Size, Size]): void {
  const [small, large] = sizes
  const rows = names.map((name) => [
    name,
    ...sizes.flatMap((size) => [
      number(p50(results, name, size).median),
      number(p99(results, name, size).median),
    ]),
    spread(growth(results, name, sizes)),
  ])
  console.log('\n### Lists, PostgreSQL\n')
  console.log(
    table(
      [
        'GET /transactions',
        ...sizes.flatMap(({ name }) => [`p50 ms, ${name}`, `p99 ms, ${name}`]),
        `p50 ${large.name} ÷ ${small.name}`,
      ],
      rows,
    ),
  )
}

const goalsOf = (name: string, results: Results, sizes: readonly [Size, Size]): Goal[] => [
  {
    name: `P9 ${name}: p99 at ${sizes[1].name}`,
    figure: p99(results, name, sizes[1]),
    unit: 'ms',
    better: 'lower',
    ...(name !== CREATE && { gate: 50, aim: 5 }),
  },
  {
    name: `P9 ${name}: ${sizes[1].name} ÷ ${sizes[0].name}`,
    figure: growth(results, name, sizes),
    unit: '',
    better: 'lower',
    gate: 2,
    aim: 1.3,
  },
]
