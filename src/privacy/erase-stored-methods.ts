import type { Kysely } from 'kysely'
import { recordEvent } from '../database/logs/outbox.ts'
import type { Tables } from '../database/tables.ts'
import { GiftCard } from '../gift-cards/gift-card.schema.ts'
import { showGiftCards } from '../gift-cards/gift-card.store.ts'
import { readGiftCardServices } from '../gift-cards/services/gift-card-service.store.ts'
import { deleteDependents } from '../vault/payment-methods/delete-dependents.ts'
import { showPaymentMethod } from '../vault/payment-methods/payment-method.representation.ts'
import { PaymentMethod } from '../vault/payment-methods/payment-method.schema.ts'
import type { World } from '../world.ts'
import { makeEraser } from './erased-rows.ts'

const eraseStoredMethod = makeEraser(PaymentMethod)
const eraseGiftCard = makeEraser(GiftCard)

/** Deletes what a buyer has stored to pay with, one commit each, with what schemes and payment services keep of it. Answers the ids. */
export async function eraseMethodsOfBuyer(world: World, account: string, buyer: string): Promise<string[]> {
  const erased: string[] = []
  for (;;) {
    const id = await world.db.transaction().execute((db) => eraseOneMethod(db, world, account, buyer))
    if (id === undefined) return erased
    erased.push(id)
  }
}

/** Undefined: the buyer has none. A provisional one belongs to a payment that is under way, which confirms it, or takes it away. */
async function eraseOneMethod(db: Kysely<Tables>, world: World, account: string, buyer: string): Promise<string | undefined> {
  const one = await db
    .selectFrom('payment_methods')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where('buyer_id', '=', buyer)
    .where('provisional', '=', false)
    .limit(1)
    .executeTakeFirst()
  if (!one) return undefined
  const row = await db
    .deleteFrom('payment_methods')
    .where('merchant_account_id', '=', account)
    .where('id', '=', one.id)
    .returningAll()
    .executeTakeFirst()
  if (!row) return one.id
  await deleteDependents(db, world, account, row.id)
  await recordEvent(db, world, { account, name: 'payment-method.deleted', target: eraseStoredMethod(showPaymentMethod(row, undefined)) })
  return row.id
}

/** Deletes the gift cards that a buyer has stored, with their numbers and PINs. The money on them stays at the gift card service. */
export async function eraseGiftCardsOfBuyer(db: Kysely<Tables>, world: World, account: string, buyer: string): Promise<void> {
  const rows = await db.deleteFrom('gift_cards').where('merchant_account_id', '=', account).where('buyer_id', '=', buyer).returningAll().execute()
  for (const target of await showGiftCards({ ...world, db }, account, rows, readGiftCardServices))
    await recordEvent(db, world, { account, name: 'gift-card.deleted', target: eraseGiftCard({ ...target, buyer: null }) })
}
