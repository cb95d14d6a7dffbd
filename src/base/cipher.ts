import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/**
 * What a derived key is for. Each purpose has its own key, so that a value made for one is worthless for
 * another.
 */
export type Purpose =
  | 'payment-service-fields'
  | 'merchant-account-secrets'
  | 'card-fingerprint'
  | 'account-card-fingerprint'
  | 'gift-card-service-fields'
  | 'gift-card-fingerprint'
  | 'anti-fraud-service-fields'
  | 'anti-fraud-notification'
  | 'cursor'
  | 'request-fingerprint'
  | 'notification'
  | 'webhook-subscription-secrets'
  | 'agentic-seller-secret'
  | 'token-notification'
  | 'approval'
  | 'approval-token'
  | 'gift-card'
  | 'session'
  | 'user-totp'
  | 'user-session-csrf'
  | 'audit-seal'
  | 'journal-seal'
  | 'retirement-seal'
  | 'return-url'
  | 'encryption-check'
  | 'report-file'
  | 'report-url'
  | 'google-pay'
  | 'sandbox-wallets'
  | 'payment-link'
  | 'payment-link-session'
  | 'payment-link-token'
  | 'browser-report'
  | 'proposal-body'
  | 'proposal-answer'

/**
 * Purposes that always use the first root secret: their values are keys of rows, shown to merchants, or
 * registered with Apple and Google, and would change under another secret (docs/operations/leaked-key.md).
 */
const firstGenerationOnly: ReadonlySet<Purpose> = new Set([
  'card-fingerprint',
  'account-card-fingerprint',
  'gift-card-fingerprint',
  'payment-link-token',
  'encryption-check',
  'google-pay',
  'sandbox-wallets',
])

/** The root secrets of an instance by their generation, 1 the first (vault/keys/root-secret.ts). */
export interface RootSecrets {
  /** The generation under which values are sealed and signed now. */
  current: number
  known: ReadonlyMap<number, Buffer>
  /** The generations whose signatures are accepted, the current one first. */
  accepted: readonly number[]
}

export interface Cipher {
  /** The generation that seals and signs now. */
  generation(): number
  /**
   * AES-256-GCM: 12-byte nonce, ciphertext, 16-byte tag. `context` must be the same to open it, so a value
   * cannot be moved to another row.
   */
  seal(purpose: Purpose, plain: string | Buffer, context: string): Buffer
  open(purpose: Purpose, sealed: Buffer, context: string): string
  openBytes(purpose: Purpose, sealed: Buffer, context: string): Buffer
  /** HMAC-SHA-256 under `generation`, by default the current one. */
  mac(purpose: Purpose, text: string, generation?: number): Buffer
  /** The HMAC under each generation whose signatures are accepted, the current one first. */
  macs(purpose: Purpose, text: string): readonly Buffer[]
}

const NONCE = 12
const TAG = 16

/** The first bytes of a value under any generation but the first; four bytes with the generation follow. */
const MARK = Buffer.from('ry\u0001g', 'latin1')
const HEADER = MARK.length + 4

/**
 * The first bytes of a value that a generation sealed. Values of the first generation have no header: they
 * are older than the format.
 */
export function sealedPrefix(generation: number): Buffer {
  if (generation === 1) return Buffer.alloc(0)
  const header = Buffer.alloc(HEADER)
  MARK.copy(header)
  header.writeUInt32BE(generation, MARK.length)
  return header
}

const onlyOne = (secret: Buffer): RootSecrets => ({
  current: 1,
  known: new Map([[1, secret]]),
  accepted: [1],
})

/**
 * Derives every key from the instance's root secrets. `root` may get further generations while the cipher is
 * in use.
 */
export function createCipher(root: Buffer | RootSecrets): Cipher {
  const secrets = Buffer.isBuffer(root) ? onlyOne(root) : root
  // as key objects: a mac with one takes 6 µs, with bare bytes 36
  const derived = new Map<string, KeyObject>()
  const keyFor = (purpose: Purpose, generation: number) => {
    const name = `${generation} ${purpose}`
    const cached = derived.get(name)
    if (cached) return cached
    const secret = secrets.known.get(generation)
    if (!secret) throw new Error(`the root secret of generation ${generation} is not known`)
    const key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, 'railyard', purpose, 32)))
    derived.set(name, key)
    return key
  }
  const openFrom = (
    purpose: Purpose,
    sealed: Buffer,
    context: string,
    generation: number,
    header: Buffer,
  ) => {
    const body = sealed.subarray(header.length)
    const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose, generation), body.subarray(0, NONCE), {
      authTagLength: TAG,
    })
    decipher.setAAD(Buffer.concat([header, Buffer.from(context)])).setAuthTag(body.subarray(-TAG))
    return Buffer.concat([decipher.update(body.subarray(NONCE, -TAG)), decipher.final()])
  }
  const openBytes: Cipher['openBytes'] = (purpose, sealed, context) => {
    const first = () => openFrom(purpose, sealed, context, 1, Buffer.alloc(0))
    if (sealed.length < HEADER || !sealed.subarray(0, MARK.length).equals(MARK)) return first()
    const header = sealed.subarray(0, HEADER)
    try {
      return openFrom(purpose, sealed, context, header.readUInt32BE(MARK.length), header)
    } catch (error) {
      // one nonce in 2^32 begins like the mark
      try {
        return first()
      } catch {
        throw error
      }
    }
  }
  const mac: Cipher['mac'] = (purpose, text, generation = secrets.current) =>
    createHmac('sha256', keyFor(purpose, firstGenerationOnly.has(purpose) ? 1 : generation))
      .update(text)
      .digest()
  // an idempotency key may be older than the accepted generations: its request must be recognized until the
  // key is erased
  const generationsOf = (purpose: Purpose) =>
    purpose === 'request-fingerprint' ? [...secrets.known.keys()] : secrets.accepted
  return {
    generation: () => secrets.current,
    seal(purpose, plain, context) {
      const header = sealedPrefix(secrets.current)
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose, secrets.current), nonce).setAAD(
        Buffer.concat([header, Buffer.from(context)]),
      )
      const content = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
      return Buffer.concat([header, nonce, content, cipher.final(), cipher.getAuthTag()])
    },
    open: (purpose, sealed, context) => openBytes(purpose, sealed, context).toString('utf8'),
    openBytes,
    mac,
    macs: (purpose, text) => generationsOf(purpose).map((generation) => mac(purpose, text, generation)),
  }
}

/**
 * Whether `signature` is the signature of the text under an accepted generation: its first `bytes` in
 * base64url. The encoded texts are compared, because several texts decode to the same bytes.
 */
export const isSignature = (
  cipher: Pick<Cipher, 'macs'>,
  purpose: Purpose,
  text: string,
  signature: string,
  bytes = 32,
): boolean =>
  cipher
    .macs(purpose, text)
    .some((mac) => isEqualInConstantTime(mac.subarray(0, bytes).toString('base64url'), signature))

/**
 * Whether a secret equals what a client sent. The time that it takes reveals at most whether the lengths
 * differ.
 */
export function isEqualInConstantTime(secret: string | Buffer, sent: string | Buffer): boolean {
  const [expected, actual] = [Buffer.from(secret), Buffer.from(sent)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
