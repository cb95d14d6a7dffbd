import { type Static, Type } from 'typebox'
import { Closed, Described, Page, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'

/** One `@` and no blanks. No email is sent, so whether the address receives mail is not checked. */
export const EmailAddress = Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', minLength: 3, maxLength: 254 })
/** Without control characters: names are printed in terminals and logs. */
export const PersonName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
})
const MerchantAccountIds = Type.Array(Text(1, 50), { maxItems: 1000 })

const AssignedRole = Closed('AssignedRole', {
  type: Type.Literal('role'),
  id: Uuid,
  slug: Type.String(),
  name: Type.String(),
})

const user = {
  type: Type.Literal('user'),
  id: Uuid,
  email_address: Type.String(),
  name: Type.String(),
  status: Described(
    Words('pending', 'active', 'disabled'),
    '`pending` until the invitation is accepted; `disabled` after 90 days without a sign-in, until a new invitation is accepted',
  ),
  roles: Type.Array(AssignedRole),
  merchant_account_ids: Described(
    Type.Array(Type.String()),
    'The merchant accounts that the person may act on; empty: all',
  ),
  totp_enabled: Described(Type.Boolean(), 'Whether signing in also needs a code of an authenticator app'),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const User = Closed('User', user)
export type User = Static<typeof User>

export const Users = Page('Users', User)

const invitation = {
  invitation_url: Described(
    Type.String(),
    'The page on which the person chooses a password. It is answered this once and not sent to the person: hand it on by a channel that you trust',
  ),
  invitation_expires_at: Timestamp,
}

export const InvitedUser = Closed('InvitedUser', { ...user, ...invitation })
export type InvitedUser = Static<typeof InvitedUser>

export const UserCreate = Closed('UserCreate', {
  email_address: EmailAddress,
  name: PersonName,
  role_ids: Type.Array(Uuid, { minItems: 1, maxItems: 50 }),
  merchant_account_ids: Type.Optional(MerchantAccountIds),
})
export type UserCreate = Static<typeof UserCreate>

/** Omitted members stay as they are (semantics §1.7). */
export const UserUpdate = Closed('UserUpdate', {
  name: Type.Optional(PersonName),
  role_ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 50 })),
  merchant_account_ids: Type.Optional(MerchantAccountIds),
})
export type UserUpdate = Static<typeof UserUpdate>
