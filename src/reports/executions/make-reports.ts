import { setImmediate as nextTurn } from 'node:timers/promises'
import { runInEachAccountTime } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { withArchivedPayments } from '../../archive/read-archived.ts'
import { type PeriodicTask, startPeriodicTask } from '../../base/periodic-task.ts'
import { newestRetirement } from '../../database/logs/retired-links.ts'
import type { World } from '../../world.ts'
import type { ReportInput } from '../models/model.ts'
import { models } from '../models/models.ts'
import { toCsv } from './csv.ts'
import { eraseOldFiles, writeChunk } from './file.store.ts'
import {
  beginJob,
  claimJob,
  endJob,
  type Job,
  leaseEnd,
  releaseJob,
  renewLease,
  scheduleDue,
  type WrittenFile,
} from './job.store.ts'

/** The size of a chunk before compression. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Rows that are formatted before requests of this process get their turn: a row with every column takes 50
 * µs.
 */
const ROWS_AT_ONCE = 100

/** After this many attempts a report has failed. */
const MAX_ATTEMPTS = 5

/** The pause after the first attempt; after the n-th it is n times as long. */
const RETRY_MS = 30_000
const RENEW_MS = 20_000

/**
 * Makes the reports that are due; each process does this, and the executions' rows are the jobs. Answers how
 * many were made.
 */
export async function makeReports(world: World, stopped: () => boolean = () => false): Promise<number> {
  let made = await scheduleDue(world)
  for (;;) {
    const job = stopped() ? undefined : await claimJob(world)
    if (!job) break
    await makeReport(world, job, stopped)
    made += 1
  }
  return made + (stopped() ? 0 : await eraseOldFiles(world))
}

/**
 * Makes the file of a job. If the process dies, another one leases the job after its lease has ended, and
 * starts again.
 */
async function makeReport(world: World, job: Job, stopped: () => boolean): Promise<void> {
  const about = { account: job.account, report_execution: job.id, attempt: job.attempt }
  try {
    if (job.attempt > MAX_ATTEMPTS) {
      world.log.error(about, 'a report has failed: it was started too often and never finished')
      return void (await endJob(world, job, null))
    }
    if (!(await beginJob(world, job))) return
    const file = await withLease(world, job, () => writeWholeFile(world, job, stopped))
    if (file === 'stopped') return await releaseJob(world, job, 0, 'stopped')
    if (file === 'lost' || !(await endJob(world, job, file)))
      world.log.warn(about, 'another process has leased the report meanwhile')
  } catch (error) {
    world.log.error({ ...about, err: error }, 'a report could not be made')
    if (job.attempt < MAX_ATTEMPTS) await releaseJob(world, job, RETRY_MS * job.attempt, 'failed')
    else await endJob(world, job, null)
  }
}

async function withLease<T>(world: World, job: Job, work: () => Promise<T>): Promise<T> {
  const renewal = startPeriodicTask(
    RENEW_MS,
    async () => {
      await renewLease(world, job)
      return 1
    },
    (error) =>
      world.log.warn({ err: error, report_execution: job.id }, 'the lease of a report could not be renewed'),
    { firstAfterMs: 0 },
  )
  return work().finally(renewal.stop)
}

/**
 * Writes the file of a job, with the payments that were retired and are in files. Throws if payments are retired
 * meanwhile: the report might lack them.
 */
async function writeWholeFile(
  world: World,
  job: Job,
  stopped: () => boolean,
): Promise<Exclude<WrittenFile, null> | 'stopped' | 'lost'> {
  const { account, spec } = job
  const before = await newestRetirement(world.run)
  const { tables, windows } = models[spec.model]
  const spans = windows(spec.params, job)
  const file = await withArchivedPayments(world, { account, spans, tables }, (source, sources) =>
    writeFile(world, job, { ...job, world: source, sources }, stopped),
  )
  if ((await newestRetirement(world.run)) !== before)
    throw new Error('payments were retired while the report was made; it is made again')
  return file
}

/**
 * Writes a file chunk by chunk, with one batch of rows and one chunk in memory. `lost`: another process has
 * the lease.
 */
async function writeFile(
  world: World,
  job: Job,
  input: ReportInput,
  stopped: () => boolean,
): Promise<Exclude<WrittenFile, null> | 'stopped' | 'lost'> {
  const { spec } = job
  const model = models[spec.model]
  const file = { chunks: 0, bytes: 0 }
  let unwritten = Buffer.from(toCsv([model.columns(spec.params)]))
  const write = async (plain: Buffer) => {
    file.bytes += plain.length
    return writeChunk(world, job, file.chunks++, plain, leaseEnd(world))
  }
  for await (const rows of model.rows(spec.params, input)) {
    if (stopped()) return 'stopped'
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      unwritten = Buffer.concat([unwritten, Buffer.from(toCsv(rows.slice(at, at + ROWS_AT_ONCE)))])
      await nextTurn()
    }
    for (; unwritten.length >= CHUNK_BYTES; unwritten = unwritten.subarray(CHUNK_BYTES))
      if (!(await write(unwritten.subarray(0, CHUNK_BYTES)))) return 'lost'
  }
  return unwritten.length === 0 || (await write(unwritten)) ? file : 'lost'
}

export const startReports = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => makeReports(world, stopped)),
    (error) => world.log.error({ err: error }, 'due reports could not be read; the next round tries again'),
  )
