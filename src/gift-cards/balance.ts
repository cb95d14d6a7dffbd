import { invalid } from '../api/errors.ts'
import type { BuyerRow } from '../buyers/buyer.store.ts'
import type { GiftCardBalance } from '../connectors/gift-card-connector.ts'
import { giftCardFingerprint, openGiftCard } from '../vault/gift-card-secret.ts'
import type { World } from '../world.ts'
import { type GiftCardRow, summaryOfNumber, summaryOfStored } from './gift-card.representation.ts'
import type { GiftCardBalanceRequest, GiftCardSort, GiftCardSummary } from './gift-card.schema.ts'
import { archiveGiftCards, giftCardsByIds, listCardsOfBuyer } from './gift-card.store.ts'
import { giftCardServiceById, primaryGiftCardService } from './service-call.ts'

/** Each is a question to the gift card service. */
const MOST_AT_ONCE = 100

type Item = GiftCardBalanceRequest['items'][number]

/** A card of the request: what tells two of them apart, and how its service is asked. */
interface Asked {
  fingerprint: string
  ask(): Promise<GiftCardSummary>
}

/**
 * What the gift card service says of each card, in the order of the request (SEMANTICS §10). Throws 400 for cards that are named twice and for
 * stored ones that nobody, or another buyer than `only`, has.
 */
export async function balancesOf(
  world: World,
  account: string,
  items: readonly Item[],
  only: BuyerRow | undefined | 'any',
): Promise<GiftCardSummary[]> {
  if (items.length > MOST_AT_ONCE) throw invalid({ '/items': `must have no more than ${MOST_AT_ONCE} cards` })
  const { connector, call } = await primaryGiftCardService(world, account)
  const ids = items.flatMap((item) => ('id' in item ? item.id.toLowerCase() : []))
  const rows = new Map((await giftCardsByIds(world, account, ids)).map((row) => [row.id, row]))
  const problems: Record<string, string> = {}
  const asked = items.flatMap((item, index): Asked[] => {
    if (!('id' in item)) {
      const ask = async () => summaryOfNumber(account, item.number, await connector.balance(call, item))
      return [{ fingerprint: giftCardFingerprint(world, item.number), ask }]
    }
    const row = rows.get(item.id.toLowerCase())
    if (row && (only === 'any' || row.buyer_id === only?.id)) {
      return [{ fingerprint: row.fingerprint, ask: async () => summaryOfStored(row, await balanceOf(world, row)) }]
    }
    problems[`/items/${index}/id`] = 'is not a gift card of this account'
    return []
  })
  const prints = asked.map(({ fingerprint }) => fingerprint)
  // with a card missing, places in the two lists differ, and that one is to blame anyhow
  if (Object.keys(problems).length === 0) {
    for (const [index, print] of prints.entries())
      if (prints.indexOf(print) < index) problems[`/items/${index}`] = 'is the same card as one before it'
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return Promise.all(asked.map(({ ask }) => ask()))
}

/** What the service that a stored card came through says of it now. */
export async function balanceOf(world: World, row: GiftCardRow): Promise<GiftCardBalance> {
  const service = await giftCardServiceById(world, row.merchant_account_id, row.gift_card_service_id)
  if (!service) return { status: 'lost', reason: 'there is no connection to this gift card service' }
  return service.connector.balance(service.call, await openGiftCard(world, row))
}

/** A buyer's cards with their balances. Those that are found expired or empty are archived and left out; where a service cannot be asked, its cards are shown without a balance. */
export async function cardsOfBuyer(
  world: World,
  { merchant_account_id: account, id }: BuyerRow,
  { sortBy, order }: { sortBy: GiftCardSort | null; order: 'asc' | 'desc' },
): Promise<GiftCardSummary[]> {
  const rows = await listCardsOfBuyer(world, account, id, sortBy, order)
  const cards = await Promise.all(rows.map(async (row) => ({ row, balance: await balanceOf(world, row) })))
  const now = world.clock.now()
  const isSpent = ({ row, balance }: (typeof cards)[number]) => isExpired(row.expiration_date, now) || hasEnded(balance, now)
  await archiveGiftCards(
    world,
    account,
    cards.filter(isSpent).map(({ row }) => row.id),
  )
  return cards.filter((card) => !isSpent(card)).map(({ row, balance }) => summaryOfStored(row, balance))
}

/** `at` is ISO 8601; null: never. */
export const isExpired = (at: string | null, now: number): boolean => at !== null && Date.parse(at) <= now

function hasEnded(balance: GiftCardBalance, now: number): boolean {
  if (balance.status === 'lost') return false
  return balance.status === 'refused' ? balance.code === 'expired_card' : balance.balance === 0 || isExpired(balance.expirationDate, now)
}
