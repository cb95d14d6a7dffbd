import type { Kysely } from 'kysely'
import { badRequest, duplicateRecord, invalid } from '../api/errors.ts'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import { type BuyerKey, type BuyerRow, buyersOf, lockBuyer } from '../buyers/buyer.store.ts'
import type { GiftCardForCall } from '../connectors/contract/gift-card-connector.ts'
import { type AuditAction, type AuditedChange, recordChange } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import { deleteRow } from '../database/rows/delete-row.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import type { Tables } from '../database/tables.ts'
import {
  giftCardDigits,
  giftCardFingerprint,
  openGiftCard,
  sealGiftCard,
} from '../vault/secrets/gift-card-secret.ts'
import type { World } from '../world.ts'
import { type GiftCardRow, showGiftCard } from './gift-card.representation.ts'
import type { GiftCard, GiftCardSort } from './gift-card.schema.ts'
import {
  type GiftCardServiceRow,
  giftCardServices,
  readGiftCardServices,
} from './services/gift-card-service.store.ts'

/** How many cards a buyer can have; archived ones do not count (semantics §10). */
export const MAX_CARDS_OF_BUYER = 10

/** A card that its gift card service has accepted. */
export interface VerifiedGiftCard {
  id: string
  card: GiftCardForCall
  service: GiftCardServiceRow
  buyer: BuyerRow | undefined
  /** ISO 8601; null: never. */
  expirationDate: string | null
}

/** The row of a new card. It is made before the database transaction, which must not wait for the sealing. */
export async function newGiftCardRow(
  world: World,
  account: string,
  { id, card, service, buyer, expirationDate }: VerifiedGiftCard,
) {
  const now = timeOf(world.clock)
  return {
    merchant_account_id: account,
    id,
    gift_card_service_id: service.id,
    buyer_id: buyer?.id ?? null,
    ...giftCardDigits(card.number),
    fingerprint: giftCardFingerprint(world, card.number),
    ...(await sealGiftCard(world, account, id, card)),
    expiration_date: expirationDate,
    archived_at: null,
    last_used_at: null,
    cit_last_used_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** Throws 409 if the buyer has the card already, 400 if the buyer has as many as allowed. */
export async function storeGiftCard(
  world: World,
  account: string,
  card: VerifiedGiftCard,
): Promise<GiftCard> {
  const row = await newGiftCardRow(world, account, card)
  return world.db.transaction().execute(async (db) => {
    const stored = await insertGiftCard(db, world, row, card)
    if (!stored) throw alreadyStored((await cardOfBuyer(db, account, row))?.id ?? row.id)
    if (card.buyer && (await countCards(db, account, card.buyer.id)) > MAX_CARDS_OF_BUYER)
      throw tooManyGiftCards()
    return stored
  })
}

type NewGiftCardRow = Awaited<ReturnType<typeof newGiftCardRow>>

/**
 * Undefined: the buyer has the card already. The buyer's row stays locked until the database transaction
 * ends, so that no two requests count the buyer's cards at once.
 */
export async function insertGiftCard(
  db: Kysely<Tables>,
  world: World,
  row: NewGiftCardRow,
  { service, buyer }: VerifiedGiftCard,
): Promise<GiftCard | undefined> {
  const account = row.merchant_account_id
  if (buyer && !(await lockBuyer(db, account, buyer.id, 'no key update')))
    throw invalid({ '/buyer_id': 'is not a buyer of this account' })
  const inserted = await db
    .insertInto('gift_cards')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!inserted) return undefined
  const shown = showGiftCard(inserted, service, buyer)
  await recordEvent(db, world, { account, name: 'gift-card.created', target: shown })
  await recordChange(db, world, giftCardChange('created', inserted))
  return shown
}

/** The entry of the audit log for a gift card, stored or not. */
export const giftCardChange = (
  action: AuditAction,
  { merchant_account_id, id }: { merchant_account_id: string; id: string },
): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'gift-card', id, name: null },
})

async function countCards(db: Kysely<Tables>, account: string, buyer: string): Promise<number> {
  const { count } = await unarchivedCardsOf(db, account, buyer)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const unarchivedCardsOf = (db: Kysely<Tables>, account: string, buyer: string) =>
  db
    .selectFrom('gift_cards')
    .where('merchant_account_id', '=', account)
    .where('buyer_id', '=', buyer)
    .where('archived_at', 'is', null)

export const alreadyStored = (id: string) => duplicateRecord(id, 'The buyer has this gift card already')

export const tooManyGiftCards = () =>
  badRequest('Request failed validation', [
    {
      location: 'body',
      pointer: '/buyer_id',
      message: `has ${MAX_CARDS_OF_BUYER} gift cards already`,
      type: 'max_gift_cards_reached',
    },
  ])

/** The card with that number that a buyer has. Undefined: the buyer has none, or there is no buyer. */
export async function cardOfBuyer(
  db: Kysely<Tables>,
  account: string,
  { buyer_id, fingerprint }: Pick<GiftCardRow, 'buyer_id' | 'fingerprint'>,
): Promise<GiftCardRow | undefined> {
  return buyer_id === null
    ? undefined
    : unarchivedCardsOf(db, account, buyer_id)
        .selectAll()
        .where('fingerprint', '=', fingerprint)
        .executeTakeFirst()
}

/**
 * Checks, before the gift card service is asked, whether the card can be stored; `storeGiftCard` decides. The
 * answer that a card is stored already needs its PIN: without that rule a browser could try numbers until one
 * of them is its buyer's.
 */
export async function checkCanStoreCard(
  world: World,
  account: string,
  { number, pin }: GiftCardForCall,
  buyer: BuyerRow | undefined,
): Promise<void> {
  if (!buyer) return
  const stored = await cardOfBuyer(world.db, account, {
    buyer_id: buyer.id,
    fingerprint: giftCardFingerprint(world, number),
  })
  if (stored && (await openGiftCard(world, stored)).pin === pin) throw alreadyStored(stored.id)
  if ((await countCards(world.db, account, buyer.id)) >= MAX_CARDS_OF_BUYER) throw tooManyGiftCards()
}

const selectGiftCard = ({ db }: Pick<World, 'db'>, account: string, id: string) =>
  db.selectFrom('gift_cards').selectAll().where('merchant_account_id', '=', account).where('id', '=', id)

export const giftCardById = (
  world: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<GiftCardRow | undefined> => selectGiftCard(world, account, id).executeTakeFirst()

/** In no order. */
export const giftCardsByIds = async (
  world: World,
  account: string,
  ids: readonly string[],
): Promise<GiftCardRow[]> =>
  ids.length === 0
    ? []
    : world.db
        .selectFrom('gift_cards')
        .selectAll()
        .where('merchant_account_id', '=', account)
        .where('id', 'in', ids)
        .execute()

/** A page of the cards, the newest first. If both selectors are given, both apply. */
export function listGiftCards(
  world: World,
  account: string,
  { id, externalIdentifier }: BuyerKey,
  page: PageRequest,
) {
  return world.db
    .selectFrom('gift_cards')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$if(typeof id === 'string', (query) => query.where('buyer_id', '=', id ?? null))
    .$if(typeof externalIdentifier === 'string', (query) =>
      query.where('buyer_id', 'in', (from) =>
        from
          .selectFrom('buyers')
          .select('id')
          .where('merchant_account_id', '=', account)
          .where('external_identifier', '=', externalIdentifier ?? null),
      ),
    )
    .$call(newestFirst(page))
    .execute()
}

/**
 * A buyer's cards that are not archived; without `sortBy` by creation. Cards that were never used come last.
 */
export const listCardsOfBuyer = (
  world: World,
  account: string,
  buyer: string,
  sortBy: GiftCardSort | null,
  order: 'asc' | 'desc',
) =>
  unarchivedCardsOf(world.db, account, buyer)
    .selectAll()
    .orderBy(sortBy ?? 'created_at', (by) => (order === 'asc' ? by.asc() : by.desc()).nullsLast())
    .orderBy('id', order)
    .execute()

/**
 * Expired and empty cards are no longer shown to their buyer and no longer count. There is no event for it.
 */
export async function archiveGiftCards(world: World, account: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await world.db
    .updateTable('gift_cards')
    .set({ archived_at: timeOf(world.clock) })
    .where('merchant_account_id', '=', account)
    .where('id', 'in', ids)
    .where('archived_at', 'is', null)
    .execute()
}

/**
 * The number and the PIN are deleted with it; transactions keep what they show of the card. False: the
 * account has no such card.
 */
export function deleteGiftCard(world: World, account: string, id: string): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    const row = await deleteRow(db, 'gift_cards', account, id)
    if (!row) return false
    const [target] = await showGiftCards({ ...world, db }, account, [row], readGiftCardServices)
    if (target) await recordEvent(db, world, { account, name: 'gift-card.deleted', target })
    await recordChange(db, world, giftCardChange('deleted', row))
    return true
  })
}

/** As the API shows them, with their services and buyers. */
export async function showGiftCards(
  world: World,
  account: string,
  rows: readonly GiftCardRow[],
  read = giftCardServices,
): Promise<GiftCard[]> {
  const services = new Map((await read(world, account)).map((service) => [service.id, service]))
  const buyers = await buyersOf(world, account, rows)
  return rows.flatMap((row) => {
    const service = services.get(row.gift_card_service_id)
    return service ? [showGiftCard(row, service, buyers.get(row.buyer_id ?? ''))] : []
  })
}
