import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { canonicalJson } from '../../api/values/canonical-json.ts'

/** The key of the fingerprints, made once: turning bytes into a key costs more than the hash. It lies beside the books, not in them: a copy of the books must not help anyone to guess a card number. */
export function fingerprintSecret(booksFile: string | undefined): KeyObject {
  if (!booksFile) return createSecretKey(randomBytes(32))
  const file = `${booksFile}.key`
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 })
  return createSecretKey(readFileSync(file))
}

/** Tells whether two requests with one key are the same, without keeping the body, which holds a card number. */
export function fingerprint(secret: KeyObject, path: string, body: unknown): string {
  return createHmac('sha256', secret).update(path).update('\n').update(canonicalJson(body)).digest('base64')
}
