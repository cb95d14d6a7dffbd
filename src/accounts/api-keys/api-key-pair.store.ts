import { type Kysely, type Selectable, sql } from 'kysely'
import type { Caller } from '../../api/auth/caller.ts'
import type { Algorithm } from '../../api/auth/token.ts'
import { duplicateRecord } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import { wouldChange } from '../../database/rows/would-change.ts'
import type { ApiKeyPairTable } from '../../database/tables/accounts.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { hasSameMembers } from '../has-same-members.ts'
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
  /** Slugs of roles. */
  roleIds: readonly string[]
  merchantAccountIds: readonly string[]
  /** Whether a request must name its merchant account. Default false. */
  mustNameAccount?: boolean
  active?: boolean
  /** Absent: the command line, or a new instance. */
  creator?: ApiKeyPairRow['creator']
}

type Store = Pick<World, 'db' | 'clock' | 'ids' | 'changes'>

/**
 * Adds a key pair whose grant the caller may give (`resolveGrant` has checked it). Throws `duplicate_record`
 * if another one has this public key.
 */
export async function createKeyPair(world: Store, pair: NewKeyPair): Promise<ApiKeyPair> {
  const shown = await world.db.transaction().execute(async (db) => {
    const row = await insertRow(db, world, pair)
    await recordKeyPairChange(db, world, 'created', row)
    return recordKeyPairEvent(db, world, 'created', row)
  })
  world.changes.invalidate('api_key_pairs')
  return shown
}

/**
 * Adds a key pair without an event or an audit entry: a new instance's first one, which has no actor and no
 * subscription.
 */
export async function insertKeyPair(world: Store, pair: NewKeyPair): Promise<ApiKeyPairRow> {
  const row = await insertRow(world.db, world, pair)
  world.changes.invalidate('api_key_pairs')
  return row
}

/** The unique index decides which request gets a public key, so that two racing requests cannot both win. */
async function insertRow(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  pair: NewKeyPair,
): Promise<ApiKeyPairRow> {
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
  // the holder was deleted between the two statements: the public key is free again
  return insertRow(db, world, pair)
}

/** Every key pair that is not deleted, the newest first. */
export const listKeyPairs = (world: Pick<World, 'db'>): Promise<ApiKeyPairRow[]> =>
  existingKeyPairs(world.db).orderBy('created_at', 'desc').orderBy('id', 'desc').execute()

const existingKeyPairs = (db: Kysely<Tables>) =>
  db.selectFrom('api_key_pairs').selectAll().where('deleted_at', 'is', null)

/** A page of the key pairs whose limits lie within the caller's, the newest first. */
export const listVisibleKeyPairs = (
  { db }: World,
  { merchantAccountIds }: Caller,
  page: PageRequest,
): Promise<ApiKeyPairRow[]> =>
  existingKeyPairs(db)
    .$if(merchantAccountIds.length > 0, (query) =>
      query.where(
        sql<boolean>`merchant_account_ids <> '{}' and merchant_account_ids <@ ${merchantAccountIds}::text[]`,
      ),
    )
    .$call(newestFirst(page))
    .execute()

/** Whoever may see it. Undefined: there is no such key pair. */
export const findKeyPairById = ({ db }: Pick<World, 'db'>, id: string): Promise<ApiKeyPairRow | undefined> =>
  existingKeyPairs(db).where('id', '=', id).executeTakeFirst()

/** Undefined: there is no such key pair that the caller may see. */
export async function findKeyPair(
  world: World,
  caller: Caller,
  id: string,
): Promise<ApiKeyPairRow | undefined> {
  const row = await findKeyPairById(world, id)
  return row && isWithinCallerAccounts(caller, row.merchant_account_ids) ? row : undefined
}

/**
 * Changes a key pair. Undefined: there is no such key pair that the caller may see. The row is locked while
 * the rules are checked, since a rule spans members that two requests may change at once.
 */
export async function updateKeyPair(
  world: World,
  caller: Caller,
  id: string,
  update: ApiKeyPairUpdate,
): Promise<ApiKeyPair | undefined> {
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
    if (isAdministratorGrant(grantOf(before)) && !isAdministratorGrant(grant))
      await refuseLosingLastAdministrator(db, world)
    await recordKeyPairChange(db, world, 'updated', row)
    if (!hasSameMembers(before.role_ids, row.role_ids))
      await recordKeyPairChange(db, world, 'updated', row, 'role-assignment')
    return recordKeyPairEvent(db, world, 'updated', row)
  })
  if (shown) world.changes.invalidate('api_key_pairs')
  return shown
}

/**
 * Deletes a key pair: every process refuses its tokens from now on. False: there is no such key pair that the
 * caller may see.
 */
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

/**
 * Deletes a key pair at the command line, which may delete the last administrator's, too. `name` is an id or
 * a thumbprint; false: there is no such key pair.
 */
export async function revokeKeyPair(world: Store, name: string): Promise<boolean> {
  const revoked = await world.db.transaction().execute(async (db) => {
    const named = existingKeyPairs(db).where((eb) =>
      eb.or([eb('thumbprint', '=', name), eb(eb.cast<string>('id', 'text'), '=', name)]),
    )
    const before = await named.forUpdate().executeTakeFirst()
    if (before) await markDeleted(db, world, before)
    return before !== undefined
  })
  if (revoked) world.changes.invalidate('api_key_pairs')
  return revoked
}

async function findForUpdate(
  db: Kysely<Tables>,
  caller: Caller,
  id: string,
): Promise<ApiKeyPairRow | undefined> {
  const row = await existingKeyPairs(db).where('id', '=', id).forUpdate().executeTakeFirst()
  return row && isWithinCallerAccounts(caller, row.merchant_account_ids) ? row : undefined
}

async function markDeleted(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  { id }: ApiKeyPairRow,
): Promise<void> {
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

/** Key pairs belong to the instance: their events and audit entries are in the account `default`. */
const ACCOUNT = 'default'

type KeyPairAction = 'created' | 'updated' | 'deleted'

async function recordKeyPairEvent(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  action: KeyPairAction,
  row: ApiKeyPairRow,
): Promise<ApiKeyPair> {
  const shown = await showKeyPair({ db }, row)
  const { private_key: _, ...target } = shown
  await recordEvent(db, world, { account: ACCOUNT, name: `api-key-pair.${action}`, target })
  return shown
}

const recordKeyPairChange = (
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  action: KeyPairAction,
  { id, display_name }: ApiKeyPairRow,
  type = 'api-key-pair',
) => recordChange(db, world, { account: ACCOUNT, action, resource: { type, id, name: display_name } })
