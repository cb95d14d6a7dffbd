import { type Kysely, type Selectable, sql } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { lockRow } from '../database/rows/lock-row.ts'
import type { PaymentLinkTable } from '../database/tables/payment-links.ts'
import type { Tables } from '../database/tables.ts'
import { expirePaymentLink } from '../payment-links/expire-links.ts'
import { PaymentLinkCreate } from '../payment-links/payment-link.schema.ts'
import { openLink, type PaymentLinkDetails, sealLink } from '../payment-links/payment-link.ts'
import type { BuyerSnapshot } from '../transactions/transaction.row.ts'
import type { World } from '../world.ts'
import { type ErasureProgress, eraseEach, idsOfBuyer } from './erase-each.ts'
import { eraseEventsOfResource } from './erase-events.ts'
import { erasedBuyer, makeEraser, withoutNulls } from './erased-rows.ts'

type LinkRow = Omit<Selectable<PaymentLinkTable>, 'buyer' | 'details'> & {
  buyer: BuyerSnapshot | null
  details: PaymentLinkDetails
}

const eraseLinkDetails = makeEraser(PaymentLinkCreate)

/**
 * Erases the link of a payment, and its events. Answers the ids of these events, also if they were erased before: their
 * deliveries are still to be erased (`eraseDeliveries`). Undefined: the link must wait.
 */
export async function eraseLinkOfPayment(
  world: Pick<World, 'cipher' | 'clock'>,
  db: Kysely<Tables>,
  account: string,
  id: string,
): Promise<string[] | undefined> {
  const row = await lockLink(db, account, id)
  if (!row) return []
  if (!(await eraseLink(world, db, row))) return undefined
  return eraseEventsOfResource(db, account, id, row.buyer_id)
}

const lockLink = (db: Kysely<Tables>, account: string, id: string) =>
  lockRow(db, 'payment_links', account, id) as Promise<LinkRow | undefined>

/**
 * Erases the buyer's data of a link that cannot be paid any more. False: it can still be paid, or a payment is
 * under way; it must wait.
 */
async function eraseLink(
  world: Pick<World, 'cipher' | 'clock'>,
  db: Kysely<Tables>,
  row: LinkRow,
): Promise<boolean> {
  if (row.status === 'active' || row.status === 'processing') return false
  const { token, connectionOptions } = openLink(world, row as Parameters<typeof openLink>[1])
  const { guest: _guest, ...pageDetails } = row.details
  const details = withoutNulls(eraseLinkDetails(pageDetails))
  const buyer = erasedBuyer(row.buyer)
  const before = JSON.stringify([row.buyer, row.metadata, row.details])
  if (connectionOptions === null && before === JSON.stringify([buyer, null, details])) return true
  await db
    .updateTable('payment_links')
    .set({
      buyer: buyer && JSON.stringify(buyer),
      metadata: null,
      details: JSON.stringify(details),
      secrets: sealLink(world, row.id, { token, connectionOptions: null }),
      updated_at: timeOf(world.clock),
    })
    .where('merchant_account_id', '=', row.merchant_account_id)
    .where('id', '=', row.id)
    .execute()
  return true
}

/**
 * Erases the links of a buyer, and of guests with the same `external_identifier`, but not their events. Links that can
 * still be paid expire first.
 */
export const eraseLinksOfBuyer = (
  world: World,
  account: string,
  buyer: string,
  name: string | null,
): Promise<ErasureProgress> =>
  eraseEach(
    (after, limit) =>
      idsOfBuyer(world.db, 'payment_links', sql.ref('buyer_id'), { account, buyer, name, after, limit }),
    async (id) => {
      await expirePaymentLink(world, account, id)
      return world.db.transaction().execute(async (db) => {
        const row = await lockLink(db, account, id)
        return !row || eraseLink(world, db, row)
      })
    },
  )
