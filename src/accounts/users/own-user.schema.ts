import { type Static, Type } from 'typebox'
import { Closed, Described } from '../../api/schema.ts'
import { NewPassword, Password, TotpCode } from '../sign-in/credentials.schema.ts'
import { PersonName } from './user.schema.ts'

export const OwnUserUpdate = Closed('OwnUserUpdate', {
  name: Type.Optional(PersonName),
  password: Type.Optional(NewPassword),
  current_password: Type.Optional(Described(Password, 'Needed with `password`')),
})
export type OwnUserUpdate = Static<typeof OwnUserUpdate>

export const TotpSecret = Closed('TotpSecret', {
  type: Type.Literal('totp-secret'),
  secret: Described(Type.String(), 'Base32, to be typed into the app'),
  uri: Described(Type.String(), 'The same secret as an `otpauth://` URI, for a QR code'),
})

export const TotpConfirmation = Closed('TotpConfirmation', { code: TotpCode })

export const TotpRemoval = Closed('TotpRemoval', {
  password: Type.Optional(Password),
  code: Type.Optional(TotpCode),
})
