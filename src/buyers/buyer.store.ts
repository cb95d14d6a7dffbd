import { type Kysely, type Selectable, sql } from 'kysely'
import { invalid } from '../api/errors.ts'
import type { PageRequest } from '../api/pagination.ts'
import { reconciliationId } from '../api/values/reconciliation-id.ts'
import { isUuid } from '../api/values/uuid.ts'
import { timeOf } from '../base/clock.ts'
import { containing } from '../database/like-pattern.ts'
import { recordChange } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import { deleteRow } from '../database/rows/delete-row.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import { withUniqueValue } from '../database/rows/unique-holder.ts'
import { writeChanges } from '../database/rows/write-changes.ts'
import type { BuyerTable } from '../database/tables/vault.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import type { Address, BillingDetails, Buyer, BuyerCreate, BuyerUpdate } from './buyer.schema.ts'

export type BuyerRow = Selectable<BuyerTable>

/** A buyer by its id or by its external identifier; null and undefined select no buyer. */
export interface BuyerKey {
  id?: string | null
  externalIdentifier?: string | null
}

const byId = 'select * from buyers where merchant_account_id = $1 and id = $2'
const byExternalIdentifier =
  'select * from buyers where merchant_account_id = $1 and external_identifier = $2'

/**
 * Undefined: the account has no such buyer. An id that is no UUID is no buyer's: a browser's token may have
 * any text as the id.
 */
export async function findBuyerRow(
  world: World,
  account: string,
  { id, externalIdentifier }: BuyerKey,
): Promise<BuyerRow | undefined> {
  const select = (text: string, value: string) => world.run<BuyerRow>(text, [account, value])
  if (typeof id === 'string') return isUuid(id) ? (await select(byId, id))[0] : undefined
  return typeof externalIdentifier === 'string'
    ? (await select(byExternalIdentifier, externalIdentifier))[0]
    : undefined
}

/** The buyers of these rows, by their ids. */
export async function buyersOf(
  { db }: Pick<World, 'db'>,
  account: string,
  rows: readonly { buyer_id: string | null }[],
): Promise<Map<string, BuyerRow>> {
  const ids = [...new Set(rows.flatMap(({ buyer_id }) => buyer_id ?? []))]
  const buyers =
    ids.length === 0
      ? []
      : await db
          .selectFrom('buyers')
          .selectAll()
          .where('merchant_account_id', '=', account)
          .where('id', 'in', ids)
          .execute()
  return new Map(buyers.map((buyer) => [buyer.id, buyer]))
}

/** The members by which a request names a buyer; null is the same as absent. */
export interface BuyerSelectors {
  buyer_id?: string | null
  buyer_external_identifier?: string | null
}

/**
 * The buyer that a request names; undefined: it names none. Throws 400 if it names a buyer in two ways, or
 * one that does not exist (semantics §3.9). `pointer` is where the selectors are in the body: empty, or
 * `/payment_method` and the like.
 */
export async function findRequestedBuyer(
  world: World,
  account: string,
  input: BuyerSelectors,
  pointer = '',
): Promise<BuyerRow | undefined> {
  const { buyer_id: id = null, buyer_external_identifier: externalIdentifier = null } = input
  if (id === null && externalIdentifier === null) return undefined
  if (id !== null && externalIdentifier !== null)
    throw invalid({ [`${pointer}/buyer_id`]: 'and buyer_external_identifier exclude each other' })
  const buyer = await findBuyerRow(world, account, { id, externalIdentifier })
  if (buyer) return buyer
  throw invalid({
    [`${pointer}/${id === null ? 'buyer_external_identifier' : 'buyer_id'}`]:
      'is not a buyer of this account',
  })
}

/**
 * How a buyer's row is locked: `key share` against deletion, `no key update` also against other requests that
 * change it, `update` before it is deleted.
 */
type BuyerLock = 'key share' | 'no key update' | 'update'

/** Locks a buyer's row until the database transaction `db` ends. Undefined: the account has no such buyer. */
export const lockBuyer = (
  db: Kysely<Tables>,
  account: string,
  id: string,
  lock: BuyerLock,
): Promise<BuyerRow | undefined> =>
  db
    .selectFrom('buyers')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .modifyEnd(sql`for ${sql.raw(lock)}`)
    .executeTakeFirst()

export interface BuyerFilter {
  /** Part of the display name or of the external identifier, or the whole id. */
  search: string | null
  /** False: a search leaves display names out, as its results would reveal them. */
  searchesNames: boolean
  externalIdentifier: string | null
}

/**
 * A page of the buyers, the newest first. A search reads the account's buyers in that order until the page is
 * full: no index has parts of words.
 */
export function listBuyers(
  world: World,
  account: string,
  { search, searchesNames, externalIdentifier }: BuyerFilter,
  page: PageRequest,
) {
  const pattern = search && containing(search)
  return world.db
    .selectFrom('buyers')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$if(externalIdentifier !== null, (query) => query.where('external_identifier', '=', externalIdentifier))
    .$if(search !== null, (query) =>
      query.where((where) =>
        where.or([
          ...(searchesNames ? [where('display_name', 'ilike', pattern)] : []),
          where('external_identifier', 'ilike', pattern),
          ...(search !== null && isUuid(search) ? [where('id', '=', search)] : []),
        ]),
      ),
    )
    .$call(newestFirst(page))
    .execute()
}

/** Throws 409 `duplicate_record` if another buyer of the account has the external identifier. */
export function insertBuyer(world: World, account: string, input: BuyerCreate): Promise<Buyer> {
  const {
    display_name = null,
    external_identifier = null,
    billing_details = null,
    account_number = null,
  } = input
  const now = timeOf(world.clock)
  return withUniqueIdentifier(world, account, external_identifier, () =>
    world.db.transaction().execute(async (transaction) => {
      const row = await transaction
        .insertInto('buyers')
        .values({
          merchant_account_id: account,
          id: world.ids.next(),
          display_name,
          external_identifier,
          billing_details: billing_details && JSON.stringify(billing_details),
          account_number,
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return recordBuyerChange(transaction, world, 'created', row)
    }),
  )
}

/**
 * Undefined: the account has no such buyer. Throws 409 as `insertBuyer`. The row stays locked during the
 * merge, so that two requests cannot each undo the other's members.
 */
export function updateBuyer(
  world: World,
  account: string,
  id: string,
  update: BuyerUpdate,
): Promise<Buyer | undefined> {
  const { billing_details, ...members } = update
  return withUniqueIdentifier(world, account, members.external_identifier, () =>
    world.db.transaction().execute(async (transaction) => {
      const current = await lockBuyer(transaction, account, id, 'update')
      if (!current) return undefined
      const columns = {
        ...members,
        ...(billing_details !== undefined && {
          billing_details: mergeBillingDetails(current, billing_details),
        }),
      }
      const row = await writeChanges(transaction, 'buyers', current, columns, timeOf(world.clock))
      return row ? recordBuyerChange(transaction, world, 'updated', row) : showBuyer(current)
    }),
  )
}

/** Replaces the members that the update has; an address or a tax id is replaced as a whole (semantics §8). */
const mergeBillingDetails = ({ billing_details: before }: BuyerRow, update: BillingDetails | null) =>
  update && JSON.stringify({ ...before, ...update })

/**
 * Shipping details are deleted with the buyer; stored payment methods stay without a buyer; transactions keep
 * their copy. False: the account has no such buyer.
 */
export function deleteBuyer(world: World, account: string, id: string): Promise<boolean> {
  return world.db.transaction().execute(async (transaction) => {
    // on one server the foreign key would do it; Citus has none that sets a column to null
    await transaction
      .updateTable('gift_cards')
      .set({ buyer_id: null })
      .where('merchant_account_id', '=', account)
      .where('buyer_id', '=', id)
      .execute()
    const row = await deleteRow(transaction, 'buyers', account, id)
    if (!row) return false
    await transaction
      .updateTable('payment_methods')
      .set({ buyer_id: null, updated_at: timeOf(world.clock) })
      .where('merchant_account_id', '=', account)
      .where('buyer_id', '=', id)
      .execute()
    await recordBuyerChange(transaction, world, 'deleted', row)
    return true
  })
}

async function recordBuyerChange(
  transaction: Kysely<Tables>,
  world: World,
  action: 'created' | 'updated' | 'deleted',
  row: BuyerRow,
): Promise<Buyer> {
  const buyer = showBuyer(row)
  await recordEvent(transaction, world, {
    account: row.merchant_account_id,
    name: `buyer.${action}`,
    target: buyer,
  })
  const { merchant_account_id: account, id } = row
  // the audit log is never erased, so it names buyers by their ids: display names and external identifiers
  // may be personal data
  await recordChange(transaction, world, { account, action, resource: { type: 'buyer', id, name: null } })
  return buyer
}

/** The external identifier is unique among an account's buyers. */
const withUniqueIdentifier = <T>(
  world: World,
  account: string,
  identifier: string | null | undefined,
  change: () => Promise<T>,
): Promise<T> =>
  withUniqueValue(
    {
      index: 'buyers_external_identifier',
      findHolder: async () =>
        (await findBuyerRow(world, account, { externalIdentifier: identifier ?? null }))?.id,
      message: 'A buyer with this external_identifier exists',
    },
    change,
  )

/** As the API shows it: every member is present, null if it is not known (semantics §8). */
export function showBuyer(row: BuyerRow): Buyer {
  return {
    type: 'buyer',
    id: row.id,
    reconciliation_id: reconciliationId(row.id),
    merchant_account_id: row.merchant_account_id,
    display_name: row.display_name,
    external_identifier: row.external_identifier,
    billing_details: row.billing_details && showBillingDetails(row.billing_details),
    account_number: row.account_number,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** The column is written from `BillingDetails` only. */
const showBillingDetails = (stored: BillingDetails): BillingDetails => ({
  first_name: stored.first_name ?? null,
  last_name: stored.last_name ?? null,
  email_address: stored.email_address ?? null,
  phone_number: stored.phone_number ?? null,
  address: showAddress(stored.address),
  tax_id: stored.tax_id ?? null,
})

const emptyAddress = {
  city: null,
  country: null,
  postal_code: null,
  state: null,
  state_code: null,
  house_number_or_name: null,
  line1: null,
  line2: null,
  organization: null,
} satisfies Record<keyof Address, null>

export const showAddress = (stored: Address | null | undefined): Address | null =>
  stored ? { ...emptyAddress, ...stored } : null
