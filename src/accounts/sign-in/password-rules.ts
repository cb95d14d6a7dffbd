export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 200

/** A password with fewer different characters is a pattern, such as `aaaaaaaaaaa1`. */
const MIN_DIFFERENT_CHARACTERS = 5

/**
 * The words of which the most frequent passwords of leaked lists are made. A password is compared with them
 * without its digits and signs, and once more with `0`, `1`, `3`, `4`, `5`, `@` and `$` read as letters.
 */
const commonWords = new Set(
  'password passwordpassword qwerty qwertz qwertyuiop qwertyqwerty asdfghjkl abc abcd abcdef abcdefgh admin administrator letmein welcome iloveyou changeme secret monkey dragon football railyard test user root login'.split(
    ' ',
  ),
)
const lettersOnly = (text: string) => text.replace(/[^a-z]/g, '')
const withoutSubstitutions = (text: string) =>
  lettersOnly(
    text
      .replace(/[^a-z]+$/, '')
      .replace(/0/g, 'o')
      .replace(/[13]/g, (digit) => (digit === '1' ? 'i' : 'e'))
      .replace(/[4@]/g, 'a')
      .replace(/[5$]/g, 's'),
  )

/** Rows of the keyboard and sequences: any part of one is a common password. */
const sequences = [
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb',
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'a1b2c3d4e5f6g7h8i9j0',
  '0123456789abcdef',
]

/**
 * What is wrong with a new password; undefined: nothing. Lengths are in characters, not bytes. The rule of a
 * letter and a digit is PCI DSS 8.3.6; NIST SP 800-63B asks for length alone.
 */
export function passwordProblem(
  password: string,
  { emailAddress, name }: { emailAddress: string; name: string },
): string | undefined {
  const text = password.normalize('NFC').toLowerCase()
  const characters = [...text]
  if (characters.length < MIN_PASSWORD_LENGTH) return `must have at least ${MIN_PASSWORD_LENGTH} characters`
  if (characters.length > MAX_PASSWORD_LENGTH) return `must have at most ${MAX_PASSWORD_LENGTH} characters`
  if (!/\p{L}/u.test(text) || !/\p{N}/u.test(text)) return 'must have a letter and a digit'
  if (new Set(characters).size < MIN_DIFFERENT_CHARACTERS)
    return `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`
  const localPart = emailAddress.slice(0, emailAddress.lastIndexOf('@')).toLowerCase()
  // names of one or two letters are in every second word
  if (localPart.length > 2 && text.includes(localPart))
    return 'must not contain the name in the email address'
  const names = name.normalize('NFC').toLowerCase().split(/\s+/)
  if (names.some((part) => part.length > 2 && text.includes(part))) return 'must not contain your name'
  if (
    commonWords.has(lettersOnly(text)) ||
    commonWords.has(withoutSubstitutions(text)) ||
    sequences.some((row) => row.includes(text))
  )
    return 'is one of the most common passwords'
  return undefined
}
