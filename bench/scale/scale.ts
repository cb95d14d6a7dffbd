import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { readSigner, type Signer, signToken } from '../../src/accounts/api-keys/private-key.ts'
import { privateKeyFile } from '../../src/process/create-instance.ts'
import { audit, CARRYING_OUT_MS, newPlace, startProvider, startServer } from '../instance.ts'
import { type Load, type Loaded, startGenerator } from '../load.ts'
import type { Options } from '../options.ts'
import { signMany } from '../pay/fresh-tokens.ts'
import { headersOf, pay, payments } from '../pay/payment.ts'
import { postmaster } from '../postgres.ts'
import { cpuMs } from '../processes.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Contender, failures, interleave, type Measured, over, type Results, ratio } from '../rounds.ts'
import { figure } from '../statistics.ts'

const MAX_COUNT = 4
const CONNECTIONS = 32
/** Each process by itself, until its code is compiled: the fourth of four gets a quarter of the payments. */
const WARM_UP_SECONDS = 10
/** Tokens for each process and second: more than one thread can verify. */
const FRESH_PER_SECOND = 1_200

const payingName = (processes: number) =>
  `payments, ${processes} ${processes === 1 ? 'process' : 'processes'}`
const freshName = (processes: number) =>
  `GET with fresh tokens, ${processes} ${processes === 1 ? 'process' : 'processes'}`

/**
 * Runs one, two and four processes on one PostgreSQL with the same number of connections. Each verifies
 * tokens in one thread: with two, one process would already use all cores of a small machine.
 */
export async function measureScale({
  rounds,
  seconds,
}: Options): Promise<{ goals: Goal[]; problems: string[] }> {
  const place = await newPlace('postgres')
  const provider = await startProvider(place.folder)
  const providerUrl = provider.said.match[1] ?? ''
  const servers = []
  while (servers.length < MAX_COUNT)
    servers.push(await startServer(place, { SANDBOX_URL: providerUrl, UV_THREADPOOL_SIZE: '1' }))
  const signer = await readSigner(await readFile(privateKeyFile({ dataDir: place.folder }), 'utf8'))
  const token = await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 86_400 }, Date.now())
  const instances = servers.map(({ said }) => ({
    url: said.match[1] ?? '',
    token,
    generator: startGenerator(),
  }))
  const processes = [...servers.map(({ pid }) => pid), await postmaster()]

  const spreadOver = (
    name: string,
    count: number,
    load: (instance: { url: string; token: string }) => Promise<Omit<Load, 'connections' | 'until'>>,
  ): Contender => ({
    name,
    async measure(forSeconds) {
      const used = await Promise.all(
        instances.slice(0, count).map(async (instance) => ({ ...instance, load: await load(instance) })),
      )
      const before = cpuMs(processes)
      const loaded = await Promise.all(
        used.map(({ generator, load: each }) =>
          generator.ask({ ...each, connections: CONNECTIONS / count, until: { seconds: forSeconds } }),
        ),
      )
      return together(loaded, cpuMs(processes) - before)
    },
  })
  const [first] = instances
  const { id } = await pay(first ?? { url: '', token })
  const contenders = [
    ...[1, 2, MAX_COUNT].map((count) =>
      spreadOver(payingName(count), count, async (instance) => payments(instance)),
    ),
    ...[1, 2].map((count) =>
      spreadOver(freshName(count), count, async (instance) => ({
        url: instance.url,
        method: 'GET',
        paths: [`/transactions/${id}`],
        headers: headersOf(instance),
        tokens: await freshTokens(signer, seconds),
      })),
    ),
  ]
  for (const instance of instances)
    await instance.generator.ask({
      ...payments(instance),
      connections: CONNECTIONS,
      until: { seconds: WARM_UP_SECONDS },
    })
  const results = await interleave(contenders, { rounds, seconds })
  for (const { generator } of instances) generator.stop()
  await wait(CARRYING_OUT_MS)
  for (const server of servers) await server.stop()
  const problems = [...(await audit(place, providerUrl)), ...failures(results)]
  await provider.stop()
  await place.remove()
  print(results)
  return { goals: goalsOf(results), problems }
}

const freshTokens = (signer: Signer, seconds: number) =>
  signMany(signer, Math.ceil(FRESH_PER_SECOND * Math.max(1, seconds)))

function together(loaded: Loaded[], spentMs: number): Measured {
  const requests = loaded.reduce((sum, each) => sum + each.requests, 0)
  return {
    rate: loaded.reduce((sum, each) => sum + each.requests / each.seconds, 0),
    p50: Math.max(...loaded.map(({ p50 }) => p50)),
    p99: Math.max(...loaded.map(({ p99 }) => p99)),
    errors: loaded.reduce((sum, each) => sum + each.errors, 0),
    cpuMs: spentMs / requests,
  }
}

function print(results: Results): void {
  const rows = [...results.keys()].map((name) => [
    name,
    spread(over(results, name, ({ rate }) => rate)),
    ...[over(results, name, ({ p50 }) => p50), over(results, name, ({ p99 }) => p99)].map(({ median }) =>
      number(median),
    ),
    spread(over(results, name, ({ cpuMs: each }) => each)),
  ])
  console.log('\n### Processes on one PostgreSQL\n')
  console.log(table(['', 'per second', 'p50 ms', 'p99 ms', 'CPU-ms each'], rows))
}

function goalsOf(results: Results): Goal[] {
  const growth = (processes: number) => {
    const one = results.get(payingName(1)) ?? []
    const many = results.get(payingName(processes)) ?? []
    return figure(
      many.map(
        ({ cpuMs: each }, round) => ((each ?? Number.NaN) / (one[round]?.cpuMs ?? Number.NaN) - 1) * 100,
      ),
    )
  }
  const grown = (processes: number): Goal => ({
    name: `P15 CPU per payment, 1 → ${processes} processes`,
    figure: growth(processes),
    unit: '% more',
    better: 'lower',
    gate: 15,
    aim: 10,
  })
  return [
    grown(2),
    grown(MAX_COUNT),
    {
      name: 'P15 fresh tokens, 1 → 2 processes',
      figure: ratio(results, freshName(2), freshName(1)),
      unit: '×',
      better: 'higher',
      gate: 1.6,
      aim: 1.8,
    },
  ]
}
