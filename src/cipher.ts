import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

/** What a derived key is for. Each purpose has a key of its own, so that a value made for one is worth nothing to another. */
export type Purpose =
  | 'payment-service-fields'
  | 'merchant-account-secrets'
  | 'card-fingerprint'
  | 'gift-card-service-fields'
  | 'gift-card-fingerprint'
  | 'anti-fraud-service-fields'
  | 'anti-fraud-notification'
  | 'cursor'
  | 'request-fingerprint'
  | 'notification'
  | 'webhook-subscription-secrets'
  | 'token-notification'
  | 'approval'
  | 'approval-token'
  | 'gift-card'
  | 'session'
  | 'user-totp'
  | 'user-session-csrf'
  | 'audit-seal'
  | 'journal-seal'
  | 'return-url'
  | 'encryption-check'
  | 'report-file'
  | 'report-url'
  | 'google-pay'
  | 'sandbox-wallets'
  | 'payment-link'
  | 'payment-link-session'
  | 'payment-link-token'

export interface Cipher {
  /** AES-256-GCM: 12-byte nonce, ciphertext, 16-byte tag. `context` must be the same to open it, so a value cannot be moved to another row. */
  seal(purpose: Purpose, plain: string | Buffer, context: string): Buffer
  open(purpose: Purpose, sealed: Buffer, context: string): string
  openBytes(purpose: Purpose, sealed: Buffer, context: string): Buffer
  /** HMAC-SHA-256. */
  mac(purpose: Purpose, text: string): Buffer
}

const NONCE = 12
const TAG = 16

/** Everything is derived from the instance's root secret (vault/root-secret.ts). */
export function createCipher(rootSecret: Buffer): Cipher {
  // as key objects: a mac with one takes 6 µs, with bare bytes 36
  const derived = new Map<Purpose, KeyObject>()
  const keyFor = (purpose: Purpose) => {
    const known = derived.get(purpose)
    if (known) return known
    const key = createSecretKey(new Uint8Array(hkdfSync('sha256', rootSecret, 'railyard', purpose, 32)))
    derived.set(purpose, key)
    return key
  }
  const openBytes: Cipher['openBytes'] = (purpose, sealed, context) => {
    const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), sealed.subarray(0, NONCE), { authTagLength: TAG }).setAAD(Buffer.from(context))
    decipher.setAuthTag(sealed.subarray(-TAG))
    return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()])
  }
  return {
    seal(purpose, plain, context) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce).setAAD(Buffer.from(context))
      return Buffer.concat([
        nonce,
        typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain),
        cipher.final(),
        cipher.getAuthTag(),
      ])
    },
    open: (purpose, sealed, context) => openBytes(purpose, sealed, context).toString('utf8'),
    openBytes,
    mac: (purpose, text) => createHmac('sha256', keyFor(purpose)).update(text).digest(),
  }
}
