import { shardOf } from '../../test/support/cluster.ts'
import { startInstance } from '../instance.ts'
import type { Generator, Load } from '../load.ts'
import type { Options } from '../options.ts'
import { payments } from '../pay/payment.ts'
import { postmaster } from '../postgres.ts'
import { cpuMs } from '../processes.ts'
import { type Goal, spread, table } from '../report.ts'
import { figure } from '../statistics.ts'

const CONNECTIONS = 16
const ACCOUNT = 'default'

/** A process tree whose CPU time is counted. */
interface Part {
  name: string
  pid: number
}

/** The CPU time of Railyard and of each node for a payment of one merchant account, for the capacity model of docs/operations/citus.md. */
export async function measureCitus(
  generator: Generator,
  { rounds, seconds }: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const workers = process.env['CITUS_WORKERS']?.split(' ')
  if (!workers) throw new Error('it is measured under scripts/with-citus.sh')
  const instance = await startInstance('postgres')
  const { port } = await shardOf(instance.place.env['DATABASE_URL'] ?? '', ACCOUNT)
  const parts: Part[] = [
    { name: 'Railyard', pid: instance.server.pid },
    { name: 'the coordinator', pid: await postmaster() },
  ]
  for (const url of workers) {
    const isTheirs = Number(new URL(url).port) === port
    parts.push({
      name: isTheirs ? 'the worker of the account' : 'another worker',
      pid: await postmaster(url),
    })
  }
  const load = (until: Load['until']) =>
    generator.ask({ ...payments(instance), connections: CONNECTIONS, until })
  const problems: string[] = []
  const measured: { rate: number; p50: number; p99: number; cpu: number[] }[] = []
  // processes, connections and plans are there before the first round
  await load({ seconds })
  for (let round = 0; round < rounds; round++) {
    const before = parts.map(({ pid }) => cpuMs([pid]))
    const { requests, errors, p50, p99, seconds: took } = await load({ seconds })
    const cpu = parts.map(({ pid }, index) => (cpuMs([pid]) - (before[index] ?? 0)) / requests)
    measured.push({ rate: requests / took, p50, p99, cpu })
    if (errors > 0) problems.push(`${errors} payments were not answered with 2xx`)
  }
  problems.push(...(await instance.closeAndAudit()))
  const over = (of: (round: (typeof measured)[number]) => number) => spread(figure(measured.map(of)))
  console.log(`\n### A payment on Citus, ${CONNECTIONS} connections, one merchant account\n`)
  console.log(
    table(
      ['', 'CPU-ms a payment'],
      parts.map(({ name }, index) => [name, over(({ cpu }) => cpu[index] ?? Number.NaN)]),
    ),
  )
  console.log(
    `\n${over(({ rate }) => rate)} payments a second, p50 ${over(({ p50 }) => p50)} ms, p99 ${over(({ p99 }) => p99)} ms`,
  )
  return { goals: [], problems }
}
