import type { Kysely } from 'kysely'
import { isCurrency } from '../api/currency.ts'
import { invalid } from '../api/errors.ts'
import { type BuyerSelectors, chosenBuyer } from '../buyers/buyer.store.ts'
import { recordChange } from '../database/audit-log.ts'
import type { Tables } from '../database/tables.ts'
import { timeOf, type World } from '../world.ts'
import { carryOut } from './carry-out.ts'
import { showTransientCard } from './gift-card.representation.ts'
import type { GiftCard, GiftCardActivationCreate } from './gift-card.schema.ts'
import {
  cardOfBuyer,
  giftCardById,
  giftCardChange,
  insertGiftCard,
  type KnownGiftCard,
  newGiftCardRow,
  refuseToStore,
  showGiftCards,
} from './gift-card.store.ts'
import { readGiftCardServices } from './gift-card-service.store.ts'
import { serviceLost } from './service-call.ts'

const SCOPE = 'POST /gift-cards/activations'

/** What a request breaks that needs nothing but itself (SEMANTICS §10), by JSON pointer. */
function brokenRules({ pin, amount, currency, store = false, ...buyer }: GiftCardActivationCreate): Record<string, string> {
  const hasAmount = (amount ?? null) !== null
  const hasCurrency = (currency ?? null) !== null
  const named = (['buyer_id', 'buyer_external_identifier'] as const).filter((name) => (buyer[name] ?? null) !== null)
  return {
    ...(hasAmount && !hasCurrency && { '/currency': 'is needed with an amount' }),
    ...(!hasAmount && hasCurrency && { '/amount': 'is needed with a currency' }),
    ...(amount === 0 && { '/amount': 'must be greater than 0' }),
    ...(currency && !isCurrency(currency) && { '/currency': 'is not an ISO 4217 code' }),
    ...(store && (pin ?? null) === null && { '/pin': 'is needed to store the card' }),
    ...(!store && Object.fromEntries(named.map((name) => [`/${name}`, 'is for cards that are stored']))),
  }
}

/** `selectors` name the buyer of a card that is stored: the request's, or those that a browser's token pins. */
export async function activateGiftCard(
  world: World,
  account: string,
  input: GiftCardActivationCreate,
  selectors: BuyerSelectors,
  key: string | undefined,
): Promise<GiftCard> {
  const broken = brokenRules(input)
  if (Object.keys(broken).length > 0) throw invalid(broken)
  const { number, pin = null, amount = null, currency = null, external_identifier: reference = null, store = false } = input
  // before the idempotency key is looked at, which says whether a guess is right
  world.cardTesting.noteGiftCard(account, { number, pin })
  const buyer = store ? await chosenBuyer(world, account, selectors) : undefined
  const request = { account, scope: SCOPE, key, body: { ...input, buyer: buyer?.id ?? null } }
  return carryOut(world, request, {
    kind: 'activate',
    pointer: '/number',
    check: async () => (store ? refuseToStore(world, account, { number, pin }, buyer) : undefined),
    send: ({ connector, call }, id) =>
      connector.operations.activate({ ...call, operation: { id, kind: 'activate', card: { number, pin }, amount, currency, reference } }),
    keep: async ({ id, outcome, service }) => {
      const expirationDate = outcome.card?.expirationDate ?? null
      if (store && pin !== null) return keepCard(world, account, { id, card: { number, pin }, service, buyer, expirationDate })
      const transient = { id, merchant_account_id: account, number, expiration_date: expirationDate, created_at: timeOf(world.clock) }
      return async (db) => {
        await recordChange(db, world, giftCardChange('created', transient))
        return showTransientCard(transient, service)
      }
    },
  })
}

/** A card that was stored meanwhile is answered as it is: what was asked for is so. */
async function keepCard(world: World, account: string, known: KnownGiftCard): Promise<(db: Kysely<Tables>) => Promise<GiftCard>> {
  const row = await newGiftCardRow(world, account, known)
  return async (db) => {
    const stored = await insertGiftCard(db, world, row, known)
    if (stored) return stored
    const there = (await giftCardById({ db }, account, known.id)) ?? (await cardOfBuyer(db, account, row))
    const [shown] = there ? await showGiftCards({ ...world, db }, account, [there], readGiftCardServices) : []
    if (!shown) throw serviceLost()
    return shown
  }
}
