import { type Static, Type } from 'typebox'
import { Closed } from '../../api/schema.ts'

const buyerFields = ['first_name', 'last_name', 'email_address', 'phone_number', 'tax_id'] as const
const addressFields = [
  'organization',
  'house_number_or_name',
  'line1',
  'line2',
  'city',
  'postal_code',
  'state',
  'state_code',
  'country',
] as const

const required = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, Type.Boolean()]))
const optional = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Boolean())]))

/** The buyer's fields that a payment requires; every field is present. */
export const RequiredFields = Closed('RequiredFields', {
  ...required(buyerFields),
  address: Closed('RequiredAddressFields', required(addressFields)),
})
export type RequiredFields = Static<typeof RequiredFields>

/** The fields as a rule names them: an absent field is not required. */
export const RequiredFieldsChoice = Closed('FlowRequiredFields', {
  ...optional(buyerFields),
  address: Type.Optional(Closed('FlowRequiredAddressFields', optional(addressFields))),
})
export type RequiredFieldsChoice = Static<typeof RequiredFieldsChoice>

export const withEveryField = ({ address = {}, ...buyer }: RequiredFieldsChoice): RequiredFields => ({
  ...allFields(buyerFields, buyer),
  address: allFields(addressFields, address),
})

const allFields = (names: readonly string[], choice: Readonly<Record<string, boolean | undefined>>) =>
  Object.fromEntries(names.map((name) => [name, choice[name] ?? false]))
