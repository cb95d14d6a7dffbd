import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** The key of the fingerprints, made once: turning bytes into a key costs more than the hash. It lies beside the books, not in them: a copy of the books must not help anyone to guess a card number. */
export function fingerprintSecret(booksFile: string | undefined): KeyObject {
  if (!booksFile) return createSecretKey(randomBytes(32))
  const file = `${booksFile}.key`
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 })
  return createSecretKey(readFileSync(file))
}

/** Tells whether two requests with one key are the same, without keeping the body, which holds a card number. */
export function fingerprint(secret: KeyObject, path: string, body: unknown): string {
  return createHmac('sha256', secret).update(path).update('\n').update(canonical(body)).digest('base64')
}

/** JSON with sorted names: the same body whatever the order it was written in. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const parts = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${parts.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`).join()}}`
}
