import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import type { QueryResultRow } from 'pg'
import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import { timeOf } from '../base/clock.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import type { StoredNotice } from '../connectors/contract/call.ts'
import {
  type FailedReport,
  type OfferedReport,
  REPORT_NOTICES,
  type ReportLines,
  ReportUnavailable,
} from '../connectors/contract/offered-reports.ts'
import type { SettlementReport } from '../connectors/contract/settlement-report.ts'
import { instrumentedHttp } from '../connectors/wire/http.ts'
import { namedStatement } from '../database/named-statement.ts'
import { claimDue, type DueRows, selectDueSql } from '../database/rows/select-due.ts'
import { notificationUrl } from '../payment-services/notification-url.ts'
import { paymentService } from '../payment-services/payment-service.store.ts'
import type { World } from '../world.ts'
import { ingestReport, type ReportSource } from './ingest.ts'
import type { ServiceReference } from './matchable-payments.ts'
import { writtenColumns } from './read-line.ts'
import { namedRows, UnreadableReport } from './read-report.ts'
import { markFetched, ReportInUse } from './report-file.store.ts'
import { reportFormats, reportSources } from './report-source.ts'
import { retryUnmatched } from './retry-unmatched.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/**
 * How long other processes leave a payment service to this one: longer than reading a day's reports takes.
 */
const LEASE_MS = HOUR_MS / 2
/** Reports are listed from so long before the last complete round, so that late ones are found. */
const LOOK_BACK_MS = 40 * DAY_MS
/** Until a round is complete, the reports of more than a year are listed; older ones never are. */
const MAX_LOOK_BACK_MS = 400 * DAY_MS
/** What each hour lists, also while older reports are missing: all of a round that was complete within a day. */
const RECENT_MS = LOOK_BACK_MS + DAY_MS
/**
 * Older reports that are missing are listed by the first round of each such period, since a list may cost calls
 * for each report. It is less than a day, because a payment service that makes reports on request may remember
 * for a day only that a report was asked for (Stripe).
 */
export const PERIOD_MS = 22 * HOUR_MS

/**
 * Asks each payment service with `settlement_reporting_enabled` for new reports once an hour, in one of the
 * processes.
 */
export const startFetchingReports = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => fetchReports(world, stopped)),
    (error) =>
      world.log.error({ err: error }, 'settlement reports could not be fetched; the next round tries again'),
  )

const isEnabled = 's.settlement_reporting_enabled and s.active and s.deleted_at is null'

/** They are a day overdue (`checkAt`), so that their first round is the first one of its period. */
const insertMissingChecks = `
insert into payment_service_report_checks (merchant_account_id, payment_service_id, check_at)
select a.merchant_account_id, s.id, $1::timestamptz - interval '1 day'
  from account_shards a
  join payment_services s
    on s.merchant_account_id = a.merchant_account_id
 where ${isEnabled}
   and ${isInCurrentTimeSql('s.merchant_account_id', 2)}
   and not exists (select from payment_service_report_checks c
                    where c.merchant_account_id = a.merchant_account_id
                      and c.payment_service_id = s.id)
on conflict do nothing`

const dueChecks: DueRows = {
  table: 'payment_service_report_checks d',
  key: ['payment_service_id'],
  condition: (now) => `check_at <= ${now}::timestamptz
     and exists (select from payment_services s
                  where s.merchant_account_id = d.merchant_account_id
                    and s.id = d.payment_service_id
                    and ${isEnabled})`,
  orderBy: 'check_at',
}

const leaseNextDue = namedStatement(
  ['account', 'services', 'now', 'leasedUntil', 'limit'],
  (p) => `
update payment_service_report_checks c
   set check_at = ${p.leasedUntil}::timestamptz
  from (${selectDueSql(dueChecks, { ...p, keys: [p.services], values: [p.now] })}) due
  join payment_service_report_checks before_lease
    on before_lease.merchant_account_id = ${p.account}
   and before_lease.payment_service_id = due.payment_service_id
 where c.merchant_account_id = ${p.account}
   and c.merchant_account_id = due.merchant_account_id
   and c.payment_service_id = due.payment_service_id
returning c.merchant_account_id as account,
          c.payment_service_id as service,
          before_lease.check_at as "checkAt",
          c.complete_at as "completeAt"`,
)

const updateCheck = namedStatement(
  ['account', 'service', 'checkAt', 'completeAt'],
  (p) => `
update payment_service_report_checks
   set check_at = ${p.checkAt}::timestamptz,
       complete_at = ${p.completeAt}::timestamptz
 where merchant_account_id = ${p.account}
   and payment_service_id = ${p.service}`,
)

const selectReportNotices = namedStatement(
  ['account', 'service'],
  (p) => `
select body, to_json(received_at)#>>'{}' as received_at
  from provider_notices
 where merchant_account_id = ${p.account}
   and payment_service_id = ${p.service}
   and subject = '${REPORT_NOTICES}'
 order by received_at, id`,
)

interface DueCheck extends ServiceReference {
  /** When the round was due: an hour after the last one. */
  checkAt: string
  /** When the last complete round began; null: none was complete. */
  completeAt: string | null
}

const timeFromNow = ({ clock }: World, ms: number) => new Date(clock.now() + ms).toISOString()

/**
 * Fetches and reads the new reports of each payment service that is due. Answers how many files were read.
 */
export async function fetchReports(world: World, stopped: () => boolean = () => false): Promise<number> {
  await world.run(insertMissingChecks, [timeOf(world.clock), ...currentTimeValues()])
  let files = 0
  while (!stopped()) {
    const now = timeOf(world.clock)
    const leasedUntil = timeFromNow(world, LEASE_MS)
    const [due] = await claimDue(
      world.run,
      dueChecks,
      { values: [now], limit: 1 },
      (account, [services], limit) =>
        leaseNextDue.run<DueCheck & QueryResultRow>(world, {
          account,
          services,
          now,
          leasedUntil,
          limit,
        }),
    )
    if (!due) break
    const round = await fetchReportsOf(world, due, stopped)
    files += round.files
    await updateCheck.run(world, {
      account: due.account,
      service: due.service,
      // another process continues at once, with the same list, with the reports that a stopping process leaves
      checkAt: stopped() ? due.checkAt : timeFromNow(world, HOUR_MS),
      completeAt: round.isComplete ? now : due.completeAt,
    })
  }
  return files
}

interface Round {
  /** How many files were read. */
  files: number
  /** Whether every report that was missing has been read. */
  isComplete: boolean
}

async function fetchReportsOf(world: World, check: DueCheck, stopped: () => boolean): Promise<Round> {
  const { account, service } = check
  const source = (await reportSources(world, reportFormats(world.connectors), account)).find(
    (each) => each.service === service,
  )
  const connector = source && world.connectors.get(source.definition)
  const configured = await paymentService(world, account, service)
  if (!source || !configured || !connector?.offeredReports) return { files: 0, isComplete: false }
  const call = {
    id: service,
    fields: configured.values,
    notificationUrl: notificationUrl(world, account, service),
  }
  const http = instrumentedHttp(world, { definition: source.definition, operation: 'report' }).request
  const earlierReads = await readEarlierReads(world, source)
  const notices = () => selectReportNotices.run<StoredNotice>(world, { account, service })
  const isFirst = isFirstOfPeriod(world, check)
  const { since, hasAllMissing } = listedTime(world, check, isFirst)
  const answer = await connector.offeredReports({ http, service: call, notices }, since)
  if ('unavailable' in answer) {
    world.log.warn(
      { account, payment_service_id: service, reason: answer.unavailable },
      'the payment service did not list its settlement reports',
    )
    return { files: 0, isComplete: false }
  }
  if (isFirst) logFailed(world, check, answer.failed)
  const round: Round = { files: 0, isComplete: hasAllMissing && !answer.isPartial }
  for (const offered of answer.offered) {
    if (stopped()) return { ...round, isComplete: false }
    if (!isNew(world, offered, earlierReads.get(offered.name))) continue
    if (await fetchReport(world, source, offered, stopped)) round.files += 1
    else round.isComplete = false
  }
  if (round.files > 0) await retryUnmatched(world, source)
  return round
}

/** Whether no round has ended in the period of now yet. */
function isFirstOfPeriod({ clock }: World, { checkAt }: DueCheck): boolean {
  const periodOf = (time: number) => Math.floor(time / PERIOD_MS)
  return periodOf(Date.parse(checkAt) - HOUR_MS) !== periodOf(clock.now())
}

/**
 * From when on reports are listed. `hasAllMissing`: also those of the time in which no round was complete, up
 * to the longest time.
 */
function listedTime(
  { clock }: World,
  { completeAt }: DueCheck,
  isFirst: boolean,
): { since: string; hasAllMissing: boolean } {
  const now = clock.now()
  const earliest = now - MAX_LOOK_BACK_MS
  const missing = completeAt === null ? earliest : Math.max(Date.parse(completeAt) - LOOK_BACK_MS, earliest)
  const since = isFirst ? missing : Math.max(missing, now - RECENT_MS)
  return { since: new Date(since).toISOString(), hasAllMissing: since === missing }
}

/** Tells an operator of reports that never come. */
function logFailed(
  { log }: World,
  { account, service }: DueCheck,
  failed: readonly FailedReport[] = [],
): void {
  for (const { name: report, reason } of failed)
    log.error(
      { account, payment_service_id: service, report, reason },
      'the payment service could not make a settlement report; read it by railyard reconcile if you can get it',
    )
}

/**
 * Reports with a file that was read to its end. A report without a file of its own came in a file that was
 * read under another report's name.
 */
const selectReadReports = `
select name, version, fetched_at
  from payment_service_reports
 where merchant_account_id = $1
   and payment_service_id = $2
   and (id in (select report_id
                 from payment_service_report_files
                where merchant_account_id = $1
                  and payment_service_id = $2
                  and finished_at is not null)
        or id not in (select report_id
                        from payment_service_report_files
                       where merchant_account_id = $1
                         and payment_service_id = $2))`

interface EarlierRead {
  version: string | null
  fetched_at: string | null
}

/** The reports that were read, by their names. */
async function readEarlierReads(
  { run }: World,
  { account, service }: ServiceReference,
): Promise<Map<string, EarlierRead>> {
  const rows = await run<EarlierRead & { name: string }>(selectReadReports, [account, service])
  return new Map(rows.map((row) => [row.name, row]))
}

/**
 * Whether to fetch a report: it was never read, or its version has changed. A report without a version is
 * fetched again a day later; if its content is the same, the fingerprint shows that.
 */
function isNew({ clock }: World, { version }: OfferedReport, earlier: EarlierRead | undefined): boolean {
  if (!earlier?.fetched_at) return true
  return version === null
    ? Date.parse(earlier.fetched_at) <= clock.now() - DAY_MS
    : version !== earlier.version
}

/**
 * Fetches and reads one report. False: it could not be fetched or read; the log says why, and the next hour
 * tries again.
 */
async function fetchReport(
  world: World,
  source: ReportSource,
  offered: OfferedReport,
  stopped: () => boolean,
): Promise<boolean> {
  const { name, version } = offered
  const about = { account: source.account, payment_service_id: source.service, report: name }
  const folder = await mkdtemp(join(tmpdir(), 'railyard-report-'))
  try {
    const file = join(folder, 'report.csv')
    const problem = await writeReport(world, source.report, offered, file)
    if (problem !== null) {
      world.log.warn({ ...about, reason: problem }, 'a settlement report could not be fetched')
      return false
    }
    const { counts, status } = await ingestReport(world, source, file, { name, stopped })
    world.log.info({ ...about, counts, status }, 'a settlement report was read')
    if (status === 'stopped') return false
    await markFetched(world, source, name, version)
    return true
  } catch (error) {
    const isExpected = error instanceof UnreadableReport || error instanceof ReportInUse
    // the other reports are read all the same
    world.log.error(
      { ...about, ...(isExpected ? { reason: error.message } : { err: error }) },
      'a settlement report could not be read',
    )
    return false
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes an offered report as the file that its reports are; else the reason for the failure. */
async function writeReport(
  { http }: World,
  format: SettlementReport,
  offered: OfferedReport,
  file: string,
): Promise<string | null> {
  if ('lines' in offered) return writeLines(format, offered.lines(), file)
  if (!offered.linesOf) return http.download(offered.request, file)
  const fetched = `${file}.fetched`
  const problem = await http.download(offered.request, fetched)
  return problem ?? writeLines(format, offered.linesOf(namedRows(fetched, format.delimiter)), file)
}

/** Writes the lines that a connector gives as the file that its reports are; else the reason for the failure. */
async function writeLines(
  format: SettlementReport,
  lines: ReportLines,
  file: string,
): Promise<string | null> {
  try {
    await pipeline(csvOf(format, lines), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
    return null
  } catch (error) {
    if (error instanceof ReportUnavailable) return error.message
    throw error
  }
}

async function* csvOf(format: SettlementReport, lines: ReportLines): AsyncGenerator<string> {
  const { delimiter } = format
  const columns = writtenColumns(format)
  yield stringify([columns], { delimiter })
  for await (const line of lines) yield stringify([columns.map((name) => line[name] ?? '')], { delimiter })
}
