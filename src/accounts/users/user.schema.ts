import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../sign-in/password.ts'

/** One `@`, no blanks: whether mail arrives there nobody checks. */
export const EmailAddress = Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', minLength: 3, maxLength: 254 })
/** Without control characters: names stand in terminals and logs. */
export const PersonName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' })
const MerchantAccountIds = Type.Array(Text(1, 50), { maxItems: 1000 })

const AssignedRole = Closed('AssignedRole', { type: Type.Literal('role'), id: Uuid, slug: Type.String(), name: Type.String() })

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
  merchant_account_ids: Described(Type.Array(Type.String()), 'The merchant accounts that the person may act on; empty: all of them'),
  totp_enabled: Described(Type.Boolean(), 'Whether signing in needs a code of an authenticator app, too'),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const User = Closed('User', user)
export type User = Static<typeof User>

export const Users = Page('Users', User)

const invitation = {
  invitation_url: Described(
    Type.String(),
    'Where the person chooses a password. Answered this once, and sent to nobody: hand it on by a way that you trust',
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

/** Omitted members stay as they are (SEMANTICS §1.7). */
export const UserUpdate = Closed('UserUpdate', {
  name: Type.Optional(PersonName),
  role_ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 50 })),
  merchant_account_ids: Type.Optional(MerchantAccountIds),
})
export type UserUpdate = Static<typeof UserUpdate>

/** Long enough for every password: whether a new one is too long is a rule of its own, counted in characters. */
const Password = Text(1, 4 * MAX_PASSWORD_LENGTH)
const NewPassword = Described(
  Password,
  `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters with a letter and a digit, without the person’s name or the name in the email address, and not a common one`,
)
const Code = Type.String({ pattern: '^[0-9]{6}$' })

export const OwnUserUpdate = Closed('OwnUserUpdate', {
  name: Type.Optional(PersonName),
  password: Type.Optional(NewPassword),
  current_password: Type.Optional(Described(Password, 'Needed with `password`')),
})
export type OwnUserUpdate = Static<typeof OwnUserUpdate>

export const TotpSecret = Closed('TotpSecret', {
  type: Type.Literal('totp-secret'),
  secret: Described(Type.String(), 'Base32, for typing'),
  uri: Described(Type.String(), 'The same as `otpauth://`, for a QR code'),
})
export const TotpConfirmation = Closed('TotpConfirmation', { code: Code })
export const TotpRemoval = Closed('TotpRemoval', {
  password: Type.Optional(Password),
  code: Type.Optional(Code),
})
export type TotpRemoval = Static<typeof TotpRemoval>

export const SignIn = Closed('SignIn', {
  email_address: Type.String({ maxLength: 254 }),
  password: Password,
  totp_code: Type.Optional(Nullable(Code)),
})
export type SignIn = Static<typeof SignIn>

export const Session = Closed('Session', {
  type: Type.Literal('session'),
  user: User,
  csrf_token: Described(Type.String(), 'To be sent as `x-csrf-token` with every request by cookie that is no GET'),
  totp_enrollment_required: Described(
    Type.Boolean(),
    'The person must set up an authenticator app (`POST /users/me/totp`); until then the session opens nothing else',
  ),
  expires_at: Described(Timestamp, 'When it ends at the latest; 15 minutes without a request end it, too'),
})
export type Session = Static<typeof Session>

export const InvitationAcceptance = Closed('InvitationAcceptance', {
  token: Described(Text(1, 200), 'The last part of the invitation’s URL'),
  name: Type.Optional(PersonName),
  password: NewPassword,
})
