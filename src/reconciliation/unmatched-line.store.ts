import { type Kysely, type Selectable, sql } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import type { UnmatchedReportLineTable } from '../database/tables/reconciliation.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import { displayText, withoutCardNumbers } from './mask-report-text.ts'
import type { MatchedBatch } from './match-batch.ts'
import type { ServiceReference } from './matchable-payments.ts'
import { finalReasons, type PlacedLine, type ReportLine } from './report-line.ts'

export type UnmatchedRow = Selectable<UnmatchedReportLineTable>

/** Stores the lines that could not be booked, and deletes the stored lines that now are. */
export async function storeUnmatched(
  db: Kysely<Tables>,
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  { account, service }: ServiceReference,
  { unmatched, resolved }: MatchedBatch,
): Promise<void> {
  if (resolved.length > 0)
    await db
      .deleteFrom('unmatched_report_lines')
      .where('merchant_account_id', '=', account)
      .where('payment_service_id', '=', service)
      .where('line_key', 'in', resolved)
      .execute()
  if (unmatched.length === 0) return
  // PostgreSQL refuses a statement that would update a row twice
  const rows = [...new Map(unmatched.map((line) => [line.key, line])).values()].map(
    ({ key, number, reportId, fileId, reason, line, text }) => ({
      key,
      id: ids.next(),
      report: reportId,
      file: fileId,
      number,
      reason,
      content: line && withoutCardNumbers(line),
      text: displayText(text),
    }),
  )
  // the line of the newest file is retried: neither an older file nor a retry of its line replaces that one
  await sql`
    insert into unmatched_report_lines as u (merchant_account_id, payment_service_id, line_key, id, report_id, file_id, line,
                                             reason, content, text, created_at, tried_at)
    select ${account}, ${service}::uuid, key, id, report, file, number,
           reason, content, text, ${timeOf(clock)}::timestamptz, ${timeOf(clock)}::timestamptz
      from json_to_recordset(${JSON.stringify(rows)}::json) as l(
           key uuid, id uuid, report uuid, file uuid, number bigint, reason text, content json, text text)
    on conflict (merchant_account_id, payment_service_id, line_key) do update
       set reason = excluded.reason,
           tried_at = excluded.tried_at,
           report_id = excluded.report_id,
           file_id = excluded.file_id,
           line = excluded.line,
           content = excluded.content,
           text = excluded.text
     where u.file_id <= excluded.file_id`.execute(db)
}

/**
 * The next lines of a payment service to retry, in the order in which they were first read. `after`: the last
 * line of the previous batch; undefined: the first batch.
 */
export async function linesToRetry(
  { db }: Pick<World, 'db'>,
  { account, service }: ServiceReference,
  after: UnmatchedRow | undefined,
  limit: number,
): Promise<UnmatchedRow[]> {
  return (
    db
      .selectFrom('unmatched_report_lines')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('payment_service_id', '=', service)
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(created_at, id) > (${after?.created_at}::timestamptz, ${after?.id}::uuid)`),
      )
      .where('reason', 'not in', [...finalReasons])
      .where('content', 'is not', null)
      // a report may be full of payments of other systems: these lines are looked up, but not written again
      // each time
      .where(
        sql<boolean>`(reason <> 'unknown_transaction'
                      or exists (select from transactions t
                                  where t.merchant_account_id = ${account}
                                    and t.payment_service_transaction_id = unmatched_report_lines.content->>'payment'))`,
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute()
  )
}

/** A stored line in the form in which it is matched again. */
export const toPlacedLine = ({
  line_key,
  report_id,
  file_id,
  line,
  text,
  content,
}: UnmatchedRow): PlacedLine => ({
  key: line_key.replaceAll('-', ''),
  formerKey: null,
  reportId: report_id,
  fileId: file_id,
  number: line,
  text,
  // `storeUnmatched` writes nothing else
  line: content as ReportLine | null,
})

/** A page of unmatched lines, the newest first. */
export const listUnmatched = (
  { db }: Pick<World, 'db'>,
  account: string,
  page: PageRequest,
): Promise<UnmatchedRow[]> =>
  db
    .selectFrom('unmatched_report_lines')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$call(newestFirst(page))
    .execute()

/** All unmatched lines of an account, the newest first. */
export async function* allUnmatched(world: Pick<World, 'db'>, account: string): AsyncGenerator<UnmatchedRow> {
  const limit = 1_000
  for (let position: PageRequest['position']; ; ) {
    const rows = await listUnmatched(world, account, { limit, position })
    const page = rows.slice(0, limit)
    yield* page
    const last = page.at(-1)
    if (rows.length <= limit || !last) return
    position = { direction: 'next', key: last.created_at, id: last.id }
  }
}
