import { invalid } from '../api/errors.ts'
import { throwProblems } from '../api/throw-problems.ts'
import { canonicalId } from '../api/values/uuid.ts'
import type { BuyerRow } from '../buyers/buyer.store.ts'
import type { GiftCardBalance, GiftCardForCall } from '../connectors/contract/gift-card-connector.ts'
import { giftCardFingerprint, openGiftCard } from '../vault/secrets/gift-card-secret.ts'
import type { World } from '../world.ts'
import { type GiftCardRow, summaryOfNumber, summaryOfStored } from './gift-card.representation.ts'
import type { GiftCardBalanceRequest, GiftCardSort, GiftCardSummary } from './gift-card.schema.ts'
import { archiveGiftCards, giftCardsByIds, listCardsOfBuyer } from './gift-card.store.ts'
import { type ComparedCard, repeatedCards } from './same-gift-card.ts'
import { giftCardServiceById, primaryGiftCardService } from './services/service-call.ts'

/** Each card is a request to the gift card service. */
const MAX_CARDS = 100

type Item = GiftCardBalanceRequest['items'][number]

/** A card of the request, comparable with the others, and how its balance is read. */
interface BalanceQuery extends ComparedCard {
  readBalance(): Promise<GiftCardSummary>
}

/** Whose stored cards a request may name. */
export type AllowedOwner = { kind: 'any' } | { kind: 'buyer'; id: string } | { kind: 'none' }

const isAllowed = (owner: AllowedOwner, { buyer_id }: GiftCardRow): boolean =>
  owner.kind === 'any' || (owner.kind === 'buyer' && buyer_id === owner.id)

/**
 * The balance of each card, as the gift card service answers it, in the order of the request (semantics §10).
 * Throws 400 for a card that is named twice and for a stored card that does not exist or has another owner.
 */
export async function readBalances(
  world: World,
  account: string,
  items: readonly Item[],
  owner: AllowedOwner,
): Promise<GiftCardSummary[]> {
  if (items.length > MAX_CARDS) throw invalid({ '/items': `must have no more than ${MAX_CARDS} cards` })
  const { connector, call } = await primaryGiftCardService(world, account)
  const ids = items.flatMap((item) => ('id' in item ? canonicalId(item.id) : []))
  const allowed = (await giftCardsByIds(world, account, ids)).filter((row) => isAllowed(owner, row))
  const rows = new Map(allowed.map((row) => [row.id, row]))
  const missing = items.flatMap((item, index) =>
    'id' in item && !rows.has(canonicalId(item.id))
      ? [[`/items/${index}/id`, 'is not a gift card of this account']]
      : [],
  )
  throwProblems(Object.fromEntries(missing))
  for (const item of items) if (!('id' in item)) world.cardTesting.checkGiftCardPin(account, item)
  const queries = await Promise.all(
    items.map(async (item): Promise<BalanceQuery[]> => {
      if (!('id' in item)) {
        const readBalance = async () =>
          summaryOfNumber(account, item.number, await connector.balance(call, item))
        return [
          {
            fingerprint: giftCardFingerprint(world, item.number),
            pin: item.pin,
            isStored: false,
            readBalance,
          },
        ]
      }
      const row = rows.get(canonicalId(item.id))
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
  const cards = queries.flat()
  const repeated = repeatedCards(cards).map((index) => [
    `/items/${index}`,
    'is the same card as one before it',
  ])
  throwProblems(Object.fromEntries(repeated))
  return Promise.all(cards.map(({ readBalance }) => readBalance()))
}

/** The balance of a stored card now, from the gift card service that it was stored with. */
export async function readStoredCardBalance(
  world: World,
  row: GiftCardRow,
  opened?: GiftCardForCall,
): Promise<GiftCardBalance> {
  const service = await giftCardServiceById(world, row.merchant_account_id, row.gift_card_service_id)
  if (!service) return { status: 'lost', reason: 'there is no connection to this gift card service' }
  return service.connector.balance(service.call, opened ?? (await openGiftCard(world, row)))
}

/**
 * A buyer's cards with their balances. A card that turns out to be expired or empty is archived and left out;
 * a card whose service does not answer is shown without a balance.
 */
export async function usableCardsOfBuyer(
  world: World,
  { merchant_account_id: account, id }: BuyerRow,
  { sortBy, order }: { sortBy: GiftCardSort | null; order: 'asc' | 'desc' },
): Promise<GiftCardSummary[]> {
  const rows = await listCardsOfBuyer(world, account, id, sortBy, order)
  const cards = await Promise.all(
    rows.map(async (row) => ({ row, balance: await readStoredCardBalance(world, row) })),
  )
  const now = world.clock.now()
  const isSpent = ({ row, balance }: (typeof cards)[number]) =>
    isExpired(row.expiration_date, now) || isUsedUp(balance, now)
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
  return balance.status === 'refused'
    ? balance.code === 'expired_card'
    : balance.balance === 0 || isExpired(balance.expirationDate, now)
}
