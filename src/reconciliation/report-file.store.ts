import type { Kysely, Selectable } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { recordChange } from '../database/logs/audit-log.ts'
import type { PaymentServiceReportFileTable } from '../database/tables/reconciliation.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import type { Counts } from './match-batch.ts'
import type { ServiceReference } from './matchable-payments.ts'
import type { Fingerprint, Header } from './read-report.ts'

export type ReportFileRow = Selectable<PaymentServiceReportFileTable>

/** Another process is reading the same file. */
export class ReportInUse extends Error {}

const ofFile = ({ account, service }: ServiceReference, sha256: Buffer) => ({
  merchant_account_id: account,
  payment_service_id: service,
  sha256,
})

export const findReportFile = (
  { db }: Pick<World, 'db'>,
  source: ServiceReference,
  sha256: Buffer,
): Promise<ReportFileRow | undefined> =>
  db
    .selectFrom('payment_service_report_files')
    .selectAll()
    .where((eb) => eb.and(ofFile(source, sha256)))
    .executeTakeFirst()

/**
 * Creates the row of a file, and of its report if that is new, with an entry in the audit log. Throws
 * `ReportInUse` if another process was faster.
 */
export async function beginReportFile(
  world: Pick<World, 'db' | 'clock' | 'ids'>,
  source: ServiceReference,
  { name, fingerprint, header }: { name: string; fingerprint: Fingerprint; header: Header },
): Promise<ReportFileRow> {
  const { account, service } = source
  const now = timeOf(world.clock)
  return world.db.transaction().execute(async (db) => {
    const report = await upsertReport({ ...world, db }, source, name)
    const file = await db
      .insertInto('payment_service_report_files')
      .values({
        merchant_account_id: account,
        payment_service_id: service,
        name,
        ...fingerprint,
        id: world.ids.next(),
        report_id: report.id,
        read_bytes: header.bytes,
        read_lines: header.lines,
        counts: '{}',
        created_at: now,
        finished_at: null,
      })
      .onConflict((conflict) =>
        conflict.columns(['merchant_account_id', 'payment_service_id', 'sha256']).doNothing(),
      )
      .returningAll()
      .executeTakeFirst()
    if (!file) throw new ReportInUse('another process has just begun to read this file')
    await recordChange(db, world, {
      account,
      action: 'created',
      resource: { type: 'payment-service-report-file', id: file.id, name },
    })
    return file
  })
}

/** Creates the report of this name, if there is none. Its content may be in a file of another report. */
export const upsertReport = (
  { db, clock, ids }: Pick<World, 'db' | 'clock' | 'ids'>,
  { account, service }: ServiceReference,
  name: string,
): Promise<{ id: string }> =>
  db
    .insertInto('payment_service_reports')
    .values({
      merchant_account_id: account,
      payment_service_id: service,
      name,
      id: ids.next(),
      version: null,
      fetched_at: null,
      created_at: timeOf(clock),
    })
    .onConflict((conflict) =>
      conflict.columns(['merchant_account_id', 'payment_service_id', 'name']).doUpdateSet({ name }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()

/**
 * Records that a report was fetched and read. `version`: the payment service's version of its content; null:
 * it names none.
 */
export async function markFetched(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  { account, service }: ServiceReference,
  name: string,
  version: string | null,
): Promise<void> {
  await db
    .updateTable('payment_service_reports')
    .set({ version, fetched_at: timeOf(clock) })
    .where('merchant_account_id', '=', account)
    .where('payment_service_id', '=', service)
    .where('name', '=', name)
    .execute()
}

/** How far a file has been read. */
export interface Progress {
  bytes: number
  lines: number
  counts: Counts
}

/**
 * Writes the progress, in the commit of the lines. Throws `ReportInUse` if another process has read the file
 * further, so that no line is booked twice.
 */
export async function saveProgress(
  db: Kysely<Tables>,
  source: ServiceReference,
  sha256: Buffer,
  from: Progress,
  to: Progress,
): Promise<void> {
  const moved = await db
    .updateTable('payment_service_report_files')
    .set({ read_bytes: to.bytes, read_lines: to.lines, counts: JSON.stringify(to.counts) })
    .where((eb) => eb.and(ofFile(source, sha256)))
    .where('read_bytes', '=', from.bytes)
    .executeTakeFirst()
  if (moved.numUpdatedRows === 0n) throw new ReportInUse('another process is reading this file')
}

export async function finishReportFile(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  source: ServiceReference,
  sha256: Buffer,
): Promise<void> {
  await db
    .updateTable('payment_service_report_files')
    .set({ finished_at: timeOf(clock) })
    .where((eb) => eb.and(ofFile(source, sha256)))
    .where('finished_at', 'is', null)
    .execute()
}
