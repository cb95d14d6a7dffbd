import type { Kysely, Selectable } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { recordChange } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import { namedStatement } from '../database/named-statement.ts'
import { writeChanges } from '../database/rows/write-changes.ts'
import type { ShippingDetailsTable } from '../database/tables/vault.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import type { ShippingDetails, ShippingDetailsCreate, ShippingDetailsUpdate } from './buyer.schema.ts'
import { findBuyerRow, lockBuyer, showAddress } from './buyer.store.ts'

type ShippingDetailsRow = Selectable<ShippingDetailsTable>

const byId = namedStatement(
  ['account', 'buyer', 'id'],
  (p) => `
select *
  from shipping_details
 where merchant_account_id = ${p.account}
   and buyer_id = ${p.buyer}
   and id = ${p.id}`,
)

/**
 * Undefined: this buyer has none with this id (semantics §8). All three ids have the form of their column.
 */
export async function findShippingDetails(
  world: World,
  account: string,
  buyerId: string,
  id: string,
): Promise<ShippingDetails | undefined> {
  const [row] = await byId.run<ShippingDetailsRow>(world, { account, buyer: buyerId, id })
  return row && showShippingDetails(row)
}

/** The newest first. Undefined: the account has no such buyer. */
export async function listShippingDetails(
  world: World,
  account: string,
  buyerId: string,
): Promise<ShippingDetails[] | undefined> {
  if (!(await findBuyerRow(world, account, { id: buyerId }))) return undefined
  const rows = await world.db
    .selectFrom('shipping_details')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('buyer_id', '=', buyerId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(showShippingDetails)
}

/** Undefined: the account has no such buyer. */
export function insertShippingDetails(
  world: World,
  account: string,
  buyerId: string,
  {
    first_name = null,
    last_name = null,
    email_address = null,
    phone_number = null,
    address = null,
  }: ShippingDetailsCreate,
): Promise<ShippingDetails | undefined> {
  const now = timeOf(world.clock)
  return world.db.transaction().execute(async (transaction) => {
    if (!(await lockBuyer(transaction, account, buyerId, 'key share'))) return undefined
    const row = await transaction
      .insertInto('shipping_details')
      .values({
        merchant_account_id: account,
        id: world.ids.next(),
        buyer_id: buyerId,
        first_name,
        last_name,
        email_address,
        phone_number,
        address: address && JSON.stringify(address),
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return recordShippingDetailsChange(transaction, world, 'shipping-details.created', row)
  })
}

/** Undefined: the buyer has none with this id. */
export function updateShippingDetails(
  world: World,
  account: string,
  buyerId: string,
  id: string,
  { address, ...members }: ShippingDetailsUpdate,
): Promise<ShippingDetails | undefined> {
  return world.db.transaction().execute(async (transaction) => {
    const current = await transaction
      .selectFrom('shipping_details')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('buyer_id', '=', buyerId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (!current) return undefined
    const columns = {
      ...members,
      ...(address !== undefined && { address: address && JSON.stringify(address) }),
    }
    const row = await writeChanges(transaction, 'shipping_details', current, columns, timeOf(world.clock))
    return row
      ? recordShippingDetailsChange(transaction, world, 'shipping-details.updated', row)
      : showShippingDetails(current)
  })
}

/** False: the buyer has none with this id. */
export function deleteShippingDetails(
  world: World,
  account: string,
  buyerId: string,
  id: string,
): Promise<boolean> {
  return world.db.transaction().execute(async (transaction) => {
    const row = await transaction
      .deleteFrom('shipping_details')
      .where('merchant_account_id', '=', account)
      .where('buyer_id', '=', buyerId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    if (row) await recordShippingDetailsChange(transaction, world, 'shipping-details.deleted', row)
    return row !== undefined
  })
}

async function recordShippingDetailsChange(
  transaction: Kysely<Tables>,
  world: World,
  name: string,
  row: ShippingDetailsRow,
): Promise<ShippingDetails> {
  const details = showShippingDetails(row)
  const { merchant_account_id: account, buyer_id } = row
  await recordEvent(transaction, world, { account, name, target: { ...details, id: row.id } })
  await recordChange(transaction, world, {
    account,
    action: 'updated',
    resource: { type: 'buyer', id: buyer_id, name: null },
  })
  return details
}

const showShippingDetails = (row: ShippingDetailsRow): ShippingDetails => ({
  type: 'shipping-details',
  id: row.id,
  buyer_id: row.buyer_id,
  first_name: row.first_name,
  last_name: row.last_name,
  email_address: row.email_address,
  phone_number: row.phone_number,
  address: showAddress(row.address),
})
