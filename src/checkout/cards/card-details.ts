import { invalidQuery, notFound } from '../../api/errors.ts'
import { type BuyerSelectors, findBuyerRow } from '../../buyers/buyer.store.ts'
import type { CardScheme, CardType } from '../../connectors/contract/method.schema.ts'
import { type BinDetails, binDetails } from '../../vault/cards/bin.ts'
import { iconUrl } from '../../vault/payment-methods/icon.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import { findPaymentMethodRow } from '../../vault/payment-methods/payment-method.store.ts'
import type { World } from '../../world.ts'
import type { CheckoutSessionCardDetails } from '../sessions/checkout-session.schema.ts'
import type { CardDetail } from './card-details.schema.ts'

/** The details of a card by its BIN, for `GET /card-details`. */
export async function cardDetailOfBin(world: World, bin: string): Promise<CardDetail> {
  return showCardDetail(world, bin, await binDetails(world, bin))
}

/** The same for a checkout session (semantics §9). */
export async function sessionCardDetailsOfBin(
  world: World,
  bin: string,
): Promise<CheckoutSessionCardDetails> {
  const { scheme, additionalSchemes, cardType } = await binDetails(world, bin)
  return {
    bin,
    card_type: cardType,
    ...showScheme(world, scheme),
    additional_schemes: [...additionalSchemes],
  }
}

/**
 * The details of a stored card. `buyer` names whose cards the caller may see; empty: every buyer's. Throws
 * 404 if the account, or that buyer, has no payment method of this id; 400 if it is no card.
 */
export async function cardDetailOfStoredCard(
  world: World,
  account: string,
  id: string,
  buyer: BuyerSelectors,
): Promise<CardDetail> {
  const row = await findPaymentMethodRow(world, account, id)
  if (!row || !(await belongsToBuyer(world, row, buyer))) throw notFound()
  if (row.method !== 'card') throw invalidQuery('payment_method_id', 'is not a card')
  const { scheme, additional_schemes, card_type, card_issuer_name, card_country } = row
  // the vault writes only values of the API
  return showCardDetail(world, null, {
    scheme: (scheme ?? 'other') as CardScheme,
    additionalSchemes: (additional_schemes ?? []) as CardScheme[],
    cardType: card_type as CardType | null,
    issuer: card_issuer_name,
    country: card_country,
  })
}

async function belongsToBuyer(
  world: World,
  row: PaymentMethodRow,
  { buyer_id: id, buyer_external_identifier: externalIdentifier }: BuyerSelectors,
) {
  if (!id && !externalIdentifier) return true
  const buyer = await findBuyerRow(world, row.merchant_account_id, {
    id: id ?? null,
    externalIdentifier: externalIdentifier ?? null,
  })
  return buyer !== undefined && row.buyer_id === buyer.id
}

function showCardDetail(
  world: World,
  bin: string | null,
  { scheme, additionalSchemes, cardType, country }: BinDetails,
): CardDetail {
  return {
    type: 'card-detail',
    id: bin,
    card_type: cardType,
    ...showScheme(world, scheme),
    additional_schemes: [...additionalSchemes],
    additional_schemes_details: additionalSchemes.map((each) => ({
      scheme: each,
      icon_url: iconUrl(world, 'card-schemes', each),
    })),
    country,
    required_fields: null,
  }
}

/** Digits of no known scheme are answered with null (semantics §5.5). */
const showScheme = (world: World, scheme: CardScheme) =>
  scheme === 'other'
    ? { scheme: null, scheme_icon_url: null }
    : { scheme, scheme_icon_url: iconUrl(world, 'card-schemes', scheme) }
