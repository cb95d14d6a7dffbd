import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Text, Timestamp } from '../../api/schema.ts'
import { PersonName, User } from '../users/user.schema.ts'
import { NewPassword, Password, TotpCode } from './credentials.schema.ts'

export const SignIn = Closed('SignIn', {
  email_address: Type.String({ maxLength: 254 }),
  password: Password,
  totp_code: Type.Optional(Nullable(TotpCode)),
})
export type SignIn = Static<typeof SignIn>

export const Session = Closed('Session', {
  type: Type.Literal('session'),
  user: User,
  csrf_token: Described(
    Type.String(),
    'Send it as `x-csrf-token` with every request by cookie that is not a GET',
  ),
  totp_enrollment_required: Described(
    Type.Boolean(),
    'True: the person must set up an authenticator app (`POST /users/me/totp`); until then the session opens nothing else',
  ),
  expires_at: Described(
    Timestamp,
    'When the session ends at the latest; it also ends after 15 minutes without a request',
  ),
})
export type Session = Static<typeof Session>

export const InvitationAcceptance = Closed('InvitationAcceptance', {
  token: Described(Text(1, 200), 'The last part of the invitation’s URL'),
  name: Type.Optional(PersonName),
  password: NewPassword,
})
