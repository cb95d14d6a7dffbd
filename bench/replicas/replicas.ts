import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../../src/database/open-database.ts'
import { updateColumns } from '../../src/insights/columns/update-columns.ts'
import { createLog } from '../../src/observability/log.ts'
import { readSettings } from '../../src/settings.ts'
import { startOwnPostgres } from '../../test/support/own-postgres.ts'
import { fillPayments, merchantName } from '../insights/fill.ts'
import { type Instance, startInstance, startServer } from '../instance.ts'
import type { Options } from '../options.ts'
import { headersOf, pay } from '../pay/payment.ts'
import { postmaster, queryOn } from '../postgres.ts'
import { cpuMs } from '../processes.ts'
import { exactly, type Goal, number, spread, table } from '../report.ts'
import { figure, quantile } from '../statistics.ts'

const MONTH = '2026-09-01T00:00:00Z/2026-10-01T00:00:00Z'
const WEEK = '2026-09-24T00:00:00Z/2026-10-01T00:00:00Z'
const explorer = '/metrics-explorer/authorization/metrics'

/** What a merchant's people and systems read: as many lists as questions to the metrics explorer. */
const mix = [
  '/transactions?limit=20',
  '/transactions?limit=100&status=capture_succeeded',
  '/transactions?limit=20&created_at_gte=2026-09-01T00:00:00Z&created_at_lte=2026-09-08T00:00:00Z',
  '/transactions?limit=20&currency=CHF&country=SE',
  `/metrics-explorer/summary?datetime_range=${WEEK}`,
  `${explorer}/transactions/totals?datetime_range=${MONTH}`,
  `${explorer}/auth_rate/modules/payment_method_scheme?datetime_range=${MONTH}`,
  `${explorer}/volume/totals?currency=USD&datetime_range=${WEEK}`,
]
const LARGEST = merchantName(0)
const CONNECTIONS = 4
const PAYMENTS_PER_SECOND = 20

/** One round of the mix against a server. */
interface Round {
  requests: number
  times: number[]
  primaryMs: number
  replicaMs: number
  /** The part of the reads that the replica answered; not a number without one. */
  share: number
}

/** The primary's CPU for a mix of lists and insights, with one read replica and without, in turns. */
export async function measureReplicas({
  transactions,
  rounds,
  seconds,
}: Options): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance('postgres', async ({ env }) => {
    await fillPayments(env['DATABASE_URL'] ?? '', transactions)
    const { db, run, close } = await openDatabase(readSettings(env), { withoutTimeout: true })
    await updateColumns({ db, run, log: createLog('error') }).finally(close)
  })
  const primaryUrl = new URL(instance.place.env['DATABASE_URL'] ?? '')
  await queryOn(primaryUrl.href, 'vacuum analyze')
  await queryOn(primaryUrl.href, 'create extension if not exists pg_stat_statements')
  const standby = await startOwnPostgres({
    settings: ['max_connections=200'],
    standbyOf: { url: primaryUrl.href },
  })
  const replicaUrl = new URL(standby.url)
  replicaUrl.pathname = primaryUrl.pathname
  // background work of neither server is part of the figure
  await instance.server.stop()
  const api = { SANDBOX_URL: instance.providerUrl, ROLE: 'api', PUBLIC_URL: 'http://127.0.0.1' }
  const servers = [
    await startServer(instance.place, api),
    await startServer(instance.place, { ...api, DATABASE_REPLICA_URLS: replicaUrl.href }),
  ] as const
  const [withoutReplica, withReplica] = servers.map(({ said }) => ({
    ...instance,
    url: said.match[1] ?? '',
  })) as [Instance, Instance]
  try {
    await untilUsed(withReplica.url)
    const [primaryPid, replicaPid] = [await postmaster(), await postmaster(replicaUrl.href)]
    const problems: string[] = []
    const round = async (at: Instance): Promise<Round> => {
      const before = { primary: cpuMs([primaryPid]), replica: cpuMs([replicaPid]) }
      const from = await readsOf(at.url)
      const times = await readMix(at, seconds * 1_000, problems)
      const to = await readsOf(at.url)
      return {
        share: (to.replica - from.replica) / (to.all - from.all),
        requests: times.length,
        times,
        primaryMs: cpuMs([primaryPid]) - before.primary,
        replicaMs: cpuMs([replicaPid]) - before.replica,
      }
    }
    // both servers plan and load what they need before
    for (const at of [withoutReplica, withReplica]) await round(at)
    await queryOn(primaryUrl.href, 'select pg_stat_statements_reset()')
    const pairs: { without: Round; with: Round }[] = []
    for (let count = 0; count < rounds; count++)
      pairs.push({ without: await round(withoutReplica), with: await round(withReplica) })

    const paying = payEvenly(withoutReplica, seconds * 1_000)
    const busy = await round(withReplica)
    await paying
    const [position] = await queryOn<{ us: number }>(
      primaryUrl.href,
      `select sum(total_exec_time) / sum(calls) * 1000 as us from pg_stat_statements where query like '%pg_current_wal_flush_lsn%' and query like '%wal_histories%'`,
    )

    const perRequest = (of: (pair: (typeof pairs)[number]) => number) => figure(pairs.map(of))
    const primaryWithout = perRequest((pair) => pair.without.primaryMs / pair.without.requests)
    const primaryWith = perRequest((pair) => pair.with.primaryMs / pair.with.requests)
    const ratio = perRequest(
      (pair) => pair.with.primaryMs / pair.with.requests / (pair.without.primaryMs / pair.without.requests),
    )
    const p50 = (times: number[]) =>
      quantile(
        times.toSorted((one, other) => one - other),
        0.5,
      )
    console.log(
      `\n### Read replicas: ${mix.length / 2} lists and ${mix.length / 2} questions in turn, ${transactions.toLocaleString('en-US')} payments, PostgreSQL\n`,
    )
    console.log(
      table(
        ['', 'primary CPU-ms a read', 'replica CPU-ms a read', 'from the replica', 'p50 ms'],
        [
          [
            'without',
            spread(primaryWithout),
            '0',
            '0',
            number(p50(pairs.flatMap((pair) => pair.without.times))),
          ],
          [
            'one replica',
            spread(primaryWith),
            spread(perRequest((pair) => pair.with.replicaMs / pair.with.requests)),
            spread(perRequest((pair) => pair.with.share)),
            number(p50(pairs.flatMap((pair) => pair.with.times))),
          ],
        ],
      ),
    )
    console.log(
      `While ${PAYMENTS_PER_SECOND} payments a second are made: ${(busy.share * 100).toFixed(1)} % of the reads from the replica, p50 ${number(p50(busy.times))} ms. The position of the primary: ${number(position?.us)} µs.`,
    )
    return {
      goals: [
        { name: 'primary’s CPU, one replica ÷ without', figure: ratio, unit: '', better: 'lower', gate: 0.2 },
        {
          name: 'reads from the replica while payments are made',
          figure: exactly(busy.share),
          unit: '',
          better: 'higher',
          gate: 0.9,
        },
      ],
      problems,
    }
  } finally {
    for (const { stop } of servers) await stop()
    await standby.close()
    await instance.close()
  }
}

/** Reads the mix again and again; the milliseconds of each request. */
async function readMix(at: Instance, ms: number, problems: string[]): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + ms
  let next = 0
  const headers = { ...headersOf(at), 'x-svc-merchant-account-id': LARGEST }
  const connection = async () => {
    while (performance.now() < until) {
      const path = mix[next++ % mix.length] ?? ''
      const from = performance.now()
      const answer = await fetch(`${at.url}${path}`, { headers })
      await answer.text()
      times.push(performance.now() - from)
      if (answer.status !== 200) problems.push(`${path} was answered ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return times
}

/** Payments to the account `default`, whatever the machine has to do. */
async function payEvenly(instance: Instance, ms: number): Promise<void> {
  const until = performance.now() + ms
  const payments: Promise<unknown>[] = []
  for (; performance.now() < until; await wait(1_000 / PAYMENTS_PER_SECOND)) payments.push(pay(instance))
  await Promise.all(payments)
}

async function untilUsed(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health/ready`)
    const { replicas } = (await answer.json()) as { replicas?: { used: boolean }[] }
    if (replicas?.every(({ used }) => used)) return
    await wait(100)
  }
}

async function readsOf(url: string): Promise<{ replica: number; all: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counts = [...text.matchAll(/^railyard_replica_reads_total\{result="(\w+)"\} (\d+)$/gm)]
  const sum = (names: (name: string) => boolean) =>
    counts.reduce((total, [, name = '', count]) => total + (names(name) ? Number(count) : 0), 0)
  return { replica: sum((name) => name === 'replica'), all: sum(() => true) }
}
