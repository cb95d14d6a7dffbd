import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { serviceUnavailable } from '../api/errors.ts'

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
  atOnce(() => derive('argon2id', { message: bytesOf(password), nonce, memory, passes, parallelism, tagLength }))

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
const nobodys = phc(cost, randomBytes(SALT), randomBytes(TAG))

/** Whether it is the password of this hash, by the hash's own parameters. Null: there is none; false, after the same time. */
export async function isPassword(hash: string | null, password: string): Promise<boolean> {
  const { cost, salt, tag } = readHash(hash ?? nobodys)
  const derived = await hashOnce(password, salt, cost, tag.length)
  return timingSafeEqual(derived, tag) && hash !== null
}

/** Whether the hash was made at a lower cost than is asked for today. */
export function isWeak(hash: string): boolean {
  const { cost: then } = readHash(hash)
  return then.memory < cost.memory || then.passes < cost.passes
}

export const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 200

/** What is wrong with a new password; undefined: nothing. Lengths are in characters, not bytes (NIST SP 800-63B §3.1.1.2: length counts, composition does not). */
export function passwordProblem(password: string, emailAddress: string): string | undefined {
  const characters = [...password.normalize('NFC')].length
  if (characters < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters`
  if (characters > LONGEST_PASSWORD) return `must have at most ${LONGEST_PASSWORD} characters`
  const name = emailAddress.slice(0, emailAddress.lastIndexOf('@')).toLowerCase()
  // names of one or two letters are in every second word
  if (name.length > 2 && password.normalize('NFC').toLowerCase().includes(name)) return 'must not contain the name in the email address'
  return undefined
}

/** Each takes 19 MiB and a core for 20 to 50 ms: more at once would only take the memory, and the threads that files and names are read in. */
const HASHES_AT_ONCE = 2
/** Some three seconds of work. Who comes then is told to come again, rather than kept for longer than they wait. */
const LONGEST_QUEUE = 200

let running = 0
const queue: (() => void)[] = []

async function atOnce<T>(work: () => Promise<T>): Promise<T> {
  if (queue.length >= LONGEST_QUEUE) throw serviceUnavailable('too many passwords are being hashed')
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
