import type { Kysely, Selectable } from 'kysely'
import { roleById, rolesBySlugs } from '../../accounts/roles/role.ts'
import { invalid, orNotFound } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import { timeOf } from '../../base/clock.ts'
import { type AuditAction, recordChange } from '../../database/logs/audit-log.ts'
import { lockRow } from '../../database/rows/lock-row.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import { writeChanges } from '../../database/rows/write-changes.ts'
import type { ApprovalPolicyTable } from '../../database/tables/approvals.ts'
import type { Tables } from '../../database/tables.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import type { ApprovalPolicy, ApprovalPolicyCreate, ApprovalPolicyUpdate } from './approval-policy.schema.ts'

export type ApprovalPolicyRow = Selectable<ApprovalPolicyTable>

/** Every request that may need approval reads all policies of its account. */
const MAX_POLICIES = 50

/** The active policies of an account. Cached. */
export const activePolicies = (world: World, account: string): Promise<ApprovalPolicyRow[]> =>
  world.cache.get('approval_policies', account, () =>
    world.db
      .selectFrom('approval_policies')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('active', '=', true)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
  )

export const listPolicies = (
  { db }: Pick<World, 'db'>,
  account: string,
  page: PageRequest,
): Promise<ApprovalPolicyRow[]> =>
  db
    .selectFrom('approval_policies')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$call(newestFirst(page))
    .execute()

/** Throws 404 if the account has no such policy. */
export const readPolicy = async (
  { db }: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<ApprovalPolicyRow> =>
  orNotFound(
    await db
      .selectFrom('approval_policies')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .executeTakeFirst(),
  )

export async function insertPolicy(
  world: World,
  account: string,
  {
    thresholds = [],
    required_approvals = 1,
    open_for_hours = 72,
    active = true,
    ...input
  }: ApprovalPolicyCreate,
): Promise<ApprovalPolicyRow> {
  const { approver_role_ids = [], approver_user_ids = [], display_name, operations } = input
  refuseRepeatedCurrency(thresholds)
  const row = await world.db.transaction().execute(async (db) => {
    const { count } = await db
      .selectFrom('approval_policies')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('merchant_account_id', '=', account)
      .executeTakeFirstOrThrow()
    if (count >= MAX_POLICIES)
      throw invalid({ '/display_name': `is too much: there are ${MAX_POLICIES} policies` })
    const now = timeOf(world.clock)
    const inserted = await db
      .insertInto('approval_policies')
      .values({
        merchant_account_id: account,
        id: world.ids.next(),
        display_name,
        operations,
        thresholds: JSON.stringify(thresholds),
        approver_role_ids: slugsOf(approver_role_ids),
        approver_user_ids: await existingUsers(db, approver_user_ids),
        required_approvals,
        open_for_hours,
        active,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordPolicyChange(db, world, 'created', inserted)
    return inserted
  })
  world.changes.invalidate('approval_policies')
  return row
}

/** Throws 404 if the account has no such policy. */
export async function updatePolicy(
  world: World,
  account: string,
  id: string,
  { thresholds, approver_role_ids, approver_user_ids, ...others }: ApprovalPolicyUpdate,
): Promise<ApprovalPolicyRow> {
  if (thresholds) refuseRepeatedCurrency(thresholds)
  const row = await world.db.transaction().execute(async (db) => {
    const before = orNotFound(await lockRow(db, 'approval_policies', account, id))
    const columns = {
      ...others,
      ...(thresholds && { thresholds: JSON.stringify(thresholds) }),
      ...(approver_role_ids && { approver_role_ids: slugsOf(approver_role_ids) }),
      ...(approver_user_ids && { approver_user_ids: await existingUsers(db, approver_user_ids) }),
    }
    const written = await writeChanges(db, 'approval_policies', before, columns, timeOf(world.clock))
    if (!written) return before
    await recordPolicyChange(db, world, 'updated', written)
    return written
  })
  world.changes.invalidate('approval_policies')
  return row
}

/** Switches all policies of an account off, for the operator. Returns their names. */
export async function switchPoliciesOff(
  store: Pick<World, 'db' | 'clock' | 'ids' | 'changes'>,
  account: string,
): Promise<string[]> {
  const names = await store.db.transaction().execute(async (db) => {
    const rows = await db
      .updateTable('approval_policies')
      .set({ active: false, updated_at: timeOf(store.clock) })
      .where('merchant_account_id', '=', account)
      .where('active', '=', true)
      .returningAll()
      .execute()
    for (const row of rows) await recordPolicyChange(db, store, 'updated', row)
    return rows.map(({ display_name }) => display_name)
  })
  store.changes.invalidate('approval_policies')
  return names
}

/** Throws 404 if the account has no such policy. */
export async function deletePolicy(world: World, account: string, id: string): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const deleted = await db
      .deleteFrom('approval_policies')
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    await recordPolicyChange(db, world, 'deleted', orNotFound(deleted))
  })
  world.changes.invalidate('approval_policies')
}

const recordPolicyChange = (
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  action: AuditAction,
  { merchant_account_id, id, display_name }: ApprovalPolicyRow,
) =>
  recordChange(db, world, {
    account: merchant_account_id,
    action,
    resource: { type: 'approval-policy', id, name: display_name },
  })

function refuseRepeatedCurrency(thresholds: ApprovalPolicy['thresholds']): void {
  const currencies = thresholds.map(({ currency }) => currency)
  const repeated = currencies.findIndex((currency, index) => currencies.indexOf(currency) < index)
  if (repeated >= 0) throw invalid({ [`/thresholds/${repeated}/currency`]: 'is there twice' })
}

const slugsOf = (ids: readonly string[]): string[] =>
  ids.map((id, index) => {
    const role = roleById(canonicalId(id))
    if (!role?.assignableTo.includes('user'))
      throw invalid({ [`/approver_role_ids/${index}`]: 'is not the id of a role of people' })
    return role.slug
  })

async function existingUsers(db: Kysely<Tables>, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...ids])
    .where('deleted_at', 'is', null)
    .execute()
  const found = new Set(rows.map(({ id }) => id))
  const unknown = ids.findIndex((id) => !found.has(canonicalId(id)))
  if (unknown >= 0) throw invalid({ [`/approver_user_ids/${unknown}`]: 'is not the id of a person' })
  return ids.map(canonicalId)
}

export const showPolicy = (row: ApprovalPolicyRow): ApprovalPolicy => ({
  type: 'approval-policy',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  display_name: row.display_name,
  operations: row.operations,
  thresholds: row.thresholds,
  approver_role_ids: rolesBySlugs(row.approver_role_ids).map(({ id }) => id),
  approver_user_ids: row.approver_user_ids,
  required_approvals: row.required_approvals,
  open_for_hours: row.open_for_hours,
  active: row.active,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
