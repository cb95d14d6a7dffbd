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
 * Erases the buyer's data of a link that cannot be paid any more, and of its events. False: it can still be
 * paid, or a payment is under way; it must wait.
 */
export async function eraseLink(
  world: Pick<World, 'cipher' | 'clock'>,
  db: Kysely<Tables>,
  account: string,
  id: string,
): Promise<boolean> {
  const row = (await lockRow(db, 'payment_links', account, id)) as LinkRow | undefined
  if (!row || row.status === 'active' || row.status === 'processing') return !row
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
      secrets: sealLink(world, id, { token, connectionOptions: null }),
      updated_at: timeOf(world.clock),
    })
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .execute()
  await eraseEventsOfResource(db, account, id, row.buyer_id)
  return true
}

/**
 * Erases the links of a buyer, and of guests with the same `external_identifier`. Links that can still be
 * paid expire first.
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
      return world.db.transaction().execute((db) => eraseLink(world, db, account, id))
    },
  )
