import type { Kysely } from 'kysely'
import { recordEvent } from '../database/logs/outbox.ts'
import { deleteRow } from '../database/rows/delete-row.ts'
import type { Tables } from '../database/tables.ts'

import { showGiftCards } from '../gift-cards/gift-card.store.ts'
import { readGiftCardServices } from '../gift-cards/services/gift-card-service.store.ts'
import { deleteDependents } from '../vault/payment-methods/delete-dependents.ts'
import { showPaymentMethod } from '../vault/payment-methods/payment-method.representation.ts'
import { PaymentMethod } from '../vault/payment-methods/payment-method.schema.ts'
import type { World } from '../world.ts'
import { eraseGiftCard, makeEraser } from './erased-rows.ts'

const eraseStoredMethod = makeEraser(PaymentMethod)

/**
 * Deletes the stored payment methods of a buyer with their tokens, each in its own commit. Answers their ids.
 */
export async function eraseMethodsOfBuyer(world: World, account: string, buyer: string): Promise<string[]> {
  const erased: string[] = []
  for (;;) {
    const id = await world.db.transaction().execute((db) => eraseOneMethod(db, world, account, buyer))
    if (id === undefined) return erased
    erased.push(id)
  }
}

/**
 * Deletes one payment method of the buyer. Undefined: there is none. A provisional one is left, since it
 * belongs to a payment that is under way and confirms or deletes it.
 */
async function eraseOneMethod(
  db: Kysely<Tables>,
  world: World,
  account: string,
  buyer: string,
): Promise<string | undefined> {
  const method = await db
    .selectFrom('payment_methods')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where('buyer_id', '=', buyer)
    .where('provisional', '=', false)
    .limit(1)
    .executeTakeFirst()
  if (!method) return undefined
  const row = await deleteRow(db, 'payment_methods', account, method.id)
  if (!row) return method.id
  await deleteDependents(db, world, account, row.id)
  await recordEvent(db, world, {
    account,
    name: 'payment-method.deleted',
    target: eraseStoredMethod(showPaymentMethod(row, undefined)),
  })
  return row.id
}

/**
 * Deletes the stored gift cards of a buyer, with their numbers and PINs. The money on them stays at the gift
 * card service.
 */
export async function eraseGiftCardsOfBuyer(
  db: Kysely<Tables>,
  world: World,
  account: string,
  buyer: string,
): Promise<void> {
  const rows = await db
    .deleteFrom('gift_cards')
    .where('merchant_account_id', '=', account)
    .where('buyer_id', '=', buyer)
    .returningAll()
    .execute()
  for (const target of await showGiftCards({ ...world, db }, account, rows, readGiftCardServices))
    await recordEvent(db, world, {
      account,
      name: 'gift-card.deleted',
      target: eraseGiftCard({ ...target, buyer: null }),
    })
}
