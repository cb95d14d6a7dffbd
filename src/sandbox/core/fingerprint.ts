import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { canonicalJson } from '../../api/values/canonical-json.ts'

/**
 * The key of the fingerprints as a key object, since making one costs more than the hash. Its file is beside
 * the books, not in them: a copy of the books must not help to guess a card number.
 */
export function fingerprintSecret(booksFile: string | undefined): KeyObject {
  if (!booksFile) return createSecretKey(randomBytes(32))
  const file = `${booksFile}.key`
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 })
  return createSecretKey(readFileSync(file))
}

/**
 * A keyed hash by which two requests with one key are compared. The body, which has a card number, is not
 * stored.
 */
export function fingerprint(secret: KeyObject, path: string, body: unknown): string {
  return createHmac('sha256', secret).update(path).update('\n').update(canonicalJson(body)).digest('base64')
}
