import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { serviceUnavailable } from '../../api/errors.ts'

/** Cost of argon2id (OWASP Password Storage Cheat Sheet: at least 19 MiB, 2 passes, 1 lane). */
interface Cost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT = 16
const TAG = 32

const derive = promisify(argon2)

/** The bytes that are hashed: the same for each way in which a keyboard composes a character. */
const bytesOf = (password: string) => Buffer.from(password.normalize('NFC').toWellFormed())

const hashOnce = (
  password: string,
  nonce: Buffer,
  { memory, passes, parallelism }: Cost,
  tagLength: number,
): Promise<Buffer> =>
  withHashSlot(() =>
    derive('argon2id', { message: bytesOf(password), nonce, memory, passes, parallelism, tagLength }),
  )

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

const phc = ({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`

/**
 * Hashes a password, as a PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. Throws 503 if too many wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT)
  return phc(cost, salt, await hashOnce(password, salt, cost, TAG))
}

const phcForm = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function readHash(hash: string) {
  const [, memory, passes, parallelism, salt, tag] = phcForm.exec(hash) ?? []
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash has an unknown form')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** Random bytes in place of a hash, so that a sign-in as an unknown person takes as long as any other. */
const decoyHash = phc(cost, randomBytes(SALT), randomBytes(TAG))

/**
 * Whether the password has this hash, by the hash's own parameters. Null, there is no hash: false, after the
 * same time. Throws 503 if too many wait.
 */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  const { cost, salt, tag } = readHash(hash ?? decoyHash)
  const derived = await hashOnce(password, salt, cost, tag.length)
  return timingSafeEqual(derived, tag) && hash !== null
}

/** Whether the hash was made at a lower cost than today's. */
export function needsRehash(hash: string): boolean {
  const { cost: costOfHash } = readHash(hash)
  return costOfHash.memory < cost.memory || costOfHash.passes < cost.passes
}

/**
 * Each hash takes 19 MiB and a core for 20 to 50 ms. More at once would only take memory, and the threads
 * that read files and look up host names.
 */
const HASHES_AT_ONCE = 2
/** Some three seconds of work. A request beyond it is answered 503: its client would not wait that long. */
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
    // the slot goes to the first that waits, so `running` stays
    const next = queue.shift()
    if (next) next()
    else running--
  }
}
