import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import { changeWithAudit } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import type { PageIncidentTable } from '../database/tables/hosted-pages.ts'
import type { HostedPageName } from '../page/hosted-page.ts'
import type { World } from '../world.ts'
import type { PageIncident, PageIncidentKind, PageIncidentUpdate } from './page-incident.schema.ts'

type PageIncidentRow = Selectable<PageIncidentTable>

/** What was blocked on a page, or is not as it should be. */
export interface PageFinding {
  account: string
  page: HostedPageName
  kind: PageIncidentKind
  subject: string
}

/** A page's URL is public knowledge, and each report may name another origin: more open incidents help no person. */
export const MAX_OPEN_INCIDENTS = 100

/** The columns are written from values of these types only. */
export const showPageIncident = (row: PageIncidentRow): PageIncident => ({
  type: 'hosted-page.incident',
  ...row,
  page: row.page as HostedPageName,
  kind: row.kind as PageIncidentKind,
})

/**
 * Counts a finding in its open incident, or opens one with its event. Beyond `MAX_OPEN_INCIDENTS` of an account
 * it opens none, except for changed pages, which Railyard finds itself. Concurrent reports of the same finding open
 * one incident: the unique index decides.
 */
export async function recordFinding(world: World, finding: PageFinding): Promise<void> {
  const { account, page, kind, subject } = finding
  const now = timeOf(world.clock)
  await world.db.transaction().execute(async (db) => {
    const counted = await db
      .updateTable('page_incidents')
      .set((eb) => ({ reports: eb('reports', '+', 1), last_reported_at: now }))
      .where('merchant_account_id', '=', account)
      .where('page', '=', page)
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .where('closed_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (counted) return
    const { open } = await db
      .selectFrom('page_incidents')
      .select(sql<number>`count(*)::int`.as('open'))
      .where('merchant_account_id', '=', account)
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow()
    // what browsers report must not keep Railyard's own findings out
    if (open >= MAX_OPEN_INCIDENTS && kind !== 'changed') return
    const opened = await db
      .insertInto('page_incidents')
      .values({
        merchant_account_id: account,
        id: world.ids.next(),
        page,
        kind,
        subject,
        reports: 1,
        last_reported_at: now,
        notes: null,
        closed_at: null,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!opened) return
    world.log.warn({ account, page, kind, subject }, 'a hosted page was changed or attacked')
    await recordEvent(db, world, {
      account,
      name: 'hosted-page.incident.created',
      target: showPageIncident(opened),
    })
  })
}

/** Newest first. */
export const listPageIncidents = (
  world: Pick<World, 'db'>,
  account: string,
  page: PageRequest,
): Promise<PageIncidentRow[]> =>
  world.db
    .selectFrom('page_incidents')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$call(newestFirst(page))
    .execute()

/** Undefined: the account has no such incident. */
export const findPageIncident = (
  world: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<PageIncidentRow | undefined> =>
  world.db
    .selectFrom('page_incidents')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()

/** Changes the notes, or closes the incident. Undefined: the account has no such incident. */
export async function updatePageIncident(
  world: World,
  account: string,
  id: string,
  { notes, closed }: PageIncidentUpdate,
): Promise<PageIncidentRow | undefined> {
  const now = timeOf(world.clock)
  const updated = await changeWithAudit(
    world,
    (db) =>
      db
        .updateTable('page_incidents')
        .set({
          updated_at: now,
          ...(notes !== undefined && { notes }),
          ...(closed && { closed_at: sql`coalesce(closed_at, ${now}::timestamptz)` }),
        })
        .where('merchant_account_id', '=', account)
        .where('id', '=', id)
        .where((where) =>
          where.or([
            ...(notes !== undefined ? [where('notes', 'is distinct from', notes)] : []),
            ...(closed ? [where('closed_at', 'is', null)] : []),
          ]),
        )
        .returningAll()
        .executeTakeFirst(),
    ({ page, kind }) => ({
      account,
      action: 'updated',
      resource: { type: 'hosted-page.incident', id, name: `${page}: ${kind}` },
    }),
  )
  // the incident is like that already, or there is none
  return updated ?? findPageIncident(world, account, id)
}
