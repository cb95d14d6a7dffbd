import type { Kysely } from 'kysely'
import { throwProblems } from '../../api/throw-problems.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { timeOf } from '../../base/clock.ts'
import { type BuyerSelectors, findRequestedBuyer } from '../../buyers/buyer.store.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { showTransientCard } from '../gift-card.representation.ts'
import type { GiftCard, GiftCardActivationCreate } from '../gift-card.schema.ts'
import {
  cardOfBuyer,
  checkCanStoreCard,
  giftCardById,
  giftCardChange,
  insertGiftCard,
  newGiftCardRow,
  showGiftCards,
  type VerifiedGiftCard,
} from '../gift-card.store.ts'
import { readGiftCardServices } from '../services/gift-card-service.store.ts'
import { serviceUnreachable } from '../services/service-call.ts'
import { executeGiftCardOperation } from './execute-operation.ts'

const SCOPE = 'POST /gift-cards/activations'

/** The rules that need only the request (semantics §10), by JSON pointer. */
function activationProblems({
  pin,
  amount,
  currency,
  store = false,
  ...buyer
}: GiftCardActivationCreate): Record<string, string> {
  const hasAmount = (amount ?? null) !== null
  const hasCurrency = (currency ?? null) !== null
  const named = (['buyer_id', 'buyer_external_identifier'] as const).filter(
    (name) => (buyer[name] ?? null) !== null,
  )
  return {
    ...(hasAmount && !hasCurrency && { '/currency': 'is needed with an amount' }),
    ...(!hasAmount && hasCurrency && { '/amount': 'is needed with a currency' }),
    ...(amount === 0 && { '/amount': 'must be greater than 0' }),
    ...(currency && !isCurrency(currency) && { '/currency': 'is not an ISO 4217 code' }),
    ...(store && (pin ?? null) === null && { '/pin': 'is needed to store the card' }),
    ...(!store && Object.fromEntries(named.map((name) => [`/${name}`, 'is for cards that are stored']))),
  }
}

/**
 * Activates a card. `selectors` name the buyer of a card that is stored: the request's, or those of a
 * browser's token.
 */
export async function activateGiftCard(
  world: World,
  account: string,
  input: GiftCardActivationCreate,
  selectors: BuyerSelectors,
  key: string | undefined,
): Promise<GiftCard> {
  throwProblems(activationProblems(input))
  const {
    number,
    pin = null,
    amount = null,
    currency = null,
    external_identifier: reference = null,
    store = false,
  } = input
  // before the idempotency key is looked up, whose answer says whether a guess is right
  world.cardTesting.checkGiftCardPin(account, { number, pin })
  const buyer = store ? await findRequestedBuyer(world, account, selectors) : undefined
  const request = { account, scope: SCOPE, key, body: { ...input, buyer: buyer?.id ?? null } }
  return executeGiftCardOperation(world, request, {
    kind: 'activate',
    pointer: '/number',
    check: async () => (store ? checkCanStoreCard(world, account, { number, pin }, buyer) : undefined),
    send: ({ connector, call }, id) =>
      connector.operations.activate({
        ...call,
        operation: { id, kind: 'activate', card: { number, pin }, amount, currency, reference },
      }),
    prepareStore: async ({ id, outcome, service }) => {
      const expirationDate = outcome.card?.expirationDate ?? null
      if (store && pin !== null)
        return storeActivatedCard(world, account, {
          id,
          card: { number, pin },
          service,
          buyer,
          expirationDate,
        })
      const transient = {
        id,
        merchant_account_id: account,
        number,
        expiration_date: expirationDate,
        created_at: timeOf(world.clock),
      }
      return async (db) => {
        await recordChange(db, world, giftCardChange('created', transient))
        return showTransientCard(transient, service)
      }
    },
  })
}

/**
 * Stores an activated card. A card that was stored meanwhile is answered as it is: the request wanted just
 * that.
 */
async function storeActivatedCard(
  world: World,
  account: string,
  card: VerifiedGiftCard,
): Promise<(db: Kysely<Tables>) => Promise<GiftCard>> {
  const row = await newGiftCardRow(world, account, card)
  return async (db) => {
    const stored = await insertGiftCard(db, world, row, card)
    if (stored) return stored
    const existing = (await giftCardById({ db }, account, card.id)) ?? (await cardOfBuyer(db, account, row))
    const [shown] = existing
      ? await showGiftCards({ ...world, db }, account, [existing], readGiftCardServices)
      : []
    if (!shown) throw serviceUnreachable()
    return shown
  }
}
