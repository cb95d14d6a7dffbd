import { countryProblem } from '../../api/values/country.ts'
import { isCardScheme, isCardType } from '../../connectors/contract/method.schema.ts'
import type { StoredCardDetails } from '../../connectors/contract/outcome.ts'
import type { World } from '../../world.ts'
import { schemeOf } from '../cards/card.ts'
import type { PaymentMethodRow } from './payment-method.row.ts'
import type { ProviderTokenInput } from './payment-method-input.schema.ts'
import { newPaymentMethod } from './stored-card.ts'

/** What is known of a card whose number Railyard does not have, by column of `payment_methods`. */
export type TokenizedCardColumns = Pick<
  PaymentMethodRow,
  'label' | 'scheme' | 'bin' | 'card_type' | 'expiration_date'
>

/** The same of an account at a provider that its buyer lets the merchant charge later. */
export type StoredAccountColumns = Pick<PaymentMethodRow, 'method' | 'country' | 'currency'> & {
  mode: 'redirect'
}

/** What a provider tells of a card that it stores, by column of `payment_methods`. */
export type ToldCardColumns = Partial<TokenizedCardColumns & Pick<PaymentMethodRow, 'card_country'>>

/**
 * Whether a stored card has no number here, or the method is an account at a provider: only the payment service
 * that made its token can charge it, and nothing that needs a card number can be done with it.
 */
export const isTokenOnly = ({ mode, sealed }: Pick<PaymentMethodRow, 'mode' | 'sealed'>): boolean =>
  (mode === 'card' || mode === 'redirect') && sealed === null

/** The members of a request with a provider's token that describe the card. */
type ToldOfCard = {
  [Member in 'bin' | 'card_suffix' | 'card_scheme' | 'card_type' | 'expiration_date']?:
    | ProviderTokenInput[Member]
    | undefined
}

/** What a client tells of the card behind a provider's token. */
export const tokenizedCard = ({
  bin,
  card_suffix,
  card_scheme,
  card_type,
  expiration_date,
}: ToldOfCard): TokenizedCardColumns => ({
  label: card_suffix ?? null,
  scheme: card_scheme ?? (bin ? schemeOf(bin.padEnd(16, '0')) : null),
  bin: bin ?? null,
  card_type: card_type ?? null,
  expiration_date: expiration_date ?? null,
})

/** The row of a method that a payment service stores: without a card number, and without a fingerprint. */
export const newTokenMethod = (
  world: Pick<World, 'clock' | 'ids'>,
  account: string,
  known: TokenizedCardColumns | StoredAccountColumns,
  more: Partial<PaymentMethodRow>,
): PaymentMethodRow => ({ ...newPaymentMethod(world, account), ...known, ...more })

/**
 * What a provider tells of a card that it stores, by column of `payment_methods`. Values that Railyard cannot
 * read are left out, as are those that the provider does not tell.
 */
export function columnsOfStoredCard({
  scheme,
  bin,
  last4,
  expirationDate,
  type,
  country,
}: StoredCardDetails): ToldCardColumns {
  return {
    ...(last4 && /^\d{4}$/.test(last4) && { label: last4 }),
    ...(scheme && isCardScheme(scheme) && { scheme }),
    ...(bin && /^\d{6,8}$/.test(bin) && { bin }),
    ...(expirationDate &&
      /^(0[1-9]|1[0-2])\/\d{2}$/.test(expirationDate) && { expiration_date: expirationDate }),
    ...(type && isCardType(type) && { card_type: type }),
    ...(country && countryProblem(country) === null && { card_country: country }),
  }
}
