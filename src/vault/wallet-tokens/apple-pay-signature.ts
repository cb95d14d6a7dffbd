import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { extensionOf } from './asn1.ts'
import { readDetachedSignature } from './cms.ts'
import { RefusedToken } from './wallet-token.ts'

/**
 * The extensions by which Apple marks the purpose of a certificate; only their presence counts (Payment Token
 * Format Reference, step 1a).
 */
const LEAF = '1.2.840.113635.100.6.29'
const INTERMEDIATE = '1.2.840.113635.100.6.2.14'

/**
 * A wallet signs at the moment of the approval. An older token may be a copy of a used one; the clocks may
 * differ in both directions.
 */
export const FRESH_MS = 5 * 60_000

export interface TrustedRoots {
  /** The public keys of the trusted root certificates. */
  roots: readonly KeyObject[]
  /** Milliseconds since 1970. */
  now: number
}

/**
 * The time of the signature. Throws `RefusedToken` unless `content` was signed just now under one of the
 * roots (Payment Token Format Reference, step 1).
 */
export function verifyApplePaySignature(der: Buffer, content: Buffer, { roots, now }: TrustedRoots): number {
  const { certificates, signedAttributes, signature, messageDigest, signingTime } = readDetachedSignature(der)
  const certificateWith = (oid: string) => {
    const found = certificates.filter((certificate) => extensionOf(certificate, oid) !== undefined)
    const [certificate] = found
    if (!certificate || found.length !== 1) throw new RefusedToken('is not signed by the wallet')
    return new X509Certificate(certificate)
  }
  const leaf = certificateWith(LEAF)
  const intermediate = certificateWith(INTERMEDIATE)
  const isAuthority =
    intermediate.ca && leaf.checkIssued(intermediate) && isValidAt(intermediate, signingTime)
  if (
    !isAuthority ||
    !roots.some((root) => intermediate.verify(root)) ||
    !leaf.verify(intermediate.publicKey) ||
    !isValidAt(leaf, signingTime)
  )
    throw new RefusedToken('is not signed by the wallet')
  if (!verify('sha256', signedAttributes, leaf.publicKey, signature))
    throw new RefusedToken('has a wrong signature')
  if (!createHash('sha256').update(content).digest().equals(messageDigest))
    throw new RefusedToken('is not what was signed')
  if (Math.abs(now - signingTime) > FRESH_MS) throw new RefusedToken('has expired')
  return signingTime
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, time: number): boolean =>
  Date.parse(validFrom) <= time && time <= Date.parse(validTo)
