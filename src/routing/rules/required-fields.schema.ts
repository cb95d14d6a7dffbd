import { type Static, Type } from 'typebox'
import { Closed } from '../../api/schema.ts'

const ofBuyer = ['first_name', 'last_name', 'email_address', 'phone_number', 'tax_id'] as const
const ofAddress = ['organization', 'house_number_or_name', 'line1', 'line2', 'city', 'postal_code', 'state', 'state_code', 'country'] as const

const required = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, Type.Boolean()]))
const optional = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Boolean())]))

/** What of the buyer a payment needs, every member told. */
export const RequiredFields = Closed('RequiredFields', {
  ...required(ofBuyer),
  address: Closed('RequiredAddressFields', required(ofAddress)),
})
export type RequiredFields = Static<typeof RequiredFields>

/** As a rule asks for it: what it leaves out is not required. */
export const RequiredFieldsChoice = Closed('FlowRequiredFields', {
  ...optional(ofBuyer),
  address: Type.Optional(Closed('FlowRequiredAddressFields', optional(ofAddress))),
})
export type RequiredFieldsChoice = Static<typeof RequiredFieldsChoice>

export const withEveryField = ({ address = {}, ...buyer }: RequiredFieldsChoice): RequiredFields => ({
  ...chosen(ofBuyer, buyer),
  address: chosen(ofAddress, address),
})

const chosen = (names: readonly string[], choice: Readonly<Record<string, boolean | undefined>>) =>
  Object.fromEntries(names.map((name) => [name, choice[name] ?? false]))
