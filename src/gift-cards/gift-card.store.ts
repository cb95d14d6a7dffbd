import type { Kysely, Selectable } from 'kysely'
import { badRequest, duplicateRecord, invalid } from '../api/errors.ts'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import type { BuyerKey, BuyerRow } from '../buyers/buyer.store.ts'
import type { GiftCardForCall } from '../connectors/gift-card-connector.ts'
import { type AuditAction, type AuditedChange, recordChange } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import { newestFirst } from '../database/newest-first.ts'
import type { BuyerTable } from '../database/tables/vault.ts'
import type { Tables } from '../database/tables.ts'
import { giftCardDigits, giftCardFingerprint, openGiftCard, sealGiftCard } from '../vault/secrets/gift-card-secret.ts'
import type { World } from '../world.ts'
import { type GiftCardRow, showGiftCard } from './gift-card.representation.ts'
import type { GiftCard, GiftCardSort } from './gift-card.schema.ts'
import { type GiftCardServiceRow, giftCardServices, readGiftCardServices } from './services/gift-card-service.store.ts'

/** How many cards a buyer can have; archived ones do not count (SEMANTICS §10). */
export const MAX_CARDS_OF_BUYER = 10

/** A card that its service knows. */
export interface VerifiedGiftCard {
  id: string
  card: GiftCardForCall
  service: GiftCardServiceRow
  buyer: BuyerRow | undefined
  /** ISO 8601; null: never. */
  expirationDate: string | null
}

/** What is to be written of a card: sealing takes a while, and no database transaction waits for it. */
export async function newGiftCardRow(world: World, account: string, { id, card, service, buyer, expirationDate }: VerifiedGiftCard) {
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

/** Throws 409 where the buyer has the card already, 400 where they have as many as they can have. */
export async function storeGiftCard(world: World, account: string, known: VerifiedGiftCard): Promise<GiftCard> {
  const row = await newGiftCardRow(world, account, known)
  return world.db.transaction().execute(async (db) => {
    const stored = await insertGiftCard(db, world, row, known)
    if (!stored) throw alreadyStored((await cardOfBuyer(db, account, row))?.id ?? row.id)
    if (known.buyer && (await countCards(db, account, known.buyer.id)) > MAX_CARDS_OF_BUYER) throw tooManyGiftCards()
    return stored
  })
}

type NewGiftCardRow = Awaited<ReturnType<typeof newGiftCardRow>>

/** Undefined: it is there already. The buyer's row is held until the database transaction ends, so that no two requests count their cards at once. */
export async function insertGiftCard(
  db: Kysely<Tables>,
  world: World,
  row: NewGiftCardRow,
  { service, buyer }: VerifiedGiftCard,
): Promise<GiftCard | undefined> {
  const account = row.merchant_account_id
  if (buyer && !(await lockBuyerExclusively(db, account, buyer.id))) throw invalid({ '/buyer_id': 'is not a buyer of this account' })
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

/** What the audit log says of a gift card, stored or not. */
export const giftCardChange = (action: AuditAction, { merchant_account_id, id }: { merchant_account_id: string; id: string }): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'gift-card', id, name: null },
})

const lockBuyerExclusively = (db: Kysely<Tables>, account: string, buyer: string) =>
  db.selectFrom('buyers').select('id').where('merchant_account_id', '=', account).where('id', '=', buyer).forNoKeyUpdate().executeTakeFirst()

async function countCards(db: Kysely<Tables>, account: string, buyer: string): Promise<number> {
  const { count } = await unarchivedCardsOf(db, account, buyer)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Those that are not archived. */
const unarchivedCardsOf = (db: Kysely<Tables>, account: string, buyer: string) =>
  db.selectFrom('gift_cards').where('merchant_account_id', '=', account).where('buyer_id', '=', buyer).where('archived_at', 'is', null)

export const alreadyStored = (id: string) => duplicateRecord(id, 'The buyer has this gift card already')

export const tooManyGiftCards = () =>
  badRequest('Request failed validation', [
    { location: 'body', pointer: '/buyer_id', message: `has ${MAX_CARDS_OF_BUYER} gift cards already`, type: 'max_gift_cards_reached' },
  ])

/** The card with that number that a buyer has; undefined: none, or there is no buyer. */
export async function cardOfBuyer(
  db: Kysely<Tables>,
  account: string,
  { buyer_id, fingerprint }: Pick<GiftCardRow, 'buyer_id' | 'fingerprint'>,
): Promise<GiftCardRow | undefined> {
  return buyer_id === null
    ? undefined
    : unarchivedCardsOf(db, account, buyer_id).selectAll().where('fingerprint', '=', fingerprint).executeTakeFirst()
}

/**
 * What can be said before the gift card service is asked; `storeGiftCard` decides. That a card is stored already is told only with its PIN: without it, a browser could try numbers
 * until one of them is its buyer's.
 */
export async function checkCanStoreCard(world: World, account: string, { number, pin }: GiftCardForCall, buyer: BuyerRow | undefined): Promise<void> {
  if (!buyer) return
  const known = await cardOfBuyer(world.db, account, { buyer_id: buyer.id, fingerprint: giftCardFingerprint(world, number) })
  if (known && (await openGiftCard(world, known)).pin === pin) throw alreadyStored(known.id)
  if ((await countCards(world.db, account, buyer.id)) >= MAX_CARDS_OF_BUYER) throw tooManyGiftCards()
}

const selectGiftCard = ({ db }: Pick<World, 'db'>, account: string, id: string) =>
  db.selectFrom('gift_cards').selectAll().where('merchant_account_id', '=', account).where('id', '=', id)

export const giftCardById = (world: Pick<World, 'db'>, account: string, id: string): Promise<GiftCardRow | undefined> =>
  selectGiftCard(world, account, id).executeTakeFirst()

/** In no order. */
export const giftCardsByIds = async (world: World, account: string, ids: readonly string[]): Promise<GiftCardRow[]> =>
  ids.length === 0 ? [] : world.db.selectFrom('gift_cards').selectAll().where('merchant_account_id', '=', account).where('id', 'in', ids).execute()

/** Newest first. Both selectors apply where both are given. */
export function listGiftCards(world: World, account: string, { id, externalIdentifier }: BuyerKey, page: PageRequest) {
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

/** What a buyer can pay with; by creation where nothing is said, cards that were never used last. */
export const listCardsOfBuyer = (world: World, account: string, buyer: string, sortBy: GiftCardSort | null, order: 'asc' | 'desc') =>
  unarchivedCardsOf(world.db, account, buyer)
    .selectAll()
    .orderBy(sortBy ?? 'created_at', (by) => (order === 'asc' ? by.asc() : by.desc()).nullsLast())
    .orderBy('id', order)
    .execute()

/** Expired and empty cards are offered to no buyer any more, and leave room for others. Nobody is told. */
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

/** Number and PIN go with it; transactions keep what they have seen. False: there is none. */
export function deleteGiftCard(world: World, account: string, id: string): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    const row = await db.deleteFrom('gift_cards').where('merchant_account_id', '=', account).where('id', '=', id).returningAll().executeTakeFirst()
    if (!row) return false
    const [target] = await showGiftCards({ ...world, db }, account, [row], readGiftCardServices)
    if (target) await recordEvent(db, world, { account, name: 'gift-card.deleted', target })
    await recordChange(db, world, giftCardChange('deleted', row))
    return true
  })
}

/** Rows with their services and buyers. */
export async function showGiftCards(world: World, account: string, rows: readonly GiftCardRow[], read = giftCardServices): Promise<GiftCard[]> {
  const services = new Map((await read(world, account)).map((service) => [service.id, service]))
  const buyers = new Map((await buyersOf(world, account, rows)).map((buyer) => [buyer.id, buyer]))
  return rows.flatMap((row) => {
    const service = services.get(row.gift_card_service_id)
    return service ? [showGiftCard(row, service, buyers.get(row.buyer_id ?? ''))] : []
  })
}

async function buyersOf(world: World, account: string, rows: readonly GiftCardRow[]): Promise<Selectable<BuyerTable>[]> {
  const ids = [...new Set(rows.flatMap(({ buyer_id }) => buyer_id ?? []))]
  return ids.length === 0 ? [] : world.db.selectFrom('buyers').selectAll().where('merchant_account_id', '=', account).where('id', 'in', ids).execute()
}
