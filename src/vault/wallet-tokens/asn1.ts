import { type AsnType, Constructed, fromBER, ObjectIdentifier, OctetString } from 'asn1js'
import { RefusedToken } from './wallet-token.ts'

/** Far more than any certificate or signature of a wallet needs. */
const LIMITS = { maxDepth: 32, maxNodes: 2_000 }

export const malformed = () => new RefusedToken('is not well-formed')

/** Reads a whole BER value (ITU-T X.690); Apple's signatures have indefinite lengths. */
export function readBer(bytes: Uint8Array): AsnType {
  const { offset, result } = fromBER(bytes, LIMITS)
  if (offset !== bytes.length) throw malformed()
  return result
}

export function childrenOf(block: unknown): AsnType[] {
  if (!(block instanceof Constructed)) throw malformed()
  // the library types parsed blocks as the base of its classes
  return block.valueBlock.value
}

/** The bytes as they were sent, header included. */
export const encodedOf = (block: AsnType): Buffer => Buffer.from(block.valueBeforeDecodeView)

export const oidOf = (block: unknown): string | undefined =>
  block instanceof ObjectIdentifier ? block.valueBlock.toString() : undefined

export function octetsOf(block: unknown): Buffer {
  if (!(block instanceof OctetString)) throw malformed()
  return Buffer.from(block.getValue())
}

/** A context-specific tag, e.g. `[0]`. */
export const isTagged = (block: AsnType, number: number): boolean =>
  block.idBlock.tagClass === 3 && block.idBlock.tagNumber === number

/**
 * The content of an extension of a certificate (RFC 5280 §4.2); undefined: the certificate does not have it.
 */
export function extensionOf(certificate: Uint8Array, oid: string): Buffer | undefined {
  const [body] = childrenOf(readBer(certificate))
  const extensions = childrenOf(body).find((part) => isTagged(part, 3))
  if (!extensions) return undefined
  const found = childrenOf(childrenOf(extensions)[0]).find(
    (extension) => oidOf(childrenOf(extension)[0]) === oid,
  )
  return found && octetsOf(childrenOf(found).at(-1))
}
