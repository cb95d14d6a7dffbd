import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Open, Page, Timestamp, Uuid } from '../../api/schema.ts'
import { Password, TotpCode } from '../sign-in/credentials.schema.ts'

export const PasskeyName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
})

export const Passkey = Closed('Passkey', {
  type: Type.Literal('passkey'),
  id: Uuid,
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: Described(Nullable(Timestamp), 'When the person last signed in with it; null: never'),
})
export type Passkey = Static<typeof Passkey>

export const Passkeys = Page('Passkeys', Passkey)

export const PasskeyOptions = Closed('PasskeyOptions', {
  type: Type.Literal('passkey-options'),
  options: Described(
    Open,
    'For `PublicKeyCredential.parseCreationOptionsFromJSON()` when a passkey is added, and for `PublicKeyCredential.parseRequestOptionsFromJSON()` when a person signs in',
  ),
  expires_at: Described(Timestamp, 'The challenge can be answered once, before this time'),
})
export type PasskeyOptions = Static<typeof PasskeyOptions>

/** A person who is signed in proves again who they are. */
export const FreshProof = Closed('FreshProof', {
  password: Password,
  code: Type.Optional(Described(TotpCode, 'Needed with an authenticator app')),
})
export type FreshProof = Static<typeof FreshProof>

const credential = Described(
  Open,
  '`PublicKeyCredential.toJSON()` of what the browser answered; its members are not changed',
)

export const PasskeyCreate = Closed('PasskeyCreate', {
  name: Described(PasskeyName, 'For the person, such as the name of the device'),
  credential,
})

export const PasskeySignIn = Closed('PasskeySignIn', { credential })
