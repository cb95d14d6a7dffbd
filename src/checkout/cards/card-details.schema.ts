import { type Static, Type } from 'typebox'
import { Closed, Country, Described, Nullable } from '../../api/schema.ts'
import { CardScheme, CardType } from '../../connectors/contract/method.schema.ts'
import { RequiredFields } from '../../routing/rules/required-fields.schema.ts'

/** The first digits of a card number. */
export const Bin = Type.String({ pattern: '^\\d+$', minLength: 6, maxLength: 8 })

export const AdditionalSchemeDetail = Closed('AdditionalSchemeDetail', {
  scheme: CardScheme,
  icon_url: Nullable(Type.String()),
})

export const CardDetail = Closed('CardDetail', {
  type: Type.Literal('card-detail'),
  id: Nullable(Described(Bin, 'The BIN that was asked for; null where a stored payment method was')),
  card_type: Nullable(CardType),
  scheme: Nullable(CardScheme),
  additional_schemes: Nullable(Type.Array(CardScheme)),
  additional_schemes_details: Nullable(Type.Array(AdditionalSchemeDetail)),
  scheme_icon_url: Nullable(Type.String()),
  country: Nullable(Country),
  required_fields: Nullable(
    Described(RequiredFields, 'What of the buyer a payment needs; null: nothing in particular'),
  ),
})
export type CardDetail = Static<typeof CardDetail>
