import { Type } from 'typebox'
import { Described, Text } from '../../api/schema.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './password-rules.ts'

/**
 * A password as a request holds it. The bound is in UTF-16 units and above every password; `passwordProblem`
 * counts the characters of a new one.
 */
export const Password = Text(1, 4 * MAX_PASSWORD_LENGTH)

export const NewPassword = Described(
  Password,
  `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters with a letter and a digit, without the person’s name or the name in the email address, and not a common one`,
)

/** A code of an authenticator app. */
export const TotpCode = Type.String({ pattern: '^[0-9]{6}$' })
