import { stat } from 'node:fs/promises'
import { systemClock } from '../base/clock.ts'
import { connectors } from '../connectors/registry.ts'
import type { Database } from '../database/database.ts'
import { type Ingested, ingestReport, type ReportSource } from '../reconciliation/ingest.ts'
import type { Counts } from '../reconciliation/match-batch.ts'
import { missingSettlements } from '../reconciliation/missing-settlements.ts'
import { fitsHeader, UnreadableReport } from '../reconciliation/read-report.ts'
import { ReportInUse } from '../reconciliation/report-file.store.ts'
import { unmatchedReasons } from '../reconciliation/report-line.ts'
import { reportFormats, reportSources } from '../reconciliation/report-source.ts'
import { retryUnmatched } from '../reconciliation/retry-unmatched.ts'
import { allUnmatched } from '../reconciliation/unmatched-line.store.ts'
import type { Settings } from '../settings.ts'
import { runAsCommandLine } from './command-line-actor.ts'
import { interruptible } from './interruptible.ts'
import { commandStore, withDatabase } from './keys/keys.ts'
import { printable } from './table.ts'
import { durationSeconds } from './token.ts'
import { UserError } from './user-error.ts'

export interface ReconcileOptions {
  account: string
  paymentService?: string
  name?: string
  dryRun?: boolean
  strict?: boolean
  unmatched?: boolean
  retry?: boolean
  missing?: boolean
  olderThan: string
}

/** `railyard reconcile`. The exit code is 0; with `--strict` it is 1 where something was found that people have to look at. */
export async function reconcile(settings: Settings, file: string | undefined, options: ReconcileOptions): Promise<number> {
  const asked = [file !== undefined, options.unmatched, options.retry, options.missing].filter(Boolean)
  if (asked.length !== 1)
    throw new UserError('name a file, or one of --unmatched, --retry and --missing; railyard reconcile --help says what they do')
  if (file !== undefined) await refuseFolder(file)
  const found = await withDatabase(settings, async (database) => {
    const sources = await chosenSources(settings, database, options)
    if (options.unmatched) return printUnmatched(database, sources, options)
    if (options.missing) return printMissing(database, sources, options)
    if (options.retry) return retryAll(database, sources)
    return ingestFile(database, sources, file ?? '', options)
  })
  return options.strict && found > 0 ? 1 : 0
}

async function refuseFolder(file: string): Promise<void> {
  const kind = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${file} cannot be read: ${error.message}`)
  })
  if (!kind.isFile()) throw new UserError(`${file} is no file`)
}

/** The payment services that the command is about. */
async function chosenSources(settings: Settings, database: Database, { account, paymentService }: ReconcileOptions): Promise<ReportSource[]> {
  const known = await database.db.selectFrom('merchant_accounts').select('id').where('id', '=', account).executeTakeFirst()
  if (!known) throw new UserError(`there is no merchant account ${account}`)
  // what is only read from them needs no simulator, but the sandbox's services must be among them
  const sandboxUrl = settings.environment === 'sandbox' ? 'http://127.0.0.1' : undefined
  const all = await reportSources(database, reportFormats(connectors({ sandboxUrl, clock: systemClock })), account)
  if (paymentService === undefined) return all
  const one = all.filter(({ service }) => service === paymentService.toLowerCase())
  if (one.length === 0) throw new UserError(`the merchant account ${account} has no payment service ${paymentService} whose reports can be read`)
  return one
}

/** Of several, the one whose reports have such a header. */
async function sourceOf(file: string, sources: readonly ReportSource[]): Promise<ReportSource> {
  const [only, ...others] = sources
  if (!only) throw new UserError('this merchant account has no payment service whose reports can be read; --account names another')
  if (others.length === 0) return only
  const fitting: ReportSource[] = []
  for (const source of sources) if (await fitsHeader(file, source.report)) fitting.push(source)
  const [first, ...more] = fitting
  if (first && more.length === 0) return first
  const list = (fitting.length > 0 ? fitting : sources).map(({ service, displayName }) => `${service} (${printable(displayName)})`).join(', ')
  throw new UserError(`--payment-service must say whose report it is: ${fitting.length === 0 ? 'the file fits none of' : 'it may be of'} ${list}`)
}

async function ingestFile(
  database: Database,
  sources: readonly ReportSource[],
  file: string,
  { name, dryRun = false }: ReconcileOptions,
): Promise<number> {
  const stop = new AbortController()
  const store = commandStore(database)
  const stopped = () => stop.signal.aborted
  const read = async () => {
    const source = await sourceOf(file, sources)
    const ingested = await runAsCommandLine(() =>
      ingestReport(store, source, file, { dryRun, ...(name !== undefined && { name }), progress: reporter(), stopped }),
    )
    printIngested(source, ingested, dryRun)
    if (ingested.status === 'read' && !dryRun) console.log(bookedLine(await retryUnmatched(store, source)))
    return unmatchedOf(ingested.counts)
  }
  try {
    return await interruptible(stop, read)
  } catch (error) {
    if (!(error instanceof UnreadableReport || error instanceof ReportInUse)) throw error
    throw new UserError(`${file}: ${error.message}`)
  }
}

const PROGRESS_MS = 2_000

/** A line now and then, on the side where no script reads it. */
function reporter() {
  const began = performance.now()
  let last = began
  let first: number | undefined
  return ({ lines, bytes }: { lines: number; bytes: number }, size: number) => {
    first ??= lines
    const now = performance.now()
    if (now - last < PROGRESS_MS) return
    last = now
    console.error(
      `${lines} lines, ${Math.floor((100 * bytes) / Math.max(1, size))} %, ${Math.round((1000 * (lines - first)) / (now - began))} lines/s`,
    )
  }
}

const reasons = Object.entries(unmatchedReasons)

export const unmatchedOf = (counts: Counts): number => reasons.reduce((sum, [reason]) => sum + (counts[reason] ?? 0), 0)

function printIngested({ displayName, service }: ReportSource, { status, readBefore, counts }: Ingested, dryRun: boolean): void {
  const of = (name: string) => String(counts[name] ?? 0).padStart(9)
  const title = {
    read: dryRun ? 'Nothing was written; this is what reading the file would come to, batch by batch' : 'The file is read',
    known: 'The file was read before; this is what it came to then, and nothing is booked again',
    stopped: 'Stopped; the same command goes on from here',
  }[status]
  console.log(`${title}: ${printable(displayName)}, ${service}`)
  if (status !== 'known' && readBefore > 0) console.log(`An earlier run had read as far as line ${readBefore}; its lines are among these`)
  const rows = [
    ['read', 'lines'],
    ['known', 'known already'],
    ['settlement', 'settlements'],
    ['refund-settlement', 'refund settlements'],
    ['chargeback', 'chargebacks'],
    ['chargeback-reversal', 'chargeback reversals'],
    ['ignored', 'about no payment'],
  ] as const
  for (const [name, words] of rows) console.log(`${of(name)}  ${words}`)
  console.log(`${String(unmatchedOf(counts)).padStart(9)}  unmatched${unmatchedOf(counts) > 0 ? '; railyard reconcile --unmatched lists them' : ''}`)
  for (const [reason, words] of reasons) if (counts[reason]) console.log(`${of(reason)}    ${reason}: ${words}`)
}

const bookedLine = (counts: Counts): string =>
  `${String(Object.values(counts).reduce((sum, more) => sum + more, 0)).padStart(9)}  lines that were unmatched are booked now`

async function retryAll(database: Database, sources: readonly ReportSource[]): Promise<number> {
  for (const source of sources) {
    console.log(`${source.service}  ${printable(source.displayName)}`)
    console.log(bookedLine(await retryUnmatched(commandStore(database), source)))
  }
  return 0
}

async function printUnmatched(database: Database, sources: readonly ReportSource[], { account }: ReconcileOptions): Promise<number> {
  let found = 0
  for await (const { created_at, reason, payment_service_id, line, text } of allUnmatched(database, account)) {
    if (!sources.some(({ service }) => service === payment_service_id)) continue
    found += 1
    console.log(`${created_at}  ${payment_service_id}  ${reason.padEnd(19)}  line ${line}: ${printable(text)}`)
  }
  if (found === 0) console.log('No line is unmatched')
  return found
}

async function printMissing(database: Database, sources: readonly ReportSource[], { olderThan }: ReconcileOptions): Promise<number> {
  const seconds = durationSeconds(olderThan)
  if (seconds === undefined) throw new UserError(`--older-than ${olderThan} is no duration such as 5d or 12h`)
  const before = new Date(database.time.now() - seconds * 1_000)
  let found = 0
  for (const source of sources)
    for await (const payment of missingSettlements(database, source, before)) {
      found += 1
      const { transaction_id, payment_service_transaction_id, captured_at, captured, settled, currency } = payment
      const reference = printable(payment_service_transaction_id ?? '-')
      console.log(`${transaction_id}  ${reference}  captured ${captured_at}: ${captured} ${currency}, settled of it: ${settled}`)
    }
  console.log(`${found} payments that were captured before ${before.toISOString()} are not settled, or not whole`)
  return found
}
