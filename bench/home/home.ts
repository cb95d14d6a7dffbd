import { openDatabase } from '../../src/database/open-database.ts'
import { updateColumns } from '../../src/insights/columns/update-columns.ts'
import { createLog } from '../../src/observability/log.ts'
import { readSettings } from '../../src/settings.ts'
import { END, fillPayments } from '../insights/fill.ts'
import { startInstance } from '../instance.ts'
import { headersOf } from '../pay/payment.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { quantile } from '../statistics.ts'
import { fillOperations, LARGEST } from './fill.ts'

const TIMES = 20
const MAX_MS = 1_000

const range = (days: number, earlier = 0) => {
  const end = new Date(END).getTime() - earlier * 86_400_000
  return [end - days * 86_400_000, end].map((ms) => new Date(ms).toISOString()).join('/')
}
const query = (days: number, earlier?: number) =>
  new URLSearchParams({ datetime_range: range(days, earlier) })
const totals = (metric: string, days: number) =>
  `/metrics-explorer/authorization/metrics/${metric}/totals?${query(days)}&exclude_previous=true`

/** What the dashboard asks for when a person opens it. */
const requests: Record<string, string> = {
  'what waits for a person': '/attention',
  'first page of payments': '/transactions?limit=50',
  'ten payments, for the set-up': '/transactions?limit=10',
  ...Object.fromEntries(
    [1, 7, 30].flatMap((days) => [
      [`summary, ${days} days`, `/metrics-explorer/summary?${query(days)}`],
      [`summary, the ${days} days before`, `/metrics-explorer/summary?${query(days, days)}`],
      [`payments over time, ${days} days`, totals('transactions', days)],
      [`approval rate over time, ${days} days`, totals('auth_rate', days)],
    ]),
  ),
  'open incidents': '/monitoring/incidents?timestamp_interval=PT1M/now&limit=100',
  'incidents of pages': '/hosted-pages/incidents?limit=100',
  'health of payment services': '/payment-service-health?limit=100',
}

/** The requests of the dashboard's Home, one after the other, for the largest of eight merchants. */
export async function measureHome(payments: number): Promise<{ goals: Goal[]; problems: string[] }> {
  const instance = await startInstance('postgres', async ({ env }) => {
    const url = env['DATABASE_URL'] ?? ''
    await fillPayments(url, payments)
    await fillOperations(url)
    const { db, run, close } = await openDatabase(readSettings(env), { withoutTimeout: true })
    await updateColumns({ db, run, log: createLog('error') }).finally(close)
  })
  const problems: string[] = []
  const rows: string[][] = []
  let slowest = 0
  for (const [name, path] of Object.entries(requests)) {
    const times: number[] = []
    for (let time = 0; time < TIMES; time++) {
      const from = performance.now()
      const answer = await fetch(`${instance.url}${path}`, {
        headers: { ...headersOf(instance), 'x-svc-merchant-account-id': LARGEST },
      })
      await answer.text()
      if (answer.status !== 200) problems.push(`${path} was answered ${answer.status}`)
      times.push(performance.now() - from)
    }
    const share = (part: number) =>
      quantile(
        times.toSorted((a, b) => a - b),
        part,
      )
    slowest = Math.max(slowest, share(0.95))
    rows.push([name, ...[0.5, 0.95].map((part) => number(share(part))), number(Math.max(...times))])
  }
  console.log(`\n### Home of the dashboard, ${payments.toLocaleString('en-US')} payments, PostgreSQL\n`)
  console.log(table(['', 'p50 ms', 'p95 ms', 'max ms'], rows))
  await instance.close()
  return {
    goals: [
      {
        name: 'Home: the slowest request, p95',
        figure: exactly(slowest),
        unit: 'ms',
        better: 'lower',
        gate: MAX_MS,
      },
    ],
    problems,
  }
}
