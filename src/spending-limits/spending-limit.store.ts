import { type Kysely, type Selectable, sql } from 'kysely'
import { findKeyPairById } from '../accounts/api-keys/api-key-pair.store.ts'
import { isMadeBy } from '../accounts/makers.ts'
import { findUser } from '../accounts/users/user.store.ts'
import type { Actor, Caller } from '../api/auth/caller.ts'
import { duplicateRecord, forbidden, invalid, orNotFound } from '../api/errors.ts'
import type { PageRequest } from '../api/pagination.ts'
import { isCurrency } from '../api/values/currency.ts'
import { timeOf } from '../base/clock.ts'
import { type AuditAction, type AuditedChange, changeWithAudit } from '../database/logs/audit-log.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import { writeChanges } from '../database/rows/write-changes.ts'
import type { SpendingLimitTable } from '../database/tables/spending-limits.ts'
import type { Tables } from '../database/tables.ts'
import { timestamp } from '../database/timestamp.ts'
import type { World } from '../world.ts'
import type {
  LimitedOperation,
  SpendingLimit,
  SpendingLimitCreate,
  SpendingLimitUpdate,
} from './spending-limit.schema.ts'

export type SpendingLimitRow = Selectable<SpendingLimitTable>

/** The day that an operation counts in, in UTC by the clock of the account. */
export const spendingDay = (world: Pick<World, 'clock'>): string => timeOf(world.clock).slice(0, 10)

/** A limit with the name of its subject, and what is used of it in a day. */
interface LimitWithUsage extends SpendingLimitRow {
  subject_name: string
  used: number
  count: number
}

// `u.merchant_account_id` is the parameter, so that Citus looks on the account's shard alone

const selectLimits = (db: Kysely<Tables>, account: string, day: string) =>
  db
    .selectFrom('spending_limits')
    .selectAll()
    .select([
      sql<number>`coalesce((select used from spending_usage u
        where u.merchant_account_id = ${account} and u.spending_limit_id = spending_limits.id
          and u.day = ${day}::date and u.buyer = ''), 0)`.as('used'),
      sql<number>`coalesce((select count from spending_usage u
        where u.merchant_account_id = ${account} and u.spending_limit_id = spending_limits.id
          and u.day = ${day}::date and u.buyer = ''), 0)`.as('count'),
    ])
    .where('merchant_account_id', '=', account)

/** Adds the names of key pairs and people, which are no account's. */
async function withNames(
  db: Kysely<Tables>,
  limits: readonly Omit<LimitWithUsage, 'subject_name'>[],
): Promise<LimitWithUsage[]> {
  const ids = [...new Set(limits.map(({ subject_id }) => subject_id))]
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string; name: string }>`
    select id, display_name as name from api_key_pairs where id = any(${ids}::uuid[])
     union all
    select id, name from users where id = any(${ids}::uuid[])`.execute(db)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return limits.map((limit) => ({ ...limit, subject_name: names.get(limit.subject_id) ?? '' }))
}

/** Filters of the list; null: all. */
export interface SpendingLimitFilters {
  subject_id: string | null
  operation: LimitedOperation | null
}

/** The newest first. */
export const listSpendingLimits = async (
  world: World,
  account: string,
  { subject_id, operation }: SpendingLimitFilters,
  page: PageRequest,
): Promise<LimitWithUsage[]> =>
  withNames(
    world.db,
    await selectLimits(world.db, account, spendingDay(world))
      .where((where) => where.and({ ...(subject_id && { subject_id }), ...(operation && { operation }) }))
      .$call(newestFirst(page))
      .execute(),
  )

/** The limits of one caller, by operation and currency. */
export const listLimitsOf = async (world: World, account: string, { id }: Actor): Promise<LimitWithUsage[]> =>
  withNames(
    world.db,
    await selectLimits(world.db, account, spendingDay(world))
      .where('subject_id', '=', id)
      .orderBy('operation')
      .orderBy('currency')
      .execute(),
  )

/** Throws 404. */
export const readSpendingLimit = async (
  world: World,
  account: string,
  id: string,
  db: Kysely<Tables> = world.db,
): Promise<LimitWithUsage> => {
  const found = await selectLimits(db, account, spendingDay(world)).where('id', '=', id).execute()
  return orNotFound((await withNames(db, found))[0])
}

/**
 * Throws 400 for a subject that cannot act on the account, 403 if it is the caller, and 409 if it has a limit of
 * this operation and currency: the unique index decides.
 */
export async function insertSpendingLimit(
  world: World,
  account: string,
  caller: Caller,
  { subject, operation, currency, ...given }: SpendingLimitCreate,
): Promise<LimitWithUsage> {
  const limits = {
    per_operation: given.per_operation ?? null,
    per_day: given.per_day ?? null,
    per_buyer_per_day: given.per_buyer_per_day ?? null,
    count_per_day: given.count_per_day ?? null,
  }
  refuseWithoutLimit(limits)
  if (!isCurrency(currency)) throw invalid({ '/currency': 'is not an ISO 4217 code' })
  await refuseOwnLimit(world, caller, subject)
  await refuseUnknownSubject(world, account, subject)
  const now = timeOf(world.clock)
  const inserted = await changeWithAudit(
    world,
    (db) =>
      db
        .insertInto('spending_limits')
        .values({
          merchant_account_id: account,
          id: world.ids.next(),
          subject_type: subject.type,
          subject_id: subject.id,
          operation,
          currency,
          ...limits,
          created_at: now,
          updated_at: now,
        })
        .onConflict((conflict) =>
          conflict.columns(['merchant_account_id', 'subject_id', 'operation', 'currency']).doNothing(),
        )
        .returningAll()
        .executeTakeFirst(),
    entry('created'),
  )
  if (!inserted) {
    const other = await world.db
      .selectFrom('spending_limits')
      .select('id')
      .where('merchant_account_id', '=', account)
      .where('subject_id', '=', subject.id)
      .where('operation', '=', operation)
      .where('currency', '=', currency)
      .executeTakeFirst()
    throw duplicateRecord(other?.id ?? '', 'There is a limit of this operation and currency: change that one')
  }
  world.changes.invalidate('spending_limits')
  return readSpendingLimit(world, account, inserted.id)
}

/** Changes the members that are sent. Throws 404, and 403 for a limit of the caller. */
export async function updateSpendingLimit(
  world: World,
  account: string,
  id: string,
  caller: Caller,
  changes: SpendingLimitUpdate,
): Promise<LimitWithUsage> {
  await refuseOwnLimit(world, caller, subjectOf(await readSpendingLimit(world, account, id)))
  const changed = await world.db.transaction().execute(async (db) => {
    const row = orNotFound(await lockLimit(db, account, id))
    refuseWithoutLimit({ ...row, ...withoutUndefined(changes) })
    return changeWithAudit(
      { ...world, db },
      () => writeChanges(db, 'spending_limits', row, changes, timeOf(world.clock)),
      entry('updated'),
    )
  })
  if (changed) world.changes.invalidate('spending_limits')
  return readSpendingLimit(world, account, id)
}

/** Deletes a limit and what was used of it. Throws 404, and 403 for a limit of the caller. */
export async function deleteSpendingLimit(
  world: World,
  account: string,
  id: string,
  caller: Caller,
): Promise<void> {
  await refuseOwnLimit(world, caller, subjectOf(await readSpendingLimit(world, account, id)))
  const deleted = await world.db.transaction().execute(async (db) => {
    const row = await changeWithAudit(
      { ...world, db },
      () =>
        db
          .deleteFrom('spending_limits')
          .where('merchant_account_id', '=', account)
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst(),
      entry('deleted'),
    )
    await db
      .deleteFrom('spending_usage')
      .where('merchant_account_id', '=', account)
      .where('spending_limit_id', '=', id)
      .execute()
    return row
  })
  orNotFound(deleted)
  world.changes.invalidate('spending_limits')
}

const subjectOf = ({ subject_type: type, subject_id: id }: SpendingLimitRow) => ({ type, id })

const lockLimit = (db: Kysely<Tables>, account: string, id: string) =>
  db
    .selectFrom('spending_limits')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

const withoutUndefined = (changes: SpendingLimitUpdate): SpendingLimitUpdate =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))

type Limits = Pick<SpendingLimitRow, 'per_operation' | 'per_day' | 'per_buyer_per_day' | 'count_per_day'>

function refuseWithoutLimit({ per_operation, per_day, per_buyer_per_day, count_per_day }: Limits): void {
  if ([per_operation, per_day, per_buyer_per_day, count_per_day].every((limit) => limit === null))
    throw invalid({ '/per_day': 'or another limit is needed' })
}

/**
 * Throws 403 where the limit is the caller's own: of the person, of the key pair, or of a person or key pair that
 * has made or changed the key pair, or the key pair that made it.
 */
async function refuseOwnLimit(
  world: World,
  { actor }: Caller,
  subject: SpendingLimitCreate['subject'],
): Promise<void> {
  if (await isMadeBy(world, actor, subject))
    throw forbidden('Nobody sets, changes or deletes their own spending limits')
}

async function refuseUnknownSubject(
  world: World,
  account: string,
  { type, id }: SpendingLimitCreate['subject'],
): Promise<void> {
  const subject = await (type === 'user' ? findUser(world, id) : findKeyPairById(world, id))
  const accounts = subject?.merchant_account_ids
  if (!accounts || (accounts.length > 0 && !accounts.includes(account)))
    throw invalid({
      '/subject/id': `is not a ${type === 'user' ? 'person' : 'key pair'} that may act on this merchant account`,
    })
}

const entry =
  (action: AuditAction) =>
  ({ merchant_account_id, id, operation, currency, subject_id }: SpendingLimitRow): AuditedChange => ({
    account: merchant_account_id,
    action,
    resource: { type: 'spending-limit', id, name: `${operation} ${currency} of ${subject_id}` },
  })

const remaining = (limit: number | null, used: number): number | null =>
  limit === null ? null : Math.max(0, limit - used)

export const showSpendingLimit = (row: LimitWithUsage, day: string): SpendingLimit => ({
  type: 'spending-limit',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  subject: { type: row.subject_type, id: row.subject_id, name: row.subject_name },
  operation: row.operation,
  currency: row.currency,
  per_operation: row.per_operation,
  per_day: row.per_day,
  per_buyer_per_day: row.per_buyer_per_day,
  count_per_day: row.count_per_day,
  today: {
    day,
    used: row.used,
    remaining: remaining(row.per_day, row.used),
    count: row.count,
    remaining_count: remaining(row.count_per_day, row.count),
  },
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
