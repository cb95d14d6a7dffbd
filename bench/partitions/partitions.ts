import { systemClock } from '../../src/base/clock.ts'
import { timeOrderedIds } from '../../src/base/ids.ts'
import type { Database } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { cutTable } from '../../src/database/partitions/cut-table.ts'
import { lowestIdOf, partitionedTables } from '../../src/database/partitions/partitioned-tables.ts'
// which says of its statements that they may share commits
import { intendPayment } from '../../src/operations/journal/functions/intend-payment.sql.ts'
import '../../src/operations/journal/functions/record-outcome.sql.ts'
import { readSettings } from '../../src/settings.ts'
import { assistant } from '../assistant.ts'
import type { Options } from '../options.ts'
import type { Recording } from '../pay/record.process.ts'
import { fillIn } from '../pay/recorded-payment.ts'
import { freshDatabase, postmaster } from '../postgres.ts'
import { cpuMs } from '../processes.ts'
import { type Goal, number, spread, table } from '../report.ts'
import { type Contender, interleave, over } from '../rounds.ts'
import { figure } from '../statistics.ts'

const DAY_MS = 86_400_000
const DAYS = 23
const CALLERS = 8
const counts = [1, 2, 4, 24]
/** The newest payments of an account with as many. */
const PAGE = 20
const PAYMENTS = 100_000
const nameOf = (count: number) => (count === 1 ? 'undivided' : `${count} partitions`)

/**
 * The CPU of PostgreSQL for a payment's two statements, and for reading one by its id, with tables of so many
 * partitions. Ratios of one run.
 */
export async function measurePartitions(options: Options): Promise<{ goals: Goal[]; problems: string[] }> {
  const recorder = assistant<null, Recording>(new URL('../pay/record.process.ts', import.meta.url))
  const recording = await recorder.ask(null)
  recorder.stop()
  const server = await postmaster()
  const databases = await Promise.all(counts.map(divided))
  const contenders = databases.flatMap(({ count, database }): Contender[] => [
    { name: `${nameOf(count)}: pay`, measure: measure(database, server, paying(database, recording)) },
    { name: `${nameOf(count)}: read`, measure: measure(database, server, reading(database)) },
    { name: `${nameOf(count)}: list`, measure: measure(database, server, listing(database)) },
  ])
  for (const { database, from } of databases) await fill(database, recording, from)
  const results = await interleave(contenders, options)
  const ratios = (count: number, what: string) => {
    const ours = results.get(`${nameOf(count)}: ${what}`) ?? []
    const theirs = results.get(`${nameOf(1)}: ${what}`) ?? []
    return figure(ours.map(({ cpuMs = Number.NaN }, round) => cpuMs / (theirs[round]?.cpuMs ?? Number.NaN)))
  }
  console.log('\n### Payments, reads by id and lists, CPU-ms of PostgreSQL\n')
  console.log(
    table(
      ['tables', 'payment', 'ratio', 'read', 'ratio', 'list', 'ratio'],
      counts.map((count) => [
        nameOf(count),
        number(over(results, `${nameOf(count)}: pay`, ({ cpuMs }) => cpuMs).median),
        spread(ratios(count, 'pay')),
        number(over(results, `${nameOf(count)}: read`, ({ cpuMs }) => cpuMs).median),
        spread(ratios(count, 'read')),
        number(over(results, `${nameOf(count)}: list`, ({ cpuMs }) => cpuMs).median),
        spread(ratios(count, 'list')),
      ]),
    ),
  )
  for (const { close } of databases) await close()
  return { goals: [], problems: [] }
}

/** A database whose tables have so many partitions, all but the last two of which have ended. */
async function divided(count: number) {
  const { url, drop } = await freshDatabase()
  const database = await openDatabase(readSettings({ DATABASE_URL: url, DATABASE_POOL_SIZE: '4' }))
  await migrate(database)
  const first = Date.now() - (count - 3) * DAY_MS
  for (let number = 0; number < count - 1; number++)
    for (const one of partitionedTables)
      await cutTable(database.db, one, lowestIdOf(first + number * DAY_MS), {
        patience: 0,
        ahead: Number.NEGATIVE_INFINITY,
      })
  await database.partitions.load()
  const close = async () => {
    await database.close()
    await drop()
  }
  return { count, database, from: Date.now() - DAYS * DAY_MS, close }
}

const fillStatement = `
insert into transactions
select row.*
  from generate_series(1, ${PAYMENTS}) n,
       lateral (select to_timestamp($2::double precision / 1000) + n * interval '${DAYS} days' / ${PAYMENTS} as made) as at,
       jsonb_populate_record(null::transactions, $1::jsonb || jsonb_build_object(
         'id', (lpad(to_hex((extract(epoch from made) * 1000)::bigint), 12, '0') || '7000' || substr(md5(n::text), 1, 16))::uuid,
         'status', 'capture_succeeded',
         'currency', case when n % 3 = 0 then 'EUR' else 'USD' end,
         'created_at', made,
         'updated_at', made)) row`

/** Payments of the last weeks, which are in as many partitions as there are. */
async function fill(database: Database, recording: Recording, from: number): Promise<void> {
  await database.run(fillStatement, [
    recording.statements[0]?.values[intendPayment.names.indexOf('transaction')],
    from,
  ])
  await database.run('vacuum analyze', [])
}

const lists = ["currency = 'EUR' and", ''].map(
  (filter) => `
select row_to_json(t) as transaction
  from transactions t
 where ${filter} merchant_account_id = $1
 order by updated_at desc, id desc
 limit ${PAGE + 1}`,
)

/** The newest payments of an account, and those of a currency. */
const listing = (database: Database) => async (): Promise<void> => {
  for (const list of lists) await database.run(list, ['default'])
}

const measure =
  (database: Database, server: number, work: () => Promise<void>) =>
  async (seconds: number): Promise<{ rate: number; cpuMs: number; errors: number }> => {
    await database.run('analyze', [])
    const cpuBefore = cpuMs([server])
    const began = performance.now()
    const until = began + seconds * 1000
    let done = 0
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (; performance.now() < until; done++) await work()
      }),
    )
    return {
      rate: (done / (performance.now() - began)) * 1000,
      cpuMs: (cpuMs([server]) - cpuBefore) / done,
      errors: 0,
    }
  }

function paying(database: Database, recording: Recording): () => Promise<void> {
  const next = fillIn(recording, timeOrderedIds(systemClock))
  return async () => {
    let recorded: { result?: unknown }[] = []
    for (const { text, values } of next()) recorded = await database.run(text, values)
    if (recorded[0]?.result == null) throw new Error('a recorded outcome recorded nothing')
  }
}

const readOne =
  'select row_to_json(t) as transaction from transactions@$2 t where merchant_account_id = $1 and id = $2'

function reading(database: Database): () => Promise<void> {
  let id: string | undefined
  return async () => {
    id ??= (await database.run<{ id: string }>('select id from transactions limit 1', []))[0]?.id
    await database.run(readOne, ['default', id])
  }
}
