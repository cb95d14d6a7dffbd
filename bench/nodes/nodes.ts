import { shardOf } from '../../test/support/cluster.ts'
import { startInstance } from '../instance.ts'
import type { Generator, Load } from '../load.ts'
import type { Options } from '../options.ts'
import { payments as paymentLoad } from '../pay/payment.ts'
import { countStatements, postmaster, statementTimes } from '../postgres.ts'
import { cpuMs } from '../processes.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { figure } from '../statistics.ts'

const CONNECTIONS = 16
const ACCOUNT = 'default'

/** A process tree whose CPU time is counted. */
interface Part {
  name: string
  pid: number
  /** Of a node whose statements are counted. */
  database?: string
}

/**
 * The CPU time of Railyard and of each database server for a payment of one merchant account, and what its
 * statements take there: on Citus, or one server. For the capacity model of docs/guides/scaling.md.
 */
export async function measureNodes(
  generator: Generator,
  { rounds, seconds }: Options,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const workers = process.env['CITUS_WORKERS']?.split(' ')
  const instance = await startInstance('postgres')
  const database = instance.place.env['DATABASE_URL'] ?? ''
  const onNode = (node: string) => Object.assign(new URL(node), { pathname: new URL(database).pathname }).href
  const parts: Part[] = [
    { name: 'Railyard', pid: instance.server.pid },
    { name: workers ? 'the coordinator' : 'PostgreSQL', pid: await postmaster(), database },
  ]
  for (const url of workers ?? []) {
    const isTheirs = Number(new URL(url).port) === (await shardOf(database, ACCOUNT)).port
    parts.push({
      name: isTheirs ? 'the worker of the account' : 'another worker',
      pid: await postmaster(url),
      ...(isTheirs && { database: onNode(url) }),
    })
  }
  const load = (until: Load['until']) =>
    generator.ask({ ...paymentLoad(instance), connections: CONNECTIONS, until })
  const problems: string[] = []
  const measured: { requests: number; rate: number; p50: number; p99: number; cpu: number[] }[] = []
  // processes, connections and plans are there before the first round
  await load({ seconds })
  const counted = parts.flatMap((part) => (part.database ? [{ ...part, database: part.database }] : []))
  await countStatements(
    database,
    counted.slice(1).map(({ database }) => database),
  )
  for (let round = 0; round < rounds; round++) {
    const before = parts.map(({ pid }) => cpuMs([pid]))
    const { requests, errors, p50, p99, seconds: took } = await load({ seconds })
    const cpu = parts.map(({ pid }, index) => (cpuMs([pid]) - (before[index] ?? 0)) / requests)
    measured.push({ requests, rate: requests / took, p50, p99, cpu })
    if (errors > 0) problems.push(`${errors} payments were not answered with 2xx`)
  }
  const payments = measured.reduce((sum, { requests }) => sum + requests, 0)
  const statements = await Promise.all(
    counted.map(async ({ name, database }) =>
      (await statementTimes(database)).map(({ statement, calls, ms }) => [
        name,
        statement,
        number(calls / payments),
        number(ms / payments),
      ]),
    ),
  )
  problems.push(...(await instance.closeAndAudit()))
  const over = (of: (round: (typeof measured)[number]) => number) => spread(figure(measured.map(of)))
  console.log(
    `\n### A payment on ${workers ? 'Citus' : 'one PostgreSQL server'}, ${CONNECTIONS} connections, one merchant account\n`,
  )
  console.log(
    table(
      ['', 'CPU-ms a payment'],
      parts.map(({ name }, index) => [name, over(({ cpu }) => cpu[index] ?? Number.NaN)]),
    ),
  )
  console.log(`\n${table(['', 'statement', 'calls a payment', 'ms a payment'], statements.flat())}`)
  console.log(
    `\n${over(({ rate }) => rate)} payments a second, p50 ${over(({ p50 }) => p50)} ms, p99 ${over(({ p99 }) => p99)} ms`,
  )
  return { goals: [], problems }
}
