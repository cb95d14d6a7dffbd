import { type Kysely, type Selectable, sql } from 'kysely'
import type { Caller } from '../../api/auth/caller.ts'
import type { Algorithm } from '../../api/auth/token.ts'
import { duplicateRecord } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { newestFirst } from '../../database/newest-first.ts'
import type { ApiKeyPairTable } from '../../database/tables/accounts.ts'
import type { Tables } from '../../database/tables.ts'
import { wouldChange } from '../../database/would-change.ts'
import type { World } from '../../world.ts'
import { isWithinCallerAccounts, refuseUnknownAccounts } from '../roles/assignable-accounts.ts'
import { refuseLosingLastAdministrator } from '../users/last-administrator.ts'
import { showKeyPair } from './api-key-pair.representation.ts'
import type { ApiKeyPair, ApiKeyPairUpdate } from './api-key-pair.schema.ts'
import { type Grant, isAdministratorGrant, resolveGrant } from './api-key-pair.ts'

export type ApiKeyPairRow = Selectable<ApiKeyPairTable>

export interface NewKeyPair {
  displayName: string
  algorithm: Algorithm
  thumbprint: string
  publicJwk: Record<string, unknown>
  /** Slugs. */
  roleIds: readonly string[]
  merchantAccountIds: readonly string[]
  /** Whether a request must name its merchant account. Default false. */
  mustNameAccount?: boolean
  active?: boolean
  /** Absent: nobody whom the API knows. */
  creator?: ApiKeyPairRow['creator']
}

type Store = Pick<World, 'db' | 'clock' | 'ids' | 'changes'>

/** Makes a key pair, in whose grant the caller has been found right. Throws `duplicate_record` where one that is not deleted has this public key. */
export async function createKeyPair(world: Store, pair: NewKeyPair): Promise<ApiKeyPair> {
  const shown = await world.db.transaction().execute(async (db) => {
    const row = await insertRow(db, world, pair)
    await recordKeyPairChange(db, world, 'created', row)
    return recordKeyPairEvent(db, world, 'created', row)
  })
  world.changes.invalidate('api_key_pairs')
  return shown
}

/** What a new instance begins with: there is nobody to tell of it yet. */
export async function insertKeyPair(world: Store, pair: NewKeyPair): Promise<ApiKeyPairRow> {
  const row = await insertRow(world.db, world, pair)
  world.changes.invalidate('api_key_pairs')
  return row
}

/** The unique index decides whose a public key is, so that two racing requests cannot both win. */
async function insertRow(db: Kysely<Tables>, world: Pick<World, 'clock' | 'ids'>, pair: NewKeyPair): Promise<ApiKeyPairRow> {
  const now = timeOf(world.clock)
  const row = await db
    .insertInto('api_key_pairs')
    .values({
      id: world.ids.next(),
      display_name: pair.displayName,
      algorithm: pair.algorithm,
      thumbprint: pair.thumbprint,
      public_jwk: JSON.stringify(pair.publicJwk),
      role_ids: [...pair.roleIds],
      merchant_account_ids: [...pair.merchantAccountIds],
      merchant_account_required: pair.mustNameAccount ?? false,
      active: pair.active ?? true,
      creator: pair.creator ? JSON.stringify(pair.creator) : null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('thumbprint').where('deleted_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) return row
  const holder = await db
    .selectFrom('api_key_pairs')
    .select('id')
    .where('thumbprint', '=', pair.thumbprint)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (holder) throw duplicateRecord(holder.id, 'An API key pair with this public_key exists')
  // deleted in between: the public key is free again
  return insertRow(db, world, pair)
}

/** Every one that is not deleted, the newest first. */
export const listKeyPairs = (world: Pick<World, 'db'>): Promise<ApiKeyPairRow[]> =>
  existingKeyPairs(world.db).orderBy('created_at', 'desc').orderBy('id', 'desc').execute()

const existingKeyPairs = (db: Kysely<Tables>) => db.selectFrom('api_key_pairs').selectAll().where('deleted_at', 'is', null)

/** Those that reach no further than the caller, the newest first. */
export const listVisibleKeyPairs = ({ db }: World, { merchantAccountIds: only }: Caller, page: PageRequest): Promise<ApiKeyPairRow[]> =>
  existingKeyPairs(db)
    .$if(only.length > 0, (query) => query.where(sql<boolean>`merchant_account_ids <> '{}' and merchant_account_ids <@ ${only}::text[]`))
    .$call(newestFirst(page))
    .execute()

/** Undefined: there is none that the caller may learn of. */
export async function findKeyPair({ db }: World, caller: Caller, id: string): Promise<ApiKeyPairRow | undefined> {
  const row = await existingKeyPairs(db).where('id', '=', id).executeTakeFirst()
  return row && isWithinCallerAccounts(caller, row.merchant_account_ids) ? row : undefined
}

/** Undefined: there is none that the caller may learn of. The row is locked while the rules are checked: they span members that two requests may change at once. */
export async function updateKeyPair(world: World, caller: Caller, id: string, update: ApiKeyPairUpdate): Promise<ApiKeyPair | undefined> {
  const shown = await world.db.transaction().execute(async (db) => {
    const before = await findForUpdate(db, caller, id)
    if (!before) return undefined
    const grant = resolveGrant(caller, grantOf(before), update)
    await refuseUnknownAccounts({ db }, update.merchant_account_ids ?? [])
    const columns = {
      display_name: update.display_name ?? before.display_name,
      active: grant.active,
      role_ids: [...grant.roles],
      merchant_account_ids: [...grant.merchantAccountIds],
      merchant_account_required: update.merchant_account_required ?? before.merchant_account_required,
    }
    if (!wouldChange(before, columns)) return showKeyPair({ db }, before)
    const row = await db
      .updateTable('api_key_pairs')
      .set({ ...columns, updated_at: timeOf(world.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (isAdministratorGrant(grantOf(before)) && !isAdministratorGrant(grant)) await refuseLosingLastAdministrator(db, world)
    await recordKeyPairChange(db, world, 'updated', row)
    if (!hasSameMembers(before.role_ids, row.role_ids)) await recordKeyPairChange(db, world, 'updated', row, 'role-assignment')
    return recordKeyPairEvent(db, world, 'updated', row)
  })
  if (shown) world.changes.invalidate('api_key_pairs')
  return shown
}

/** Its tokens are refused from now on, in every process. False: there is none that the caller may learn of. */
export async function deleteKeyPair(world: World, caller: Caller, id: string): Promise<boolean> {
  const deleted = await world.db.transaction().execute(async (db) => {
    const before = await findForUpdate(db, caller, id)
    if (!before) return false
    await markDeleted(db, world, before)
    if (isAdministratorGrant(grantOf(before))) await refuseLosingLastAdministrator(db, world)
    return true
  })
  if (deleted) world.changes.invalidate('api_key_pairs')
  return deleted
}

/** At the command line, which may take away the last administrator's, too. `name` is an id or a thumbprint; false: there is no such key pair. */
export async function revokeKeyPair(world: Store, name: string): Promise<boolean> {
  const revoked = await world.db.transaction().execute(async (db) => {
    const named = existingKeyPairs(db).where((eb) => eb.or([eb('thumbprint', '=', name), eb(eb.cast<string>('id', 'text'), '=', name)]))
    const before = await named.forUpdate().executeTakeFirst()
    if (before) await markDeleted(db, world, before)
    return before !== undefined
  })
  if (revoked) world.changes.invalidate('api_key_pairs')
  return revoked
}

async function findForUpdate(db: Kysely<Tables>, caller: Caller, id: string): Promise<ApiKeyPairRow | undefined> {
  const row = await existingKeyPairs(db).where('id', '=', id).forUpdate().executeTakeFirst()
  return row && isWithinCallerAccounts(caller, row.merchant_account_ids) ? row : undefined
}

async function markDeleted(db: Kysely<Tables>, world: Pick<World, 'clock' | 'ids'>, { id }: ApiKeyPairRow): Promise<void> {
  const now = timeOf(world.clock)
  const row = await db
    .updateTable('api_key_pairs')
    .set({ deleted_at: now, active: false, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await recordKeyPairChange(db, world, 'deleted', row)
  await recordKeyPairEvent(db, world, 'deleted', row)
}

export const grantOf = ({ role_ids, merchant_account_ids, active }: ApiKeyPairRow): Grant => ({
  roles: role_ids,
  merchantAccountIds: merchant_account_ids,
  active,
})

const hasSameMembers = (some: readonly string[], others: readonly string[]) => some.toSorted().join(' ') === others.toSorted().join(' ')

/** Key pairs belong to the instance: their events and entries stand under `default`. */
const ACCOUNT = 'default'

async function recordKeyPairEvent(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  what: 'created' | 'updated' | 'deleted',
  row: ApiKeyPairRow,
): Promise<ApiKeyPair> {
  const shown = await showKeyPair({ db }, row)
  const { private_key: _, ...target } = shown
  await recordEvent(db, world, { account: ACCOUNT, name: `api-key-pair.${what}`, target })
  return shown
}

const recordKeyPairChange = (
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  action: 'created' | 'updated' | 'deleted',
  { id, display_name }: ApiKeyPairRow,
  type = 'api-key-pair',
) => recordChange(db, world, { account: ACCOUNT, action, resource: { type, id, name: display_name } })
