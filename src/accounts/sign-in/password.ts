import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { serviceUnavailable } from '../../api/errors.ts'

/** Cost of argon2id: KiB of memory, passes over it, lanes (OWASP Password Storage Cheat Sheet: at least 19 MiB, 2, 1). */
interface Cost {
  memory: number
  passes: number
  parallelism: number
}

const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT = 16
const TAG = 32

const derive = promisify(argon2)

/** A password as it is hashed: the same one, however a keyboard composes its characters. */
const bytesOf = (password: string) => Buffer.from(password.normalize('NFC').toWellFormed())

const hashOnce = (password: string, nonce: Buffer, { memory, passes, parallelism }: Cost, tagLength: number): Promise<Buffer> =>
  withHashSlot(() => derive('argon2id', { message: bytesOf(password), nonce, memory, passes, parallelism, tagLength }))

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

const phc = ({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`

/** As a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT)
  return phc(cost, salt, await hashOnce(password, salt, cost, TAG))
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function readHash(hash: string) {
  const [, memory, passes, parallelism, salt, tag] = form.exec(hash) ?? []
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash has an unknown form')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** A hash of nobody's password, so that asking about somebody who has none takes as long. */
const decoyHash = phc(cost, randomBytes(SALT), randomBytes(TAG))

/** Whether it is the password of this hash, by the hash's own parameters. Null: there is none; false, after the same time. */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  const { cost, salt, tag } = readHash(hash ?? decoyHash)
  const derived = await hashOnce(password, salt, cost, tag.length)
  return timingSafeEqual(derived, tag) && hash !== null
}

/** Whether the hash was made at a lower cost than is asked for today. */
export function needsRehash(hash: string): boolean {
  const { cost: then } = readHash(hash)
  return then.memory < cost.memory || then.passes < cost.passes
}

export const MIN_PASSWORD_LENGTH = 12
export const MAX_PASSWORD_LENGTH = 200

/** Of fewer different characters a password is a pattern, such as `aaaaaaaaaaa1`. */
const MIN_DIFFERENT = 5

/** Without digits and signs, and `0`, `1`, `3`, `4`, `5`, `@` and `$` read as letters: what the most frequent passwords of leaked lists are made of. */
const common = new Set(
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

/** Rows of the keyboard and sequences, however long. */
const sequences = ['1q2w3e4r5t6y7u8i9o0p', '1qaz2wsx3edc4rfv5tgb', 'abcdefghijklmnopqrstuvwxyz0123456789', 'a1b2c3d4e5f6g7h8i9j0', '0123456789abcdef']

/**
 * What is wrong with a new password; undefined: nothing. Lengths are in characters, not bytes. A letter and a digit are asked for by PCI DSS 8.3.6, where NIST SP 800-63B
 * asks for length alone.
 */
export function passwordProblem(password: string, { emailAddress, name }: { emailAddress: string; name: string }): string | undefined {
  const text = password.normalize('NFC').toLowerCase()
  const characters = [...text]
  if (characters.length < MIN_PASSWORD_LENGTH) return `must have at least ${MIN_PASSWORD_LENGTH} characters`
  if (characters.length > MAX_PASSWORD_LENGTH) return `must have at most ${MAX_PASSWORD_LENGTH} characters`
  if (!/\p{L}/u.test(text) || !/\p{N}/u.test(text)) return 'must have a letter and a digit'
  if (new Set(characters).size < MIN_DIFFERENT) return `must have at least ${MIN_DIFFERENT} different characters`
  const local = emailAddress.slice(0, emailAddress.lastIndexOf('@')).toLowerCase()
  // names of one or two letters are in every second word
  if (local.length > 2 && text.includes(local)) return 'must not contain the name in the email address'
  const own = name.normalize('NFC').toLowerCase().split(/\s+/)
  if (own.some((part) => part.length > 2 && text.includes(part))) return 'must not contain your name'
  if (common.has(lettersOnly(text)) || common.has(withoutSubstitutions(text)) || sequences.some((row) => row.includes(text)))
    return 'is one of the most common passwords'
  return undefined
}

/** Each takes 19 MiB and a core for 20 to 50 ms: more at once would only take the memory, and the threads that files and names are read in. */
const HASHES_AT_ONCE = 2
/** Some three seconds of work. Who comes then is told to come again, rather than kept for longer than they wait. */
const MAX_QUEUE = 200

let running = 0
const queue: (() => void)[] = []

async function withHashSlot<T>(work: () => Promise<T>): Promise<T> {
  if (queue.length >= MAX_QUEUE) throw serviceUnavailable('too many passwords are being hashed')
  if (running >= HASHES_AT_ONCE) await new Promise<void>((turn) => queue.push(turn))
  else running++
  try {
    return await work()
  } finally {
    // whoever waits takes the place over
    const next = queue.shift()
    if (next) next()
    else running--
  }
}
