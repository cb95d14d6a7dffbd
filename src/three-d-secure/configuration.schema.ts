import { type Static, Type } from 'typebox'
import { Closed, Currency, Described, MapOf, Nullable, Text, Timestamp, Uuid } from '../api/schema.ts'
import { CardScheme } from '../connectors/contract/method.schema.ts'

/** The merchant that asks for an authentication, as the card's scheme knows it: an `AcquirerProfile`. */
export const profileMembers = {
  merchant_acquirer_bin: Described(Type.String({ maxLength: 11 }), 'The acquirer’s own BIN'),
  merchant_acquirer_id: Described(Type.String({ maxLength: 35 }), 'The merchant’s id at the acquirer'),
  merchant_name: Described(Type.String({ maxLength: 40 }), 'What the cardholder is shown'),
  merchant_country_code: Described(Type.String(), 'ISO 3166-1 numeric, e.g. `840`'),
  merchant_category_code: Described(Text(4, 4), 'Four digits (ISO 18245)'),
  merchant_url: Described(Type.String(), 'The shop’s address, http or https'),
}

const metadata = Described(
  MapOf(Type.String()),
  'Only for transactions whose metadata has all of these; `{}`: for all',
)
const currency = Described(Currency, 'Only for transactions in this currency; null: for all')

export const ThreeDSConfiguration = Closed('MerchantAccountThreeDSConfiguration', {
  type: Type.Literal('merchant-account.three-ds-configuration'),
  id: Uuid,
  merchant_account_id: Type.String(),
  ...profileMembers,
  scheme: CardScheme,
  currency: Nullable(currency),
  metadata,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ThreeDSConfiguration = Static<typeof ThreeDSConfiguration>

export const ThreeDSConfigurations = Type.Object(
  { items: Type.Array(ThreeDSConfiguration) },
  { title: 'MerchantAccountThreeDSConfigurations', additionalProperties: false },
)

export const ThreeDSConfigurationCreate = Closed('MerchantAccountThreeDSConfigurationCreate', {
  ...profileMembers,
  scheme: CardScheme,
  currency: Type.Optional(Nullable(currency)),
  metadata,
})
export type ThreeDSConfigurationCreate = Static<typeof ThreeDSConfigurationCreate>

const changeable = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))

/**
 * Omitted members stay as they are. Null makes the currency any; for the other members, which must have a
 * value, it is the same as absent (semantics §1.7).
 */
export const ThreeDSConfigurationUpdate = Closed('MerchantAccountThreeDSConfigurationUpdate', {
  merchant_acquirer_bin: changeable(profileMembers.merchant_acquirer_bin),
  merchant_acquirer_id: changeable(profileMembers.merchant_acquirer_id),
  merchant_name: changeable(profileMembers.merchant_name),
  merchant_country_code: changeable(profileMembers.merchant_country_code),
  merchant_category_code: changeable(profileMembers.merchant_category_code),
  merchant_url: changeable(profileMembers.merchant_url),
  scheme: changeable(CardScheme),
  currency: changeable(currency),
  metadata: changeable(metadata),
})
export type ThreeDSConfigurationUpdate = Static<typeof ThreeDSConfigurationUpdate>
