import type { Cipher } from '../../base/cipher.ts'
import { canonicalJson } from '../values/canonical-json.ts'

/** What two requests under one idempotency key are compared by: keyed hashes of the body, never the body, which may hold a card number. */
export interface StoredFingerprint {
  /** Of the body as its members were ordered when it was sent: what versions before the canonical form kept and compare. */
  fingerprint: Buffer
  /** Of the canonical form. Empty, or null: such a version has stored the key. */
  canonical_fingerprint: Buffer | null
}

const LENGTH = 32

/** Both hashes, one after the other: `hashesOf` and `fingerprintColumns` take them apart. */
export function requestFingerprint({ mac }: Pick<Cipher, 'mac'>, body: unknown): Buffer {
  const sent = mac('request-fingerprint', JSON.stringify(body ?? null))
  return Buffer.concat([sent, mac('request-fingerprint', canonicalJson(body ?? null))])
}

/** The hash of the body as it was sent, and that of its canonical form. */
export const splitFingerprint = (request: Buffer): [Buffer, Buffer] => [request.subarray(0, LENGTH), request.subarray(LENGTH)]

/** In an insert: the values of `fingerprint` and `canonical_fingerprint`, of the parameter that holds both. */
export const fingerprintColumns = (parameter: string): string =>
  `substring(${parameter}::bytea for ${LENGTH}), substring(${parameter}::bytea from ${LENGTH + 1})`

/** Whether a request says the same as the one that has stored its key, which may have done so before the root secret was replaced. */
export function isSameRequest({ macs }: Pick<Cipher, 'macs'>, stored: StoredFingerprint, body: unknown): boolean {
  const [kept, text] = stored.canonical_fingerprint?.length
    ? [stored.canonical_fingerprint, canonicalJson(body ?? null)]
    : [stored.fingerprint, JSON.stringify(body ?? null)]
  return macs('request-fingerprint', text).some((mac) => mac.equals(kept))
}
