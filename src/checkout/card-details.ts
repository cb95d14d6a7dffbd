import { invalidQuery, notFound } from '../api/errors.ts'
import type { CardScheme, CardType } from '../connectors/method.schema.ts'
import type { PaymentMethodTable } from '../database/tables.ts'
import { type BinDetails, binDetails } from '../vault/bin.ts'
import { iconUrl } from '../vault/icon.ts'
import type { World } from '../world.ts'
import type { CardDetail } from './card-details.schema.ts'
import type { CheckoutSessionCardDetails } from './checkout-session.schema.ts'

/** What a BIN says of a card, for `GET /card-details`. */
export async function detailOfBin(world: World, bin: string): Promise<CardDetail> {
  return show(world, bin, await binDetails(world, bin))
}

/** The same for a checkout session (SEMANTICS §9). */
export async function sessionDetailOfBin(world: World, bin: string): Promise<CheckoutSessionCardDetails> {
  const { scheme, additionalSchemes, cardType } = await binDetails(world, bin)
  return { bin, card_type: cardType, ...schemeShown(world, scheme), additional_schemes: [...additionalSchemes] }
}

/** Whose payment methods may be looked at. Undefined: everybody's. */
type Buyer = { id?: string; externalIdentifier?: string } | undefined

/** What is known of a stored card. 404 where the account, or the buyer that the caller is limited to, has none of this id; 400 where it is no card. */
export async function detailOfStored(world: World, account: string, id: string, buyer: Buyer): Promise<CardDetail> {
  const method = await storedCard(world, account, id, buyer)
  if (!method) throw notFound()
  if (method.method !== 'card') throw invalidQuery('payment_method_id', 'is not a card')
  const { scheme, additional_schemes, card_type, card_issuer_name, card_country } = method
  // the vault writes words of the API only
  return show(world, null, {
    scheme: (scheme ?? 'other') as CardScheme,
    additionalSchemes: (additional_schemes ?? []) as CardScheme[],
    cardType: card_type as CardType | null,
    issuer: card_issuer_name,
    country: card_country,
  })
}

type StoredCard = Pick<PaymentMethodTable, 'method' | 'scheme' | 'additional_schemes' | 'card_type' | 'card_issuer_name' | 'card_country'>

const storedCard = (world: World, account: string, id: string, buyer: Buyer): Promise<StoredCard | undefined> =>
  world.db
    .selectFrom('payment_methods')
    .select(['method', 'scheme', 'additional_schemes', 'card_type', 'card_issuer_name', 'card_country'])
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .where('provisional', '=', false)
    .$if(buyer?.id !== undefined, (query) => query.where('buyer_id', '=', buyer?.id ?? ''))
    .$if(buyer?.externalIdentifier !== undefined, (query) =>
      query.where('buyer_id', 'in', (where) =>
        where
          .selectFrom('buyers')
          .select('id')
          .where('merchant_account_id', '=', account)
          .where('external_identifier', '=', buyer?.externalIdentifier ?? ''),
      ),
    )
    .executeTakeFirst()

function show(world: World, bin: string | null, { scheme, additionalSchemes, cardType, country }: BinDetails): CardDetail {
  return {
    type: 'card-detail',
    id: bin,
    card_type: cardType,
    ...schemeShown(world, scheme),
    additional_schemes: [...additionalSchemes],
    additional_schemes_details: additionalSchemes.map((each) => ({ scheme: each, icon_url: iconUrl(world, 'card-schemes', each) })),
    country,
    required_fields: null,
  }
}

/** Digits that no scheme has are answered with null (SEMANTICS §5.5). */
const schemeShown = (world: World, scheme: CardScheme) =>
  scheme === 'other' ? { scheme: null, scheme_icon_url: null } : { scheme, scheme_icon_url: iconUrl(world, 'card-schemes', scheme) }
