import type { Cipher } from '../../src/cipher.ts'
import { openDatabase } from '../../src/database/database.ts'
import { openVault } from '../../src/instance.ts'
import { readSettings } from '../../src/settings.ts'
import { type Instance, startInstance } from '../instance.ts'
import type { Generator, Load } from '../load.ts'
import type { Options } from '../options.ts'
import { measureLoad } from '../pay/measure.ts'
import { headersOf } from '../pay/payment.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Contender, failures, interleave, over, type Results } from '../rounds.ts'
import { type Figure, figure } from '../statistics.ts'
import { cases } from './cases.ts'
import { fillTransactions, type Sample } from './fill.ts'

const SMALL = 10_000
const LARGE = 1_000_000
/** One by one: what is asked is how long one takes, not how many fit. */
const CONNECTIONS = 1
const LONGEST_SECONDS = 1

interface Filled {
  instance: Instance
  sample: Sample
  cipher: Cipher
}

/** Lists over a small and a large shop on the same PostgreSQL, one after the other in every round. */
export async function measureLists(generator: Generator, options: Options): Promise<{ goals: Goal[]; problems: string[] }> {
  const small = await fill(SMALL)
  const large = await fill(LARGE)
  const contenders = Object.keys(cases).flatMap((name) => [listing(generator, name, small, SMALL), listing(generator, name, large, LARGE)])
  const results = await interleave(contenders, { ...options, seconds: Math.min(options.seconds, LONGEST_SECONDS) })
  const goals = Object.keys(cases).flatMap((name) => goalsOf(name, results))
  print(results)
  // these payments were never made: there are no operations behind them, and nothing to verify
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

const at = (name: string, count: number) => `${name} @ ${count}`

function listing(generator: Generator, name: string, { instance, sample, cipher }: Filled, count: number): Contender {
  const paths = cases[name]?.(sample, cipher) ?? []
  const load: Omit<Load, 'until'> = { url: instance.url, method: 'GET', paths, headers: headersOf(instance), connections: CONNECTIONS }
  return {
    name: at(name, count),
    measure: (seconds) => measureLoad(generator, { ...load, until: { seconds } }, instance.cpuMs),
  }
}

const p50 = (results: Results, name: string, count: number): Figure => over(results, at(name, count), (measured) => measured.p50)
const p99 = (results: Results, name: string, count: number): Figure => over(results, at(name, count), (measured) => measured.p99)

/** By their p50: a p99 of a busy machine says more about the machine. */
function growth(results: Results, name: string): Figure {
  const small = results.get(at(name, SMALL)) ?? []
  return figure((results.get(at(name, LARGE)) ?? []).map((large, round) => (large.p50 ?? Number.NaN) / (small[round]?.p50 ?? Number.NaN)))
}

function print(results: Results): void {
  const rows = Object.keys(cases).map((name) => [
    name,
    ...[SMALL, LARGE].flatMap((count) => [number(p50(results, name, count).median), number(p99(results, name, count).median)]),
    spread(growth(results, name)),
  ])
  console.log('\n### Lists, PostgreSQL\n')
  console.log(table(['GET /transactions', 'p50 ms, 10 k', 'p99 ms, 10 k', 'p50 ms, 1 M', 'p99 ms, 1 M', 'p50 1 M ÷ 10 k'], rows))
}

const goalsOf = (name: string, results: Results): Goal[] => [
  { name: `P9 ${name}: p99 at 1 M`, figure: p99(results, name, LARGE), unit: 'ms', better: 'lower', gate: 5 },
  { name: `P9 ${name}: 1 M ÷ 10 k`, figure: growth(results, name), unit: '', better: 'lower', gate: 2, aim: 1.3 },
]
