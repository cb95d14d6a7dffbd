import type { Cipher } from '../../base/cipher.ts'
import { canonicalJson } from '../values/canonical-json.ts'

/**
 * Keyed hashes of a request's body, by which two requests under one idempotency key are compared. The body
 * itself is not stored: it may hold a card number.
 */
export interface StoredFingerprint {
  /**
   * Of the body with its members in the order in which they were sent. Earlier versions of Railyard compare
   * this one alone.
   */
  fingerprint: Buffer
  /** Of the canonical form. Empty or null: an earlier version has stored the key. */
  canonical_fingerprint: Buffer | null
}

const LENGTH = 32

/** Both hashes, one after the other; `splitFingerprint` and `fingerprintColumns` take them apart. */
export function requestFingerprint({ mac }: Pick<Cipher, 'mac'>, body: unknown): Buffer {
  const sent = mac('request-fingerprint', JSON.stringify(body ?? null))
  return Buffer.concat([sent, mac('request-fingerprint', canonicalJson(body ?? null))])
}

/** The hash of the body as it was sent, and that of its canonical form. */
export const splitFingerprint = (request: Buffer): [Buffer, Buffer] => [
  request.subarray(0, LENGTH),
  request.subarray(LENGTH),
]

/**
 * SQL for an insert: the values of `fingerprint` and `canonical_fingerprint` from the parameter that holds
 * both.
 */
export const fingerprintColumns = (parameter: string): string =>
  `substring(${parameter}::bytea for ${LENGTH}), substring(${parameter}::bytea from ${LENGTH + 1})`

/**
 * Whether the body is the one that the stored fingerprint was made of, under the current root secret or an
 * earlier one.
 */
export function isSameRequest(
  { macs }: Pick<Cipher, 'macs'>,
  stored: StoredFingerprint,
  body: unknown,
): boolean {
  const [fingerprint, text] = stored.canonical_fingerprint?.length
    ? [stored.canonical_fingerprint, canonicalJson(body ?? null)]
    : [stored.fingerprint, JSON.stringify(body ?? null)]
  return macs('request-fingerprint', text).some((mac) => mac.equals(fingerprint))
}
