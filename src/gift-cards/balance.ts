import { invalid } from '../api/errors.ts'
import type { BuyerRow } from '../buyers/buyer.store.ts'
import type { GiftCardBalance, GiftCardForCall } from '../connectors/gift-card-connector.ts'
import { giftCardFingerprint, openGiftCard } from '../vault/secrets/gift-card-secret.ts'
import type { World } from '../world.ts'
import { type GiftCardRow, summaryOfNumber, summaryOfStored } from './gift-card.representation.ts'
import type { GiftCardBalanceRequest, GiftCardSort, GiftCardSummary } from './gift-card.schema.ts'
import { archiveGiftCards, giftCardsByIds, listCardsOfBuyer } from './gift-card.store.ts'
import { type ComparedCard, repeatedCards } from './same-gift-card.ts'
import { giftCardServiceById, primaryGiftCardService } from './services/service-call.ts'

/** Each is a question to the gift card service. */
const MAX_CONCURRENT = 100

type Item = GiftCardBalanceRequest['items'][number]

/** A card of the request: what tells two of them apart, and how its service is asked. */
interface BalanceQuery extends ComparedCard {
  readBalance(): Promise<GiftCardSummary>
}

/**
 * What the gift card service says of each card, in the order of the request (SEMANTICS §10). Throws 400 for cards that are named twice and for
 * stored ones that nobody, or another buyer than `only`, has.
 */
export async function readBalances(
  world: World,
  account: string,
  items: readonly Item[],
  only: BuyerRow | undefined | 'any',
): Promise<GiftCardSummary[]> {
  if (items.length > MAX_CONCURRENT) throw invalid({ '/items': `must have no more than ${MAX_CONCURRENT} cards` })
  const { connector, call } = await primaryGiftCardService(world, account)
  const ids = items.flatMap((item) => ('id' in item ? item.id.toLowerCase() : []))
  const theirs = (await giftCardsByIds(world, account, ids)).filter(({ buyer_id }) => only === 'any' || buyer_id === only?.id)
  const rows = new Map(theirs.map((row) => [row.id, row]))
  const missing = items.flatMap((item, index) =>
    'id' in item && !rows.has(item.id.toLowerCase()) ? [[`/items/${index}/id`, 'is not a gift card of this account']] : [],
  )
  if (missing.length > 0) throw invalid(Object.fromEntries(missing))
  for (const item of items) if (!('id' in item)) world.cardTesting.noteGiftCard(account, item)
  const asked = await Promise.all(
    items.map(async (item): Promise<BalanceQuery[]> => {
      if (!('id' in item)) {
        const ask = async () => summaryOfNumber(account, item.number, await connector.balance(call, item))
        return [{ fingerprint: giftCardFingerprint(world, item.number), pin: item.pin, isStored: false, readBalance: ask }]
      }
      const row = rows.get(item.id.toLowerCase())
      if (!row) return []
      const card = await openGiftCard(world, row)
      return [
        {
          fingerprint: row.fingerprint,
          pin: card.pin,
          isStored: true,
          readBalance: async () => summaryOfStored(row, await readStoredCardBalance(world, row, card)),
        },
      ]
    }),
  )
  const cards = asked.flat()
  const again = repeatedCards(cards).map((index) => [`/items/${index}`, 'is the same card as one before it'])
  if (again.length > 0) throw invalid(Object.fromEntries(again))
  return Promise.all(cards.map(({ readBalance }) => readBalance()))
}

/** What the service that a stored card came through says of it now. */
export async function readStoredCardBalance(world: World, row: GiftCardRow, opened?: GiftCardForCall): Promise<GiftCardBalance> {
  const service = await giftCardServiceById(world, row.merchant_account_id, row.gift_card_service_id)
  if (!service) return { status: 'lost', reason: 'there is no connection to this gift card service' }
  return service.connector.balance(service.call, opened ?? (await openGiftCard(world, row)))
}

/** A buyer's cards with their balances. Those that are found expired or empty are archived and left out; where a service cannot be asked, its cards are shown without a balance. */
export async function usableCardsOfBuyer(
  world: World,
  { merchant_account_id: account, id }: BuyerRow,
  { sortBy, order }: { sortBy: GiftCardSort | null; order: 'asc' | 'desc' },
): Promise<GiftCardSummary[]> {
  const rows = await listCardsOfBuyer(world, account, id, sortBy, order)
  const cards = await Promise.all(rows.map(async (row) => ({ row, balance: await readStoredCardBalance(world, row) })))
  const now = world.clock.now()
  const isSpent = ({ row, balance }: (typeof cards)[number]) => isExpired(row.expiration_date, now) || isUsedUp(balance, now)
  await archiveGiftCards(
    world,
    account,
    cards.filter(isSpent).map(({ row }) => row.id),
  )
  return cards.filter((card) => !isSpent(card)).map(({ row, balance }) => summaryOfStored(row, balance))
}

/** `at` is ISO 8601; null: never. */
export const isExpired = (at: string | null, now: number): boolean => at !== null && Date.parse(at) <= now

function isUsedUp(balance: GiftCardBalance, now: number): boolean {
  if (balance.status === 'lost') return false
  return balance.status === 'refused' ? balance.code === 'expired_card' : balance.balance === 0 || isExpired(balance.expirationDate, now)
}
