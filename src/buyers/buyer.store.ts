import type { Kysely, Selectable } from 'kysely'
import { duplicateRecord, invalid } from '../api/errors.ts'
import type { PageRequest } from '../api/pagination.ts'
import { reconciliationId } from '../api/values/reconciliation-id.ts'
import { timeOf } from '../base/clock.ts'
import { isUuid } from '../api/values/uuid.ts'
import { recordChange } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import { newestFirst } from '../database/newest-first.ts'
import type { BuyerTable } from '../database/tables/vault.ts'
import type { Tables } from '../database/tables.ts'
import { writeChanges } from '../database/write-changes.ts'
import type { World } from '../world.ts'
import type { Address, BillingDetails, Buyer, BuyerCreate, BuyerUpdate } from './buyer.schema.ts'

export type BuyerRow = Selectable<BuyerTable>

/** By either selector; null and undefined select nothing. */
export interface BuyerKey {
  id?: string | null
  externalIdentifier?: string | null
}

const byId = 'select * from buyers where merchant_account_id = $1 and id = $2'
const byExternalIdentifier = 'select * from buyers where merchant_account_id = $1 and external_identifier = $2'

/** An id that is no UUID is nobody's: those of a browser's token come as any text. */
export async function findBuyerRow(world: World, account: string, { id, externalIdentifier }: BuyerKey): Promise<BuyerRow | undefined> {
  const select = (text: string, value: string) => world.run<BuyerRow>(text, [account, value])
  if (typeof id === 'string') return isUuid(id) ? (await select(byId, id))[0] : undefined
  return typeof externalIdentifier === 'string' ? (await select(byExternalIdentifier, externalIdentifier))[0] : undefined
}

/** How a request names a buyer; null is the same as absent. */
export interface BuyerSelectors {
  buyer_id?: string | null
  buyer_external_identifier?: string | null
}

/**
 * The buyer that a request names; undefined where it names none. Throws 400 where it names one in two ways, or nobody (SEMANTICS §3.9).
 * `pointer` is the place of the selectors in the body: empty, or `/payment_method` and the like.
 */
export async function findRequestedBuyer(world: World, account: string, input: BuyerSelectors, pointer = ''): Promise<BuyerRow | undefined> {
  const { buyer_id: id = null, buyer_external_identifier: externalIdentifier = null } = input
  if (id === null && externalIdentifier === null) return undefined
  if (id !== null && externalIdentifier !== null) throw invalid({ [`${pointer}/buyer_id`]: 'and buyer_external_identifier exclude each other' })
  const buyer = await findBuyerRow(world, account, { id, externalIdentifier })
  if (buyer) return buyer
  throw invalid({ [`${pointer}/${id === null ? 'buyer_external_identifier' : 'buyer_id'}`]: 'is not a buyer of this account' })
}

/** Keeps the buyer from being deleted until the database transaction `db` ends. False: there is none. */
export async function lockBuyer(db: Kysely<Tables>, account: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('buyers')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return row !== undefined
}

export interface BuyerFilter {
  /** Part of the name or the external identifier, or the id. */
  search: string | null
  /** False: a search leaves display names alone, since what it finds would tell them. */
  searchesNames: boolean
  externalIdentifier: string | null
}

/** Newest first. A search reads the account's buyers in that order until the page is full: no index holds parts of words. */
export function listBuyers(world: World, account: string, { search, searchesNames, externalIdentifier }: BuyerFilter, page: PageRequest) {
  const pattern = search && `%${search.replace(/[\\%_]/g, '\\$&')}%`
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

/** Throws 409 `duplicate_record` when another buyer of the account has the external identifier. */
export function insertBuyer(world: World, account: string, input: BuyerCreate): Promise<Buyer> {
  const { display_name = null, external_identifier = null, billing_details = null, account_number = null } = input
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

/** Undefined: there is none. Throws 409 as `insertBuyer`. The row is locked while it is merged, so that two requests cannot each undo the other's members. */
export function updateBuyer(world: World, account: string, id: string, update: BuyerUpdate): Promise<Buyer | undefined> {
  const { billing_details, ...members } = update
  return withUniqueIdentifier(world, account, members.external_identifier, () =>
    world.db.transaction().execute(async (transaction) => {
      const current = await transaction
        .selectFrom('buyers')
        .selectAll()
        .where('merchant_account_id', '=', account)
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      if (!current) return undefined
      const columns = { ...members, ...(billing_details !== undefined && { billing_details: mergeBillingDetails(current, billing_details) }) }
      const row = await writeChanges(transaction, 'buyers', current, columns, timeOf(world.clock))
      return row ? recordBuyerChange(transaction, world, 'updated', row) : showBuyer(current)
    }),
  )
}

/** The first level's members that are given are replaced, an address or a tax id as a whole (SEMANTICS §8). */
const mergeBillingDetails = ({ billing_details: known }: BuyerRow, given: BillingDetails | null) => given && JSON.stringify({ ...known, ...given })

/** Shipping details go with the buyer; stored payment methods stay and belong to nobody; transactions keep what they have seen. False: there is none. */
export function deleteBuyer(world: World, account: string, id: string): Promise<boolean> {
  return world.db.transaction().execute(async (transaction) => {
    const row = await transaction
      .deleteFrom('buyers')
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
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
  await recordEvent(transaction, world, { account: row.merchant_account_id, name: `buyer.${action}`, target: buyer })
  const { merchant_account_id: account, id } = row
  // the audit log is never erased, so it calls buyers by their ids: what merchants call them may be an e-mail address
  await recordChange(transaction, world, { account, action, resource: { type: 'buyer', id, name: null } })
  return buyer
}

/** The unique index decides who has an external identifier, so two racing requests cannot both win; the loser is told who did. */
async function withUniqueIdentifier<T>(world: World, account: string, identifier: string | null | undefined, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!isIdentifierTaken(error)) throw error
    const holder = await findBuyerRow(world, account, { externalIdentifier: identifier ?? null })
    if (holder) throw duplicateRecord(holder.id, 'A buyer with this external_identifier exists')
    // deleted in between, or renamed: the identifier is free again
    return withUniqueIdentifier(world, account, identifier, change)
  }
}

const isIdentifierTaken = (error: unknown) => error instanceof Error && 'constraint' in error && error.constraint === 'buyers_external_identifier'

/** As the API shows it: every member is there, null where nothing is known (SEMANTICS §8). */
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

export const showAddress = (stored: Address | null | undefined): Address | null => (stored ? { ...emptyAddress, ...stored } : null)
