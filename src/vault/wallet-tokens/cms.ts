import { UTCTime } from 'asn1js'
import { childrenOf, encodedOf, isTagged, malformed, octetsOf, oidOf, readBer } from './asn1.ts'

/**
 * A detached signature by one signer (RFC 5652 §5), with the parts that are needed for a wallet's. Nothing of
 * it is verified yet.
 */
export interface DetachedSignature {
  /** DER, in the order of the signature. */
  certificates: Buffer[]
  /** The signed bytes: the signed attributes as a DER SET. */
  signedAttributes: Buffer
  signature: Buffer
  /** Signed attribute: SHA-256 of the content. */
  messageDigest: Buffer
  /** Signed attribute: milliseconds since 1970. */
  signingTime: number
}

const oid = {
  signedData: '1.2.840.113549.1.7.2',
  data: '1.2.840.113549.1.7.1',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
} as const

const SET = 0x31

/** Throws `RefusedToken` if it is no such signature. */
export function readDetachedSignature(der: Uint8Array): DetachedSignature {
  const [contentType, content] = childrenOf(readBer(der))
  if (oidOf(contentType) !== oid.signedData) throw malformed()
  const parts = childrenOf(childrenOf(content)[0])
  const certificates = parts.find((part) => isTagged(part, 0))
  const signers = childrenOf(parts.at(-1))
  const [signer] = signers
  if (!certificates || !signer || signers.length !== 1) throw malformed()

  const [, , digestAlgorithm, attributes, , signature] = childrenOf(signer)
  if (!attributes || !isTagged(attributes, 0) || oidOf(childrenOf(digestAlgorithm)[0]) !== oid.sha256)
    throw malformed()
  const attribute = attributeReader(childrenOf(attributes))
  if (oidOf(attribute(oid.contentType)) !== oid.data) throw malformed()
  const signedAt = attribute(oid.signingTime)
  if (!(signedAt instanceof UTCTime)) throw malformed()
  // signed as a SET, sent under a tag of its own (RFC 5652 §5.4)
  const signedAttributes = encodedOf(attributes)
  signedAttributes[0] = SET
  return {
    certificates: childrenOf(certificates).map(encodedOf),
    signedAttributes,
    signature: octetsOf(signature),
    messageDigest: octetsOf(attribute(oid.messageDigest)),
    signingTime: signedAt.toDate().getTime(),
  }
}

/** Reads the only value of an attribute, which must be there once. */
function attributeReader(attributes: unknown[]) {
  return (name: string) => {
    const found = attributes.map(childrenOf).filter(([type]) => oidOf(type) === name)
    const values = childrenOf(found[0]?.[1])
    if (found.length !== 1 || values.length !== 1) throw malformed()
    return values[0]
  }
}
