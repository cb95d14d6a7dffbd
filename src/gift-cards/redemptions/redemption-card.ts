import { invalid } from '../../api/errors.ts'
import type { GiftCardForCall } from '../../connectors/contract/gift-card-connector.ts'
import { giftCardDigits, giftCardFingerprint, openGiftCard } from '../../vault/secrets/gift-card-secret.ts'
import { openForRedemption, sealForRedemption } from '../../vault/secrets/redemption-secret.ts'
import type { World } from '../../world.ts'
import { giftCardById } from '../gift-card.store.ts'
import { type ComparedCard, repeatedCards } from '../same-gift-card.ts'
import { providerOf } from '../services/gift-card-service.store.ts'
import { primaryGiftCardService } from '../services/service-call.ts'
import type { GiftCardTokenTransactionCreate, GiftCardTransactionCreate } from './redemption.schema.ts'
import type { GiftCardTender, Redemption } from './redemption.ts'

type SubmittedGiftCard = GiftCardTransactionCreate | GiftCardTokenTransactionCreate

/** The card behind an open redemption, for one call. Undefined: the redemption is decided. */
export const openRedemptionCard = (world: World, { id, sealed }: Redemption): GiftCardForCall | undefined =>
  sealed === null ? undefined : openForRedemption(world, id, sealed)

/** The buyer of a payment with gift cards. */
export interface GiftCardBuyer {
  /** Null: the payment has none. */
  id: string | null
  /** True: stored cards must be this buyer's. False: they may also have no owner, or the payment no buyer. */
  ownsAll: boolean
}

/** The redemptions of a new payment's gift cards (semantics §3.9, §10). Throws 400 naming the card. */
export async function newRedemptions(
  world: World,
  account: string,
  cards: readonly SubmittedGiftCard[],
  buyer: GiftCardBuyer,
): Promise<GiftCardTender | null> {
  if (cards.length === 0) return null
  const { row: service } = await primaryGiftCardService(world, account)
  const submitted = await Promise.all(
    cards.map((card, index) =>
      newRedemption(world, account, card, `/gift_cards/${index}`, { buyer, service: service.id }),
    ),
  )
  const [repeated] = repeatedCards(submitted)
  if (repeated !== undefined) throw invalid({ [`/gift_cards/${repeated}`]: 'is the same card as one before' })
  return {
    service: {
      id: service.id,
      gift_card_service_definition_id: providerOf(service),
      display_name: service.display_name,
    },
    redemptions: submitted.map(({ redemption }) => redemption),
  }
}

interface SubmittedRedemption extends ComparedCard {
  redemption: Redemption
}

interface RedemptionContext {
  buyer: GiftCardBuyer
  /** The gift card service that redeems the cards. */
  service: string
}

const mayRedeem = ({ id, ownsAll }: GiftCardBuyer, owner: string | null): boolean =>
  ownsAll ? owner !== null && owner === id : owner === null || id === null || owner === id

async function newRedemption(
  world: World,
  account: string,
  submitted: SubmittedGiftCard,
  pointer: string,
  { buyer, service }: RedemptionContext,
): Promise<SubmittedRedemption> {
  if (submitted.amount <= 0) throw invalid({ [`${pointer}/amount`]: 'must be greater than 0' })
  const id = world.ids.next()
  const initial = {
    id,
    status: 'created' as const,
    amount: submitted.amount,
    refunded: 0,
    refund_reserved: 0,
    reference: null,
    error_code: null,
    raw_error_code: null,
    raw_error_message: null,
    stuck: false,
  }
  if ('number' in submitted) {
    const { number, pin } = submitted
    const sealed = sealForRedemption(world, id, { number, pin })
    const redemption = { ...initial, sealed, gift_card: { id: null, ...giftCardDigits(number) } }
    return { redemption, fingerprint: giftCardFingerprint(world, number), pin, isStored: false }
  }
  const row = await giftCardById(world, account, submitted.id)
  if (!row) throw invalid({ [`${pointer}/id`]: 'is not a stored gift card of this account' })
  // at another gift card service this number may be another card
  if (row.gift_card_service_id !== service)
    throw invalid({ [`${pointer}/id`]: 'came through a gift card service that is not the active one' })
  if (!mayRedeem(buyer, row.buyer_id)) throw invalid({ [`${pointer}/id`]: 'belongs to another buyer' })
  const { bin, sub_bin, last4, fingerprint } = row
  // a copy, as the stored card may be deleted while its redemption is under way: a lost answer makes recovery
  // ask again
  const card = await openGiftCard(world, row)
  const sealed = sealForRedemption(world, id, card)
  return {
    redemption: { ...initial, sealed, gift_card: { id: row.id, bin, sub_bin, last4 } },
    fingerprint,
    pin: card.pin,
    isStored: true,
  }
}
