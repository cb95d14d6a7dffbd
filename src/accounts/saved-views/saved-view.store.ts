import { type Kysely, type Selectable, sql } from 'kysely'
import { type Caller, canUseScope } from '../../api/auth/caller.ts'
import { forbidden, invalid, orNotFound } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { type AuditAction, type AuditedChange, changeWithAudit } from '../../database/logs/audit-log.ts'
import { writeChanges } from '../../database/rows/write-changes.ts'
import type { SavedViewTable } from '../../database/tables/accounts.ts'
import type { Tables } from '../../database/tables.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import type { SavedView, SavedViewCreate, SavedViewUpdate } from './saved-view.schema.ts'

type SavedViewRow = Selectable<SavedViewTable>

/** How many views one person or key pair may have in a merchant account. */
const MAX_VIEWS = 100
/** How many a list has at most. */
const MAX_LISTED = 1_000

/**
 * Parameters whose value is a person's data, or may be: a view outlives the buyer's erasure
 * (docs/guides/personal-data.md).
 */
const personalParameters = [
  'buyer_email_address',
  'buyer_external_identifier',
  'buyer_search',
  'ip_address',
  'email_address',
  'metadata',
  'payment_method_fingerprint',
  'search',
]
/** The same of one list: of payments, an external identifier is the merchant's order. */
const personalParametersOf: Partial<Record<SavedView['list'], readonly string[]>> = {
  buyers: ['external_identifier'],
}

/** Views of the account that the caller sees: their own and the shared ones, by name. */
export const listSavedViews = (
  { db }: Pick<World, 'db'>,
  account: string,
  { actor }: Caller,
): Promise<SavedViewRow[]> =>
  db
    .selectFrom('saved_views')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where((where) => where.or([where('shared', '=', true), where('owner_id', '=', actor.id)]))
    .orderBy('name')
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute()

export async function insertSavedView(
  world: World,
  account: string,
  caller: Caller,
  { list, name, query, columns = [], shared = false }: SavedViewCreate,
): Promise<SavedViewRow> {
  const { actor } = caller
  checkFields({ query, shared }, { list, owner_type: actor.type })
  const now = timeOf(world.clock)
  const inserted = await changeWithAudit(
    world,
    async (db) => {
      const { rows } = await sql<SavedViewRow>`
        insert into saved_views (merchant_account_id, id, list, name, query, columns, shared, owner_type, owner_id, owner_name, created_at, updated_at)
        select ${account}, ${world.ids.next()}::uuid, ${list}, ${name}, ${query}, ${JSON.stringify(columns)}::jsonb, ${shared},
               ${actor.type}, ${actor.id}, ${actor.name}, ${now}::timestamptz, ${now}::timestamptz
         where (select count(*) from saved_views where merchant_account_id = ${account} and owner_id = ${actor.id}) < ${MAX_VIEWS}
        returning *`.execute(db)
      return rows[0]
    },
    entry('created'),
  )
  if (!inserted) throw invalid({ '/name': `is too much: ${MAX_VIEWS} views are there already` })
  return inserted
}

/** Throws 404 for a view that the caller does not see, and 403 for one that another person shares. */
export async function updateSavedView(
  world: World,
  account: string,
  id: string,
  caller: Caller,
  changes: SavedViewUpdate,
): Promise<SavedViewRow> {
  const row = await readForChange(world, account, id, caller)
  checkFields(changes, row)
  const { columns, ...others } = changes
  const written = await changeWithAudit(
    world,
    (db) =>
      writeChanges(
        db,
        'saved_views',
        row,
        { ...others, ...(columns && { columns: JSON.stringify(columns) }) },
        timeOf(world.clock),
      ),
    entry('updated'),
  )
  return written ?? row
}

export async function deleteSavedView(
  world: World,
  account: string,
  id: string,
  caller: Caller,
): Promise<void> {
  await readForChange(world, account, id, caller)
  const deleted = await changeWithAudit(
    world,
    (db: Kysely<Tables>) =>
      db
        .deleteFrom('saved_views')
        .where('merchant_account_id', '=', account)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    entry('deleted'),
  )
  orNotFound(deleted)
}

async function readForChange(
  { db }: Pick<World, 'db'>,
  account: string,
  id: string,
  caller: Caller,
): Promise<SavedViewRow> {
  const row = await db
    .selectFrom('saved_views')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .where((where) => where.or([where('shared', '=', true), where('owner_id', '=', caller.actor.id)]))
    .executeTakeFirst()
  const view = orNotFound(row)
  if (!canChange(view, caller))
    throw forbidden('A shared view is changed by its owner or by an administrator')
  return view
}

const canChange = ({ owner_id, shared }: SavedViewRow, caller: Caller): boolean =>
  owner_id === caller.actor.id || (shared && canUseScope(caller, 'users.write'))

function checkFields(
  { query, shared }: Pick<SavedViewUpdate, 'query' | 'shared'>,
  { list, owner_type }: Pick<SavedViewRow, 'list' | 'owner_type'>,
): void {
  const refused = [...personalParameters, ...(personalParametersOf[list] ?? [])]
  const personal = [...new URLSearchParams(query ?? '').keys()].find((name) => refused.includes(name))
  if (personal) throw invalid({ '/query': `filters by ${personal}, which tells of a person` })
  if (shared === false && owner_type !== 'user')
    throw invalid({ '/shared': 'must be true for a key pair: only people have private views' })
}

const entry =
  (action: AuditAction) =>
  ({ merchant_account_id, id, name }: SavedViewRow): AuditedChange => ({
    account: merchant_account_id,
    action,
    resource: { type: 'saved-view', id, name },
  })

export const showSavedView = (row: SavedViewRow, caller: Caller): SavedView => ({
  type: 'saved-view',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  list: row.list,
  name: row.name,
  query: row.query,
  columns: row.columns,
  shared: row.shared,
  owner: { type: row.owner_type, id: row.owner_id, name: row.owner_name },
  can_change: canChange(row, caller),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
