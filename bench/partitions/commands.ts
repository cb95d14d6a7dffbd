import { execFile } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDatabase } from '../../src/database/open-database.ts'
import { cutTable } from '../../src/database/partitions/cut-table.ts'
import { lowestIdOf, retiredTables } from '../../src/database/partitions/partitioned-tables.ts'
import { readSettings } from '../../src/settings.ts'
import { main, type Place, startInstance } from '../instance.ts'
import { pay } from '../pay/payment.ts'
import { type Goal, number } from '../report.ts'
import { copyPayment } from '../verify/copy.ts'
import { measureWhilePaying } from './while-paying.ts'

/** The month whose payments are retired, and its end. */
const [OLD_MONTH, NEXT_MONTH] = [Date.UTC(2024, 0), Date.UTC(2024, 1)]
const DAY_MS = 86_400_000

/** The first cut of undivided tables, while payments are made. */
export const measureCut = (payments: number) =>
  measureCommand(['partitions', 'cut'], { payments, made: Date.now() - 30 * DAY_MS })

/** The retirement of the payments of an old month, while payments are made. */
export const measureRetire = (payments: number) =>
  measureCommand(['partitions', 'retire', '--yes'], { payments, made: OLD_MONTH, prepare: endOldMonth })

interface Filling {
  payments: number
  /** When the first one was made, in milliseconds since 1970. */
  made: number
  /** Prepares the tables, which have no payments then. */
  prepare?: (place: Place) => Promise<void>
}

/** Runs a command in a process of its own, as an operator does, beside a server that takes payments. */
async function measureCommand(
  command: string[],
  filling: Filling,
): Promise<{ goals: Goal[]; problems: string[] }> {
  const since = new Date().toISOString()
  const instance = await startInstance('postgres', async (place) => {
    // the rounds of the server would do the work before the command
    place.env['PARTITION_ROWS'] = '0'
    await filling.prepare?.(place)
  })
  const { env } = instance.place
  const bytes = await fill(env, (await pay(instance)).id, filling)
  console.log(
    `\n### railyard ${command.join(' ')}: ${filling.payments.toLocaleString('en-US')} payments, a database of ${number(bytes / 1e6)} MB\n`,
  )
  let printed = ''
  const failures = await measureWhilePaying(instance, async () => {
    const options = { env: { ...process.env, ...env, RETENTION_MONTHS: '14' } }
    printed = (await promisify(execFile)(process.execPath, [main, ...command], options)).stdout
  })
  const isDone = /^[1-9]\d* (tables have a new partition|partitions were dropped)/m.test(printed)
  const problems = [
    ...(isDone ? [] : [`the command said: ${printed}`]),
    ...failures,
    ...(await instance.closeAndAudit(since)),
  ]
  return { goals: [], problems }
}

/** Makes the old month a partition of its own, as later payments have another one. */
async function endOldMonth({ env }: Place): Promise<void> {
  const { db, close } = await openDatabase(readSettings(env))
  for (const table of retiredTables)
    await cutTable(db, table, lowestIdOf(NEXT_MONTH), { patience: 0, ahead: Number.NEGATIVE_INFINITY })
  await close()
}

const selectProgress = `
select pg_database_size(current_database())::float8 as bytes,
       (select max(position) from journal_seals) > (select max(journal_position) from operations)
         and (select max(position) from insight_progress) >= (select max(position) from events) as is_read`

/** Copies a payment, and waits until background work has read the copies. Answers the bytes of the database. */
async function fill(env: Place['env'], id: string, { payments, made }: Filling): Promise<number> {
  const { run, close } = await openDatabase(readSettings(env), { withoutTimeout: true })
  await copyPayment(run, id, payments, { made, together: 1_000 })
  for (const statement of ['vacuum analyze', 'checkpoint']) await run(statement, [])
  for (;;) {
    const [progress] = await run<{ bytes: number; is_read: boolean }>(selectProgress, [])
    if (progress?.is_read) return close().then(() => progress.bytes)
    await wait(1_000)
  }
}
