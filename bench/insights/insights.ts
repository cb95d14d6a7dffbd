import { systemClock } from '../../src/base/clock.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { updateColumns } from '../../src/insights/columns/update-columns.ts'
import { tallyFromRows } from '../../src/insights/tally.fixture.ts'
import { type Tally, type TallyQuery, tally } from '../../src/insights/tally.ts'
import { createLog } from '../../src/observability/log.ts'
import { readSettings } from '../../src/settings.ts'
import { freshDatabase, queryOn } from '../postgres.ts'
import { exactly, type Goal, number, table } from '../report.ts'
import { quantile } from '../statistics.ts'
import { fillPayments } from './fill.ts'
import { merchantMonth, randomQuestion, repeatable } from './questions.ts'

const QUESTIONS = 200
/** The plain query takes seconds where payments are many. */
const MAX_PLAIN_MS = 180_000
const MONTHS = 20

/** Compares random questions to the metrics explorer, answered from its columns and by the plain query. */
export async function measureInsights({
  transactions,
}: {
  transactions: number
}): Promise<{ goals: Goal[]; problems: string[] }> {
  const database = await freshDatabase()
  const settings = readSettings({ DATABASE_URL: database.url, DATA_DIR: '/nonexistent' })
  const opened = await openDatabase(settings)
  const { db, run, close } = opened
  // over ten million payments the plain query may exceed the service's statement time-out
  const plainly = await openDatabase(settings, { withoutTimeout: true })
  try {
    await migrate(opened)
    await fillPayments(database.url, transactions)
    const world = { db, run, clock: systemClock, log: createLog('error') }
    const began = performance.now()
    const kept = await updateColumns(world)
    const seconds = (performance.now() - began) / 1000
    await queryOn(database.url, 'vacuum analyze insight_hours')
    const [size] = await queryOn<{ columns: number; payments: number }>(
      database.url,
      `select pg_total_relation_size('insight_hours') / 1e6 as columns, pg_table_size('transactions') / 1e6 as payments`,
    )
    const random = repeatable(7)
    const questions = Array.from({ length: QUESTIONS }, () => randomQuestion(random))
    const columns: number[] = []
    const plain: number[] = []
    const longest: { ms: number; question: TallyQuery }[] = []
    const problems = kept === transactions ? [] : [`${kept} of ${transactions} payments are in the columns`]
    let spent = 0
    for (const question of questions) {
      const [answer, ms] = await timed(() => tally(world, question))
      columns.push(ms)
      longest.push({ ms, question })
      if (spent > MAX_PLAIN_MS) continue
      const [expected, plainMs] = await timed(() => tallyFromRows(plainly.db, question))
      spent += plainMs
      plain.push(plainMs)
      if (written(answer, question) !== written(expected, question))
        problems.push(`a different answer to ${JSON.stringify(question)}`)
    }
    const months: number[] = []
    for (let time = 0; time < MONTHS; time++) months.push((await timed(() => tally(world, merchantMonth)))[1])
    print(transactions, seconds, size, { columns, plain, months })
    for (const { ms, question } of longest.sort((a, b) => b.ms - a.ms).slice(0, 3))
      console.log(`${number(ms)} ms: ${JSON.stringify(question)}`)
    return {
      goals: [
        {
          name: 'P10 200 random questions: p95',
          figure: exactly(share(columns, 0.95)),
          unit: 'ms',
          better: 'lower',
          gate: 300,
          aim: 150,
        },
        {
          name: 'P10 a merchant’s month: p95',
          figure: exactly(share(months, 0.95)),
          unit: 'ms',
          better: 'lower',
          gate: 150,
          aim: 30,
        },
      ],
      problems,
    }
  } finally {
    await Promise.all([close(), plainly.close()])
    await database.drop()
  }
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now()
  const answer = await work()
  return [answer, performance.now() - began]
}

/** The result in a fixed order, without members that were not requested. */
const written = (answer: Tally, { withVolume }: TallyQuery): string =>
  JSON.stringify(
    [...answer]
      .map(([key, { transactions, authorized, volume }]) =>
        JSON.stringify([key, transactions, authorized, withVolume ? volume : 0]),
      )
      .sort(),
  )

const share = (values: readonly number[], part: number) =>
  quantile(
    values.toSorted((a, b) => a - b),
    part,
  )

function print(
  transactions: number,
  seconds: number,
  size: { columns: number; payments: number } | undefined,
  measured: Record<string, number[]>,
) {
  console.log(`\n### Metrics explorer, ${transactions.toLocaleString('en-US')} payments, PostgreSQL\n`)
  console.log(
    `columns built in ${number(seconds)} s, ${number(Number(size?.columns))} MB beside the payments' ${number(Number(size?.payments))} MB\n`,
  )
  const names: Record<string, string> = {
    columns: 'random questions, columns',
    plain: 'the same, plain query',
    months: 'a merchant’s month by service',
  }
  const rows = Object.entries(measured).map(([key, values]) => [
    names[key] ?? key,
    String(values.length),
    ...[0.5, 0.95, 0.99].map((part) => number(share(values, part))),
  ])
  console.log(table(['', 'asked', 'p50 ms', 'p95 ms', 'p99 ms'], rows))
}
