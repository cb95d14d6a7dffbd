import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'
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
    'True: the person must set up an authenticator app (`POST /users/me/totp`) or a passkey (`POST /users/me/passkeys`); until then the session opens nothing else',
  ),
  scopes: Described(
    Type.Array(Type.String()),
    'What the roles of the person open, such as `transactions.read`; `*.read` and `*.write` stand for every scope with this end. Before the person has set up a required authenticator app they open nothing',
  ),
  environment: Words('sandbox', 'production'),
  instance_id: Described(Type.String(), 'The name of this instance, as in events (`INSTANCE_ID`)'),
  version: Described(Type.String(), 'The version of Railyard'),
  expires_at: Described(
    Timestamp,
    'When the session ends at the latest; it also ends after 15 minutes without a request',
  ),
})
export type Session = Static<typeof Session>

export const OwnSession = Closed('OwnSession', {
  type: Type.Literal('own-session'),
  id: Uuid,
  is_current: Described(Type.Boolean(), 'Whether this request came with this session'),
  method: Described(
    Nullable(Words('password', 'passkey', 'invitation', 'sign-in-link')),
    'How you proved who you are when it was opened, or `passkey` if you have added one in it; null: an earlier version opened it',
  ),
  ip_address: Described(Nullable(Type.String()), 'The network address that it was opened from'),
  user_agent: Described(
    Nullable(Type.String()),
    'The first 200 characters of what the browser said that it is',
  ),
  created_at: Timestamp,
  last_seen_at: Described(Timestamp, 'The last request, to the minute'),
  expires_at: Described(
    Timestamp,
    'When the session ends at the latest; it also ends after 15 minutes without a request',
  ),
})
export type OwnSession = Static<typeof OwnSession>

export const OwnSessions = Page('OwnSessions', OwnSession)

export const InvitationAcceptance = Closed('InvitationAcceptance', {
  token: Described(Text(1, 200), 'The last part of the invitation’s URL'),
  name: Type.Optional(PersonName),
  password: NewPassword,
})
