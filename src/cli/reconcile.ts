import { canonicalId } from '../api/values/uuid.ts'
import { systemClock } from '../base/clock.ts'
import { connectors } from '../connectors/registry.ts'
import type { Database } from '../database/database.ts'
import { loadConnectors } from '../process/load-connectors.ts'
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
import { commandStore, withDatabase } from './support/command-database.ts'
import { runAsCommandLine } from './support/command-line-actor.ts'
import { durationSeconds } from './support/duration.ts'
import { interruptible } from './support/interruptible.ts'
import { requireFile } from './support/require-file.ts'
import { requireMerchantAccounts } from './support/require-merchant-accounts.ts'
import { printable } from './support/table.ts'
import { UserError } from './support/user-error.ts'

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

type ReconcileAction =
  /** Read a report. */
  | { kind: 'ingest'; file: string; name: string | undefined; dryRun: boolean }
  /** List the lines that match no payment. */
  | { kind: 'list-unmatched'; account: string }
  /** Match those lines again. */
  | { kind: 'retry-unmatched' }
  /** List captured payments that are not settled, or only a part of them. */
  | { kind: 'list-missing'; olderThan: string }

/**
 * `railyard reconcile`: answers the exit code. It is 0; with `--strict` it is 1 if there is something that
 * people have to look at.
 */
export async function reconcile(
  settings: Settings,
  file: string | undefined,
  options: ReconcileOptions,
): Promise<number> {
  const action = readAction(file, options)
  if (action.kind === 'ingest') await requireFile(action.file)
  const found = await withDatabase(settings, async (database) => {
    const sources = await chosenSources(settings, database, options)
    switch (action.kind) {
      case 'ingest':
        return ingestFile(database, sources, action)
      case 'list-unmatched':
        return printUnmatched(database, sources, action.account)
      case 'retry-unmatched':
        return retryAll(database, sources)
      case 'list-missing':
        return printMissing(database, sources, action.olderThan)
    }
  })
  return options.strict && found > 0 ? 1 : 0
}

/** The one action that the options name; throws `UserError` unless it is exactly one. */
function readAction(file: string | undefined, options: ReconcileOptions): ReconcileAction {
  const { account, unmatched, retry, missing, name, dryRun = false, olderThan } = options
  const actions: ReconcileAction[] = []
  if (file !== undefined) actions.push({ kind: 'ingest', file, name, dryRun })
  if (unmatched) actions.push({ kind: 'list-unmatched', account })
  if (retry) actions.push({ kind: 'retry-unmatched' })
  if (missing) actions.push({ kind: 'list-missing', olderThan })
  const [action, ...others] = actions
  if (!action || others.length > 0)
    throw new UserError(
      'name a file, or one of --unmatched, --retry and --missing; railyard reconcile --help says what they do',
    )
  return action
}

/** The payment services that the command is about. */
async function chosenSources(
  settings: Settings,
  database: Database,
  { account, paymentService }: ReconcileOptions,
): Promise<ReportSource[]> {
  await requireMerchantAccounts(database, [account])
  // the definitions alone need no simulator, but without a URL the sandbox's services would not be among them
  const sandboxUrl = settings.environment === 'sandbox' ? 'http://127.0.0.1' : undefined
  const sources = await reportSources(
    database,
    reportFormats(
      connectors({
        sandboxUrl,
        clock: systemClock,
        loaded: await loadConnectors(settings, systemClock),
      }),
    ),
    account,
  )
  if (paymentService === undefined) return sources
  const chosen = sources.filter(({ service }) => service === canonicalId(paymentService))
  if (chosen.length === 0)
    throw new UserError(
      `the merchant account ${account} has no payment service ${paymentService} whose reports can be read`,
    )
  return chosen
}

/**
 * The payment service of a report: of several, the one whose reports have the header of this file. Throws
 * `UserError` if none or several do.
 */
async function sourceOf(file: string, sources: readonly ReportSource[]): Promise<ReportSource> {
  const [only, ...others] = sources
  if (!only)
    throw new UserError(
      'this merchant account has no payment service whose reports can be read; --account names another',
    )
  if (others.length === 0) return only
  const matching: ReportSource[] = []
  for (const source of sources) if (await fitsHeader(file, source.report)) matching.push(source)
  const [match, ...otherMatches] = matching
  if (match && otherMatches.length === 0) return match
  const list = (matching.length > 0 ? matching : sources)
    .map(({ service, displayName }) => `${service} (${printable(displayName)})`)
    .join(', ')
  throw new UserError(
    `--payment-service must say whose report it is: ${matching.length === 0 ? 'the file fits none of' : 'it may be of'} ${list}`,
  )
}

/** Reads a report; answers how many of its lines match no payment. Ctrl-C stops it between two batches. */
async function ingestFile(
  database: Database,
  sources: readonly ReportSource[],
  { file, name, dryRun }: ReconcileAction & { kind: 'ingest' },
): Promise<number> {
  const stop = new AbortController()
  const store = commandStore(database)
  const ingest = async () => {
    const source = await sourceOf(file, sources)
    const options = {
      dryRun,
      ...(name !== undefined && { name }),
      progress: progressPrinter(),
      stopped: () => stop.signal.aborted,
    }
    const ingested = await runAsCommandLine(() => ingestReport(store, source, file, options))
    printIngested(source, ingested, dryRun)
    if (ingested.status === 'read' && !dryRun) console.log(bookedLine(await retryUnmatched(store, source)))
    return unmatchedCount(ingested.counts)
  }
  try {
    return await interruptible(stop, ingest)
  } catch (error) {
    if (!(error instanceof UnreadableReport || error instanceof ReportInUse)) throw error
    throw new UserError(`${file}: ${error.message}`)
  }
}

const PROGRESS_MS = 2_000

/** Prints the progress every two seconds, on standard error, so that scripts can read standard output. */
function progressPrinter() {
  const startedAt = performance.now()
  let printedAt = startedAt
  let linesAtStart: number | undefined
  return ({ lines, bytes }: { lines: number; bytes: number }, size: number) => {
    linesAtStart ??= lines
    const now = performance.now()
    if (now - printedAt < PROGRESS_MS) return
    printedAt = now
    const percent = Math.floor((100 * bytes) / Math.max(1, size))
    const linesPerSecond = Math.round((1000 * (lines - linesAtStart)) / (now - startedAt))
    console.error(`${lines} lines, ${percent} %, ${linesPerSecond} lines/s`)
  }
}

const reasons = Object.entries(unmatchedReasons)

/** How many lines match no payment. */
const unmatchedCount = (counts: Counts): number =>
  reasons.reduce((sum, [reason]) => sum + (counts[reason] ?? 0), 0)

function printIngested(
  { displayName, service }: ReportSource,
  { status, readBefore, counts }: Ingested,
  dryRun: boolean,
): void {
  const countOf = (name: string) => String(counts[name] ?? 0).padStart(9)
  const title = {
    read: dryRun
      ? 'Nothing was written; this is what reading the file would come to, batch by batch'
      : 'The file is read',
    known: 'The file was read before; this is what it came to then, and nothing is booked again',
    stopped: 'Stopped; the same command goes on from here',
  }[status]
  console.log(`${title}: ${printable(displayName)}, ${service}`)
  if (status !== 'known' && readBefore > 0)
    console.log(`An earlier run had read as far as line ${readBefore}; its lines are among these`)
  const rows = [
    ['read', 'lines'],
    ['known', 'known already'],
    ['settlement', 'settlements'],
    ['refund-settlement', 'refund settlements'],
    ['chargeback', 'chargebacks'],
    ['chargeback-reversal', 'chargeback reversals'],
    ['ignored', 'about no payment'],
  ] as const
  for (const [name, words] of rows) console.log(`${countOf(name)}  ${words}`)
  console.log(
    `${String(unmatchedCount(counts)).padStart(9)}  unmatched${unmatchedCount(counts) > 0 ? '; railyard reconcile --unmatched lists them' : ''}`,
  )
  for (const [reason, words] of reasons)
    if (counts[reason]) console.log(`${countOf(reason)}    ${reason}: ${words}`)
}

const bookedLine = (counts: Counts): string =>
  `${String(Object.values(counts).reduce((sum, more) => sum + more, 0)).padStart(9)}  lines that were unmatched are booked now`

/**
 * Matches the unmatched lines of these payment services again; answers 0, since nothing new can need
 * attention.
 */
async function retryAll(database: Database, sources: readonly ReportSource[]): Promise<number> {
  for (const source of sources) {
    console.log(`${source.service}  ${printable(source.displayName)}`)
    console.log(bookedLine(await retryUnmatched(commandStore(database), source)))
  }
  return 0
}

/** Prints the lines that match no payment; answers how many there are. */
async function printUnmatched(
  database: Database,
  sources: readonly ReportSource[],
  account: string,
): Promise<number> {
  let found = 0
  for await (const { created_at, reason, payment_service_id, line, text } of allUnmatched(
    database,
    account,
  )) {
    if (!sources.some(({ service }) => service === payment_service_id)) continue
    found += 1
    console.log(
      `${created_at}  ${payment_service_id}  ${reason.padEnd(19)}  line ${line}: ${printable(text)}`,
    )
  }
  if (found === 0) console.log('No line is unmatched')
  return found
}

/** Prints captured payments that are not settled, or only a part of them; answers how many there are. */
async function printMissing(
  database: Database,
  sources: readonly ReportSource[],
  olderThan: string,
): Promise<number> {
  const seconds = durationSeconds(olderThan)
  // a number alone would be seconds, and people mean days
  if (seconds === undefined || /^\d+$/.test(olderThan))
    throw new UserError(`--older-than ${olderThan} is no duration with a unit, such as 5d or 12h`)
  const before = new Date(database.time.now() - seconds * 1_000)
  let found = 0
  for (const source of sources)
    for await (const payment of missingSettlements(database, source, before)) {
      found += 1
      const { transaction_id, payment_service_transaction_id, captured_at, captured, settled, currency } =
        payment
      const reference = printable(payment_service_transaction_id ?? '-')
      console.log(
        `${transaction_id}  ${reference}  captured ${captured_at}: ${captured} ${currency}, settled of it: ${settled}`,
      )
    }
  console.log(
    `${found} payments that were captured before ${before.toISOString()} are not settled, or not whole`,
  )
  return found
}
